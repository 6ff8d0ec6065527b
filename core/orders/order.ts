import type { PaymentId, RefundId, TicketId, UserId } from '../ids.ts'

/**
 * An order, and the payments for it: two machines that move together.
 *
 *   open ──pay──▶ paying ──captured──▶ paid ──▶ partly_refunded ──▶ refunded
 *    │  ◀─declined──┘                   └──────────────────────────────▲
 *    ├─▶ cancelled
 *    └─▶ expired
 *
 *   created ──▶ captured ◀──▶ refunding ──▶ refunded
 *      │  ▲         ▲
 *      │  └─unknown─┘   (an answer that did not come is looked up until it is known)
 *      └──▶ declined
 *
 * What staff and platforms with a checkout of their own sell is paid for when it is written down: it takes
 * the same steps in one command. An order's lines are what was sold, one for each ticket.
 *
 * Amounts are whole minor units of the order's currency. Null: the seller did not say, and counts the money
 * elsewhere; then all amounts of the order are null.
 */
export interface Order {
  readonly status: OrderStatus
  /** ISO 4217; null when no amounts are known. */
  readonly currency: string | null
  readonly lines: readonly OrderLine[]
  readonly payments: readonly Payment[]
}

export interface OrderLine {
  readonly ticketId: TicketId
  readonly amount: number | null
  /** The refund that took it back; null: the ticket is valid. */
  readonly refundId: RefundId | null
}

export interface Payment {
  readonly paymentId: PaymentId
  readonly method: PaymentMethod
  readonly amount: number | null
  /** Of the amount, so much was given back. */
  readonly refunded: number
  readonly status: PaymentStatus
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

/** How staff, and platforms with a checkout of their own, got the money. */
export const STAFF_METHODS = ['cash', 'card_terminal', 'complimentary', 'external'] as const
export type StaffMethod = (typeof STAFF_METHODS)[number]
/** `gateway`: through a checkout of ours. */
export type PaymentMethod = StaffMethod | 'gateway'

/** Where each status may lead. Triggers of the database know the same (migration 0023). */
export const ORDER_MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['paying', 'cancelled', 'expired'],
  paying: ['paid', 'open', 'refunded', 'cancelled', 'expired'],
  paid: ['partly_refunded', 'refunded'],
  partly_refunded: ['refunded'],
  refunded: [],
  cancelled: [],
  expired: ['paid', 'refunded'],
}

export const PAYMENT_MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  created: ['unknown', 'captured', 'declined'],
  unknown: ['captured', 'declined'],
  captured: ['refunding'],
  declined: [],
  refunding: ['captured', 'refunded'],
  refunded: [],
}

/** What happened to an order, in order. All of them from the beginning give the order. */
export type OrderChange =
  | {
      readonly kind: 'opened'
      readonly currency: string | null
      readonly lines: readonly Omit<OrderLine, 'refundId'>[]
    }
  | {
      readonly kind: 'payment_created'
      readonly paymentId: PaymentId
      readonly method: PaymentMethod
      readonly amount: number | null
      /** The member of staff, or the key of a server, who says that the money is there. */
      readonly by: UserId | null
    }
  | { readonly kind: 'payment_captured'; readonly paymentId: PaymentId }
  /** The tickets of these lines are void from now on, before any money moves. */
  | { readonly kind: 'lines_voided'; readonly refundId: RefundId; readonly ticketIds: readonly TicketId[] }
  | { readonly kind: 'refund_started'; readonly paymentId: PaymentId }
  | {
      readonly kind: 'payment_refunded'
      readonly refundId: RefundId
      readonly paymentId: PaymentId
      readonly amount: number | null
      readonly by: UserId | null
    }
