import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** True: someone has bought or is buying places of the event. Orders that came to nothing do not count. */
export async function hasOrders(tx: TenantTx, eventId: EventId): Promise<boolean> {
  const row = await tx.one(
    `select 1 from orders where organization_id = $1 and event_id = $2
       and status not in ('expired', 'cancelled') limit 1`,
    [eventId],
  )
  return row !== undefined
}
