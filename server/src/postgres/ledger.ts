import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from './database.ts'

/** What the holder of an event's lock knows. Times are milliseconds of the database's clock. */
export interface Ledger {
  readonly seq: number
  /** Read under the lock: the only clock that ever judges a hold. */
  readonly now: number
  /** When it was asked for, by this process's monotonic clock: `now` was read between then and the answer. */
  readonly askedAt: number
  readonly nextExpiry: number | null
  /** Count the changes of the event's row and of the organization's policy. */
  readonly eventRevision: number
  readonly policyRevision: number
}

interface LedgerRow {
  seq: string
  now: number
  next_expiry: number | null
  event_revision: number
  policy_revision: number
}

const LEDGER = `select l.seq, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    floor(extract(epoch from l.next_expiry) * 1000)::float8 as next_expiry,
    e.revision as event_revision, coalesce(p.revision, 0) as policy_revision
  from event_ledgers l
  join events e on e.organization_id = l.organization_id and e.id = l.event_id
  left join seating_policies p on p.organization_id = l.organization_id
  where l.organization_id = $1 and l.event_id = $2`

const LOCK = 'select from event_ledgers where organization_id = $1 and event_id = $2 for update'

/**
 * Takes the event's lock until the end of the transaction. Null: the event was never on sale.
 *
 * What is known is read by a second statement, in the same round trip. Columns beside FOR UPDATE are computed
 * before the lock is waited for: the time would be that of asking, the revisions those of the snapshot back then.
 */
export async function lockLedger(tx: TenantTx, eventId: EventId): Promise<Ledger | null> {
  const [, ledger] = await Promise.all([tx.prepared('lock_ledger', LOCK, [eventId]), readLedger(tx, eventId)])
  return ledger
}

export async function readLedger(tx: TenantTx, eventId: EventId): Promise<Ledger | null> {
  const askedAt = performance.now()
  const [row] = await tx.prepared<LedgerRow>('read_ledger', LEDGER, [eventId])
  return row
    ? {
        seq: Number(row.seq),
        now: row.now,
        askedAt,
        nextExpiry: row.next_expiry,
        eventRevision: row.event_revision,
        policyRevision: row.policy_revision,
      }
    : null
}

/** The event goes on sale: its ledger, and a counter for each zone. */
export async function openLedger(
  tx: TenantTx,
  eventId: EventId,
  zones: readonly { zoneId: string; capacity: number }[],
): Promise<void> {
  await tx.query('insert into event_ledgers (organization_id, event_id) values ($1, $2)', [eventId])
  await tx.query(
    `insert into zone_counts (organization_id, event_id, zone_index, zone_id, capacity)
     select $1, $2, z.position - 1, z.zone_id, z.capacity
     from unnest($3::uuid[], $4::int[]) with ordinality as z (zone_id, capacity, position)`,
    [eventId, zones.map(zone => zone.zoneId), zones.map(zone => zone.capacity)],
  )
}

/** The highest seq of each of these events; what a node that heard nothing for a while asks for. */
export async function seqsOf(tx: TenantTx, eventIds: readonly EventId[]): Promise<Map<EventId, number>> {
  const rows = await tx.query<{ event_id: EventId; seq: string }>(
    'select event_id, seq from event_ledgers where organization_id = $1 and event_id = any ($2::uuid[])',
    [eventIds],
  )
  return new Map(rows.map(row => [row.event_id, Number(row.seq)]))
}
