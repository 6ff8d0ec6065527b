import type { Command } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import type { LaneAnswer } from './batch.ts'
import { databaseNow, type HotEvent } from './event-plan.ts'

/** A hold with less than this to live may be over by the time the database is asked. */
const CERTAIN_SECONDS = 2

/**
 * Seats that another buyer certainly has are refused from memory, without asking the database. Memory may be a
 * few milliseconds old, so it only says what will still be true then: sold is for ever, and a hold counts only
 * while it has more than a moment to live. In doubt, and for every other answer, the lane decides.
 */
export function refusedForCertain(hot: HotEvent, command: Command): LaneAnswer | null {
  if (command.kind !== 'hold_seats') return null
  const now = databaseNow(hot)
  const outcome = decide(hot.state, command, now)
  if (outcome.ok) return null
  const { problem } = outcome
  const isCertain =
    (problem.kind === 'seat_not_available' && problem.currentStatus === 'sold') ||
    (problem.kind === 'seat_held_by_another_user' && problem.expiresIn > CERTAIN_SECONDS)
  return isCertain ? { kind: 'decided', outcome, now, hot } : null
}
