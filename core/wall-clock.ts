/*
 * Times as people at a venue say them: what the clocks of a time zone show, and the moment that it means.
 */

const DAY_MS = 86_400_000

/** 2027-03-01T19:30 on the clocks of the zone. */
export function wallClock(at: number, timeZone: string): string {
  const parts: Record<string, string> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) parts[type] = value
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`
}

/**
 * The moment at which the clocks of the zone show this, in milliseconds. A time that comes twice, when clocks
 * go back, is the first one; a time that clocks skip is as long after the jump. Null: no time.
 */
export function momentOnClock(clock: string, timeZone: string): number | null {
  const asUtc = Date.parse(`${clock.slice(0, 16)}Z`)
  if (Number.isNaN(asUtc)) return null
  const candidates = [asUtc - DAY_MS, asUtc + DAY_MS].map(near => asUtc - offsetAt(near, timeZone))
  const right = candidates.filter(at => wallClock(at, timeZone) === clock.slice(0, 16))
  return right.length > 0 ? Math.min(...right) : candidates[0]!
}

function offsetAt(at: number, timeZone: string): number {
  return Date.parse(`${wallClock(at, timeZone)}Z`) - Math.floor(at / 60_000) * 60_000
}

/** People look at one venue at a time: the last clock is kept. */
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
