import type { Change } from '@voelgoed/core/event/change'
import { type Entry, type PackedRow, unpack } from '@voelgoed/core/event/packed-changes'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
import type { JournalPoint } from './ledger.ts'

/** What it takes to read a row's entries. */
export type JournalRow = Pick<PackedRow, 'firstSeq' | 'lastSeq' | 'at' | 'encoding' | 'packed'>

export const JOURNAL_ROW = `first_seq::float8 as "firstSeq", last_seq::float8 as "lastSeq",
  floor(extract(epoch from at) * 1000)::float8 as at, encoding, packed`

/** Changes after `seq`, in order, at most `limit`. */
export async function readJournal(
  tx: TenantTx,
  eventId: EventId,
  seq: number,
  limit: number,
): Promise<Change[]> {
  const entries = await entriesBetween(tx, eventId, { from: seq + 1, to: seq + limit })
  return entries.map(entry => entry.change)
}

/**
 * Up to `count` changes after a point, and the point after them. Null: the journal has another entry at that
 * point, because Postgres has lost the one that is meant.
 */
export async function continueJournal(
  tx: TenantTx,
  eventId: EventId,
  from: JournalPoint,
  count: number,
): Promise<{ changes: Change[]; to: JournalPoint } | null> {
  const entries = await entriesBetween(tx, eventId, { from: from.seq, to: from.seq + count })
  const hasFrom = entries[0]?.change.seq === from.seq
  if (hasFrom && from.tip !== null && entries[0]!.commandId !== from.tip) return null
  const after = hasFrom ? entries.slice(1) : entries
  const last = after.at(-1)
  return {
    changes: after.map(entry => entry.change),
    to: last ? { seq: last.change.seq, tip: last.commandId } : from,
  }
}

/** The entries from one seq to another, both included. A row may begin before and end after them. */
export async function entriesBetween(
  tx: TenantTx,
  eventId: string,
  range: { readonly from: number; readonly to: number },
): Promise<Entry[]> {
  const rows = await tx.prepared<JournalRow & Record<string, unknown>>(
    'read_journal',
    `select ${JOURNAL_ROW} from journal where organization_id = $1 and event_id = $2 and first_seq <= $4
       and first_seq >= coalesce((select max(first_seq) from journal
         where organization_id = $1 and event_id = $2 and first_seq <= $3), 1)
     order by first_seq`,
    [eventId, range.from, range.to],
  )
  return rows.flatMap(row => unpack(row, range))
}

/** Whose command made the first change of the batch that begins with this number, if there is one. */
export async function commandAt(tx: TenantTx, eventId: EventId, seq: number): Promise<CommandId | null> {
  const row = await tx.one<{ first_command: CommandId }>(
    'select first_command from journal where organization_id = $1 and event_id = $2 and first_seq = $3',
    [eventId, seq],
  )
  return row?.first_command ?? null
}

/** Round trips of one story, and so the longest chain of a hold. */
const MAX_STEPS = 500
/** Entries of all chains together. */
const MAX_STORY = 20_000
/** Rows that are read in one step. */
const ROWS_A_STEP = 200

/**
 * All entries of some holds, in order, each hold named by the seq of its last change: an entry leads to the
 * one before it. All chains go one step back at a time, and within a row as far as it reaches. `too long`:
 * more than may be read at once.
 */
export async function storyOf(
  tx: TenantTx,
  eventId: string,
  lastSeqs: readonly number[],
): Promise<Entry[] | 'too long'> {
  const story = new Map<number, Entry>()
  let wanted = new Set(lastSeqs.filter(seq => seq > 0))
  for (let step = 0; wanted.size > 0; step += 1) {
    if (step === MAX_STEPS || story.size > MAX_STORY) return 'too long'
    const [now, later] = [[...wanted].slice(0, ROWS_A_STEP), [...wanted].slice(ROWS_A_STEP)]
    const rows = await tx.query<JournalRow & Record<string, unknown>>(
      `select distinct on (first_seq) j.* from unnest($3::bigint[]) as wanted (seq)
       cross join lateral (select first_seq, ${JOURNAL_ROW} from journal
         where organization_id = $1 and event_id = $2 and first_seq <= wanted.seq
         order by first_seq desc limit 1) as j
       order by first_seq`,
      [eventId, now],
    )
    const before = new Set(later)
    for (const row of rows) {
      const inRow = new Set(now)
      for (const entry of unpack(row).reverse()) {
        const { change, previous } = entry
        if (!inRow.has(change.seq)) continue
        story.set(change.seq, entry)
        if (previous && !story.has(previous)) (previous < row.firstSeq ? before : inRow).add(previous)
      }
    }
    wanted = before
  }
  return [...story.values()].sort((a, b) => a.change.seq - b.change.seq)
}
