/*
 * Times of an event as people at its venue say them: what a field for date and time holds, and the moment
 * that it means.
 */

const DAY_MS = 86_400_000

/** 2027-03-01T19:30 on the clocks of the zone; empty for no moment. */
export function clockTime(iso: string | null, timeZone: string): string {
  return iso === null ? '' : wallClock(Date.parse(iso), timeZone)
}

/**
 * The moment at which the clocks of the zone show this. A time that comes twice, when clocks go back, is the
 * first one; a time that clocks skip is as long after the jump. Null: no time.
 */
export function momentOf(clock: string, timeZone: string): string | null {
  const asUtc = Date.parse(`${clock.slice(0, 16)}Z`)
  if (Number.isNaN(asUtc)) return null
  const candidates = [asUtc - DAY_MS, asUtc + DAY_MS].map(near => asUtc - offsetAt(near, timeZone))
  const right = candidates.filter(at => wallClock(at, timeZone) === clock.slice(0, 16))
  return new Date(right.length > 0 ? Math.min(...right) : candidates[0]!).toISOString()
}

function offsetAt(at: number, timeZone: string): number {
  return Date.parse(`${wallClock(at, timeZone)}Z`) - Math.floor(at / 60_000) * 60_000
}

function wallClock(at: number, timeZone: string): string {
  const parts: Record<string, string> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) parts[type] = value
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`
}

/** A page shows one venue at a time: the last clock is kept. */
let kept: { readonly timeZone: string; readonly clock: Intl.DateTimeFormat } | null = null

function clockOf(timeZone: string): Intl.DateTimeFormat {
  if (kept?.timeZone !== timeZone) {
    const clock = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
    kept = { timeZone, clock }
  }
  return kept.clock
}
