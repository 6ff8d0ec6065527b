import { randomUUID } from 'node:crypto'
import type { Command, PersonActing } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { CommandId, RefundId, TicketId } from '@voelgoed/core/ids'
import { applyOrder } from '@voelgoed/core/orders/apply-order'
import { decideOrder } from '@voelgoed/core/orders/decide-order'
import type { Order } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { assert, ok, type Result, refuse } from '@voelgoed/core/result'
import { queueMail } from '../mail/outbox.ts'
import type { TenantTx } from '../postgres/database.ts'
import { type AuditActor, appendAudit } from '../postgres/tables/audit-log.ts'
import { type LineRow, readOrder, type WholeOrder, writeRefund } from '../postgres/tables/orders.ts'
import { forgetGuestsOf } from '../postgres/tables/place-guests.ts'
import { uuidV7 } from '../uuid-v7.ts'

export interface OrderToRefund {
  readonly orderId: string
  /** Null: all that are valid. */
  readonly ticketIds: readonly string[] | null
  readonly reason: string
  readonly by: { readonly actor: PersonActing; readonly audit: AuditActor }
  /** Milliseconds, for ids. */
  readonly now: number
}

/**
 * Takes tickets of an order back: void first, so that their places are on sale again, then the money, which
 * staff give back by the way it came. To be called under the event's lock, and to be undone when it refuses.
 */
export async function refundOrder(
  tx: TenantTx,
  give: (command: Command) => Outcome,
  { orderId, ticketIds, reason, by, now }: OrderToRefund,
): Promise<Result<WholeOrder, Refusal>> {
  const whole = await readOrder(tx, orderId, { lock: true })
  if (!whole) return refuse({ kind: 'order_not_found' })
  const before = orderOf(whole)
  const refundId = uuidV7(now) as RefundId
  const staff = by.actor.person.userId
  const decided = decideOrder(before, {
    kind: 'refund',
    refundId,
    ticketIds: ticketIds as readonly TicketId[] | null,
    by: staff,
  })
  if (!decided.ok) return decided
  const after = decided.value.reduce<Order>(applyOrder, before)
  const back = new Set(
    decided.value.flatMap(change => (change.kind === 'lines_voided' ? change.ticketIds : [])),
  )
  const lines = whole.lines.filter(line => back.has(line.ticket_id))
  const outcome = give({
    kind: 'void_tickets',
    commandId: randomUUID() as CommandId,
    actor: by.actor,
    tickets: lines.map(({ ticket_id, ordinal, zone_index }) => {
      return { ticketId: ticket_id, ordinal, zoneIndex: zone_index }
    }),
    reason,
  })
  if (!outcome.ok) return outcome

  const money = decided.value.find(change => change.kind === 'payment_refunded')
  assert(money !== undefined, 'a refund gives money back, or says that there was none')
  const payment = after.payments.find(each => each.paymentId === money.paymentId)!
  await writeRefund(tx, orderId, {
    id: refundId,
    paymentId: money.paymentId,
    amount: money.amount,
    reason,
    recordedBy: staff,
    ticketIds: [...back],
    orderStatus: after.status,
    paymentStatus: payment.status,
    refundedAmount: payment.refunded,
  })
  await forgetGuestsOf(tx, [...back])
  await appendAudit(tx, by.audit, {
    action: 'order_refunded',
    entity: { type: 'order', id: orderId },
    eventId: whole.order.event_id,
    changes: {
      refund_id: refundId,
      ticket_ids: [...back],
      seat_ids: seatIdsOf(lines),
      amount: money.amount,
      currency: whole.order.currency,
      status: after.status,
      reason,
    },
  })
  if (whole.order.contact_email !== null) {
    await queueMail(tx, {
      kind: 'order_refunded',
      to: whole.order.contact_email,
      locale: null,
      key: `order_refunded:${refundId}`,
      data: { orderId, cause: 'staff', amount: money.amount },
    })
  }
  return ok((await readOrder(tx, orderId))!)
}

/** What the rows say, as the rules see it. */
function orderOf({ order, lines, payments }: WholeOrder): Order {
  return {
    status: order.status,
    currency: order.currency,
    lines: lines.map(({ ticket_id, amount, refund_id }) => {
      return { ticketId: ticket_id, amount, refundId: refund_id }
    }),
    payments: payments.map(({ id, method, status, amount, refunded_amount }) => {
      return { paymentId: id, method, status, amount, refunded: refunded_amount }
    }),
  }
}

function seatIdsOf(lines: readonly LineRow[]): string[] {
  return lines.flatMap(line => line.seat_id ?? [])
}
