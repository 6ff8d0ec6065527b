import { assert, refuse } from '../../result.ts'
import { seatIdsOf, statusAt } from '../availability.ts'
import type { Block, Unblock } from '../command.ts'
import { decided, type Outcome } from '../decision.ts'
import { AVAILABLE, BLOCKED, type EventState, HELD, holdOf, SOLD } from '../state.ts'
import { releaseCompanions } from './companions.ts'
import { NewChanges } from './new-changes.ts'

/** Staff take free seats out of the sale: all of the list, or none if a buyer has one of them. */
export function block(state: EventState, { ordinals, reason }: Block, now: number): Outcome {
  assertSeats(state, ordinals)
  const taken = ordinals.filter(ordinal => {
    const status = statusAt(state, ordinal, now)
    return status === HELD || status === SOLD
  })
  if (taken.length > 0) {
    const isSold = taken.some(ordinal => state.seatStatus[ordinal] === SOLD)
    const currentStatus = isSold ? 'sold' : 'held'
    return refuse({ kind: 'seat_not_available', seatIds: seatIdsOf(state, taken), currentStatus })
  }

  const made = new NewChanges(state, now)
  for (const ordinal of ordinals) {
    if (statusAt(state, ordinal, now) !== AVAILABLE) continue
    const expired = holdOf(state, ordinal)
    if (expired) made.expire(expired)
    made.block(ordinal, reason)
  }
  releaseCompanions(state, made)
  return decided(made.changes)
}

/** Seats that are not blocked stay what they are. */
export function unblock(state: EventState, { ordinals, reason }: Unblock, now: number): Outcome {
  assertSeats(state, ordinals)
  const made = new NewChanges(state, now)
  for (const ordinal of ordinals) {
    if (state.seatStatus[ordinal] === BLOCKED) made.unblock(ordinal, reason)
  }
  return decided(made.changes)
}

function assertSeats(state: EventState, ordinals: readonly number[]): void {
  assert(new Set(ordinals).size === ordinals.length, 'a seat named twice')
  assert(
    ordinals.every(ordinal => state.holdOfSeat[ordinal] !== undefined),
    'seats of this event',
  )
}
