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
  /** An amount of minor units: R800.50. */
  money(amount: number, currency: string): string
  moment(iso: string, timeZone: string): Moment
  /** A day of the calendar, which has no zone: Fri, 20 November */
  date(iso: string): string
}

/** `ownZone`: the viewer's time zone, the browser's when left out. */
export function createFormat(locale: string, ownZone?: string): Format {
  const number = new Intl.NumberFormat(locale)
  /** A page shows one currency: the last one is kept. */
  let money = { currency: 'ZAR', format: moneyFormat(locale, 'ZAR', 2) }
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
    money(amount, currency) {
      const digits = minorDigits(currency)
      if (money.currency !== currency) money = { currency, format: moneyFormat(locale, currency, digits) }
      return money.format.format(amount / 10 ** digits)
    },
    date: iso => date.format(new Date(iso)),
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
