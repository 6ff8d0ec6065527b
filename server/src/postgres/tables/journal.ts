import type { Change } from '@voelgoed/core/event/change'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
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
 * Up to `count` changes after a point, and the point after them. Null: the journal has another entry at that
 * point, because Postgres has lost the one that is meant.
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

const ENDS = `('seat_released', 'seat_hold_expired', 'seat_converted')`

export interface JournalEntry {
  readonly seq: string
  readonly kind: string
  readonly command_id: string
  readonly actor_id: string | null
  readonly actor_email: string | null
  readonly source: string
  readonly at: Date
  readonly hold_id: string | null
  readonly user_id: string | null
  readonly user_email: string | null
  readonly seat_id: string | null
  readonly seat_label: string | null
  /** Of a hold that this entry ended. */
  readonly held_duration_seconds: number | null
  readonly body: Record<string, unknown>
}

export interface JournalFilter {
  readonly seatId: string | undefined
  readonly holdId: string | undefined
  readonly userId: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly afterSeq: number
  readonly limit: number
}

/** More holds than this are not looked up in one request. */
const MAX_HOLDS = 200

/**
 * The journal as staff read it, in order. Without a seat, hold or user: the entries from `from` to `to`. With
 * one: all entries of the holds it names that lived at some moment between these, what staff did to the seat,
 * and what the user did as staff. `too many holds`: the caller is to give a shorter time.
 */
export async function listJournal(
  tx: TenantTx,
  eventId: string,
  filter: JournalFilter,
): Promise<JournalEntry[] | 'too many holds'> {
  const { seatId, holdId, userId, from = null, to = null, afterSeq, limit } = filter
  if (seatId === undefined && holdId === undefined && userId === undefined) {
    return describe(
      tx,
      eventId,
      `select * from journal where organization_id = $1 and event_id = $2 and ${inTime('$5', '$6')} and seq > $3
       order by seq limit $4`,
      [afterSeq, limit, from, to],
    )
  }
  const holds = await holdsNamed(tx, eventId, filter)
  if (holds.length > MAX_HOLDS) return 'too many holds'
  const parts = [
    `select j.* from unnest($5::uuid[]) as h (id), journal j
     where j.organization_id = $1 and j.event_id = $2 and j.hold_id = h.id`,
    // The time of a hold's making leads to its first entry: no index on the journal is needed for that.
    `select j.* from unnest($5::uuid[], $6::timestamptz[]) as h (id, created_at)
     cross join lateral (
       select * from journal where organization_id = $1 and event_id = $2
         and seq >= first_seq_since($1, $2, h.created_at)
         and seq < first_seq_since($1, $2, h.created_at + interval '1 millisecond')
         and kind = 'seat_reserved' and body ->> 'holdId' = h.id::text limit 1) as j`,
  ]
  const values: unknown[] = [
    afterSeq,
    limit,
    holds.map(hold => hold.id),
    holds.map(hold => hold.created_at.toISOString()),
  ]
  if (seatId !== undefined && holdId === undefined && userId === undefined) {
    parts.push(
      `select j.* from events e
       join seats s on s.organization_id = $1 and s.layout_id = e.layout_id and s.version = e.layout_version and s.seat_id = $7
       join journal j on j.organization_id = $1 and j.event_id = $2 and j.blocked_ordinal = s.ordinal
       where e.organization_id = $1 and e.id = $2 and ${inTime('$8', '$9')}`,
    )
    values.push(seatId, from, to)
  }
  if (userId !== undefined && holdId === undefined && seatId === undefined) {
    parts.push(
      `select * from journal where organization_id = $1 and event_id = $2 and actor_id = $7 and source = 'admin'
         and kind <> 'seat_reserved' and ${inTime('$8', '$9')}`,
    )
    values.push(userId, from, to)
  }
  // An entry may be in two parts: of a hold of this user, and made by this user as staff.
  return describe(
    tx,
    eventId,
    `select distinct on (seq) * from (${parts.join(' union all ')}) every_one where seq > $3 order by seq limit $4`,
    values,
  )
}

function inTime(from: string, to: string): string {
  return `(${from}::timestamptz is null or seq >= first_seq_since($1, $2, ${from}))
    and (${to}::timestamptz is null or seq < first_seq_since($1, $2, ${to}::timestamptz + interval '1 millisecond'))`
}

