import type { CheckoutId, HoldId, TicketId, UserId } from '../ids.ts'
import type { EndHolds, EventUpdate, Release } from './command.ts'

/**
 * Tells what happened to an event, one change per hold or seat. Plain JSON, numbered without gaps. All
 * changes since the beginning, applied in order, give the state; each one by itself is enough to write its
 * rows:
 *
 *   seat_reserved                            into its seat's row or place_holds · zone held + quantity
 *   seat_hold_extended, payment_started      the same row: held_until, checkout
 *   payment_ended                            the same row: no checkout
 *   hold_reduced                             the row of the places · zone held − freed
 *   hold_transferred                         the same row: user, held_until
 *   seat_hold_expired, seat_released         seat available, places deleted · zone held − quantity
 *   seat_converted                           sold, a ticket a place · zone held − and sold + quantity
 *   ticket_voided                            the ticket void, its seat available · zone sold − 1
 *   seat_blocked, seat_unblocked             event_seats blocked / available · zone blocked ± 1
 *   companions_released                      the zone's latch
 *   event_changed                            settings, capacities
 *
 * `version` is the seat's after the change. `ordinal` and `version` are null for places of a zone without
 * seats. Rows of event_seats must outlive the return to available, or versions would start again.
 */
export type Change =
  | SeatReserved
  | SeatHoldExtended
  | PaymentStarted
  | PaymentEnded
  | HoldReduced
  | HoldTransferred
  | SeatHoldExpired
  | SeatReleased
  | SeatConverted
  | TicketVoided
  | SeatBlocked
  | SeatUnblocked
  | CompanionsReleased
  | EventChanged

interface Numbered {
  readonly seq: number
  /** Milliseconds, by the database's clock. */
  readonly at: number
}

interface OfHold extends Numbered {
  readonly holdId: HoldId
  readonly ordinal: number | null
  readonly version: number | null
  readonly zoneIndex: number
  readonly quantity: number
}

export interface SeatReserved extends OfHold {
  readonly kind: 'seat_reserved'
  readonly userId: UserId
  readonly ip: string | null
  readonly cartToken: string | null
  readonly heldUntil: number
  readonly capUntil: number
}

interface SeatHoldExtended extends OfHold {
  readonly kind: 'seat_hold_extended'
  readonly heldUntil: number
  /** Left out: stays. */
  readonly capUntil?: number
}

interface PaymentStarted extends OfHold {
  readonly kind: 'payment_started'
  readonly checkoutId: CheckoutId
  readonly heldUntil: number
}

/** The buyer wants something else than they began to pay for: the hold is theirs as before the payment. */
interface PaymentEnded extends OfHold {
  readonly kind: 'payment_ended'
  /** It was the payment of this checkout. */
  readonly checkoutId: CheckoutId
}

/** Fewer places of a zone without seats. `quantity` is what is left. */
interface HoldReduced extends OfHold {
  readonly kind: 'hold_reduced'
  readonly freed: number
}

/** The hold belongs to another user from now on. */
interface HoldTransferred extends OfHold {
  readonly kind: 'hold_transferred'
  readonly userId: UserId
  readonly heldUntil: number
  readonly capUntil: number
}

interface SeatHoldExpired extends OfHold {
  readonly kind: 'seat_hold_expired'
}

interface SeatReleased extends OfHold {
  readonly kind: 'seat_released'
  readonly reason: (Release | EndHolds)['reason']
  readonly notes: string | null
}

interface SeatConverted extends OfHold {
  readonly kind: 'seat_converted'
  readonly userId: UserId
  readonly checkoutId: CheckoutId
  /** As many as the quantity. */
  readonly ticketIds: readonly TicketId[]
}

/**
 * A sale was taken back, the one way in which sold ends. The hold has ended before, with the sale: this is
 * a change of the place.
 */
interface TicketVoided extends Numbered {
  readonly kind: 'ticket_voided'
  readonly ticketId: TicketId
  readonly ordinal: number | null
  readonly version: number | null
  readonly zoneIndex: number
  readonly reason: string
}

interface OfSeat extends Numbered {
  readonly ordinal: number
  readonly version: number
  readonly zoneIndex: number
  readonly reason: string
}

interface SeatBlocked extends OfSeat {
  readonly kind: 'seat_blocked'
}

interface SeatUnblocked extends OfSeat {
  readonly kind: 'seat_unblocked'
}

/** So many of the zone's places were taken that its companion seats are anyone's from now on. */
export interface CompanionsReleased extends Numbered {
  readonly kind: 'companions_released'
  readonly zoneIndex: number
  /** Held and sold, of so many that are not blocked. */
  readonly occupied: number
  readonly capacity: number
  /** The companion seats that are free by it, by ordinal. */
  readonly ordinals: readonly number[]
}

export interface EventChanged extends Numbered, EventUpdate {
  readonly kind: 'event_changed'
}
