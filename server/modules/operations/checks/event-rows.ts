import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Snapshot } from '@voelgoed/kit/postgres/inspect'

/** Every event that was ever on sale, and how long its history is. */
export function listLedgers(
  snapshot: Snapshot,
): Promise<{ organization_id: OrganizationId; event_id: EventId; seq: number }[]> {
  return snapshot.rows(
    'select organization_id, event_id, seq::float8 as seq from event_ledgers order by organization_id, event_id',
  )
}

export interface ZoneCounter {
  readonly zone_index: number
  readonly capacity: number
  readonly held: number
  readonly sold: number
  readonly blocked: number
}

export function readCounters(tx: TenantTx, eventId: EventId): Promise<ZoneCounter[]> {
  return tx.query(
    `select zone_index, capacity, held, sold, blocked from zone_counts
     where organization_id = $1 and event_id = $2 order by zone_index`,
    [eventId],
  )
}

/** Users who are not bound by buyers' limits. */
export async function staffOf(tx: TenantTx): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `select id from users where organization_id = $1 and role <> 'customer'`,
  )
  return new Set(rows.map(row => row.id))
}

/** When the organization's policy was last changed; 0 if it never was. */
export async function policyChangedAt(tx: TenantTx): Promise<number> {
  const row = await tx.one<{ updated_at: Date }>(
    'select updated_at from seating_policies where organization_id = $1',
  )
  return row?.updated_at.getTime() ?? 0
}
