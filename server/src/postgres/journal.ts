import type { Change } from '@voelgoed/core/event/change'
import type { CommandId } from '@voelgoed/core/event/ids'
import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from './database.ts'
import type { JournalPoint } from './ledger.ts'

interface JournalRow {
  seq: string
  kind: string
  at: number
  body: object
}

/** Changes after `seq`, in order, at most `limit`. */
export async function readJournal(
  tx: TenantTx,
  eventId: EventId,
  seq: number,
  limit: number,
): Promise<Change[]> {
  const rows = await tx.prepared<JournalRow>(
    'read_journal',
    `select seq, kind, floor(extract(epoch from at) * 1000)::float8 as at, body from journal
     where organization_id = $1 and event_id = $2 and seq > $3 order by seq limit $4`,
    [eventId, seq, limit],
  )
  return rows.map(toChange)
}

function toChange(row: JournalRow): Change {
  return { ...row.body, kind: row.kind, seq: Number(row.seq), at: row.at } as Change
}

/**
 * Up to `count` changes after a point, and the point after them. Null: the journal has another entry at that point,
 * because Postgres has lost the one that is meant.
 */
export async function continueJournal(
  tx: TenantTx,
  eventId: EventId,
  from: JournalPoint,
  count: number,
): Promise<{ changes: Change[]; to: JournalPoint } | null> {
  const rows = await tx.prepared<JournalRow & { command_id: CommandId }>(
    'continue_journal',
    `select seq, kind, command_id, floor(extract(epoch from at) * 1000)::float8 as at, body from journal
     where organization_id = $1 and event_id = $2 and seq >= $3 order by seq limit $4`,
    [eventId, from.seq, count + 1],
  )
  const hasFrom = rows[0] !== undefined && Number(rows[0].seq) === from.seq
  if (hasFrom && from.tip !== null && rows[0]!.command_id !== from.tip) return null
  const after = hasFrom ? rows.slice(1) : rows.slice(0, count)
  const last = after.at(-1)
  return { changes: after.map(toChange), to: last ? { seq: Number(last.seq), tip: last.command_id } : from }
}

/** Whose command made the change with this number, if there is one. */
export async function commandAt(tx: TenantTx, eventId: EventId, seq: number): Promise<CommandId | null> {
  const row = await tx.one<{ command_id: CommandId }>(
    'select command_id from journal where organization_id = $1 and event_id = $2 and seq = $3',
    [eventId, seq],
  )
  return row?.command_id ?? null
}

export interface JournalEntry {
  readonly seq: string
  readonly kind: string
  readonly command_id: string
  readonly actor_id: string | null
  readonly source: string
  readonly at: Date
  readonly body: Record<string, unknown>
}

/** The journal as administrators read it. */
export async function listJournal(
  tx: TenantTx,
  eventId: string,
  page: { afterSeq: number; limit: number },
): Promise<JournalEntry[]> {
  return tx.query(
    `select seq, kind, command_id, actor_id, source, at, body from journal
     where organization_id = $1 and event_id = $2 and seq > $3 order by seq limit $4`,
    [eventId, page.afterSeq, page.limit],
  )
}
