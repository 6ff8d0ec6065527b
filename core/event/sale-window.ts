import type { EventSettings } from './state.ts'

const DAY_MS = 86_400_000
/** A date is over in every time zone half a day after it is over in Greenwich. */
const DATE_OVER_MS = 1.5 * DAY_MS

/** When the last hold can be made; null: sales go on until the event is completed. */
export function salesEnd({
  saleEnd,
  lastStart,
}: Pick<EventSettings, 'saleEnd' | 'lastStart'>): number | null {
  return saleEnd ?? lastStart
}

/**
 * When the last day of an event begins: as that day says, else at the hour of the first, else when its date
 * is surely over. No time zone is asked, which may change without a trace in the event. Null: it has no date.
 */
export function lastStartOf({
  startsAt,
  days,
}: {
  readonly startsAt: number | null
  /** In order, as answers have them. */
  readonly days: readonly { readonly date: string; readonly starts_at: string | null }[]
}): number | null {
  const first = days[0]
  const last = days.at(-1)
  if (!first || !last) return startsAt
  if (last.starts_at !== null) return Date.parse(last.starts_at)
  const date = Date.parse(last.date)
  return startsAt === null ? date + DATE_OVER_MS : startsAt + date - Date.parse(first.date)
}
