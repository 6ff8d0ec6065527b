import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Snapshot } from '@voelgoed/kit/postgres/inspect'

/** An event of whatever organization, for an operator who looks at the whole database. */
export async function findAnyEvent(
  snapshot: Snapshot,
  eventId: string,
  slug: string | undefined,
): Promise<{ readonly organizationId: OrganizationId } | null> {
  const [row] = await snapshot.rows<{ organization_id: OrganizationId }>(
    `select e.organization_id from events e join organizations o on o.id = e.organization_id
     where e.id::text = $1 and ($2::text is null or o.slug = $2)`,
    [eventId.toLowerCase(), slug ?? null],
  )
  return row ? { organizationId: row.organization_id } : null
}

/** By the number that changes call the zones by. */
export async function readZoneNames(tx: TenantTx, eventId: EventId): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select z.name from events e
     join zones z on z.organization_id = $1 and z.layout_id = e.layout_id and z.version = e.layout_version
     where e.organization_id = $1 and e.id = $2 order by z.position`,
    [eventId],
  )
  return rows.map(row => row.name)
}
