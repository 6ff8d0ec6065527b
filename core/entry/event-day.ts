/*
 * Finds the day of an event to which a moment belongs, in the time zone of its venue. A day of an event is
 * not a calendar day: it goes on past midnight.
 */

/** A day as the event lists it; times in milliseconds. */
interface DayOfEvent {
  /** Like 2027-03-01. */
  readonly date: string
  readonly startsAt: number | null
  readonly endsAt: number | null
}

export interface EventDays {
  /** An IANA name, of the venue. */
  readonly timeZone: string
  readonly startsAt: number | null
  /** When the doors open for `startsAt`; those of other days open as long before their start. */
  readonly doorsAt?: number | null
  /** Where no days are listed, the day of `startsAt` ends then. */
  readonly endsAt?: number | null
  /** In order, each date once. None: the day of `startsAt` is the only one. */
  readonly days: readonly DayOfEvent[]
}

export type EventMoment =
  | { readonly kind: 'day'; readonly day: string }
  /** No day of the event: after its last, or between two. */
  | { readonly kind: 'between' | 'after'; readonly day: string }
  /** Before its first, which is `day`. */
  | { readonly kind: 'before'; readonly day: string }

/** A day without an end goes on until this hour of the next morning. */
const NIGHT_ENDS_AT_HOUR = 5
/**
 * A day that starts soon after midnight begins the evening before, when people arrive: at its doors, or so
 * long before its start where the event says nothing of doors.
 */
const ARRIVAL_BEFORE_START_MS = 4 * 3_600_000

/**
 * The day of the event at a moment. A moment before the first one counts to that: who is let in early is not
 * let in once more for each day that an event begins early, or that the clock of a gate is behind. `day` of
 * another moment that is no day of the event is its calendar day, or the day before in the night. An event
 * without any date has every day.
 */
export function eventDayAt(event: EventDays, at: number): EventMoment {
  const days = daysOf(event)
  const local = localTime(event.timeZone, at)
  const night = local.hour < NIGHT_ENDS_AT_HOUR
  if (days.length === 0) return { kind: 'day', day: night ? dayBefore(local.date) : local.date }
  const today = days.find(({ date }) => date === local.date)
  const earlier = days.filter(({ date }) => date < local.date).at(-1)
  const isNightOf = earlier !== undefined && night && earlier.date === dayBefore(local.date)
  const goesOn =
    earlier !== undefined &&
    (earlier.endsAt === null ? isNightOf : at < earlier.endsAt || (isNightOf && event.days.length === 0))
  const hasBegun = today !== undefined && today.startsAt !== null && at >= today.startsAt
  if (goesOn && !hasBegun) return { kind: 'day', day: earlier.date }
  if (today) return { kind: 'day', day: today.date }
  const later = days.find(({ date }) => date > local.date)
  const isComing = later !== undefined && later.startsAt !== null && at >= later.startsAt - arrivalMs(event)
  if (isComing) return { kind: 'day', day: later.date }
  if (earlier === undefined) return { kind: 'before', day: days[0]!.date }
  return { kind: later === undefined ? 'after' : 'between', day: local.date }
}

/** People come so long before a day starts. Doors that open after the start say nothing. */
function arrivalMs({ startsAt, doorsAt = null }: EventDays): number {
  if (startsAt === null || doorsAt === null || doorsAt > startsAt) return ARRIVAL_BEFORE_START_MS
  return startsAt - doorsAt
}

/** The dates of an event. None: it has not said. */
export function datesOf(event: EventDays): string[] {
  return daysOf(event).map(({ date }) => date)
}

/** An end that is sooner than the night is a plan, and shuts no gate: a show may go on after it. */
function daysOf({ days, startsAt, endsAt = null, timeZone }: EventDays): readonly DayOfEvent[] {
  if (days.length > 0 || startsAt === null) return days
  return [{ date: localTime(timeZone, startsAt).date, startsAt, endsAt }]
}

function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

function localTime(timeZone: string, at: number): { readonly date: string; readonly hour: number } {
  const parts: Record<string, string> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) parts[type] = value
  return { date: `${parts.year}-${parts.month}-${parts.day}`, hour: Number(parts.hour) }
}

const CLOCKS = 100
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Making one takes longer than a thousand uses. A bounded number is kept. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  if (clocks.size >= CLOCKS) clocks.clear()
  clocks.set(timeZone, clock)
  return clock
}
