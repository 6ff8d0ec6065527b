import type { PaymentId, RefundId, TicketId, UserId } from '../ids.ts'

/**
 * An order, and the payments for it: two machines that move together.
 *
 *   open ──pay──▶ paying ──captured──▶ paid ──▶ partly_refunded ──▶ refunded
 *    │  ◀─declined──┘ │                 ▲                              ▲
 *    ├─▶ cancelled ◀──┤   captured late: the ladder, or the money back ─┤
 *    └─▶ expired ◀────┘                 └──────────────────────────────┘
 *
 *   created ◀──▶ unknown ──▶ captured ◀──▶ refunding ◀──▶ refunded
 *      │  ▲         │            ▲
 *      ▼  └─again   ▼            │   (an answer that did not come is looked up until it is known)
 *      └──────▶ declined ────────┘
 *
 * A checkout with a gateway has one payment: the gateway's one intent of the order. It may be declined, take
 * another card, and be captured whatever was known of it before. Captured is never taken back; the order
 * answers it with tickets, or with a refund of all of it.
 *
 * A refund that the gateway made may come back days later, because the buyer's bank did not take it. Then the
 * money is owed again, and the payment is being refunded again. So may money that went back on the gateway's
 * own pages: what a refund here was lowered by because of it goes back by a refund of its own.
 *
 * What staff and platforms with a checkout of their own sell is paid for when it is written down: it takes
 * the same steps in one command. An order's lines are what was sold, one for each ticket; an order that is
 * not paid has none.
 *
 * Amounts are whole minor units of the order's currency. Null: the seller did not say, and counts the money
 * elsewhere; then all amounts of the order are null.
 */
export interface Order {
  readonly status: OrderStatus
  /** ISO 4217; null when no amounts are known. */
  readonly currency: string | null
  /** The buyer pays this: the lines, and the fees and taxes that come on top of them. */
  readonly total: number | null
  readonly lines: readonly OrderLine[]
  readonly payments: readonly Payment[]
  readonly refunds: readonly Refund[]
}

export interface OrderLine {
  readonly ticketId: TicketId
  readonly amount: number | null
  /** The refund that took it back; null: the ticket is valid. */
  readonly refundId: RefundId | null
}

/** A ticket that is void because its place was moved, and the one that took its line. */
export interface TicketReplaced {
  readonly from: TicketId
  readonly to: TicketId
}

export interface Payment {
  readonly paymentId: PaymentId
  readonly method: PaymentMethod
  readonly amount: number | null
  /** So much of the amount was given back. */
  readonly refunded: number
  readonly status: PaymentStatus
  /** The gateway waits for the buyer: a page to confirm on, a form to fill in. */
  readonly waitsForBuyer: boolean
}

/** Money that goes back. A refund of tickets is also in their lines. */
export interface Refund {
  readonly refundId: RefundId
  readonly amount: number | null
  readonly status: RefundStatus
  /** From 0. An attempt that failed is over: the next one is another refund to the gateway. */
  readonly attempt: number
  /** Staff gave it back themselves: what the gateway says of it does not count any more. */
  readonly isByHand: boolean
  /** So much of the amount of one that is done went back on the gateway's own pages. */
  readonly outside: number
  /** So much more than the tickets of it cost, or less: staff chose the amount. */
  readonly byChoice: number
}

