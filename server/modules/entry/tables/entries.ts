import type { KnownScan } from '@voelgoed/core/entry/early-exits'
import { CLOCK_WRONG, type Direction } from '@voelgoed/core/entry/scan'
import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import type { EventId, HoldId, TicketId, UserId } from '@voelgoed/core/ids'
import { eventOf } from '@voelgoed/engine/tables/by-key'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { EventDay } from '../../events/tables/events.ts'
import {
  entriesOfLine,
  firstTicketOf,
  lastTicketOf,
  ticketsOfLine,
} from '../../orders/tables/moved-tickets.ts'

/** A ticket at the gate, and its event. Times in milliseconds. */
export interface ScannedTicket {
  readonly ticket_id: TicketId
  readonly event_id: EventId
  readonly hold_id: HoldId
  readonly user_id: UserId
  readonly zone_index: number
  readonly ordinal: number | null
  readonly seat_id: string | null
  readonly version: number
  readonly created_at: number
  readonly reissued_at: number | null
  readonly voided_at: number | null
  /** The number of its place in the hold: tickets of a hold, in the order of their ids, are its places. */
  readonly place: number
  readonly ticket_type: string | null
  readonly attendee: string | null
  readonly status: EventStatus
  readonly cancelled_at: number | null
  /** Null: it has not, or when is not known. */
  readonly went_live_at: number | null
  readonly starts_at: number | null
  readonly ends_at: number | null
  readonly doors_at: number | null
  readonly days: readonly EventDay[]
  readonly time_zone: string
}

/** A ticket was used so on a day: the one that was asked for, or one that it was moved from or to. */
export interface DayUseRow {
  readonly day: string
  readonly ticket_id: TicketId
  readonly zone_index: number
  /** All rows of the day. */
  readonly rows: number
  /** Up to the moment that was asked for. */
  readonly ins: number
  readonly outs: number
  /** So many came in up to then and have not left, then or later. */
  readonly inside: number
  readonly last_at: number | null
  readonly last_gate: string | null
  /** Counts the whole day, without entries that should not have been. */
  readonly good_ins: number
  readonly all_outs: number
  /** The place that it was given last. */
  readonly place: number | null
}

interface RepeatedScan {
  readonly id: string
  /** Null: of an exit whose entry is not known yet. */
  readonly day: string | null
  readonly at: number
  readonly conflict: string | null
}

/** An exit whose entry is not known yet. */
export interface EarlyExit {
  readonly id: string
  readonly at: number
  readonly gate: string | null
  readonly device_id: string
  readonly scanned_by: UserId
}

export interface TicketAtGate {
  readonly ticket: ScannedTicket
  /** One for each day and ticket of the line. */
  readonly uses: readonly DayUseRow[]
  /** This very scan did that when it was made before. */
  readonly repeated: RepeatedScan | null
  /** Exits by tickets of the line that wait for an entry which arrives late. */
  readonly earlyExits: readonly EarlyExit[]
  /** The database's clock, read under the lock. */
  readonly now: number
}

/** Not of an entry by a clock that was wrong: it may be as good as any other. */
const SHOULD_NOT_HAVE_BEEN = `c.code <> '${CLOCK_WRONG}'`

