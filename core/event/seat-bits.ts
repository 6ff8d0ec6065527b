import { AVAILABLE, BLOCKED, type EventState } from './state.ts'

/** As buyers should see it: what is free in a disabled zone is blocked. Holds that have run out count. */
export function shownCode({ seatStatus, seats, zones }: EventState, ordinal: number): number {
  const code = seatStatus[ordinal]!
  return code === AVAILABLE && zones[seats.zoneOf[ordinal]!]!.settings.disabled ? BLOCKED : code
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

/** Of the seats from one ordinal up to another, into bytes where theirs are 0. */
export function putSeatBits(bytes: Uint8Array, state: EventState, from: number, to: number): void {
  for (let ordinal = from; ordinal < to; ordinal += 1) {
    bytes[ordinal >> 2]! |= shownCode(state, ordinal) << (6 - 2 * (ordinal & 3))
  }
}
