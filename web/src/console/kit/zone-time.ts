import { momentOnClock, wallClock } from '@voelgoed/core/wall-clock'

/*
 * Times of an event as people at its venue say them: what a field for date and time holds, and the moment
 * that it means.
 */

/** 2027-03-01T19:30 on the clocks of the zone; empty for no moment. */
export function clockTime(iso: string | null, timeZone: string): string {
  return iso === null ? '' : wallClock(Date.parse(iso), timeZone)
}

/** The moment at which the clocks of the zone show this. Null: no time. */
export function momentOf(clock: string, timeZone: string): string | null {
  const at = momentOnClock(clock, timeZone)
  return at === null ? null : new Date(at).toISOString()
}
