import { momentOnClock, wallClock } from '../wall-clock.ts'

/** When an event is, and when it sells, in milliseconds. */
export interface EventTimes {
  readonly startsAt: number | null
  readonly endsAt: number | null
  readonly doorsAt: number | null
  readonly saleStart: number | null
  readonly saleEnd: number | null
  /** In order, as answers have them. */
  readonly days: readonly DayTimes[]
}

interface DayTimes {
  /** Like 2027-03-01. */
  readonly date: string
  readonly name: string | null
  readonly starts_at: string | null
  readonly ends_at: string | null
}

interface ShiftedTimes extends EventTimes {
  /** The new date of each day, by its old one. */
  readonly dates: ReadonlyMap<string, string>
}

const NO_TIMES: ShiftedTimes = {
  ...{ startsAt: null, endsAt: null, doorsAt: null, saleStart: null, saleEnd: null },
  days: [],
  dates: new Map(),
}

const DAY_MS = 86_400_000

/**
 * The times of an event that is to start at another moment. All keep their distance from the start on the
 * clocks of the venue: doors at 19:00 stay at 19:00 when clocks change in between. Without a start there are
 * no times. Those of an event that had none itself stay behind, but for its days, which move by their date.
 */
export function shiftTimes(times: EventTimes, startsAt: number | null, timeZone: string): ShiftedTimes {
  if (startsAt === null) return NO_TIMES
  const after = asUtc(startsAt, timeZone)
  const first = times.days[0]
  const before = times.startsAt ?? (first?.starts_at == null ? null : Date.parse(first.starts_at))
  const by = before === null ? null : after - asUtc(before, timeZone)
  const shift = (at: number | null) => (at === null || by === null ? null : shifted(at, by, timeZone))
  const shiftIso = (iso: string | null) => {
    const at = shift(iso === null ? null : Date.parse(iso))
    return at === null ? null : new Date(at).toISOString()
  }
  const day = (at: number) => Math.floor(at / DAY_MS)
  const from = before === null ? Date.parse(first?.date ?? dateOf(after)) : asUtc(before, timeZone)
  const byDays = day(after) - day(from)
  const dates = new Map(
    times.days.map(({ date }) => [date, dateOf(Date.parse(date) + byDays * DAY_MS)] as const),
  )
  return {
    startsAt,
    endsAt: shift(times.endsAt),
    doorsAt: shift(times.doorsAt),
    saleStart: shift(times.saleStart),
    saleEnd: shift(times.saleEnd),
    days: times.days.map(({ date, name, starts_at, ends_at }) => ({
      date: dates.get(date)!,
      name,
      starts_at: shiftIso(starts_at),
      ends_at: shiftIso(ends_at),
    })),
    dates,
  }
}

function shifted(at: number, by: number, timeZone: string): number {
  // Seconds are on no clock here: they are kept.
  const moved = momentOnClock(new Date(asUtc(at, timeZone) + by).toISOString(), timeZone)!
  return moved + (at % 60_000)
}

/** The clocks of the zone, read as if they were those of Greenwich. */
function asUtc(at: number, timeZone: string): number {
  return Date.parse(`${wallClock(at, timeZone)}Z`)
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
