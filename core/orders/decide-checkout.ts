import type { PaymentId, RefundId } from '../ids.ts'
import type { OrderRefusal } from '../refusal.ts'
import { assert, ok, type Result, refuse } from '../result.ts'
import type { Order, OrderChange, OrderLine, Payment } from './order.ts'

/**
 * This happens to a checkout with a gateway. News of the payment comes from answers, look-ups and webhooks,
 * in any order and any number of times: each is decided on what the order is by then.
 */
export type CheckoutCommand =
  | { readonly kind: 'open'; readonly currency: string; readonly total: number }
  /** The buyer wants to pay. The places are in payment. */
  | { readonly kind: 'pay'; readonly paymentId: PaymentId }
  /** The gateway has the payment: it waits for the buyer, or decides. */
  | { readonly kind: 'waits'; readonly forBuyer: boolean; readonly areHeld: boolean }
  | { readonly kind: 'unknown' }
  /** `areHeld`: the places are the buyer's still. */
  | { readonly kind: 'declined'; readonly areHeld: boolean }
  | Captured
  | { readonly kind: 'cancel' }
  /** The buyer wants something else, and will not pay for this: its places go to another checkout. */
  | { readonly kind: 'replace' }
  /** The places are not the buyer's any more. */
  | { readonly kind: 'expire' }

/** `sold`: what the places became; null: they could not be sold, and the money goes back. */
interface Captured {
  readonly kind: 'captured'
  readonly sold: readonly Omit<OrderLine, 'refundId'>[] | null
  /** It names the refund, if there is one. */
  readonly refundId: RefundId
}

/**
 * Returns what money that was captured calls for, before it is decided: the places are to be sold, the money
 * goes back, or all of it was done before. The buyer who cancelled wants no tickets.
 */
export function whatCapturedMeans(order: Order): 'sell' | 'give_back' | 'known' {
  const [payment] = order.payments
  if (!payment || !isUndecided(payment)) return 'known'
  return order.status === 'cancelled' ? 'give_back' : 'sell'
}

/** It is the buyer's turn (a card, a page, a form to fill in), or the bank's; null: it is over. */
export function whoDecides({ status, payments }: Order): 'buyer' | 'bank' | null {
  if (status !== 'open' && status !== 'paying') return null
  return status === 'open' || payments.every(payment => payment.waitsForBuyer) ? 'buyer' : 'bank'
}

export function decideCheckout(
  order: Order | null,
  command: CheckoutCommand,
): Result<readonly OrderChange[], OrderRefusal> {
  if (command.kind === 'open') {
    const { currency, total } = command
    assert(order === null, 'an order is opened once')
    assert(Number.isSafeInteger(total) && total >= 0, 'a total')
    return ok([{ kind: 'opened', currency, total }])
  }
  if (order === null) return refuse({ kind: 'order_not_found' })
  switch (command.kind) {
    case 'pay':
      return pay(order, command.paymentId)
    case 'waits':
      return ok(waits(order, command))
    case 'unknown':
      return ok(ofPayment(order, ['created'], paymentId => [{ kind: 'payment_unknown', paymentId }]))
    case 'declined':
      return ok(declined(order, command.areHeld))
    case 'captured':
      return ok(captured(order, command))
    case 'cancel':
      return cancel(order)
    case 'replace':
      return whoDecides(order) === 'bank' ? refuse({ kind: 'payment_undecided' }) : cancel(order)
    case 'expire':
      return ok(canExpire(order) ? [{ kind: 'expired' }] : [])
  }
}

function pay(order: Order, paymentId: PaymentId): Result<readonly OrderChange[], OrderRefusal> {
  const [known] = order.payments
  switch (order.status) {
    case 'open': {
      if (known) return ok([{ kind: 'payment_tried_again', paymentId: known.paymentId }])
      const amount = order.total
      return ok([{ kind: 'payment_created', paymentId, method: 'gateway', amount, by: null }])
    }
    case 'cancelled':
    case 'expired':
      return refuse({ kind: 'checkout_closed', status: order.status })
    // It is being paid for, or was: there is nothing to begin.
    default:
      return ok([])
  }
}

function waits(order: Order, { forBuyer, areHeld }: { forBuyer: boolean; areHeld: boolean }): OrderChange[] {
  // The buyer went on with it at the gateway: money is on its way after all.
  if (!forBuyer && order.payments[0]?.status === 'declined') {
    return ofPayment(order, ['declined'], paymentId => [
      order.status === 'open'
        ? { kind: 'payment_tried_again', paymentId }
        : { kind: 'payment_waits', paymentId, forBuyer },
    ])
  }
  return ofPayment(order, ['created', 'unknown'], (paymentId, payment) => [
    ...(payment.status === 'created' && payment.waitsForBuyer === forBuyer
      ? []
      : [{ kind: 'payment_waits', paymentId, forBuyer } as const]),
    ...(forBuyer && !areHeld && order.status === 'paying' ? [{ kind: 'expired' } as const] : []),
  ])
}

/** An order whose places are gone has nothing to pay for. What comes after all is for the ladder. */
function declined(order: Order, areHeld: boolean): OrderChange[] {
  return ofPayment(order, ['created', 'unknown'], paymentId => [
    { kind: 'payment_declined', paymentId },
    ...(order.status === 'paying' ? [{ kind: areHeld ? 'reopened' : 'expired' } as const] : []),
  ])
}

function captured(order: Order, { sold, refundId }: Captured): OrderChange[] {
  const means = whatCapturedMeans(order)
  if (means === 'known') return []
  const { paymentId, amount } = order.payments[0]!
  const paid: OrderChange = { kind: 'payment_captured', paymentId }
  if (sold !== null) {
    assert(means === 'sell', 'tickets for an order that was cancelled')
    assert(sold.length > 0, 'an order has lines')
    return [paid, { kind: 'tickets_issued', lines: sold }]
  }
  const back: OrderChange[] = [paid, { kind: 'not_sold' }]
  const refund = { refundId, paymentId, amount }
  back.push({ kind: 'refund_started', ...refund, by: null })
  if (amount === 0) back.push({ kind: 'payment_refunded', ...refund })
  return back
}

function cancel(order: Order): Result<readonly OrderChange[], OrderRefusal> {
  const { status } = order
  if (status === 'open' || status === 'paying') return ok([{ kind: 'cancelled' }])
  if (status === 'cancelled' || status === 'expired') return ok([])
  return refuse({ kind: 'checkout_closed', status })
}

/** While the gateway decides, or when what it said is not known, the buyer may have been charged. */
function canExpire(order: Order): boolean {
  return whoDecides(order) === 'buyer'
}

function ofPayment(
  { payments }: Order,
  statuses: readonly Payment['status'][],
  changes: (paymentId: PaymentId, payment: Payment) => OrderChange[],
): OrderChange[] {
  const [payment] = payments
  return payment && statuses.includes(payment.status) ? changes(payment.paymentId, payment) : []
}

function isUndecided({ status }: Payment): boolean {
  return status === 'created' || status === 'unknown' || status === 'declined'
}
