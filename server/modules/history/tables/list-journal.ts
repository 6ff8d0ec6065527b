import type { Change } from '@voelgoed/core/event/change'
import { type Entry, isByStaff } from '@voelgoed/core/event/packed-changes'
import { seatOfEvent } from '@voelgoed/engine/tables/by-key'
import {
  entriesBetween,
  JOURNAL_ROW,
  type JournalRow,
  storyOf,
  unpackRow,
} from '@voelgoed/engine/tables/journal'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

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
  readonly order: OrderOfEntry | null
  /** The hold that this entry ended had lasted so long. */
  readonly held_duration_seconds: number | null
  readonly body: Record<string, unknown>
}

/** The seat is the buyer's of this order, also when staff sold it to them. */
interface OrderOfEntry {
  readonly order_id: string
  readonly order_number: string
  readonly contact_name: string | null
  readonly contact_email: string | null
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

/** Rows of staff that are read at a time. */
const STAFF_ROWS = 100

/**
 * The journal as staff read it, in order. Without a seat, hold or user: the entries from `from` to `to`. With
 * one: all entries of the holds it names that lived at some moment between these, what staff did to the seat,
 * and what the user did as staff. `too many holds`: the caller is to give a shorter time. The history of
 * ended holds must be caught up (events/hold-history.ts).
 */
export async function listJournal(
  tx: TenantTx,
  eventId: string,
  filter: JournalFilter,
): Promise<JournalEntry[] | 'too many holds'> {
  const { seatId, holdId, userId, afterSeq, limit } = filter
  const range = await rangeOf(tx, eventId, filter)
  if (seatId === undefined && holdId === undefined && userId === undefined) {
    const to = Math.min(range.to, range.from + limit - 1)
    return describe(tx, eventId, await entriesBetween(tx, eventId, { from: range.from, to }))
  }
  const holds = await holdsNamed(tx, eventId, filter)
  if (holds.length > MAX_HOLDS) return 'too many holds'
  const lastSeqs = holds.map(hold => hold.last_seq)
  const story = await storyOf(tx, eventId, lastSeqs, { afterSeq, limit })
  const found = new Map(story.map(entry => [entry.change.seq, entry]))
  if (holdId === undefined) {
    for (const entry of await doneByStaff(tx, eventId, { ...filter, ...range }))
      found.set(entry.change.seq, entry)
  }
  const entries = [...found.values()]
    .filter(({ change }) => change.seq > afterSeq)
    .sort((a, b) => a.change.seq - b.change.seq)
  return describe(tx, eventId, entries.slice(0, limit))
}

interface Range {
  readonly from: number
  readonly to: number
}

/** The numbers of the entries in the time asked for, after `afterSeq`. */
async function rangeOf(tx: TenantTx, eventId: string, filter: JournalFilter): Promise<Range> {
  const [range] = await tx.query<{ from: number; to: number }>(
    `select greatest($3::bigint + 1, case when $4::timestamptz is null then 1 else first_seq_since($1, $2, $4) end)::float8
         as "from",
       case when $5::timestamptz is null
         then coalesce((select seq from event_ledgers where organization_id = $1 and event_id = $2), 0)
         else first_seq_since($1, $2, $5::timestamptz + interval '1 millisecond') - 1 end::float8 as "to"`,
    [eventId, filter.afterSeq, filter.from ?? null, filter.to ?? null],
  )
  return range!
}

/**
 * Finds what staff did to the seat, or the user as staff. Both together find nothing: that is about holds.
 */
async function doneByStaff(
  tx: TenantTx,
  eventId: string,
  { seatId, userId, from, to, limit }: Pick<JournalFilter, 'seatId' | 'userId' | 'limit'> & Range,
): Promise<Entry[]> {
  if (seatId !== undefined && userId !== undefined) return []
  const ordinal = seatId === undefined ? null : await ordinalOf(tx, eventId, seatId)
  const isMeant = ({ change, actorId, source }: Entry) =>
    seatId === undefined
      ? actorId === userId && (source === 'admin' || source === 'api') && isByStaff(change, source)
      : OF_SEAT.has(change.kind) && 'ordinal' in change && change.ordinal === ordinal
  const found: Entry[] = []
  let after = 0
  while (found.length < limit) {
    const rows = await tx.query<JournalRow & Record<string, unknown>>(
      `select ${JOURNAL_ROW} from journal
       where organization_id = $1 and event_id = $2 and by_staff and first_seq > $3 and first_seq <= $4 and last_seq >= $5
       order by first_seq limit ${STAFF_ROWS}`,
      [eventId, after, to, from],
    )
    for (const row of rows) found.push(...unpackRow(eventId, row, { from, to }).filter(isMeant))
    if (rows.length < STAFF_ROWS) break
    after = rows.at(-1)!.firstSeq
  }
  return found
}

/** Changes of a seat that are of no hold. */
const OF_SEAT: ReadonlySet<Change['kind']> = new Set(['seat_blocked', 'seat_unblocked', 'ticket_voided'])

async function ordinalOf(tx: TenantTx, eventId: string, seatId: string): Promise<number | null> {
  const [row] = await tx.query<{ ordinal: number }>(
    `select s.ordinal from events e
     join seats s on s.organization_id = $1 and s.layout_id = e.layout_id and s.version = e.layout_version
       and s.seat_id = $3
     where e.organization_id = $1 and e.id = $2`,
    [eventId, seatId],
  )
  return row?.ordinal ?? null
}

/** Holds of the seat, or of their present or last user, that lived at some moment of the time asked for. */
function holdsNamed(
  tx: TenantTx,
  eventId: string,
  { seatId, holdId, userId, from, to }: JournalFilter,
): Promise<{ last_seq: number }[]> {
  const seat = `(select s.ordinal from events e
    join seats s on s.organization_id = $1 and s.layout_id = e.layout_id and s.version = e.layout_version and s.seat_id = $7
    where e.organization_id = $1 and e.id = $2)`
  const some = (table: string, { id, until, which }: { id: string; until: string; which: string }) =>
    `(select h.last_seq::float8 as last_seq from ${table} h
      where h.organization_id = $1 and h.event_id = $2 and ${which}
        and ($3::timestamptz is null or h.${until} >= $3)
        and ($4::timestamptz is null or h.created_at <= $4)
        and ${holdId === undefined ? '$5::uuid is null' : `h.${id} = $5`}
        and ${userId === undefined ? '$6::uuid is null' : 'h.user_id = $6'}
        and ${seatId === undefined || table === 'place_holds' ? '$7::uuid is null' : `h.ordinal = ${seat}`}
      order by h.created_at limit $8)`
  const living = { id: 'hold_id', until: 'held_until', which: `h.status = 'held'` }
  return tx.query(
    [
      some('event_seats', living),
      some('place_holds', living),
      some('hold_history', { id: 'id', until: 'ended_at', which: 'true' }),
    ].join(' union all '),
    [eventId, from ?? null, to ?? null, holdId ?? null, userId ?? null, seatId ?? null, MAX_HOLDS + 1],
  )
}

interface Described {
  readonly hold_id: string | null
  readonly user_id: string | null
  readonly taken_by: string | null
  readonly created_at: Date | null
  readonly last_seq: number | null
  readonly seat_id: string | null
  readonly seat_label: string | null
  readonly order: OrderOfEntry | null
}

/**
 * Adds the people, the order and the seat to entries, each by its key (`lateral … offset 0`, as in
 * write-batch.ts).
 */
async function describe(tx: TenantTx, eventId: string, entries: readonly Entry[]): Promise<JournalEntry[]> {
  if (entries.length === 0) return []
  const described = await tx.query<Described & Record<string, unknown>>(
    `select h.id as hold_id, h.user_id, h.taken_by, h.created_at, h.last_seq::float8 as last_seq, s.seat_id,
       s.label as seat_label, o.described as order
     from unnest($3::uuid[], $4::int[], $5::uuid[]) with ordinality as j (hold_id, ordinal, ticket_id, position)
     join events e on e.organization_id = $1 and e.id = $2
     left join lateral (
       select hold_id as id, user_id, taken_by, created_at, last_seq from event_seats
       where organization_id = $1 and hold_id = j.hold_id
       union all
       select hold_id, user_id, taken_by, created_at, last_seq from place_holds
       where organization_id = $1 and hold_id = j.hold_id
       union all
       select id, user_id, taken_by, created_at, last_seq from hold_history
       where organization_id = $1 and id = j.hold_id
       limit 1) h on true
     left join ${seatOfEvent('j.ordinal', 'seat_id, label')} s on true
     left join lateral (
       select checkout_id from tickets where organization_id = $1 and hold_id = j.hold_id
       union all
       select checkout_id from tickets where organization_id = $1 and id = j.ticket_id
       limit 1) t on true
     left join lateral (
       select json_build_object('order_id', id, 'order_number', number, 'contact_name', contact_name,
         'contact_email', contact_email) as described
       from orders where organization_id = $1 and id = t.checkout_id
       limit 1) o on true
     order by j.position`,
    [
      eventId,
      entries.map(({ change }) => ('holdId' in change ? change.holdId : null)),
      entries.map(({ change }) => ('ordinal' in change ? change.ordinal : null)),
      entries.map(({ change }) => ('ticketId' in change ? change.ticketId : null)),
    ],
  )
  const owners = await ownersOf(tx, eventId, entries, described)
  const emails = await emailsOf(tx, [...entries.map(entry => entry.actorId), ...owners])
  return entries.map((entry, index): JournalEntry => {
    const { change, actorId, from } = entry
    const { kind, seq, at, ...members } = change
    const { hold_id, created_at, seat_id, seat_label, order } = described[index]!
    const owner = owners[index]!
    return {
      seq: String(seq),
      kind,
      command_id: entry.commandId,
      actor_id: actorId,
      actor_email: emails.get(actorId) ?? null,
      source: entry.source,
      at: new Date(at),
      hold_id,
      user_id: owner,
      user_email: emails.get(owner) ?? null,
      seat_id,
      seat_label,
      order,
      held_duration_seconds: created_at && isEnd(change) ? (at - created_at.getTime()) / 1000 : null,
      body: { ...members, ...from },
    }
  })
}

/**
 * Finds who had the hold right after each entry: the hold's row names its present owner alone. Some entries
 * name the owner themselves. A hold that was never transferred has one owner; for any other, its story tells.
 */
async function ownersOf(
  tx: TenantTx,
  eventId: string,
  entries: readonly Entry[],
  described: readonly Described[],
): Promise<(string | null)[]> {
  const transferred = described.flatMap(({ taken_by, last_seq }) => (taken_by === null ? [] : [last_seq!]))
  const keep = ({ change }: Entry) => 'userId' in change
  const story = await storyOf(tx, eventId, [...new Set(transferred)], { keep })
  return entries.map(({ change }, index) => {
    const { hold_id, user_id, taken_by } = described[index]!
    if (hold_id === null) return null
    if ('userId' in change) return change.userId
    if (taken_by === null) return user_id
    const named = story.findLast(
      one => 'userId' in one.change && one.change.holdId === hold_id && one.change.seq <= change.seq,
    )
    return named ? ownerNamed(named.change) : user_id
  })
}

function ownerNamed(change: Change): string | null {
  return 'userId' in change ? change.userId : null
}

function isEnd({ kind }: Change): boolean {
  return kind === 'seat_released' || kind === 'seat_hold_expired' || kind === 'seat_converted'
}

async function emailsOf(
  tx: TenantTx,
  userIds: readonly (string | null)[],
): Promise<Map<string | null, string | null>> {
  const ids = [...new Set(userIds)].filter(id => id !== null)
  const rows = await tx.query<{ id: string; email: string | null }>(
    `select u.id, u.email from unnest($2::uuid[]) as named (id)
     cross join lateral (select id, email from users where organization_id = $1 and id = named.id offset 0) as u`,
    [ids],
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}
