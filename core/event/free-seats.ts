import { FreeSeats } from '../allocation/free-seats.ts'
import { isKept } from './rules/companions.ts'
import { AVAILABLE, type EventState } from './state.ts'

/**
 * Says which seats of a state are free, by rows. It is made of the state when it is first asked for, and is
 * no part of it: two states that mean the same may differ in whether it was asked for.
 */
interface Known {
  readonly seats: FreeSeats
  /** The policy can change without a change in the journal. */
  readonly isEnforced: boolean
}

const known = new WeakMap<EventState, Known>()

/**
 * Returns what is free for any buyer: companion seats that are kept are not. `alsoFree`, by ordinal, counts
 * as free until it is asked for again: what the buyer has already, and holds that have run out.
 */
export function freeSeatsOf(state: EventState, alsoFree: Iterable<number>): FreeSeats {
  const isEnforced = state.settings.policy.enforce_accessibility_rules
  let found = known.get(state)
  if (found?.isEnforced !== isEnforced) {
    const { seatStatus } = state
    const isFree = (ordinal: number) => seatStatus[ordinal] === AVAILABLE && !isKept(state, ordinal)
    found = { seats: new FreeSeats(state.seats.hall, isFree), isEnforced }
    known.set(state, found)
  }
  found.seats.update(alsoFree)
  return found.seats
}

/** The seat is taken, or free again. */
export function touchSeat(state: EventState, ordinal: number): void {
  known.get(state)?.seats.touch(ordinal)
}

/** More has changed than single seats. */
export function forgetFreeSeats(state: EventState): void {
  known.delete(state)
}