export const ORDER_STATUSES = [
  'open',
  'paying',
  'paid',
  'partly_refunded',
  'refunded',
  'cancelled',
  'expired',
] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const PAYMENT_STATUSES = [
  'created',
  'unknown',
  'captured',
  'declined',
  'refunding',
  'refunded',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/**
 * `pending`: the gateway has it, or staff owe it. `failed`: the gateway tried and gave up, or the buyer's
 * bank sent the money back after it was `done`. The money is owed still, and is tried again.
 */
export const REFUND_STATUSES = ['pending', 'done', 'failed'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]

/**
 * Money goes back because staff took tickets back, it came when the places were gone, or the event is off.
 */
export type RefundCause = 'staff' | 'late_money' | 'event_cancelled'

/** Staff, and platforms with a checkout of their own, got the money in one of these ways. */
export const STAFF_METHODS = ['cash', 'card_terminal', 'complimentary', 'external'] as const
export type StaffMethod = (typeof STAFF_METHODS)[number]
/** `gateway`: through a checkout of ours. */
export type PaymentMethod = StaffMethod | 'gateway'

/**
 * Where an order was made: on our page, in our component on a page of another site, by a platform that books
 * through the API, by staff at a counter.
 */
export const SALES_CHANNELS = ['page', 'embed', 'api', 'box_office'] as const
export type SalesChannel = (typeof SALES_CHANNELS)[number]

/** Each status may lead to these. Triggers of the database know the same (migrations 0025, 0052). */
export const ORDER_MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['paying', 'paid', 'refunded', 'cancelled', 'expired'],
  paying: ['paid', 'open', 'refunded', 'cancelled', 'expired'],
  paid: ['partly_refunded', 'refunded'],
  partly_refunded: ['refunded'],
  refunded: [],
  cancelled: ['refunded'],
  expired: ['paid', 'refunded'],
}

export const PAYMENT_MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  created: ['unknown', 'captured', 'declined'],
  unknown: ['created', 'captured', 'declined'],
  captured: ['refunding'],
  declined: ['created', 'captured'],
  refunding: ['captured', 'refunded'],
  refunded: ['refunding'],
}

/** This happened to an order, in order. All of them from the beginning give the order. */
export type OrderChange =
  | {
      readonly kind: 'opened'
      readonly currency: string | null
      readonly total: number | null
    }
  | {
      readonly kind: 'payment_created'
      readonly paymentId: PaymentId
      readonly method: PaymentMethod
      readonly amount: number | null
      /** The member of staff, or the key of a server, who says that the money is there. */
      readonly by: UserId | null
    }
  /** The buyer pays again, after the payment was declined. */
  | { readonly kind: 'payment_tried_again'; readonly paymentId: PaymentId }
  | { readonly kind: 'payment_unknown'; readonly paymentId: PaymentId }
  | { readonly kind: 'payment_waits'; readonly paymentId: PaymentId; readonly forBuyer: boolean }
  | { readonly kind: 'payment_declined'; readonly paymentId: PaymentId }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'payment_captured'; readonly paymentId: PaymentId }
  /** The places are sold: the order is paid. */
  | { readonly kind: 'tickets_issued'; readonly lines: readonly Omit<OrderLine, 'refundId'>[] }
  /** There are no tickets for the money: all of it goes back. */
  | { readonly kind: 'not_sold' }
  /** The places are other ones: each line goes on with the ticket that was issued for its new place. */
  | { readonly kind: 'tickets_moved'; readonly moves: readonly TicketReplaced[] }
  /** The tickets of these lines are void from now on, before any money moves. */
  | { readonly kind: 'lines_voided'; readonly refundId: RefundId; readonly ticketIds: readonly TicketId[] }
  | {
      readonly kind: 'refund_started'
      readonly refundId: RefundId
      readonly paymentId: PaymentId
      readonly amount: number | null
      /** So much more than the tickets that are taken back cost, or less. */
      readonly byChoice?: number
      readonly by: UserId | null
    }
  | { readonly kind: 'refund_failed'; readonly refundId: RefundId }
  /** It was done; then the buyer's bank sent the money back. */
  | {
      readonly kind: 'refund_came_back'
      readonly refundId: RefundId
      readonly paymentId: PaymentId
      readonly amount: number | null
    }
  | {
      readonly kind: 'payment_refunded'
      readonly refundId: RefundId
      readonly paymentId: PaymentId
      readonly amount: number | null
      readonly isByHand?: boolean
      /** So much of the amount went back on the gateway's own pages. */
      readonly outside?: number
    }
  /** A bank sent back what went out on the gateway's own pages: refunds are lowered by what is owed now. */
  | {
      readonly kind: 'outside_came_back'
      readonly paymentId: PaymentId
      readonly parts: readonly { readonly refundId: RefundId; readonly amount: number }[]
    }
