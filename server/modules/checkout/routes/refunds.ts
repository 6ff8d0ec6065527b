import * as contract from '@voelgoed/contract/refunds'
import type { EventId, RefundId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { notNow } from '../../events/change-an-event.ts'
import { findEvent } from '../../events/tables/events.ts'
import type { Kit } from '../../module.ts'
import { changedOrderAnswer } from '../../orders/order-answers.ts'
import { changeOrder, orderOf } from '../../orders/order-rows.ts'
import { readOrder } from '../../orders/tables/orders.ts'
import {
  countRefundStates,
  countRefundsOfMinute,
  listRefundStates,
  lockOwedRefunds,
  REFUND_STATES,
  type RefundCount,
  type RefundedOrderRow,
  readRefundRun,
  retryRefunds,
  retryRefundsOfOrder,
  startRefundRun,
  stopRefundRun,
} from '../tables/refund-runs.ts'

/**
 * Refunds of a cancelled event: watched, stopped, resumed. Those of an order: tried again, or given back by
 * staff.
 */
export function serveRefunds(
  router: Router,
  { database, log }: Pick<Kit, 'database' | 'log'>,
  { refundRuns, paymentWork }: Record<'refundRuns' | 'paymentWork', { wake(): void }>,
): void {
  router.serve(contract.readRefundRun, ({ principal, params }) =>
    database.tenant(principal.scope, async tx => {
      const event = await findEvent(tx, params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      return ok({ status: 200, body: { data: await runAnswer(tx, event.id) } })
    }),
  )

  router.serve(contract.stopRefundRun, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const event = await findEvent(tx, call.params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      if (await stopRefundRun(tx, event.id)) {
        const entity = { type: 'event', id: event.id }
        await appendAudit(tx, call.by, { action: 'refunds_stopped', entity })
        log.info({ event_id: event.id, user_id: call.by.userId }, 'stopped the refunds of a cancelled event')
      }
      return ok({ status: 200, body: { data: await runAnswer(tx, event.id) } })
    }),
  )

  router.serve(contract.resumeRefundRun, async call => {
    const result = await inTenant(database, call.principal.scope, call, async tx => {
      const event = await findEvent(tx, call.params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      if (event.status !== 'cancelled') return refuse(notNow(event))
      await startRefundRun(tx, event.id, call.principal.user.userId)
      await retryRefunds(tx, event.id)
      await appendAudit(tx, call.by, { action: 'refunds_resumed', entity: { type: 'event', id: event.id } })
      return ok({ status: 200, body: { data: await runAnswer(tx, event.id) } })
    })
    if (result.ok) {
      refundRuns.wake()
      paymentWork.wake()
    }
    return result
  })

  router.serve(contract.listRefundedOrders, async ({ principal, params, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after = null, limit } = page.value
    return database.tenant(principal.scope, async tx => {
      const event = await findEvent(tx, params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      const filter = { state: query.state ?? null, after, limit: limit + 1 }
      const rows = await listRefundStates(tx, event.id, filter)
      return ok({ status: 200, body: toPage(rows, limit, row => row.order_id, refundedOrder) })
    })
  })

  router.serve(contract.retryRefund, async call => {
    const result = await inTenant(database, call.principal.scope, call, async tx => {
      const orderId = call.params.order
      const whole = await readOrder(tx, orderId, { lock: true })
      if (!whole) return refuse({ kind: 'order_not_found' })
      const refundIds = await retryRefundsOfOrder(tx, orderId)
      if (refundIds.length === 0) {
        const detail = 'No money of this order waits to go back through the gateway.'
        return refuse({ kind: 'invalid_transition', status: whole.order.status, allowed: [], detail })
      }
      await appendAudit(tx, call.by, {
        action: 'order_refund_retried',
        entity: { type: 'order', id: orderId },
        eventId: whole.order.event_id,
        changes: { refund_ids: refundIds },
      })
      return ok({ status: 200, body: { data: changedOrderAnswer((await readOrder(tx, orderId))!) } })
    })
    if (result.ok) paymentWork.wake()
    return result
  })

  router.serve(contract.moneyGivenBack, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const orderId = call.params.order
      const whole = await readOrder(tx, orderId, { lock: true })
      if (!whole) return refuse({ kind: 'order_not_found' })
      const owed = await lockOwedRefunds(tx, orderId)
      if (owed.length === 0) {
        const detail = 'No money of this order is owed by hand.'
        return refuse({ kind: 'invalid_transition', status: whole.order.status, allowed: [], detail })
      }
      let order = orderOf(whole)
      for (const id of owed) {
        const refundId = id as RefundId
        const done = await changeOrder(tx, orderId, order, {
          kind: 'refund_settled',
          refundId,
          attempt: order.refunds.find(each => each.refundId === refundId)!.attempt,
          outcome: 'done',
          isByHand: true,
        })
        if (!done.ok) return done
        order = done.value.order
      }
      await appendAudit(tx, call.by, {
        action: 'order_money_given_back',
        entity: { type: 'order', id: orderId },
        eventId: whole.order.event_id,
        changes: { refund_ids: owed },
      })
      return ok({ status: 200, body: { data: changedOrderAnswer((await readOrder(tx, orderId))!) } })
    }),
  )
}

async function runAnswer(tx: TenantTx, eventId: EventId) {
  const run = await readRefundRun(tx, eventId)
  const counts = run ? await countRefundStates(tx, eventId) : []
  const currencies = [...new Set(counts.flatMap(count => count.currency ?? []))]
  return {
    event_id: eventId,
    status: run?.status ?? 'none',
    started_by: run?.started_by ?? null,
    started_at: run?.started_at.toISOString() ?? null,
    moved_at: run?.moved_at.toISOString() ?? null,
    ended_at: run?.ended_at?.toISOString() ?? null,
    orders_in_last_minute: run ? await countRefundsOfMinute(tx, eventId) : 0,
    orders: sums(counts, count => count.orders),
    amounts: currencies.map(currency => ({
      currency,
      ...sums(
        counts.filter(count => count.currency === currency),
        count => count.amount ?? 0,
      ),
    })),
  }
}

function sums(counts: readonly RefundCount[], figure: (count: RefundCount) => number) {
  const sum = (some: readonly RefundCount[]) => some.reduce((total, count) => total + figure(count), 0)
  const byState = REFUND_STATES.map(state => [state, sum(counts.filter(count => count.state === state))])
  return { total: sum(counts), ...Object.fromEntries(byState) }
}

function refundedOrder(row: RefundedOrderRow) {
  return {
    order_id: row.order_id,
    order_number: row.number,
    contact: { name: row.contact_name, email: row.contact_email },
    method: row.method,
    state: row.state,
    currency: row.currency,
    amount: row.amount,
    reason: row.state === 'failed' || row.state === 'refused' ? row.said : null,
    refunded_at: row.created_at?.toISOString() ?? null,
  }
}
