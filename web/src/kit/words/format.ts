import { minorDigits } from '@voelgoed/core/prices/currency'

/** A moment as people at the venue and in front of the screen call it. */
interface Moment {
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
  /** The same at the venue in brief, without its year: Fri, 20 Nov, 19:30. */
  briefMoment(iso: string, timeZone: string): string
  /** The time of a moment at the venue: 18:30. */
  time(iso: string, timeZone: string): string
  /** The day of a moment at the venue, for a leaf of a calendar: NOV and 20. */
  leaf(iso: string, timeZone: string): { readonly month: string; readonly day: string }
  /** A day of the calendar, which has no zone, or the day of a moment at the venue: Fri, 20 November */
  date(iso: string, timeZone?: string): string
}

/** A page needs its locale, and some currencies and time zones. */
const MOST_KEPT = 100

/**
 * `ownZone`: the viewer's time zone, the browser's when left out.
 *
 * The formats of Intl are made when they are needed, and kept: the first of each kind takes a phone many
 * milliseconds, because it reads the data of the locale, and a list of events asks for the same ones again.
 */
export function createFormat(locale: string, ownZone?: string): Format {
  const kept = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.ListFormat>()
  const keep = <T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.ListFormat>(
    key: string,
    make: () => T,
  ): T => {
    const known = kept.get(key) as T | undefined
    if (known) return known
    if (kept.size >= MOST_KEPT) kept.clear()
    const made = make()
    kept.set(key, made)
    return made
  }
  const currencyFormat = (currency: string, digits: number) =>
    keep(`${currency} ${digits}`, () => moneyFormat(locale, currency, digits))
  const inZone = (name: keyof typeof DATES, timeZone: string | undefined) =>
    keep(`${name} ${timeZone}`, () => {
      const zone = timeZone !== undefined && { timeZone }
      return new Intl.DateTimeFormat(locale, { ...DATES[name], hourCycle: 'h23', ...zone })
    })
  return {
    locale,
    // Our locales write these as JavaScript does.
    number: value =>
      Number.isInteger(value) && value >= 0 && value < 1000
        ? String(value)
        : keep('number', () => new Intl.NumberFormat(locale)).format(value),
    list: items =>
      items.length < 2
        ? items.join('')
        : keep('list', () => new Intl.ListFormat(locale, { type: 'conjunction' })).format(items),
    money(amount, currency) {
      const digits = minorDigits(currency)
      return currencyFormat(currency, digits).format(amount / 10 ** digits)
    },
    price(amount, currency) {
      const digits = minorDigits(currency)
      if (amount % 10 ** digits !== 0) return this.money(amount, currency)
      return currencyFormat(currency, 0).format(amount / 10 ** digits)
    },
    date: (iso, timeZone = 'UTC') => inZone('date', timeZone).format(new Date(iso)),
    briefMoment: (iso, timeZone) => inZone('shortMoment', timeZone).format(new Date(iso)),
    time: (iso, timeZone) => inZone('time', timeZone).format(new Date(iso)),
    leaf(iso, timeZone) {
      const at = new Date(iso)
      const month = inZone('leafMonth', timeZone).format(at).replace('.', '')
      return { month, day: inZone('leafDay', timeZone).format(at) }
    },
    moment(iso, timeZone) {
      const at = new Date(iso)
      const there = inZone('moment', timeZone).format(at)
      const own = () => inZone('moment', ownZone).format(at)
      const isSame = ownZone === timeZone || there === own()
      return { there, city: cityOf(timeZone), here: isSame ? null : here(at, timeZone) }
    },
  }

  function here(at: Date, timeZone: string): string {
    const isSameDay = inZone('day', timeZone).format(at) === inZone('day', ownZone).format(at)
    return inZone(isSameDay ? 'time' : 'shortMoment', ownZone).format(at)
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
const DATES = {
  date: { weekday: 'short', day: 'numeric', month: 'long' },
  time: TIME,
  leafMonth: { month: 'short' },
  leafDay: { day: 'numeric' },
  moment: { ...DAY, ...TIME },
  day: DAY,
  shortMoment: { ...SHORT_DAY, ...TIME },
} as const

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

/** True if seat numbers in brief (`5`, `5, 6`, `21–24`) are of more than one seat. */
export const hasSeveral = (seatNumbers: string): boolean => /, |–/.test(seatNumbers)
