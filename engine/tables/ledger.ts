import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/**
 * A place in the journal of an event: the seq, and the command of that entry. After Postgres failed over to a
 * replica that lacked the last commits, the same seq may stand for another entry: the command tells.
 * Null: not known.
 */
export interface JournalPoint {
  readonly seq: number
  readonly tip: CommandId | null
}

export function isSamePoint(a: JournalPoint, b: JournalPoint): boolean {
  return a.seq === b.seq && (a.tip === null || b.tip === null || a.tip === b.tip)
}

/** The holder of an event's lock knows this. Times are milliseconds of the database's clock. */
export interface Ledger extends JournalPoint {
  /** Read under the lock: the only clock that ever judges a hold. */
  readonly now: number
  /** When it was asked for, by this process's monotonic clock: `now` was read between then and the answer. */
  readonly askedAt: number
  readonly nextExpiry: number | null
  /** Another one whenever history could have been lost: epochs.ts. */
  readonly epoch: number
  /** The history that Postgres has lost went so far; 0: none was lost. See epochs.ts. */
  readonly lostUpTo: number
  /** Count the changes of the event's row and of the organization's policy. */
  readonly eventRevision: number
  readonly policyRevision: number
}

interface LedgerRow {
  event_id: EventId
  seq: string
  tip: CommandId | null
  epoch: number
  lost_up_to: number
  now: number
  next_expiry: number | null
  event_revision: number
  policy_revision: number
}

const LEDGER = `select l.event_id, l.seq, l.tip, l.epoch::float8 as epoch, l.lost_up_to::float8 as lost_up_to,
    floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    floor(extract(epoch from l.next_expiry) * 1000)::float8 as next_expiry,
    e.revision as event_revision, coalesce(p.revision, 0) as policy_revision
  from event_ledgers l
  join events e on e.organization_id = l.organization_id and e.id = l.event_id
  left join seating_policies p on p.organization_id = l.organization_id
  where l.organization_id = $1`

const LOCK = 'select from event_ledgers where organization_id = $1 and event_id = $2 for update'

/**
 * Takes the event's lock until the end of the transaction. Null: the event was never on sale.
 *
 * What is known is read by a second statement, in the same round trip. Columns beside FOR UPDATE are computed
 * before the lock is waited for: the time would be that of asking,
 * the revisions those of the snapshot back then.
 */
export async function lockLedger(tx: TenantTx, eventId: EventId): Promise<Ledger | null> {
  const [, ledger] = await Promise.all([tx.prepared('lock_ledger', LOCK, [eventId]), readLedger(tx, eventId)])
  return ledger
}

export async function readLedger(tx: TenantTx, eventId: EventId): Promise<Ledger | null> {
  const askedAt = performance.now()
  const [row] = await tx.prepared<LedgerRow>('read_ledger', `${LEDGER} and l.event_id = $2`, [eventId])
  return row ? ledgerOf(row, askedAt) : null
}

/**
 * Those of the events that were ever on sale, without a lock, each as it was at one moment of this statement.
 */
export async function readLedgers(tx: TenantTx, eventIds: readonly EventId[]): Promise<Map<EventId, Ledger>> {
  const askedAt = performance.now()
  const rows = await tx.prepared<LedgerRow>('read_ledgers', `${LEDGER} and l.event_id = any ($2::uuid[])`, [
    eventIds,
  ])
  return new Map(rows.map(row => [row.event_id, ledgerOf(row, askedAt)]))
}

/** For an event without a ledger. */
export async function readTime(tx: TenantTx, eventId: EventId): Promise<Pick<Ledger, 'now' | 'askedAt'>> {
  const askedAt = performance.now()
  const row = await tx.one<{ now: number }>(
    `select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now
     from events where organization_id = $1 and id = $2`,
    [eventId],
  )
  return { now: row!.now, askedAt }
}

function ledgerOf(row: LedgerRow, askedAt: number): Ledger {
  return {
    seq: Number(row.seq),
    tip: row.tip,
    now: row.now,
    askedAt,
    nextExpiry: row.next_expiry,
    epoch: row.epoch,
    lostUpTo: row.lost_up_to,
    eventRevision: row.event_revision,
    policyRevision: row.policy_revision,
  }
}

/** The event goes on sale: its ledger, how far its history is written, and a counter for each zone. */
export async function openLedger(
  tx: TenantTx,
  eventId: EventId,
  zones: readonly { zoneId: string; capacity: number }[],
): Promise<void> {
  await tx.query('insert into event_ledgers (organization_id, event_id) values ($1, $2)', [eventId])
  await tx.query('insert into history_cursors (organization_id, event_id, seq) values ($1, $2, 0)', [eventId])
  await tx.query(
    `insert into zone_counts (organization_id, event_id, zone_index, zone_id, capacity)
     select $1, $2, z.position - 1, z.zone_id, z.capacity
     from unnest($3::uuid[], $4::int[]) with ordinality as z (zone_id, capacity, position)`,
    [eventId, zones.map(zone => zone.zoneId), zones.map(zone => zone.capacity)],
  )
}

/** Returns how far each of these events is: a node that heard nothing for a while asks for it. */
export async function pointsOf(
  tx: TenantTx,
  eventIds: readonly EventId[],
): Promise<Map<EventId, LedgerPoint>> {
  const rows = await tx.query<LedgerPoint & { event_id: EventId }>(
    `select l.event_id, l.seq::float8 as seq, l.tip, l.epoch::float8 as epoch,
       l.lost_up_to::float8 as "lostUpTo"
     from event_ledgers l where l.organization_id = $1 and l.event_id = any ($2::uuid[])`,
    [eventIds],
  )
  return new Map(rows.map(({ event_id, ...point }) => [event_id, point]))
}

export type LedgerPoint = Pick<Ledger, 'seq' | 'tip' | 'epoch' | 'lostUpTo'>
