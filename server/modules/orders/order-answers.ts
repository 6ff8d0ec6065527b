import type { TicketId } from '@voelgoed/core/ids'
import type { OrderSummaryRow } from './tables/list-orders.ts'
import type { LineRow, OrderRow, RefundRow, WholeOrder } from './tables/orders.ts'

/** An order without the tokens of its tickets. */
function orderAnswer({ order, lines, payments, refunds }: WholeOrder) {
  return {
    ...headOf(order),
    lines: lines.map(line => ({
      ticket_id: line.ticket_id,
      label: labelOf(line),
      ticket_type: line.ticket_type,
      amount: line.amount,
    })),
    tickets: lines.map(line => ({
      ticket_id: line.ticket_id,
      status: line.refund_id === null ? 'valid' : 'void',
      zone_id: line.zone_id,
      zone_name: line.zone_name,
      seat_id: line.seat_id,
      row: line.row,
      seat_number: line.seat_number,
      ticket_type: line.ticket_type,
      attendee: line.attendee,
      version: line.version,
      entries: line.entries,
    })),
    payments: payments.map(({ method, status, amount, refunded_amount }) => {
      return { method, status, amount, refunded_amount }
    }),
    refunds: refunds.map(refundAnswer),
  }
}

function refundAnswer({ id, amount, status, reason, created_at }: RefundRow) {
  return { refund_id: id, amount, status, reason, created_at: created_at.toISOString() }
}

/** An order as its buyer sees it: a void ticket has no token. */
export function signedOrderAnswer(whole: WholeOrder, tokens: ReadonlyMap<TicketId, string>) {
  const { tickets, ...rest } = orderAnswer(whole)
  const signed = tickets.map(ticket => ({ ...ticket, token: tokens.get(ticket.ticket_id) ?? null }))
  return { ...rest, tickets: signed }
}

/** Staff get this after a change. It is kept under its idempotency key, so it has no tokens. */
export function changedOrderAnswer(whole: WholeOrder) {
  return { ...orderAnswer(whole), ...staffPart(whole.order), ...gatewayPart(whole) }
}

export function staffOrderAnswer(
  whole: WholeOrder,
  tokens: ReadonlyMap<TicketId, string>,
  sellerName: string | null,
) {
  return {
    ...signedOrderAnswer(whole, tokens),
    ...staffPart(whole.order),
    sold_by_name: sellerName,
    ...gatewayPart(whole),
  }
}

/** Shows what the gateway told, and what becomes of refunds. */
function gatewayPart({ refunds, disputes, gatewayRefunds }: WholeOrder) {
  return {
    refunds: refunds.map(refund => {
      const { amount, status, key, asked, told, look_at, by_hand } = refund
      const isByHand = key === null || by_hand
      return {
        ...refundAnswer(refund),
        by_hand: isByHand,
        asked_amount: isByHand ? null : (asked ?? amount),
        told: status === 'done' ? null : told,
        by_choice: refund.by_choice,
        given_up: !isByHand && status !== 'done' && look_at === null,
      }
    }),
    disputes: disputes.map(({ id, ...dispute }) => ({ dispute_id: id, ...dispute })),
    refunded_at_gateway: gatewayRefunds.map(({ id, amount, status, created_at }) => {
      return { gateway_refund_id: id, amount, status, created_at: created_at.toISOString() }
    }),
  }
}

export function orderSummary(row: OrderSummaryRow): object {
  const { user_id, channel, reference, contact } = staffPart(row)
  return { ...headOf(row), tickets: row.tickets, user_id, channel, reference, contact }
}

function headOf({ id, number, status, event_id, event_name, created_at, currency, total }: OrderRow) {
  return {
    order_id: id,
    order_number: number,
    status,
    event: { id: event_id, name: event_name },
    created_at: created_at.toISOString(),
    currency,
    total,
  }
}

function staffPart(order: OrderRow) {
  const { user_id, sold_by, channel, reference } = order
  const { contact_name: name, contact_email: email, contact_phone: phone } = order
  const hasContact = name !== null || email !== null || phone !== null
  return { user_id, sold_by, channel, reference, contact: hasContact ? { name, email, phone } : null }
}

function labelOf({ zone_name, row, seat_number }: LineRow): string {
  return row === null ? zone_name : `${zone_name} ${row}-${seat_number}`
}
