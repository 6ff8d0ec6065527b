import type { Direction } from '@voelgoed/core/entry/scan'
import type { EventId, TicketId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { entriesOfLine } from '../../orders/tables/moved-tickets.ts'

/** It happened to a ticket of the event, and its gates must know. */
export interface GateNews {
  readonly kind: 'void' | 'replaced' | Direction
  /** The id of the entry, or of the ticket. */
  readonly id: string
  readonly ticket_id: TicketId
  /** When the database heard of it: microseconds since 1970 as text, so that a cursor loses nothing. */
  readonly told_at: string
  /** The ticket of an entry was shown then. */
  readonly at: Date
  readonly day: string | null
  readonly gate: string | null
  readonly version: number
}

/** A gate goes on after the news that it had last. */
export interface NewsCursor {
  readonly toldAt: string
  readonly id: string
}

const MICROSECONDS = (moment: string) => `(extract(epoch from ${moment}) * 1000000)::bigint::text`
const MOMENT = `'epoch'::timestamptz + $3::bigint * interval '1 microsecond'`

const NEWS = `select * from (
    (select 'void' as kind, t.id, t.id as ticket_id, t.voided_at as told, t.voided_at as at, null::text as day,
       null::text as gate, t.version
     from tickets t where t.organization_id = $1 and t.event_id = $2 and t.voided_at is not null
       and ($3::bigint is null or (t.voided_at, t.id) > (${MOMENT}, $4::uuid))
     order by t.voided_at, t.id limit $5)
    union all
    (select 'replaced', t.id, t.id, t.reissued_at, t.reissued_at, null, null, t.version
     from tickets t where t.organization_id = $1 and t.event_id = $2 and t.reissued_at is not null
       and ($3::bigint is null or (t.reissued_at, t.id) > (${MOMENT}, $4::uuid))
     order by t.reissued_at, t.id limit $5)
    union all
    (select e.direction::text, e.id, e.ticket_id, e.recorded_at, e.at, e.day::text, e.gate, 0
     from entries e where e.organization_id = $1 and e.event_id = $2
       and ($3::bigint is null or (e.recorded_at, e.id) > (${MOMENT}, $4::uuid))
     order by e.recorded_at, e.id limit $5)) news
  order by told, id limit $5`

/** In the order in which the database heard of it, at most `limit`. */
export function listGateNews(
  tx: TenantTx,
  eventId: EventId,
  cursor: NewsCursor | null,
  limit: number,
): Promise<GateNews[]> {
  return tx.query<GateNews & Record<string, unknown>>(
    `select kind, id, ticket_id, ${MICROSECONDS('told')} as told_at, at, day, gate, version from (${NEWS}) n
     order by told, id`,
    [eventId, cursor?.toldAt ?? null, cursor?.id ?? null, limit],
  )
}

/** A ticket as the list of a gate has it. */
export interface ListedTicket {
  readonly id: TicketId
  readonly told_at: string
  readonly zone_index: number
  readonly ordinal: number | null
  readonly ticket_type: string | null
  readonly attendee: string | null
}

/**
 * Tickets of an event in the order in which they were sold, at most `limit`. Void ones too: the news says so.
 */
export function listSoldTickets(
  tx: TenantTx,
  eventId: EventId,
  cursor: NewsCursor | null,
  limit: number,
): Promise<ListedTicket[]> {
  return tx.query<ListedTicket & Record<string, unknown>>(
    `select t.id, ${MICROSECONDS('t.created_at')} as told_at, t.zone_index, t.ordinal, l.ticket_type, l.attendee
     from (select * from tickets t where t.organization_id = $1 and t.event_id = $2
         and ($3::bigint is null or (t.created_at, t.id) > (${MOMENT}, $4::uuid))
       order by t.created_at, t.id limit $5) t
     left join order_lines l on l.organization_id = $1 and l.ticket_id = t.id
     order by t.created_at, t.id`,
    [eventId, cursor?.toldAt ?? null, cursor?.id ?? null, limit],
  )
}

/**
 * The database's clock: now, and a moment so long ago that what it heard before is committed or gone.
 * Microseconds since 1970.
 */
export async function readGateClock(
  tx: TenantTx,
  seconds: number,
): Promise<{ readonly now: string; readonly settled: string }> {
  const row = await tx.one<{ now: string; settled: string }>(
    `select ${MICROSECONDS('now')} as now, ${MICROSECONDS('now - make_interval(secs => $2)')} as settled
     from clock_timestamp() now where $1::uuid is not null`,
    [seconds],
  )
  return row!
}

/** Entries and exits of one zone, by one gate, in one hour of one day. */
export interface AttendanceRow {
  readonly what: 'zone' | 'gate' | 'hour' | 'day'
  readonly day: string | null
  readonly zone_index: number | null
  readonly gate: string | null
  readonly hour: Date | null
  readonly entries: number
  readonly exits: number
  /** Tickets that let their holder in at least once; those of one line count once. */
  readonly tickets: number
}

/**
 * By zone and day, gate, hour, and day. Hours are those of the venue's clock. A ticket and those that it was
 * moved from and to count as one: one person came.
 */
export function countAttendance(tx: TenantTx, eventId: EventId, timeZone: string): Promise<AttendanceRow[]> {
  return tx.query<AttendanceRow & Record<string, unknown>>(
    `with recursive came as (
       select day, zone_index, gate, direction, ticket_id, date_trunc('hour', at, $3) as hour
       from entries where organization_id = $1 and event_id = $2),
     moved as (
       select to_ticket_id as ticket_id, from_ticket_id as earlier, 1 as moves from ticket_moves
       where organization_id = $1 and to_ticket_id in (select ticket_id from came)
       union all
       select m.ticket_id, e.from_ticket_id, m.moves + 1 from moved m
         join ticket_moves e on e.organization_id = $1 and e.to_ticket_id = m.earlier),
     lines as (select distinct on (ticket_id) ticket_id, earlier as first_id from moved order by ticket_id, moves desc)
     select case grouping(zone_index, gate, hour) when 3 then 'zone' when 5 then 'gate' when 6 then 'hour' else 'day' end
         as what,
       day::text, zone_index, gate, hour, count(*) filter (where direction = 'in')::int as entries,
       count(*) filter (where direction = 'out')::int as exits,
       count(distinct coalesce(first_id, ticket_id)) filter (where direction = 'in')::int as tickets
     from came left join lines using (ticket_id)
     group by grouping sets ((day, zone_index), (gate), (hour), (day))
     order by day, zone_index, hour, gate`,
    [eventId, timeZone],
  )
}

/** Valid tickets of an event by zone: who could come. */
export async function countValidTickets(tx: TenantTx, eventId: EventId): Promise<Map<number, number>> {
  const rows = await tx.query<{ zone_index: number; count: number }>(
    `select zone_index, count(*)::int as count from tickets
     where organization_id = $1 and event_id = $2 and voided_at is null group by zone_index`,
    [eventId],
  )
  return new Map(rows.map(({ zone_index, count }) => [zone_index, count]))
}

export interface ConflictRow {
  readonly id: string
  readonly code: string
  readonly found_at: Date
  readonly entry_id: string
  readonly ticket_id: TicketId
  readonly zone_index: number
  readonly ordinal: number | null
  readonly day: string
  readonly at: Date
  readonly gate: string | null
  readonly device_id: string
  readonly scanned_by: string
  /** The first entry of the ticket on that day, or of one that it was moved from or to. */
  readonly first_at: Date
  readonly first_gate: string | null
}

/** In the order in which they were found. */
export function listConflicts(
  tx: TenantTx,
  eventId: EventId,
  { after, limit }: { after?: string; limit: number },
): Promise<ConflictRow[]> {
  return tx.query<ConflictRow & Record<string, unknown>>(
    `select c.id, c.code, c.found_at, c.entry_id, e.ticket_id, e.zone_index, t.ordinal, e.day::text, e.at, e.gate, e.device_id,
       e.scanned_by, f.at as first_at, f.gate as first_gate
     from entry_conflicts c
     join entries e on e.organization_id = $1 and e.id = c.entry_id
     join tickets t on t.organization_id = $1 and t.id = e.ticket_id
     join lateral (select f.at, f.gate from ${entriesOfLine('e.ticket_id')} f
       where f.day = e.day and f.direction = 'in' order by f.at, f.id limit 1) f on true
     where c.organization_id = $1 and c.event_id = $2 and ($3::uuid is null or c.id > $3)
     order by c.id limit $4`,
    [eventId, after ?? null, limit],
  )
}

export interface LastScan {
  readonly id: string
  readonly ticket_id: TicketId
  readonly direction: Direction
  readonly zone_index: number
  readonly ordinal: number | null
  readonly place: number | null
  readonly attendee: string | null
  readonly day: string
  readonly at: Date
  readonly recorded_at: Date
  readonly gate: string | null
  readonly device_id: string
  readonly scanned_by: string
  readonly scanned_by_email: string | null
}

/** The last first, in the order in which the database heard of them. `after`: the last that was seen. */
export function listLastScans(
  tx: TenantTx,
  eventId: EventId,
  { after, limit }: { after?: string; limit: number },
): Promise<LastScan[]> {
  return tx.query<LastScan & Record<string, unknown>>(
    `select e.id, e.ticket_id, e.direction, e.zone_index, t.ordinal, e.place, l.attendee, e.day::text, e.at,
       e.recorded_at, e.gate, e.device_id, e.scanned_by, u.email as scanned_by_email
     from (select * from entries where organization_id = $1 and event_id = $2
         and ($3::uuid is null or (recorded_at, id) < (select recorded_at, id from entries
           where organization_id = $1 and id = $3))
       order by recorded_at desc, id desc limit $4) e
     join tickets t on t.organization_id = $1 and t.id = e.ticket_id
     join users u on u.organization_id = $1 and u.id = e.scanned_by
     left join order_lines l on l.organization_id = $1 and l.ticket_id = e.ticket_id
     order by e.recorded_at desc, e.id desc`,
    [eventId, after ?? null, limit],
  )
}

export async function countConflicts(tx: TenantTx, eventId: EventId): Promise<number> {
  const row = await tx.one<{ count: number }>(
    'select count(distinct entry_id)::int as count from entry_conflicts where organization_id = $1 and event_id = $2',
    [eventId],
  )
  return row!.count
}
