import type { Change } from '@voelgoed/core/event/change'
import type { CommandId } from '@voelgoed/core/event/ids'
import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from './database.ts'

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
  return rows.map(row => ({ ...row.body, kind: row.kind, seq: Number(row.seq), at: row.at }) as Change)
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
