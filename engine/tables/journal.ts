import type { Change } from '@voelgoed/core/event/change'
import { DamagedJournal, type Entry, type PackedRow, unpack } from '@voelgoed/core/event/packed-changes'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { JournalPoint } from './ledger.ts'

/** The columns that it takes to read a row's entries. */
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
  return rows.flatMap(row => unpackRow(eventId, row, range))
}

/** A row that can't be read is named together with its event. Throws DamagedJournal. */
export function unpackRow(eventId: string, row: JournalRow, range?: Parameters<typeof unpack>[1]): Entry[] {
  try {
    return unpack(row, range)
  } catch (error) {
    throw error instanceof DamagedJournal ? new DamagedJournal(`event ${eventId}: ${error.message}`) : error
  }
}

/** Returns how long ago, in milliseconds, the change with each of these numbers was made; 0 has none. */
export async function agesOf(
  tx: TenantTx,
  eventId: EventId,
  seqs: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tx.query<{ seq: number; age: number | null }>(
    `select s.seq::float8 as seq, (
         select greatest(0, floor(extract(epoch from clock_timestamp() - j.at) * 1000))::float8 from journal j
         where j.organization_id = $1 and j.event_id = $2 and j.first_seq <= s.seq
         order by j.first_seq desc limit 1) as age
       from unnest($3::bigint[]) as s (seq)`,
    [eventId, seqs],
  )
  return new Map(rows.flatMap(({ seq, age }) => (age === null ? [] : [[seq, age]])))
}

/** Returns whose command made the first change of the batch that begins with this number, if there is one. */
export async function commandAt(tx: TenantTx, eventId: EventId, seq: number): Promise<CommandId | null> {
  const row = await tx.one<{ first_command: CommandId }>(
    'select first_command from journal where organization_id = $1 and event_id = $2 and first_seq = $3',
    [eventId, seq],
  )
  return row?.first_command ?? null
}

/** Round trips of one page of stories. */
export const STEPS_A_PAGE = 8
/** Entries of one page, and what one step more brings. */
const MAX_STORY = 20_000
/** Rows that are read in one step. */
const ROWS_A_STEP = 200

/**
 * The first entries of some holds after a seq, in order, each hold named by the seq of its last change. Goes
 * back from there page by page, and keeps no more than is asked for: a story may have any length.
 */
export async function storyOf(
  tx: TenantTx,
  eventId: string,
  lastSeqs: readonly number[],
  wish: { readonly afterSeq?: number; readonly limit?: number; keep?(entry: Entry): boolean } = {},
): Promise<Entry[]> {
  const { afterSeq = 0, limit = Number.POSITIVE_INFINITY, keep = () => true } = wish
  const isAfter = (seq: number) => seq > afterSeq
  let first: Entry[] = []
  for (let wanted: readonly number[] = lastSeqs.filter(isAfter); wanted.length > 0; ) {
    const page = await storyPage(tx, eventId, wanted, STEPS_A_PAGE)
    const kept = page.entries.filter(entry => isAfter(entry.change.seq) && keep(entry))
    first = [...first, ...kept].sort((a, b) => a.change.seq - b.change.seq).slice(0, limit)
    wanted = page.rest.filter(isAfter)
  }
  return first
}

export interface StoryPage {
  /** The newest first. */
  readonly entries: Entry[]
  /** The next page begins with these. Of a hold whose first entry is in this page: nothing. */
  readonly rest: readonly number[]
}

/**
 * Goes back through the entries of some holds, each from the seq that is given: an entry leads to the one
 * before it. All chains go back together, in `steps` round trips at most. Each step reads twice as many rows
 * as the one before: a buyer may extend a hold, or take one place off it, thousands of times, and then its
 * entries stand close together.
 */
export async function storyPage(
  tx: TenantTx,
  eventId: string,
  lastSeqs: readonly number[],
  steps: number,
): Promise<StoryPage> {
  const story = new Map<number, Entry>()
  const wanted = new Set(lastSeqs.filter(seq => seq > 0))
  for (let step = 0; wanted.size > 0 && step < steps && story.size <= MAX_STORY; step += 1) {
    const now = [...wanted].slice(0, ROWS_A_STEP)
    const rowsEach = Math.min(2 ** step, Math.floor(ROWS_A_STEP / now.length))
    const rows = await tx.query<JournalRow & Record<string, unknown>>(
      `select distinct on (first_seq) j.* from unnest($3::bigint[]) as wanted (seq)
       cross join lateral (select first_seq, ${JOURNAL_ROW} from journal
         where organization_id = $1 and event_id = $2 and first_seq <= wanted.seq
         order by first_seq desc limit $4) as j
       order by first_seq desc`,
      [eventId, now, rowsEach],
    )
    for (const row of rows) {
      if (!hasOneOf(row, wanted)) continue
      for (const entry of unpackRow(eventId, row).reverse()) {
        const { change, previous } = entry
        if (!wanted.delete(change.seq)) continue
        story.set(change.seq, entry)
        // Earlier in this row, in a row that was read with it, or in the next step.
        if (previous && !story.has(previous)) wanted.add(previous)
      }
    }
    // An entry that is not where it should be is nowhere.
    for (const seq of now) wanted.delete(seq)
  }
  const entries = [...story.values()].sort((a, b) => b.change.seq - a.change.seq)
  return { entries, rest: [...wanted] }
}

function hasOneOf({ firstSeq, lastSeq }: JournalRow, seqs: ReadonlySet<number>): boolean {
  for (const seq of seqs) if (seq >= firstSeq && seq <= lastSeq) return true
  return false
}
