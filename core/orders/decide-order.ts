import type { PaymentId, RefundId, TicketId, UserId } from '../ids.ts'
import type { OrderRefusal } from '../refusal.ts'
import { assert, assertNever, ok, type Result, refuse } from '../result.ts'
import { type CheckoutCommand, decideCheckout } from './decide-checkout.ts'
import type { Order, OrderChange, OrderLine, PaymentStatus, StaffMethod, TicketReplaced } from './order.ts'
import { leftOf, refundAmount, sumOf, worthOf } from './refund-amount.ts'

export type OrderCommand =
  | BookOrder
  | MoveOrder
  | RefundOrder
  | RefundSettled
  | OutsideCounted
  | CheckoutCommand

/** The money is there, says a member of staff or a platform that took it. */
export interface BookOrder {
  readonly kind: 'book'
  readonly paymentId: PaymentId
  readonly method: StaffMethod
  readonly currency: string | null
  /** The sum of fees and taxes that come on top of the lines; 0 without a currency. */
  readonly extras: number
  /** At least one. With a currency each has an amount, without one none has. */
  readonly lines: readonly Omit<OrderLine, 'refundId'>[]
  readonly by: UserId
}

/** Staff move tickets to other places at the same price: no money moves. */
interface MoveOrder {
  readonly kind: 'move'
  /** At least one; no ticket twice. */
  readonly moves: readonly TicketReplaced[]
}

/**
 * Tickets are taken back, or money is given back for tickets that stay. Staff give the money back by the way
 * it came; what a gateway took goes back through it, so that its refund is settled later.
 */
interface RefundOrder {
  readonly kind: 'refund'
  readonly refundId: RefundId
  /** Null: all that are valid. */
  readonly ticketIds: readonly TicketId[] | null
  /** Staff chose it; undefined: what the tickets cost, and what is left. */
  readonly amount?: number
  /** The tickets stay valid: the amount is above 0. */
  readonly keepsTickets?: boolean
  readonly by: UserId
  /** Staff have not given it back yet: what no gateway took is owed until they say so. */
  readonly isOwed?: boolean
}

/** The gateway, or the staff who owe the money, have said what became of a refund. */
interface RefundSettled {
  readonly kind: 'refund_settled'
  readonly refundId: RefundId
  /** The attempt that it is about. Of one that failed before, nothing is news. */
  readonly attempt: number
  readonly outcome: 'done' | 'failed'
  /** It is done: staff say so. */
  readonly isByHand?: boolean
  /** It is done: so much of it went back on the gateway's own pages. */
  readonly outside?: number
}

/**
 * Money that went back on the gateway's own pages was counted again: a bank may have sent some of it back.
 * What refunds here were lowered by and it does not cover any more is owed.
 */
interface OutsideCounted {
  readonly kind: 'outside_counted'
  readonly amount: number
  /** It names the refund of what is owed, if there is one. */
  readonly refundId: RefundId
}

/** Decides what a command does to an order. Changes nothing itself. */
export function decideOrder(
  order: Order | null,
  command: OrderCommand,
): Result<readonly OrderChange[], OrderRefusal> {
  switch (command.kind) {
    case 'book':
      return book(order, command)
    case 'move':
      return move(order, command)
    case 'refund':
      return refund(order, command)
    case 'refund_settled':
      return settleRefund(order, command)
    case 'outside_counted':
      return countOutside(order, command)
    case 'open':
    case 'pay':
    case 'waits':
    case 'unknown':
    case 'declined':
    case 'captured':
    case 'cancel':
    case 'replace':
    case 'expire':
      return decideCheckout(order, command)
    default:
      return assertNever(command, 'a kind of command that this program does not know')
  }
}

function book(order: Order | null, command: BookOrder): Result<readonly OrderChange[], OrderRefusal> {
  const { paymentId, method, currency, extras, by } = command
  assert(order === null, 'an order is booked once')
  assert(command.lines.length > 0, 'an order has lines')
  assert(
    command.lines.every(({ amount }) => (amount === null) === (currency === null) && isAmount(amount)),
    'amounts in a currency, or none at all',
  )
  assert(isAmount(extras) && (currency !== null || extras === 0), 'amounts in a currency, or none at all')
  assert(by.length > 0, 'a named member of staff, or a key')
  const isFree = method === 'complimentary'
  const lines = isFree ? command.lines.map(free) : command.lines
  const sold = sumOf(lines)
  const total = sold === null ? null : sold + (isFree ? 0 : extras)
  return ok([
    { kind: 'opened', currency, total },
    { kind: 'payment_created', paymentId, method, amount: total, by },
    { kind: 'payment_captured', paymentId },
    { kind: 'tickets_issued', lines },
  ])
}

function move(order: Order | null, { moves }: MoveOrder): Result<readonly OrderChange[], OrderRefusal> {
  assert(moves.length > 0, 'a ticket')
  if (order === null) return refuse({ kind: 'order_not_found' })
  const found = validLines(
    order,
    moves.map(({ from }) => from),
  )
  return found.ok ? ok([{ kind: 'tickets_moved', moves }]) : found
}