const ms = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`

const LOCK_LINE = `select from tickets where organization_id = $1 and id = ${firstTicketOf('$2')} for no key update`

const LOCK = 'select from tickets where organization_id = $1 and id = $2 for no key update'

/** The tickets of a hold, in the order of their ids, are its places. */
const PLACE_OF_HOLD =
  '(select count(*)::int from tickets o where o.organization_id = $1 and o.hold_id = t.hold_id and o.id < t.id)'

const TICKET = `select t.id as ticket_id, t.event_id, t.hold_id, t.user_id, t.zone_index, t.ordinal, t.seat_id, t.version,
    ${ms('t.created_at')} as created_at, ${ms('t.reissued_at')} as reissued_at, ${ms('t.voided_at')} as voided_at,
    ${PLACE_OF_HOLD} as place,
    l.ticket_type, l.attendee, e.status, ${ms('e.cancelled_at')} as cancelled_at, ${ms('e.went_live_at')} as went_live_at, ${ms('e.starts_at')} as starts_at,
    ${ms('e.ends_at')} as ends_at, ${ms('e.doors_at')} as doors_at, e.days,
    coalesce(v.time_zone, g.time_zone) as time_zone, ${ms('clock_timestamp()')} as now
  from tickets t
  cross join ${eventOf('t.event_id', 'status, cancelled_at, went_live_at, starts_at, ends_at, doors_at, days, venue_id')} e
  join venues v on v.organization_id = $1 and v.id = e.venue_id
  join organizations g on g.id = $1
  left join order_lines l on l.organization_id = $1 and l.ticket_id = t.id
  where t.organization_id = $1 and t.id = $2`

const USES = `select day::text, ticket_id, zone_index, count(*)::int as rows,
    count(*) filter (where direction = 'in' and not is_conflict)::int as good_ins,
    count(*) filter (where direction = 'out')::int as all_outs,
    count(*) filter (where direction = 'in' and is_before)::int as ins,
    count(*) filter (where direction = 'out' and is_before)::int as outs,
    least(count(*) filter (where direction = 'in' and is_before) - count(*) filter (where direction = 'out' and is_before),
      min(inside) filter (where not is_before))::int as inside,
    (array_agg(${ms('at')} order by at desc) filter (where direction = 'in' and is_before))[1] as last_at,
    (array_agg(gate order by at desc) filter (where direction = 'in' and is_before))[1] as last_gate,
    (array_agg(place order by at desc) filter (where place is not null))[1] as place
  from (select e.*, $3::timestamptz is null or at <= $3 as is_before,
      sum(case direction when 'in' then 1 else -1 end) over (partition by ticket_id, day order by at, direction, id) as inside,
      exists (select from (select code from entry_conflicts where organization_id = $1 and entry_id = e.id offset 0) c
        where ${SHOULD_NOT_HAVE_BEEN}) as is_conflict
    from ${entriesOfLine('$2')} e) e
  group by day, ticket_id, zone_index`

/** An exit by one ticket of the line may have been written for another. */
const REPEATED = `select s.id, s.day::text, ${ms('s.at')} as at, s.conflict
  from unnest(${ticketsOfLine('$2')}) line (id)
  cross join lateral (
    (select e.id, e.direction, e.day, e.at, c.code as conflict from entries e
     left join entry_conflicts c on c.organization_id = $1 and c.entry_id = e.id and ${SHOULD_NOT_HAVE_BEEN}
     where e.organization_id = $1 and e.ticket_id = line.id and e.device_id = $3 and e.scan_id = $4 limit 1)
    union all
    (select x.id, 'out', e.day, x.at, case when e.day is null then 'not_inside' end from early_exits x
     left join lateral (select day from entries where organization_id = $1 and id = x.id limit 1) e on true
     where x.organization_id = $1 and x.ticket_id = line.id and x.device_id = $3 and x.scan_id = $4 limit 1)) s
  where line.id = $2 or (s.direction, $5::entry_direction) = ('out', 'out')`

/** Leaves out the early exits that count: each of them is an entry of the same id. */
const EARLY_EXITS = `select x.id, ${ms('x.at')} as at, x.gate, x.device_id, x.scanned_by
  from unnest(${ticketsOfLine('$2')}) line (id)
  cross join lateral (select * from early_exits where organization_id = $1 and ticket_id = line.id offset 0) x
  where (select id from entries where organization_id = $1 and id = x.id limit 1) is null`

/**
 * Locks the first ticket of the line and the ticket until the end of the transaction: two gates decide on
 * them one after another. What is known of the ticket is read by statements after the locks, in the same
 * round trip. Null: there is no such ticket. `until`: of the uses only those up to then are counted; null:
 * all.
 */
export async function lockTicket(
  tx: TenantTx,
  ticketId: TicketId,
  scan: { deviceId: string; scanId: string | null; direction: Direction; until: number | null },
): Promise<TicketAtGate | null> {
  const { deviceId, scanId, direction, until } = scan
  const [, , tickets, uses, repeated, earlyExits] = await Promise.all([
    tx.prepared('scan_lock_line', LOCK_LINE, [ticketId]),
    tx.prepared('scan_lock', LOCK, [ticketId]),
    tx.prepared<ScannedTicket & { now: number }>('scan_ticket', TICKET, [ticketId]),
    tx.prepared<DayUseRow & Record<string, unknown>>('scan_uses', USES, [
      ticketId,
      until === null ? null : new Date(until),
    ]),
    scanId === null
      ? []
      : tx.prepared<RepeatedScan & Record<string, unknown>>('scan_repeated', REPEATED, [
          ticketId,
          deviceId,
          scanId,
          direction,
        ]),
    // An entry of now comes after all exits that are known: none of them waits for it.
    direction === 'out' || until === null
      ? []
      : tx.prepared<EarlyExit & Record<string, unknown>>('scan_early_exits', EARLY_EXITS, [ticketId]),
  ])
  const ticket = tickets[0]
  return ticket ? { ticket, uses, repeated: repeated[0] ?? null, earlyExits, now: ticket.now } : null
}

/** All that counts of a ticket on a day. */
export function readDay(tx: TenantTx, ticketId: TicketId, day: string): Promise<KnownScan[]> {
  return tx.query<KnownScan & Record<string, unknown>>(
    `select direction, ${ms('at')} as at from entries where organization_id = $1 and ticket_id = $2 and day = $3`,
    [ticketId, day],
  )
}

/** Where the guest of a ticket is named, if it was moved: with the last ticket that it was moved to. */
export async function readLastPlace(
  tx: TenantTx,
  ticketId: TicketId,
): Promise<{ readonly hold_id: HoldId; readonly place: number }> {
  const row = await tx.one<{ hold_id: HoldId; place: number }>(
    `select t.hold_id, ${PLACE_OF_HOLD} as place
     from tickets t where t.organization_id = $1 and t.id = ${lastTicketOf('$2')}`,
    [ticketId],
  )
  return row!
}

export interface ZoneDay {
  readonly eventId: EventId
  readonly zoneIndex: number
  readonly day: string
}

export interface ZoneDayCounts {
  readonly inside: number
  readonly places_given: number
}

/** Locks the counts of a zone on a day until the end of the transaction. */
export async function lockZoneDay(
  tx: TenantTx,
  { eventId, zoneIndex, day }: ZoneDay,
): Promise<ZoneDayCounts> {
  const [row] = await tx.prepared<ZoneDayCounts & Record<string, unknown>>(
    'scan_zone',
    `insert into zone_days as z (organization_id, event_id, zone_index, day) values ($1, $2, $3, $4)
     on conflict (organization_id, event_id, zone_index, day) do update set inside = z.inside
     returning inside, places_given`,
    [eventId, zoneIndex, day],
  )
  return row!
}

/** Without a lock. */
export async function readInside(tx: TenantTx, { eventId, zoneIndex, day }: ZoneDay): Promise<number> {
  const [row] = await tx.prepared<{ inside: number }>(
    'scan_inside',
    `select inside from zone_days where organization_id = $1 and event_id = $2 and zone_index = $3 and day = $4`,
    [eventId, zoneIndex, day],
  )
  return row?.inside ?? 0
}

/** The caller has locked the zone. The statement goes out with the commit. */
export function writeZoneDay(
  tx: TenantTx,
  { eventId, zoneIndex, day }: ZoneDay,
  counts: ZoneDayCounts,
): void {
  tx.send(
    'scan_count',
    `update zone_days set inside = $5, places_given = $6
     where organization_id = $1 and event_id = $2 and zone_index = $3 and day = $4`,
    [eventId, zoneIndex, day, counts.inside, counts.places_given],
  )
}

/**
 * True: this person came in on this day by a ticket of the event beside these. Until the end of the
 * transaction no other gate lets them in: the lock comes after that of the ticket, everywhere.
 */
export async function hasEnteredElsewhere(
  tx: TenantTx,
  {
    eventId,
    day,
    personHash,
    ticketIds,
  }: { eventId: EventId; day: string; personHash: Buffer; ticketIds: readonly TicketId[] },
): Promise<boolean> {
  const [, rows] = await Promise.all([
    tx.prepared('scan_person_lock', 'select pg_advisory_xact_lock(hashtextextended($1::text || $2, 0))', [
      personHash.toString('hex'),
    ]),
    tx.prepared(
      'scan_person',
      `select 1 from entries where organization_id = $1 and event_id = $2 and person_hash = $3 and day = $4
         and direction = 'in' and ticket_id <> all ($5::uuid[]) limit 1`,
      [eventId, personHash, day, ticketIds],
    ),
  ])
  return rows.length > 0
}

export interface NewEntry {
  readonly id: string
  readonly eventId: EventId
  readonly ticketId: TicketId
  readonly zoneIndex: number
  readonly direction: Direction
  readonly day: string
  readonly position: number
  readonly at: number
  readonly gate: string | null
  readonly deviceId: string
  readonly scanId: string | null
  readonly scannedBy: UserId
  readonly entriesPerDay: number
  readonly reentry: boolean
  readonly personHash: Buffer | null
  readonly place: number | null
}

/** The caller has locked the ticket. The statement goes out with the commit. */
export function insertEntry(tx: TenantTx, entry: NewEntry): void {
  tx.send(
    'scan_entry',
    `insert into entries (organization_id, id, event_id, ticket_id, zone_index, direction, day, position, at, gate,
       device_id, scan_id, scanned_by, entries_per_day, reentry, person_hash, place)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      entry.id,
      entry.eventId,
      entry.ticketId,
      entry.zoneIndex,
      entry.direction,
      entry.day,
      entry.position,
      new Date(entry.at),
      entry.gate,
      entry.deviceId,
      entry.scanId,
      entry.scannedBy,
      entry.entriesPerDay,
      entry.reentry,
      entry.personHash,
      entry.place,
    ],
  )
}

