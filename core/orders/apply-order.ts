import { assert, assertNever } from '../result.ts'
import {
  ORDER_MOVES,
  type Order,
  type OrderChange,
  type OrderStatus,
  PAYMENT_MOVES,
  type Payment,
  type PaymentStatus,
} from './order.ts'

/** The only way an order changes. What does not fit was not decided on this order. */
export function applyOrder(order: Order | null, change: OrderChange): Order {
  if (change.kind === 'opened') {
    assert(order === null, 'an order is opened once')
    const lines = change.lines.map(line => ({ ...line, refundId: null }))
    return { status: 'open', currency: change.currency, lines, payments: [] }
  }
  assert(order !== null, 'an order that was opened')
  switch (change.kind) {
    case 'payment_created': {
      const { paymentId, method, amount } = change
      assert(
        order.payments.every(payment => payment.status === 'declined'),
        'a second payment while there is one',
      )
      const payment: Payment = { paymentId, method, amount, refunded: 0, status: 'created' }
      return { ...moved(order, 'paying'), payments: [...order.payments, payment] }
    }
    case 'payment_captured':
      return moved(withPayment(order, change.paymentId, 'captured'), 'paid')
    case 'lines_voided': {
      const { refundId, ticketIds } = change
      const lines = order.lines.map(line => {
        if (!ticketIds.includes(line.ticketId)) return line
        assert(line.refundId === null, 'a ticket taken back twice')
        return { ...line, refundId }
      })
      const isWhole = lines.every(line => line.refundId !== null)
      return moved({ ...order, lines }, isWhole ? 'refunded' : 'partly_refunded')
    }
    case 'refund_started':
      return withPayment(order, change.paymentId, 'refunding')
    case 'payment_refunded': {
      const { paymentId, amount } = change
      const isOver = order.status === 'refunded'
      return withPayment(order, paymentId, isOver ? 'refunded' : 'captured', amount ?? 0)
    }
    default:
      return assertNever(change, 'a kind of change that this program does not know')
  }
}

/** A second refund of a part leaves the order as it is. */
function moved(order: Order, to: OrderStatus): Order {
  if (order.status === to && to === 'partly_refunded') return order
  assert(ORDER_MOVES[order.status].includes(to), `an order goes from ${order.status} to ${to}`)
  return { ...order, status: to }
}

function withPayment(order: Order, paymentId: string, to: PaymentStatus, refunded = 0): Order {
  assert(
    order.payments.some(payment => payment.paymentId === paymentId),
    'a payment of this order',
  )
  const payments = order.payments.map(payment => {
    if (payment.paymentId !== paymentId) return payment
    assert(PAYMENT_MOVES[payment.status].includes(to), `a payment goes from ${payment.status} to ${to}`)
    const total = payment.refunded + refunded
    assert(total <= (payment.amount ?? 0), 'more given back than was taken')
    return { ...payment, status: to, refunded: total }
  })
  return { ...order, payments }
}
