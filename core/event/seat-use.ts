import { countAlone } from '../allocation/count-alone.ts'
import { freeSeatsOf } from './free-seats.ts'
import { isKept } from './rules/companions.ts'
import { AVAILABLE, type EventState } from './state.ts'

/**
 * Tells how well the seats of an event are used: what stands alone, and who the accessible seats are for now.
 */
export interface SeatUse {
  readonly seats: number
  /** For any buyer. */
  readonly free: number
  /** So many of these have no free seat beside them. */
  readonly alone: number
  readonly wheelchair: { readonly free: number; readonly taken: number }
  readonly companions: { readonly kept: number; readonly free: number; readonly taken: number }
}

export function seatUseOf(state: EventState): SeatUse {
  const { rows, companions: pairs, places } = state.seats.hall
  const isTaken = (ordinal: number) => state.seatStatus[ordinal] !== AVAILABLE
  const wheelchair = { free: 0, taken: 0 }
  for (const at of places) wheelchair[isTaken(rows.ordinals[at]!) ? 'taken' : 'free'] += 1
  const companions = { kept: 0, free: 0, taken: 0 }
  for (const at of pairs.placeOf.keys()) {
    const ordinal = rows.ordinals[at]!
    companions[isTaken(ordinal) ? 'taken' : isKept(state, ordinal) ? 'kept' : 'free'] += 1
  }
  return { seats: rows.seats, ...countAlone(freeSeatsOf(state, [])), wheelchair, companions }
}

/** Single seats by how many seats the event has: nearly all that is left of a full hall stands alone. */
export function aloneShare({ seats, alone }: Pick<SeatUse, 'seats' | 'alone'>): number {
  return seats === 0 ? 0 : alone / seats
}