/** So many exits of a ticket are kept whose entry is not known: a guard may hold it up again and again. */
const MAX_EARLY_EXITS = 20

/** The caller has locked the ticket. The statement goes out with the commit. */
export function insertEarlyExit(
  tx: TenantTx,
  exit: Pick<NewEntry, 'id' | 'eventId' | 'ticketId' | 'at' | 'gate' | 'deviceId' | 'scanId' | 'scannedBy'>,
): void {
  tx.send(
    'scan_early_exit',
    `insert into early_exits (organization_id, id, event_id, ticket_id, at, gate, device_id, scan_id, scanned_by)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9 where (select count(*) from (
       select from early_exits where organization_id = $1 and ticket_id = $4 limit ${MAX_EARLY_EXITS}) x) < ${MAX_EARLY_EXITS}`,
    [
      exit.id,
      exit.eventId,
      exit.ticketId,
      new Date(exit.at),
      exit.gate,
      exit.deviceId,
      exit.scanId,
      exit.scannedBy,
    ],
  )
}

/** An entry that should not have been, or whose time is not known. Goes out with the commit. */
export function insertConflict(
  tx: TenantTx,
  { id, eventId, entryId, code }: { id: string; eventId: EventId; entryId: string; code: string },
): void {
  tx.send(
    'scan_conflict',
    `insert into entry_conflicts (organization_id, id, event_id, entry_id, code) values ($1, $2, $3, $4, $5)`,
    [id, eventId, entryId, code],
  )
}

/** The last entry by any of these on a day that no conflict is noted for; null: there is none. */
export async function lastGoodEntry(
  tx: TenantTx,
  ticketIds: readonly TicketId[],
  day: string,
): Promise<string | null> {
  const row = await tx.one<{ id: string }>(
    `select e.id from entries e
     where e.organization_id = $1 and e.ticket_id = any ($2::uuid[]) and e.day = $3 and e.direction = 'in'
       and not exists (select from entry_conflicts c where c.organization_id = $1 and c.entry_id = e.id
         and ${SHOULD_NOT_HAVE_BEEN})
     order by e.at desc, e.id desc limit 1`,
    [ticketIds, day],
  )
  return row?.id ?? null
}
