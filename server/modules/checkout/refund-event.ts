import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { countFailedRefunds, hasPaidOrders, readRefundRun, startRefundRun } from './tables/refund-runs.ts'

/**
 * The transaction that cancels the event calls this. The orders of this moment are all there are: what is
 * captured from now on is given back.
 */
export async function refundEvent(tx: TenantTx, eventId: EventId, by: string): Promise<void> {
  if (await hasPaidOrders(tx, eventId)) await startRefundRun(tx, eventId, by)
}

/** Says why a cancelled event is not to be archived yet: after that its refunds can not be resumed. */
export async function refundsLeft(tx: TenantTx, eventId: EventId): Promise<string | null> {
  const run = await readRefundRun(tx, eventId)
  if (run?.status === 'running') {
    return 'The orders of this cancelled event are still being refunded. Wait, or stop it.'
  }
  // Staff who stopped the run have decided to leave these orders.
  const failed = run?.status === 'done' ? await countFailedRefunds(tx, eventId) : 0
  if (failed === 0) return null
  return `${failed} ${failed === 1 ? 'order' : 'orders'} of this cancelled event could not be refunded. Resume the refunds, refund what is left of them, or stop the refunds.`
}