/** Holds of the seat, or of their present or last user, that lived at some moment of the time asked for. */
function holdsNamed(
  tx: TenantTx,
  eventId: string,
  { seatId, holdId, userId, from, to }: JournalFilter,
): Promise<{ id: string; created_at: Date }[]> {
  const some = (status: string) =>
    `(select h.id, h.created_at from seat_holds h
      where h.organization_id = $1 and h.event_id = $2 and ${status}
        and ($3::timestamptz is null or coalesce(h.ended_at, h.held_until) >= $3)
        and ($4::timestamptz is null or h.created_at <= $4)
        and ${holdId === undefined ? '$5::uuid is null' : 'h.id = $5'}
        and ${userId === undefined ? '$6::uuid is null' : 'h.user_id = $6'}
        and ${
          seatId === undefined
            ? '$7::uuid is null'
            : `h.ordinal = (select s.ordinal from events e
                join seats s on s.organization_id = $1 and s.layout_id = e.layout_id
                  and s.version = e.layout_version and s.seat_id = $7
                where e.organization_id = $1 and e.id = $2)`
        }
      order by h.created_at limit $8)`
  return tx.query(`${some(`h.status = 'active'`)} union all ${some(`h.status <> 'active'`)}`, [
    eventId,
    from ?? null,
    to ?? null,
    holdId ?? null,
    userId ?? null,
    seatId ?? null,
    MAX_HOLDS + 1,
  ])
}

/**
 * Who had the hold right after the entry, by the journal: the hold's row names its present owner alone. Some
 * entries name the owner themselves. For any other entry the last transfer before it tells; before the first
 * transfer, the entry that made the hold, which its time leads to. A hold that was never transferred has one
 * owner.
 */
const OWNER = `coalesce(
  (j.body ->> 'userId')::uuid,
  (select (t.body ->> 'userId')::uuid from journal t
   where t.organization_id = j.organization_id and t.event_id = j.event_id and t.hold_id = h.id
     and t.kind = 'hold_transferred' and t.seq < j.seq order by t.seq desc limit 1),
  (select (made.body ->> 'userId')::uuid
   from (select 1 from journal t
     where t.organization_id = j.organization_id and t.event_id = j.event_id and t.hold_id = h.id
       and t.kind = 'hold_transferred' and t.seq > j.seq limit 1) later
   cross join lateral (select r.body from journal r
     where r.organization_id = j.organization_id and r.event_id = j.event_id
       and r.seq >= first_seq_since($1, $2, h.created_at)
       and r.seq < first_seq_since($1, $2, h.created_at + interval '1 millisecond')
       and r.kind = 'seat_reserved' and r.body ->> 'holdId' = h.id::text limit 1) made),
  h.user_id)`

/**
 * Adds the people and the seat to entries that were found, each by its key (`lateral … offset 0`,
 * as in write-batch.ts).
 */
function describe(
  tx: TenantTx,
  eventId: string,
  entries: string,
  values: readonly unknown[],
): Promise<JournalEntry[]> {
  return tx.query<JournalEntry & Record<string, unknown>>(
    `select j.seq, j.kind, j.command_id, j.actor_id, actor.email as actor_email, j.source, j.at, j.body,
       h.id as hold_id, o.user_id, owner.email as user_email, s.seat_id, s.label as seat_label,
       case when j.kind in ${ENDS} then extract(epoch from j.at - h.created_at)::float8 end as held_duration_seconds
     from (${entries}) j
     join events e on e.organization_id = j.organization_id and e.id = j.event_id
     left join lateral (select id, user_id, created_at from seat_holds
       where organization_id = j.organization_id and id = (j.body ->> 'holdId')::uuid offset 0) h on true
     left join lateral (select email from users
       where organization_id = j.organization_id and id = j.actor_id offset 0) actor on true
     left join lateral (select ${OWNER} as user_id where h.id is not null offset 0) o on true
     left join lateral (select email from users
       where organization_id = j.organization_id and id = o.user_id offset 0) owner on true
     left join seats s on s.organization_id = j.organization_id and s.layout_id = e.layout_id
       and s.version = e.layout_version and s.ordinal = (j.body ->> 'ordinal')::int
     order by j.seq`,
    [eventId, ...values],
  )
}
