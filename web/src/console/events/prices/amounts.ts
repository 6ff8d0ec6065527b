import { minorDigits } from '@voelgoed/core/prices/currency'
import { PRICE_LIMITS } from '@voelgoed/core/prices/price-list'

/** An amount as people type it, in minor units: 1 250,50 and 1250.5 are 125050. Null: it is none. */
export function readAmount(text: string, currency: string): number | null {
  const digits = minorDigits(currency)
  const plain = text.replaceAll(/[\s\u00a0\u202f]/g, '').replace(',', '.')
  const found = /^(\d{1,12})(?:\.(\d{0,3}))?$/.exec(plain)
  if (!found) return null
  const fraction = found[2] ?? ''
  if (fraction.length > digits) return null
  const amount = Number(found[1]) * 10 ** digits + Number(fraction.padEnd(digits, '0') || 0)
  return amount <= PRICE_LIMITS.amount ? amount : null
}

/** The same the other way, as a field shows it: 1250 or 1250.50. */
export function writeAmount(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  const whole = amount / 10 ** digits
  return Number.isInteger(whole) ? String(whole) : whole.toFixed(digits)
}

/** 15, 8.875; null: no percentage. */
export function readPercent(text: string): number | null {
  const plain = text.trim().replace(',', '.')
  return /^\d{1,3}(\.\d{0,3})?$/.test(plain) && Number(plain) <= 100 ? Number(plain) : null
}

/** A key that no other has, made of a name: "Early bird" is early-bird. */
export function keyFor(name: string, taken: ReadonlySet<string>): string {
  const base =
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 40) || 'type'
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? base : `${base}-${number}`
    if (!taken.has(key)) return key
  }
}
