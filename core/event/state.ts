import type { HoldId, SeatId, UserId, ZoneId } from '../ids.ts'
import { hasSeats, type Layout, SEAT_CATEGORIES, type ZoneAccess, type ZoneType } from '../layout/model.ts'
import type { PolicyFields } from '../policy.ts'
import type { ActiveHold, HoldQueue, Idle, IpHolds, UserHolds } from './holds/active-hold.ts'
import { ExpiryQueue } from './holds/expiry-queue.ts'
import { Fifo } from './holds/fifo.ts'
import type { EventStatus } from './lifecycle.ts'

/**
 * The state of one event.
 *
 * A seat:
 *
 *                     seat_blocked                   seat_reserved               seat_converted
 *   ┌─────────┐ ◀─────────────────── ┌───────────┐ ─────────────────▶ ┌──────┐ ────────────────▶ ┌──────┐
 *   │ blocked │                      │ available │                    │ held │                   │ sold │
 *   └─────────┘ ───────────────────▶ └───────────┘ ◀───────────────── └──────┘                   └──────┘
 *                    seat_unblocked                  seat_released      ↺ seat_hold_extended    stays sold
 *                                                    seat_hold_expired  ↺ payment_started
 *                                                                       ↺ hold_transferred
 *
 * A hold, of a seat or of places in a zone without seats:
 *
 *                                  ┌──seat_converted────▶ converted
 *   ──seat_reserved──▶ active ─────┼──seat_hold_expired─▶ expired      (what has ended stays ended,
 *                                  └──seat_released─────▶ cancelled     and leaves this state)
 *
 * While it is active its owner may change (hold_transferred),
 * and a hold of places may get smaller (hold_reduced).
 *
 * Two things are not in the pictures. A held seat whose hold has run out (`heldUntil` ≤ now) counts as
 * available everywhere; the change that says so is made when a buyer asks for the seat, or by `expire`.
 * And an available seat of a disabled zone counts as blocked for as long as the zone is disabled.
 *
 * Only `apply` changes a state (apply.ts), `decide` only reads it (decide.ts).
 */
export interface EventState {
  /** Number of the last change applied. */
  seq: number
  readonly seats: SeatMap
  settings: EventSettings
  readonly zones: ZoneState[]

  /** By ordinal; an index into SEAT_STATUSES. */
  readonly seatStatus: Uint8Array
  /** By ordinal; goes up by one with every change of the seat or its hold. */
  readonly seatVersion: Uint32Array
  readonly holdOfSeat: (ActiveHold | null)[]

  readonly holds: Map<HoldId, ActiveHold>
  readonly queue: HoldQueue
  readonly users: Map<UserId, UserHolds>
  readonly ips: Map<string, IpHolds>
  /** Those that hold nothing any more, to be forgotten in this order: see holders.ts. */
  readonly idleUsers: Fifo<Idle<UserHolds>>
  readonly idleIps: Fifo<Idle<IpHolds>>
}

/** Their indexes are the two bits a seat has in the binary availability. */
export const SEAT_STATUSES = ['available', 'held', 'sold', 'blocked'] as const
export type SeatStatus = (typeof SEAT_STATUSES)[number]
export const AVAILABLE = SEAT_STATUSES.indexOf('available')
export const HELD = SEAT_STATUSES.indexOf('held')
export const SOLD = SEAT_STATUSES.indexOf('sold')
export const BLOCKED = SEAT_STATUSES.indexOf('blocked')

export const WHEELCHAIR = SEAT_CATEGORIES.indexOf('wheelchair')
const COMPANION = SEAT_CATEGORIES.indexOf('companion')

/** A wheelchair place, or the seat of a companion. */
export function isAccessible({ category }: SeatMap, ordinal: number): boolean {
  return category[ordinal] === WHEELCHAIR || category[ordinal] === COMPANION
}

/** What a layout version says of its seats. Never changes, so all states of the version can share it. */
export interface SeatMap {
  readonly count: number
  /** By ordinal: index of the zone. */
  readonly zoneOf: Uint16Array
  /** By ordinal: index into SEAT_CATEGORIES. */
  readonly category: Uint8Array
  /** By ordinal. */
  readonly seatIds: readonly SeatId[]
}

/** A zone as the event has it: the layout's, with the event's overlay applied. */
export interface ZoneSettings {
  readonly zoneId: ZoneId
  readonly zoneType: ZoneType
  readonly capacity: number
  readonly access: ZoneAccess
  readonly disabled: boolean
}

export interface ZoneState {
  settings: ZoneSettings
  /** Holds that have run out and have not been tidied up are still in `held`. */
  held: number
  sold: number
  blocked: number
  /** The holds of a zone without seats; null for a zone with seats. */
  readonly holds: HoldQueue | null
}

export interface EventSettings {
  readonly status: EventStatus
  /** Milliseconds; null: from the beginning, without an end. */
  readonly saleStart: number | null
  readonly saleEnd: number | null
  /** The effective one: policy.ts, effectivePolicy. */
  readonly policy: PolicyFields
}

/** What a state starts from: everything but what happened. */
export interface EventPlan {
  readonly seats: SeatMap
  readonly zones: readonly ZoneSettings[]
  readonly settings: EventSettings
}

export function createState(plan: EventPlan, seq = 0): EventState {
  const { count } = plan.seats
  return {
    seq,
    seats: plan.seats,
    settings: plan.settings,
    zones: plan.zones.map(settings => ({
      settings,
      held: 0,
      sold: 0,
      blocked: 0,
      holds: hasSeats(settings.zoneType) ? null : new ExpiryQueue('placeInGroup'),
    })),
    seatStatus: new Uint8Array(count),
    seatVersion: new Uint32Array(count),
    holdOfSeat: new Array<ActiveHold | null>(count).fill(null),
    holds: new Map(),
    queue: new ExpiryQueue('placeInEvent'),
    users: new Map(),
    ips: new Map(),
    idleUsers: new Fifo(),
    idleIps: new Fifo(),
  }
}

export function seatMapOf(layout: Layout): SeatMap {
  return {
    count: layout.seats.length,
    zoneOf: Uint16Array.from(layout.seats, seat => seat.zoneIndex),
    category: Uint8Array.from(layout.seats, seat => SEAT_CATEGORIES.indexOf(seat.category)),
    seatIds: layout.seats.map(seat => seat.seatId),
  }
}
