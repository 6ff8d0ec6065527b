import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx } from '@voelgoed/kit/postgres/database'
import type { EventAddress } from '../ports/store.ts'

/** A ledger has a next expiry for as long as the event has holds. Without the events in `except`. */
export async function cancelledEventsWithHolds(
  tx: PlatformTx,
  limit: number,
  except: readonly EventId[],
): Promise<EventAddress[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; event_id: EventId }>(
    `select l.organization_id, l.event_id from event_ledgers l
     join events e on e.organization_id = l.organization_id and e.id = l.event_id
     where l.next_expiry is not null and e.status = 'cancelled' and l.event_id <> all ($2::uuid[])
     order by l.next_expiry limit $1`,
    [limit, except],
  )
  return rows.map(row => ({ scope: TenantScope.of(row.organization_id), eventId: row.event_id }))
}
