import type { UserId } from '../ids.ts'
import { assert } from '../result.ts'
import { countPlaces } from './holds/idle-holders.ts'
import { addHold, type HoldRow } from './holds/index-holds.ts'
import {
  BLOCKED,
  createState,
  type EventPlan,
  type EventState,
  SEAT_STATUSES,
  type SeatStatus,
  SOLD,
} from './state.ts'

/** Describes what the tables know of an event, all read at one `seq`. */
export interface StateRows {
  readonly seq: number
  /**
   * Seats that were ever touched: versions go on from where they are, also of seats that are available again.
   */
  readonly seats: readonly {
    readonly ordinal: number
    readonly status: SeatStatus
    readonly version: number
  }[]
  /** This says who bought a wheelchair place. */
  readonly placeBuyers: readonly { readonly ordinal: number; readonly userId: UserId }[]
  /** Zones whose companion seats were released. */
  readonly companionsReleased: readonly number[]
  /** Holds that have not ended, those that have run out included. */
  readonly holds: readonly HoldRow[]
  /** Places sold in zones without seats. Every other count follows from the rows above. */
  readonly soldPlaces: readonly { readonly zoneIndex: number; readonly sold: number }[]
  /**
   * All that was taken within the policy's window, ended or not, oldest first: who took it, and how many
   * places it was then.
   */
  readonly recentHolds: readonly { readonly userId: UserId; readonly at: number; readonly places: number }[]
}

/** The state that replaying the whole journal would give. */
export function restoreState(plan: EventPlan, rows: StateRows): EventState {
  const steps = restoreSteps(plan, rows)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Rows of one step: about a millisecond. */
const ROWS_A_STEP = 1_000

/** The same in steps: the caller lets other work run between them. 100,000 holds take 0.1 s. */
export function* restoreSteps(plan: EventPlan, rows: StateRows): Generator<void, EventState, void> {
  const state = createState(plan, rows.seq)
  for (const [index, { ordinal, status, version }] of rows.seats.entries()) {
    if (index % (10 * ROWS_A_STEP) === 0) yield
    const code = SEAT_STATUSES.indexOf(status)
    const zone = state.zones[state.seats.zoneOf[ordinal]!]!
    state.seatStatus[ordinal] = code
    state.seatVersion[ordinal] = version
    if (code === SOLD) zone.sold += 1
    if (code === BLOCKED) zone.blocked += 1
  }
  for (const { ordinal, userId } of rows.placeBuyers) state.placeBuyers.set(ordinal, userId)
  for (const zoneIndex of rows.companionsReleased) state.zones[zoneIndex]!.companionsReleased = true
  for (const { zoneIndex, sold } of rows.soldPlaces) {
    const zone = state.zones[zoneIndex]!
    assert(zone.holds !== null, 'sold places of a zone with seats')
    zone.sold = sold
  }
  for (const [index, hold] of rows.holds.entries()) {
    if (index % ROWS_A_STEP === 0) yield
    addHold(state, hold)
    state.zones[hold.zoneIndex]!.held += hold.quantity
  }
  state.holdOfSeat.forEach((hold, ordinal) => {
    const isHeld = SEAT_STATUSES[state.seatStatus[ordinal]!] === 'held'
    assert(isHeld === hold >= 0, 'a seat is held if and only if it has a hold')
  })
  for (const { userId, at, places } of rows.recentHolds) {
    countPlaces(state, state.users.slotFor(userId), { at, places })
  }
  return state
}
