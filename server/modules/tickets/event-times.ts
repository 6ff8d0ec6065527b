import { datesOf } from '@voelgoed/core/entry/event-day'
import type { EventDay } from '../events/tables/events.ts'
import { TICKET_LOCALES, TICKET_WORDS, type TicketLanguage } from './ticket-words.ts'

/** When an event is, as far as its organizer has said. */
export interface EventTimes {
  /** The zone of the venue: people there see these times on a clock. */
  readonly timeZone: string
  readonly startsAt: string | null
  readonly endsAt?: string | null
  readonly days: readonly EventDay[]
}

const DATE = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const MAX_LINES = 4

/**
 * A first day that says no time begins when the event does, if that is on its date at the venue. An only day
 * that says no end has the event's.
 */
export function daysWithStart({ timeZone, startsAt, endsAt = null, days }: EventTimes): readonly EventDay[] {
  const [first, ...others] = days
  if (!first || first.starts_at !== null || startsAt === null) return days
  const [date] = datesOf({ timeZone, startsAt: Date.parse(startsAt), days: [] })
  if (date !== first.date) return days
  const ends_at = others.length === 0 ? (first.ends_at ?? endsAt) : first.ends_at
  return [{ ...first, starts_at: startsAt, ends_at }, ...others]
}

/** One line for each day, in the venue's time zone, which is named. */
export function eventTimes(language: TicketLanguage, times: EventTimes): string[] {
  const { timeZone, startsAt, endsAt = null } = times
  const days = daysWithStart(times)
  const locale = TICKET_LOCALES[language]
  const words = TICKET_WORDS[language]
  const format = (at: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options }).format(new Date(at))
  const from = (at: string) => format(at, { ...DATE, ...TIME, timeZoneName: 'short' })
  if (days.length === 0 && startsAt === null) return [words.noDate]
  const until = (end: string | null) => (end === null ? '' : ` – ${format(end, TIME)}`)
  if (days.length === 0) return [from(startsAt!) + until(endsAt)]
  const lines = days.map(day => {
    const name = day.name === null ? '' : `${day.name}: `
    // A day without times is a date of the calendar, in no time zone.
    const date = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...DATE }).format(new Date(day.date))
    return name + (day.starts_at === null ? date : from(day.starts_at) + until(day.ends_at))
  })
  if (lines.length <= MAX_LINES) return lines
  const shown = lines.slice(0, MAX_LINES - 1)
  return [...shown, words.moreDays(lines.length - shown.length)]
}
