import type { SeatId } from '../ids.ts'
import type { ActiveHold } from './holds/active-hold.ts'
import { AVAILABLE, type EventState, HELD } from './state.ts'

/**
 * Tells what is free at a given time. A hold that has run out is not in the way, whether it is tidied up or
 * not.
 */

/** An index into SEAT_STATUSES. */
export function statusAt(state: EventState, ordinal: number, now: number): number {
  const status = state.seatStatus[ordinal]!
  return status === HELD && heldUntilOf(state, ordinal) <= now ? AVAILABLE : status
}

/** When the hold of a held seat runs out. */
export function heldUntilOf({ holds, holdOfSeat }: EventState, ordinal: number): number {
  return holds.heldUntil[holdOfSeat[ordinal]!]!
}

/**
 * Finds room for so many more places in a zone without seats, and returns how many it found none for. Holds
 * that have run out and are in the way are added to `ending`, to be ended by the same decision. It looks at
 * no more of them than there are places missing, however many are due.
 */
export function missingPlaces(
  state: EventState,
  zone: { zoneIndex: number; capacity: number },
  quantity: number,
  ending: Map<number, ActiveHold>,
  now: number,
): number {
  const { held, sold, blocked, holds } = state.zones[zone.zoneIndex]!
  let missing = held + sold + blocked + quantity - zone.capacity
  if (missing <= 0) return 0
  for (const hold of holds!.due(now)) {
    ending.set(hold.slot, hold)
    missing -= hold.quantity
    if (missing <= 0) return 0
  }
  return missing
}

export function seatIdsOf(state: EventState, ordinals: readonly number[]): SeatId[] {
  return ordinals.map(ordinal => state.seats.seatIds.at(ordinal))
}
