import { isKept } from './rules/companions.ts'
import { AVAILABLE, BLOCKED, type EventState } from './state.ts'

/**
 * As buyers should see it: what is free in a disabled zone is blocked, and so is a companion seat that is
 * kept for another person. Holds that have run out count.
 */
export function shownCode(state: EventState, ordinal: number): number {
  const code = state.seatStatus[ordinal]!
  return code === AVAILABLE && isShut(state, ordinal) ? BLOCKED : code
}

/** True: the seat is not to be had although it is free. */
export function isShut(state: EventState, ordinal: number): boolean {
  const { seats, zones } = state
  return zones[seats.zoneOf[ordinal]!]!.settings.disabled || isKept(state, ordinal)
}

export function seatBitsLength({ seats }: EventState): number {
  return Math.ceil(seats.count / 4)
}

/** Two bits a seat by ordinal, the first seat in the highest bits: as Redis' BITFIELD counts them. */
export function seatBits(state: EventState): Uint8Array {
  const bytes = new Uint8Array(seatBitsLength(state))
  putSeatBits(bytes, state, 0, state.seats.count)
  return bytes
}

/** Puts the seats from one ordinal up to another into bytes where theirs are 0. */
export function putSeatBits(bytes: Uint8Array, state: EventState, from: number, to: number): void {
  for (let ordinal = from; ordinal < to; ordinal += 1) {
    bytes[ordinal >> 2]! |= shownCode(state, ordinal) << (6 - 2 * (ordinal & 3))
  }
}
