import { minorDigits } from '@voelgoed/core/prices/currency'

/** A moment as people at the venue and in front of the screen call it. */
export interface Moment {
  /** Fri, 20 Nov 2026, 19:30, at the venue. */
  readonly there: string
  /** The city that the venue's zone is named after: Johannesburg. */
  readonly city: string
  /** The same moment where the viewer is; null when their clocks agree. */
  readonly here: string | null
}

/** Numbers, dates and times as people write them where they are. */
export interface Format {
  readonly locale: string
  number(value: number): string
  /** 5, 6 and 7 */
  list(items: readonly string[]): string
  /** An amount of minor units: R800.50. */
  money(amount: number, currency: string): string
  /** The same in brief, where amounts are compared and not added up: R800, but R800.50. */
  price(amount: number, currency: string): string
  moment(iso: string, timeZone: string): Moment
  /** The time of a moment at the venue: 18:30. */
  time(iso: string, timeZone: string): string
  /** The day of a moment at the venue, for a leaf of a calendar: NOV and 20. */
  leaf(iso: string, timeZone: string): { readonly month: string; readonly day: string }
  /** A day of the calendar, which has no zone: Fri, 20 November */
  date(iso: string): string
}

/** `ownZone`: the viewer's time zone, the browser's when left out. */
export function createFormat(locale: string, ownZone?: string): Format {
  const number = new Intl.NumberFormat(locale)
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  /** A page shows one currency: the last one is kept. */
  let money = { currency: 'ZAR', format: moneyFormat(locale, 'ZAR', 2) }
  let price = { currency: 'ZAR', format: moneyFormat(locale, 'ZAR', 0) }
  const date = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
  const inZone = (options: Intl.DateTimeFormatOptions, timeZone: string | undefined) =>
    new Intl.DateTimeFormat(locale, { ...options, hourCycle: 'h23', ...(timeZone && { timeZone }) })
  return {
    locale,
    number: value => number.format(value),
    list: items => list.format(items),
    money(amount, currency) {
      const digits = minorDigits(currency)
      if (money.currency !== currency) money = { currency, format: moneyFormat(locale, currency, digits) }
      return money.format.format(amount / 10 ** digits)
    },
    price(amount, currency) {
      const digits = minorDigits(currency)
      if (amount % 10 ** digits !== 0) return this.money(amount, currency)
      if (price.currency !== currency) price = { currency, format: moneyFormat(locale, currency, 0) }
      return price.format.format(amount / 10 ** digits)
    },
    date: iso => date.format(new Date(iso)),
    time: (iso, timeZone) => inZone({ hour: '2-digit', minute: '2-digit' }, timeZone).format(new Date(iso)),
    leaf(iso, timeZone) {
      const part = (options: Intl.DateTimeFormatOptions) => inZone(options, timeZone).format(new Date(iso))
      return { month: part({ month: 'short' }).replace('.', ''), day: part({ day: 'numeric' }) }
    },
    moment(iso, timeZone) {
      const at = new Date(iso)
      const write = (options: Intl.DateTimeFormatOptions, zone: string | undefined) =>
        inZone(options, zone).format(at)
      const there = write({ ...DAY, ...TIME }, timeZone)
      const isSame = there === write({ ...DAY, ...TIME }, ownZone)
      const isSameDay = write(DAY, timeZone) === write(DAY, ownZone)
      const here = isSame ? null : write(isSameDay ? TIME : { ...SHORT_DAY, ...TIME }, ownZone)
      return { there, city: cityOf(timeZone), here }
    },
  }
}

function moneyFormat(locale: string, currency: string, digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

const TIME = { hour: '2-digit', minute: '2-digit' } as const
const SHORT_DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const
const DAY = { ...SHORT_DAY, year: 'numeric' } as const

/** Africa/Johannesburg → Johannesburg, America/Argentina/Buenos_Aires → Buenos Aires. */
function cityOf(timeZone: string): string {
  return timeZone.split('/').at(-1)!.replaceAll('_', ' ')
}

/** 9:05, or 1:02:05 for a hold of hours. */
export function clockFace(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
