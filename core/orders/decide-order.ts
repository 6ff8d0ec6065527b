import type { PaymentId, RefundId, TicketId, UserId } from '../ids.ts'
import type { OrderRefusal } from '../refusal.ts'
import { assert, assertNever, ok, type Result, refuse } from '../result.ts'
import type { Order, OrderChange, OrderLine, StaffMethod } from './order.ts'

export type OrderCommand = BookOrder | RefundOrder

/** The money is there, says a member of staff or a platform that took it. */
export interface BookOrder {
  readonly kind: 'book'
  readonly paymentId: PaymentId
  readonly method: StaffMethod
  readonly currency: string | null
  /** At least one. With a currency each has an amount, without one none has. */
  readonly lines: readonly Omit<OrderLine, 'refundId'>[]
  readonly by: UserId
}

/** Tickets are taken back, and staff give the money back by the way it came. */
export interface RefundOrder {
  readonly kind: 'refund'
  readonly refundId: RefundId
  /** Null: all that are valid. */
  readonly ticketIds: readonly TicketId[] | null
  readonly by: UserId
}

/** Decides what a command does to an order. Changes nothing itself. */
export function decideOrder(
  order: Order | null,
  command: OrderCommand,
): Result<readonly OrderChange[], OrderRefusal> {
  switch (command.kind) {
    case 'book':
      return book(order, command)
    case 'refund':
      return refund(order, command)
    default:
      return assertNever(command, 'a kind of command that this program does not know')
  }
}

function book(order: Order | null, command: BookOrder): Result<readonly OrderChange[], OrderRefusal> {
  const { paymentId, method, currency, by } = command
  assert(order === null, 'an order is booked once')
  assert(command.lines.length > 0, 'an order has lines')
  assert(
    command.lines.every(({ amount }) => (amount === null) === (currency === null) && isAmount(amount)),
    'amounts in a currency, or none at all',
  )
  assert(by.length > 0, 'a named member of staff, or a key')
  const lines = method === 'complimentary' ? command.lines.map(free) : command.lines
  return ok([
    { kind: 'opened', currency, lines },
    { kind: 'payment_created', paymentId, method, amount: sum(lines), by },
    { kind: 'payment_captured', paymentId },
  ])
}

function refund(
  order: Order | null,
  { refundId, ticketIds, by }: RefundOrder,
): Result<readonly OrderChange[], OrderRefusal> {
  if (order === null) return refuse({ kind: 'order_not_found' })
  const { status } = order
  const named = ticketIds && new Set(ticketIds)
  const lines = order.lines.filter(line => (named ? named.has(line.ticketId) : line.refundId === null))
  if (named && lines.length < named.size) return refuse({ kind: 'ticket_not_found' })
  const isVoid = lines.filter(line => line.refundId !== null)
  if (isVoid.length > 0) return refuse({ kind: 'ticket_void', ticketIds: isVoid.map(line => line.ticketId) })
  const payment = order.payments.find(each => each.status === 'captured')
  if (lines.length === 0 || !payment || (status !== 'paid' && status !== 'partly_refunded')) {
    return refuse({ kind: 'invalid_transition', status, allowed: [] })
  }
  const { paymentId } = payment
  return ok([
    { kind: 'lines_voided', refundId, ticketIds: lines.map(line => line.ticketId) },
    { kind: 'refund_started', paymentId },
    { kind: 'payment_refunded', refundId, paymentId, amount: sum(lines), by },
  ])
}

/** Null: none of them has an amount. */
function sum(lines: readonly { readonly amount: number | null }[]): number | null {
  let total: number | null = null
  for (const { amount } of lines) if (amount !== null) total = (total ?? 0) + amount
  return total
}

function isAmount(amount: number | null): boolean {
  return amount === null || (Number.isSafeInteger(amount) && amount >= 0)
}

function free<Line extends { readonly amount: number | null }>(line: Line): Line {
  return { ...line, amount: line.amount === null ? null : 0 }
}
