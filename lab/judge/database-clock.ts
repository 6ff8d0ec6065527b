import type { ClockLine } from './history.ts'

/**
 * Gives the earliest and the latest moment that the database's clock can have shown, for each moment of the
 * lab's clock.
 */
export interface DatabaseClock {
  earliest(at: number): number
  latest(at: number): number
  /** The moment of the lab's clock, in the middle. */
  labTime(database: number): number
}

/** Readings take a while when the database is busy; those that took least say most. */
const GOOD_READINGS = 0.5
/** The journal's times are rounded down to the millisecond, and clocks are slewed. */
const SLACK_MS = 2

export function databaseClock(readings: readonly ClockLine[]): DatabaseClock {
  const quickest = [...readings].sort((a, b) => a.to - a.from - (b.to - b.from))
  const good = quickest.slice(0, Math.max(1, Math.ceil(quickest.length * GOOD_READINGS)))
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const { from, to, database } of good) {
    least = Math.min(least, database - to)
    most = Math.max(most, database - from)
  }
  if (good.length === 0) least = most = 0
  return {
    earliest: at => at + least - SLACK_MS,
    latest: at => at + most + SLACK_MS,
    labTime: database => database - (least + most) / 2,
  }
}
