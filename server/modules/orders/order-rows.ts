import { randomBytes } from 'node:crypto'
import { applyOrder } from '@voelgoed/core/orders/apply-order'
import { decideOrder, type OrderCommand } from '@voelgoed/core/orders/decide-order'
import type { Order, OrderChange } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { type ChangeDetails, writeOrderChanges } from './tables/order-changes.ts'
import type { WholeOrder } from './tables/orders.ts'

/** Turns the rows into the order that the rules decide on. */
export function orderOf({ order, lines, payments, refunds }: WholeOrder): Order {
  return {
    status: order.status,
    currency: order.currency,
    total: order.total,
    lines: lines.map(({ ticket_id, amount, refund_id }) => {
      return { ticketId: ticket_id, amount, refundId: refund_id }
    }),
    payments: payments.map(({ id, method, status, amount, refunded_amount, waits_for_buyer }) => {
      const refunded = refunded_amount
      return { paymentId: id, method, status, amount, refunded, waitsForBuyer: waits_for_buyer }
    }),
    refunds: refunds.map(refund => {
      const { id, amount, status, failures, by_hand } = refund
      const outside = status === 'done' && !by_hand ? lessAsked(refund) : 0
      const byChoice = refund.by_choice
      return { refundId: id, amount, status, attempt: failures, isByHand: by_hand, outside, byChoice }
    }),
  }
}

/** So much less than the amount the gateway is asked for, or was. */
export function lessAsked({ amount, asked }: WholeOrder['refunds'][number]): number {
  return asked === null ? 0 : (amount ?? 0) - asked
}

/** The order as it is after these changes. */
export interface ChangedOrder {
  readonly order: Order
  readonly changes: readonly OrderChange[]
}

export function decideChange(before: Order, command: OrderCommand): Result<ChangedOrder, Refusal> {
  const decided = decideOrder(before, command)
  if (!decided.ok) return decided
  return ok({ order: decided.value.reduce<Order>(applyOrder, before), changes: decided.value })
}

/** Decides a command on an order that is locked, and writes what follows. */
export async function changeOrder(
  tx: TenantTx,
  orderId: string,
  before: Order,
  command: OrderCommand,
  details: ChangeDetails = {},
): Promise<Result<ChangedOrder, Refusal>> {
  const changed = decideChange(before, command)
  if (changed.ok && changed.value.changes.length > 0) {
    await writeOrderChanges(tx, orderId, before, changed.value, details)
  }
  return changed
}

/** Without letters and digits that people mix up. */
const DIGITS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Makes a number that people can read to each other. */
export function newOrderNumber(): string {
  const digits = Array.from(randomBytes(10), byte => DIGITS[byte % DIGITS.length]!).join('')
  return `${digits.slice(0, 5)}-${digits.slice(5)}`
}

/** Opens an order to a person who has its link. */
export function newOrderSecret(): string {
  return randomBytes(32).toString('base64url')
}
