import { assert, assertNever } from '../result.ts'
import {
  ORDER_MOVES,
  type Order,
  type OrderChange,
  type OrderStatus,
  PAYMENT_MOVES,
  type Payment,
  type PaymentStatus,
  type Refund,
} from './order.ts'

/** The only way an order changes. What does not fit was not decided on this order. */
export function applyOrder(order: Order | null, change: OrderChange): Order {
  if (change.kind === 'opened') {
    assert(order === null, 'an order is opened once')
    const { currency, total } = change
    return { status: 'open', currency, total, lines: [], payments: [], refunds: [] }
  }
  assert(order !== null, 'an order that was opened')
  switch (change.kind) {
    case 'payment_created': {
      const { paymentId, method, amount } = change
      assert(order.payments.length === 0, 'a second payment while there is one')
      const payment: Payment = {
        ...{ paymentId, method, amount, refunded: 0, status: 'created' },
        waitsForBuyer: false,
      }
      return { ...moved(order, 'paying'), payments: [payment] }
    }
    case 'payment_tried_again':
      return moved(withPayment(order, change.paymentId, { to: 'created' }), 'paying')
    case 'payment_unknown':
      return withPayment(order, change.paymentId, { to: 'unknown' })
    case 'payment_waits':
      return withPayment(order, change.paymentId, { to: 'created', waitsForBuyer: change.forBuyer })
    case 'payment_declined':
      return withPayment(order, change.paymentId, { to: 'declined' })
    case 'reopened':
      return moved(order, 'open')
    case 'cancelled':
    case 'expired':
      return moved(order, change.kind)
    case 'payment_captured':
      return withPayment(order, change.paymentId, { to: 'captured' })
    case 'tickets_issued': {
      assert(order.lines.length === 0, 'tickets that are issued twice')
      assert(hasMoney(order), 'tickets without money')
      return { ...moved(order, 'paid'), lines: change.lines.map(line => ({ ...line, refundId: null })) }
    }
    case 'not_sold':
      assert(order.lines.length === 0 && hasMoney(order), 'money without tickets')
      return moved(order, 'refunded')
    case 'tickets_moved': {
      const moved = new Map(change.moves.map(({ from, to }) => [from, to]))
      const lines = order.lines.map(line => {
        const ticketId = moved.get(line.ticketId)
        if (ticketId === undefined) return line
        assert(line.refundId === null, 'a ticket that was taken back is moved')
        return { ...line, ticketId }
      })
      return { ...order, lines }
    }
    case 'lines_voided': {
      const { refundId } = change
      const ticketIds = new Set(change.ticketIds)
      const lines = order.lines.map(line => {
        if (!ticketIds.has(line.ticketId)) return line
        assert(line.refundId === null, 'a ticket taken back twice')
        return { ...line, refundId }
      })
      const isWhole = lines.every(line => line.refundId !== null)
      return moved({ ...order, lines }, isWhole ? 'refunded' : 'partly_refunded')
    }
    case 'refund_started': {
      const { refundId, paymentId, amount, byChoice = 0 } = change
      const payment = order.payments.find(each => each.paymentId === paymentId)
      const promised = order.refunds.reduce((sum, refund) => sum + (refund.amount ?? 0), amount ?? 0)
      assert(promised <= (payment?.amount ?? 0), 'more given back than was taken')
      const started: Refund = { refundId, amount, status: 'pending', ...FIRST_ATTEMPT, byChoice }
      const refunding = payment?.status === 'refunding' ? order : withPayment(order, paymentId, REFUNDING)
      return { ...refunding, refunds: [...order.refunds, started] }
    }
    case 'refund_failed':
      return withRefund(order, change.refundId, NOT_DONE, 'failed')
    case 'refund_came_back': {
      const { refundId, paymentId, amount } = change
      const after = withRefund(order, refundId, ['done'], 'failed')
      const isRefunding = order.payments.some(({ status }) => status === 'refunding')
      return withPayment(after, paymentId, { to: isRefunding ? null : 'refunding', refunded: -(amount ?? 0) })
    }
    case 'payment_refunded': {
      const { refundId, paymentId, amount } = change
      const { isByHand = false, outside = 0 } = change
      assert(outside >= 0 && outside <= (amount ?? 0), 'more went back outside than was owed')
      const after = withRefund(order, refundId, NOT_DONE, 'done', { isByHand, outside })
      const isLast = after.refunds.every(refund => refund.status === 'done')
      const to = !isLast ? null : order.status === 'refunded' ? 'refunded' : 'captured'
      return withPayment(after, paymentId, { to, refunded: amount ?? 0 })
    }
    case 'outside_came_back': {
      const { paymentId, parts } = change
      const isRefunding = order.payments.some(({ status }) => status === 'refunding')
      const refunded = -parts.reduce((sum, { amount }) => sum + amount, 0)
      const after = parts.reduce(withLess, order)
      return withPayment(after, paymentId, { to: isRefunding ? null : 'refunding', refunded })
    }
    default:
      return assertNever(change, 'a kind of change that this program does not know')
  }
}

