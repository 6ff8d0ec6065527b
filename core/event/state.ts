import type { Hall } from '../allocation/hall.ts'
import type { UserId, ZoneId } from '../ids.ts'
import { hasSeats, SEAT_CATEGORIES, type ZoneAccess, type ZoneType } from '../layout/model.ts'
import type { PolicyFields } from '../policy.ts'
import type { ActiveHold } from './holds/active-hold.ts'
import { ExpiryQueue } from './holds/expiry-queue.ts'
import type { Holders } from './holds/holders.ts'
import { Holds } from './holds/holds.ts'
import { RecentTakes } from './holds/recent-takes.ts'
import type { EventStatus } from './lifecycle.ts'
import type { SeatIds } from './seat-ids.ts'

/**
 * The state of one event.
 *
 * A seat:
 *
 *                     seat_blocked                   seat_reserved               seat_converted
 *   ┌─────────┐ ◀─────────────────── ┌───────────┐ ─────────────────▶ ┌──────┐ ────────────────▶ ┌──────┐
 *   │ blocked │                      │ available │                    │ held │                   │ sold │
 *   └─────────┘ ───────────────────▶ └───────────┘ ◀───────────────── └──────┘                   └──────┘
 *                    seat_unblocked        ▲         seat_released      ↺ seat_hold_extended         │
 *                                          │         seat_hold_expired  ↺ payment_started            │
 *                                          │                            ↺ payment_ended              │
 *                                          │                            ↺ hold_transferred           │
 *                                          └───────────────────ticket_voided─────────────────────────┘
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
 * A zone has one latch of its own: companion seats that are released (`companions_released`) stay so.
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
  /** By ordinal: the slot of the hold, or -1. `holdOf` makes a hold of it. */
  readonly holdOfSeat: Int32Array

  readonly holds: Holds
  readonly queue: ExpiryQueue
  readonly users: Holders<UserId>
  readonly ips: Holders<string>
  readonly takes: RecentTakes
  /** The buyer of a wheelchair place, by its ordinal, may take its companion seats. */
  readonly placeBuyers: Map<number, UserId>
}

/** The hold that a seat has, alive or run out; null: none. Undefined: the event has no such seat. */
export function holdOf({ holdOfSeat, holds }: EventState, ordinal: number): ActiveHold | null | undefined {
  const slot = holdOfSeat[ordinal]
  if (slot === undefined) return undefined
  return slot < 0 ? null : holds.at(slot)
}

/** Their indexes are the two bits a seat has in the binary availability. */
export const SEAT_STATUSES = ['available', 'held', 'sold', 'blocked'] as const
export type SeatStatus = (typeof SEAT_STATUSES)[number]
export const AVAILABLE = SEAT_STATUSES.indexOf('available')
export const HELD = SEAT_STATUSES.indexOf('held')
export const SOLD = SEAT_STATUSES.indexOf('sold')
export const BLOCKED = SEAT_STATUSES.indexOf('blocked')

export const WHEELCHAIR = SEAT_CATEGORIES.indexOf('wheelchair')
export const COMPANION = SEAT_CATEGORIES.indexOf('companion')

/** A wheelchair place, or the seat of a companion. */
export function isAccessible({ category }: SeatMap, ordinal: number): boolean {
  return category[ordinal] === WHEELCHAIR || category[ordinal] === COMPANION
}

/**
 * Describes what a layout version says of its seats. Never changes, so all states of the version can share
 * it.
 */
export interface SeatMap {
  readonly count: number
  /** By ordinal: index of the zone. */
  readonly zoneOf: Uint16Array
  /** By ordinal: index into SEAT_CATEGORIES. */
  readonly category: Uint8Array
  /** By ordinal. */
  readonly seatIds: SeatIds
  /** Rows, neighbours, companions and groups. */
  readonly hall: Hall
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
  /** So much of the zone was taken once that its companion seats are anyone's: companions.ts. */
  companionsReleased: boolean
  /** The holds of a zone without seats; null for a zone with seats. */
  readonly holds: ExpiryQueue | null
}

export interface EventSettings {
  readonly status: EventStatus
  /** Milliseconds; null: from the beginning, without an end. */
  readonly saleStart: number | null
  readonly saleEnd: number | null
  /** When the last day of the event begins: sales end then unless `saleEnd` says when (sale-window.ts). */
  readonly lastStart: number | null
  /** The effective one: policy.ts, effectivePolicy. */
  readonly policy: PolicyFields
}

/** Describes what a state starts from: everything but what happened. */
export interface EventPlan {
  readonly seats: SeatMap
  readonly zones: readonly ZoneSettings[]
  readonly settings: EventSettings
}

export function createState(plan: EventPlan, seq = 0): EventState {
  const { count } = plan.seats
  const holds = new Holds({ hasPlaces: plan.zones.some(({ zoneType }) => !hasSeats(zoneType)) })
  return {
    seq,
    seats: plan.seats,
    settings: plan.settings,
    zones: plan.zones.map(settings => ({
      settings,
      held: 0,
      sold: 0,
      blocked: 0,
      companionsReleased: false,
      holds: hasSeats(settings.zoneType) ? null : new ExpiryQueue(holds, 'zone'),
    })),
    seatStatus: new Uint8Array(count),
    seatVersion: new Uint32Array(count),
    holdOfSeat: new Int32Array(count).fill(-1),
    holds,
    queue: new ExpiryQueue(holds, 'event'),
    users: holds.users,
    ips: holds.ips,
    takes: new RecentTakes(),
    placeBuyers: new Map(),
  }
}
