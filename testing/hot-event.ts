import { createState } from '@voelgoed/core/event/state'
import { planOf } from '@voelgoed/core/event/test/hall'
import type { HotEvent } from '@voelgoed/engine/view/hot-event'

/** An event as a lane has it in memory, without a database. */
export function hotEvent(seq = 0): HotEvent {
  const state = createState(planOf(), seq)
  const seats = { map: state.seats, rows: [], numbers: [], prices: [] }
  return {
    state,
    seats,
    zones: [],
    tip: null,
    epoch: 1,
    lostUpTo: 0,
    eventRevision: 1,
    policyRevision: 1,
    clockOffset: 0,
  }
}