const REFUNDING = { to: 'refunding' } as const

function hasMoney({ payments }: Order): boolean {
  return payments.some(({ status }) => status === 'captured')
}

/** A second refund of a part leaves the order as it is. */
function moved(order: Order, to: OrderStatus): Order {
  if (order.status === to && to === 'partly_refunded') return order
  assert(ORDER_MOVES[order.status].includes(to), `an order goes from ${order.status} to ${to}`)
  return { ...order, status: to }
}

const FIRST_ATTEMPT = { attempt: 0, isByHand: false, outside: 0 } as const
const NOT_DONE = ['pending', 'failed'] as const

/** An attempt that fails is over: the next one has another number. */
function withRefund(
  order: Order,
  refundId: string,
  from: readonly Refund['status'][],
  status: 'done' | 'failed',
  how: Pick<Refund, 'isByHand' | 'outside'> = { isByHand: false, outside: 0 },
): Order {
  const known = order.refunds.find(refund => refund.refundId === refundId)
  assert(known !== undefined && from.includes(known.status), 'money that is given back once')
  const attempt = known.attempt + (status === 'failed' ? 1 : 0)
  const refunds = order.refunds.map(refund =>
    refund === known ? { ...refund, status, attempt, ...how } : refund,
  )
  return { ...order, refunds }
}

/** A part of a refund that went back outside is another refund's from now on. */
function withLess(order: Order, { refundId, amount }: { refundId: string; amount: number }): Order {
  const known = order.refunds.find(refund => refund.refundId === refundId)
  assert(known?.status === 'done' && amount > 0 && amount <= known.outside, 'a part that went back outside')
  const less = { amount: (known.amount ?? 0) - amount, outside: known.outside - amount }
  return {
    ...order,
    refunds: order.refunds.map(refund => (refund === known ? { ...refund, ...less } : refund)),
  }
}

/** `to` null: it stays as it is. */
function withPayment(
  order: Order,
  paymentId: string,
  { to, refunded = 0, waitsForBuyer = false }: PaymentUpdate,
): Order {
  assert(
    order.payments.some(payment => payment.paymentId === paymentId),
    'a payment of this order',
  )
  const payments = order.payments.map(payment => {
    if (payment.paymentId !== paymentId) return payment
    const isSame = to === null || (to === 'created' && payment.status === 'created')
    assert(
      isSame || PAYMENT_MOVES[payment.status].includes(to),
      `a payment goes from ${payment.status} to ${to}`,
    )
    const total = payment.refunded + refunded
    assert(total >= 0 && total <= (payment.amount ?? 0), 'more given back than was taken')
    return { ...payment, status: to ?? payment.status, refunded: total, waitsForBuyer }
  })
  return { ...order, payments }
}

interface PaymentUpdate {
  readonly to: PaymentStatus | null
  readonly refunded?: number
  readonly waitsForBuyer?: boolean
}