/** The lines of these tickets; refused unless all of them are the order's, and valid. */
function validLines(
  order: Order,
  ticketIds: readonly TicketId[],
): Result<readonly OrderLine[], OrderRefusal> {
  const named = new Set(ticketIds)
  const lines = order.lines.filter(line => named.has(line.ticketId))
  if (lines.length < named.size) return refuse({ kind: 'ticket_not_found' })
  const isVoid = lines.filter(line => !isValid(line))
  if (isVoid.length > 0) return refuse({ kind: 'ticket_void', ticketIds: isVoid.map(line => line.ticketId) })
  return ok(lines)
}

function isValid({ refundId }: OrderLine): boolean {
  return refundId === null
}

function refund(
  order: Order | null,
  { refundId, ticketIds, amount: chosen, keepsTickets = false, by, isOwed = false }: RefundOrder,
): Result<readonly OrderChange[], OrderRefusal> {
  assert(chosen === undefined || isAmount(chosen), 'an amount')
  assert(!keepsTickets || (chosen !== undefined && chosen > 0), 'money for tickets that stay')
  if (order === null) return refuse({ kind: 'order_not_found' })
  const { status } = order
  const found = ticketIds ? validLines(order, ticketIds) : ok(order.lines.filter(isValid))
  if (!found.ok) return found
  const lines = found.value
  const payment = order.payments.find(({ status }) => CAPTURED.has(status))
  const isOpen = status === 'paid' || status === 'partly_refunded'
  // Money that was kept of tickets may still go back after the last of them.
  const isPossible = keepsTickets ? order.lines.length > 0 : isOpen && lines.length > 0
  if (!payment || !isPossible) return refuse({ kind: 'invalid_transition', status, allowed: [] })
  const areLast = order.lines.filter(isValid).length === lines.length
  if (chosen !== undefined) {
    const left = leftOf(order) ?? 0
    const available = keepsTickets && ticketIds ? Math.min(left, sumOf(lines) ?? 0) : left
    if (order.total === null || chosen > available) return refuse({ kind: 'refund_too_high', available })
  }
  const worth = keepsTickets ? 0 : worthOf(order, lines, { areLast })
  const amount = chosen ?? refundAmount(order, lines, { areLast })
  const byChoice = (amount ?? 0) - (worth ?? 0)
  const { paymentId, method } = payment
  const started: OrderChange = { kind: 'refund_started', refundId, paymentId, amount, byChoice, by }
  const begun: OrderChange[] = keepsTickets
    ? [started]
    : [{ kind: 'lines_voided', refundId, ticketIds: lines.map(line => line.ticketId) }, started]
  // There is nothing to give back for tickets that cost nothing.
  const isFree = amount === 0 || method === 'complimentary'
  const isSettled = isFree || (method !== 'gateway' && !isOwed)
  return ok(isSettled ? [...begun, { kind: 'payment_refunded', refundId, paymentId, amount }] : begun)
}

const CAPTURED: ReadonlySet<PaymentStatus> = new Set(['captured', 'refunding', 'refunded'])

function settleRefund(
  order: Order | null,
  { refundId, attempt, outcome, isByHand = false, outside = 0 }: RefundSettled,
): Result<readonly OrderChange[], OrderRefusal> {
  if (order === null) return refuse({ kind: 'order_not_found' })
  const known = order.refunds.find(each => each.refundId === refundId)
  const [payment] = order.payments
  if (!known || !payment || known.isByHand || known.attempt !== attempt) return ok([])
  const { paymentId } = payment
  const { amount } = known
  const isDone = known.status === 'done'
  if (outcome === 'done') {
    return ok(isDone ? [] : [{ kind: 'payment_refunded', refundId, paymentId, amount, isByHand, outside }])
  }
  if (isDone) return ok([{ kind: 'refund_came_back', refundId, paymentId, amount }])
  return ok([{ kind: 'refund_failed', refundId }])
}

/** The part that is owed is a refund of its own: what the gateway gave back of the others stays theirs. */
function countOutside(
  order: Order | null,
  { amount: covered, refundId }: OutsideCounted,
): Result<readonly OrderChange[], OrderRefusal> {
  if (order === null) return refuse({ kind: 'order_not_found' })
  const [payment] = order.payments
  let owed = order.refunds.reduce((sum, { outside }) => sum + outside, 0) - covered
  if (!payment || owed <= 0) return ok([])
  const { paymentId } = payment
  const started: OrderChange = { kind: 'refund_started', refundId, paymentId, amount: owed, by: null }
  const parts: { refundId: RefundId; amount: number }[] = []
  for (const each of order.refunds) {
    const amount = Math.min(owed, each.outside)
    if (amount > 0) parts.push({ refundId: each.refundId, amount })
    owed -= amount
  }
  return ok([{ kind: 'outside_came_back', paymentId, parts }, started])
}

function isAmount(amount: number | null): boolean {
  return amount === null || (Number.isSafeInteger(amount) && amount >= 0)
}

function free<Line extends { readonly amount: number | null }>(line: Line): Line {
  return { ...line, amount: line.amount === null ? null : 0 }
}
