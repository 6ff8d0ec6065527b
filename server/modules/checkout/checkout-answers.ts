import { whoDecides } from '@voelgoed/core/orders/decide-checkout'
import type { CartPayment } from '../holds/cart-answer.ts'
import { orderOf } from '../orders/order-rows.ts'
import { declineOf } from '../payments/declines.ts'
import type { Paid } from './checkouts.ts'
import type { FoundCheckout } from './find-checkout.ts'

/** `heldUntil`: of its holds as they are now; null: as it was last told. */
export function checkoutAnswer(
  { whole, checkout }: FoundCheckout,
  heldUntil: number | null,
  now: number,
): Record<string, unknown> {
  const { order } = whole
  const { cart } = checkout
  const expiresAt = heldUntil ?? checkout.expires_at.getTime()
  const isOver = order.status !== 'open' && order.status !== 'paying'
  return {
    checkout_id: order.id,
    order_number: order.number,
    status: order.status,
    event_id: order.event_id,
    expires_at: new Date(expiresAt).toISOString(),
    expires_in_seconds: isOver ? 0 : Math.max(0, Math.floor((expiresAt - now) / 1000)),
    currency: order.currency,
    lines: cart.lines.map(line => ({
      hold_id: line.hold_id,
      ...(line.seat_id !== null && { seat_id: line.seat_id }),
      zone_id: line.zone_id,
      label: line.label,
      ticket_type: line.ticket_type,
      quantity: line.quantity,
      unit_amount: line.unit_amount,
      amount: line.amount,
      attendee: line.attendee,
    })),
    fees: cart.fees,
    tax: cart.tax,
    total: order.total,
    gateway: checkout.gateway,
    contact: { name: order.contact_name, email: order.contact_email },
    accept_alternatives: checkout.accept_alternatives,
    order_id: hasOrder(order.status) ? order.id : null,
    late: checkout.late_step,
    declined: checkout.decline_code === null ? null : declineOf(checkout.decline_code),
  }
}

/** Writes a checkout as the cart says it. */
export function cartPayment({ whole, checkout }: FoundCheckout): CartPayment {
  const { order } = whole
  return {
    checkout_id: order.id,
    hold_ids: checkout.hold_ids,
    total: order.total,
    currency: order.currency,
    // The buyer may have the holds of an order that is over back as well.
    decides: whoDecides(orderOf(whole)) ?? 'buyer',
  }
}

export function paidAnswer(orderId: string, { status, next, declined }: Paid): Record<string, unknown> {
  return {
    checkout_id: orderId,
    status,
    ...(next && { next: nextAnswer(next) }),
    ...(declined && { declined: { code: declined.code, message: declined.message } }),
    ...(hasOrder(status) && { order_id: orderId }),
  }
}

function nextAnswer(next: NonNullable<Paid['next']>): object {
  if (next.kind === 'redirect') return { kind: next.kind, url: next.url }
  const { kind, clientSecret, publishableKey, account } = next
  return { kind, client_secret: clientSecret, publishable_key: publishableKey, account }
}

function hasOrder(status: string): boolean {
  return status === 'paid' || status === 'partly_refunded' || status === 'refunded'
}
