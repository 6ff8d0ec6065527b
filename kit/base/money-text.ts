import { minorDigits } from '@voelgoed/core/prices/currency'

/** An amount of minor units as people of a locale write it. */
export function moneyText(amount: number, currency: string, locale: string): string {
  const digits = minorDigits(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format(amount / 10 ** digits)
}
