import { randomUUID } from 'node:crypto'
import type { Actor, Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { CommandId, RefundId, TicketId, UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { assert, ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { forgetGuestsOf } from '../guests/tables/place-guests.ts'
import { queueMail } from '../mail/outbox.ts'
import { changeOrder, orderOf } from '../orders/order-rows.ts'
import { type LineRow, readOrder, type WholeOrder } from '../orders/tables/orders.ts'
import { readCheckout } from './tables/checkouts.ts'

export interface OrderToRefund {
  readonly orderId: string
  /** Null: all that are valid. */
  readonly ticketIds: readonly string[] | null
  /** Undefined: what the tickets cost. */
  readonly amount?: number | undefined
  /** The tickets stay valid. */
  readonly keepsTickets?: boolean
  readonly cause: 'staff' | 'event_cancelled'
  readonly reason: string
  /** The member of staff; the system, in the name of the one who cancelled the event. */
  readonly by: { readonly actor: Actor; readonly audit: AuditActor }
  /** Milliseconds, for ids. */
  readonly now: number
}

/**
 * Takes tickets of an order back: void first, so that their places are on sale again, then the money. Staff
 * give it back by the way it came; what a gateway took waits to go back through it. When an event was
 * cancelled, staff owe what no gateway took until they say that it was given back. To be called under the
 * event's lock, and to be undone when it refuses.
 */
export async function refundOrder(
  tx: TenantTx,
  give: (command: Command) => Outcome,
  { orderId, ticketIds, amount, keepsTickets = false, cause, reason, by, now }: OrderToRefund,
): Promise<Result<WholeOrder, Refusal>> {
  const whole = await readOrder(tx, orderId, { lock: true })
  if (!whole) return refuse({ kind: 'order_not_found' })
  const before = orderOf(whole)
  const refundId = uuidV7(now) as RefundId
  const isByGateway = whole.payments.some(payment => payment.method === 'gateway')
  const decided = await changeOrder(
    tx,
    orderId,
    before,
    {
      kind: 'refund',
      refundId,
      ticketIds: ticketIds as readonly TicketId[] | null,
      ...(amount !== undefined && { amount }),
      keepsTickets,
      by: by.audit.userId as UserId,
      isOwed: cause === 'event_cancelled',
    },
    { refund: { cause, reason, key: isByGateway ? KEYS[cause](orderId, refundId) : null } },
  )
  if (!decided.ok) return decided
  const { order: after, changes } = decided.value
  const back = new Set(changes.flatMap(change => (change.kind === 'lines_voided' ? change.ticketIds : [])))
  const lines = whole.lines.filter(line => back.has(line.ticket_id))
  if (lines.length > 0) {
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
  }

  const money = changes.find(change => change.kind === 'refund_started')
  assert(money !== undefined, 'a refund gives money back, or says that there was none')
  await forgetGuestsOf(tx, [...back])
  await appendAudit(tx, by.audit, {
    action: 'order_refunded',
    entity: { type: 'order', id: orderId },
    eventId: whole.order.event_id,
    changes: {
      refund_id: refundId,
      ticket_ids: keepsTickets ? ticketIds : [...back],
      ...(keepsTickets && { kept_tickets: true }),
      ...(money.byChoice && { by_choice: money.byChoice }),
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
      locale: (await readCheckout(tx, orderId))?.locale ?? null,
      key: `order_refunded:${refundId}`,
      data: { orderId, cause: keepsTickets ? 'goodwill' : cause, amount: money.amount },
    })
  }
  return ok((await readOrder(tx, orderId))!)
}

/** By which the gateway knows a refund. An order has one because its event was cancelled. */
const KEYS = {
  staff: (_: string, refundId: string) => refundId,
  event_cancelled: (orderId: string) => `event_cancelled:${orderId}`,
} as const

function seatIdsOf(lines: readonly LineRow[]): string[] {
  return lines.flatMap(line => line.seat_id ?? [])
}
