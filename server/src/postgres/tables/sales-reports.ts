import type { EventId } from '@voelgoed/core/ids'
import type { SalesChannel } from '@voelgoed/core/orders/order'
import type { TenantTx } from '../database.ts'

/*
 * What was sold, and the money for it. Amounts are whole minor units: sums of bigint in the database, and of
 * whole numbers here, never of fractions.
 */

/** Of which orders a report is: all of an event, or those that an organization's events made in a time. */
export type Reported =
  | { readonly eventId: EventId }
  /** Also of `from`, and up to `to`, which is not in it. */
  | { readonly from: Date; readonly to: Date }

/** `$2` and `$3` of every statement below; an event needs one of them. */
const conditionOf = (reported: Reported) =>
  'eventId' in reported
    ? 'o.event_id = $2 and $3::timestamptz is null'
    : 'o.created_at >= $2::timestamptz and o.created_at < $3::timestamptz'
const valuesOf = (reported: Reported) =>
  'eventId' in reported ? [reported.eventId, null] : [reported.from, reported.to]

/** An order of one of these was paid for, whatever became of it: verify holds it against the payments. */
const PAID = `o.status in ('paid', 'partly_refunded', 'refunded')`

export interface MoneyRow {
  readonly what: 'total' | 'event' | 'channel' | 'day'
  /** Null: orders whose seller counts the money elsewhere. */
  readonly currency: string | null
  readonly event_id: EventId | null
  readonly channel: SalesChannel | null
  readonly day: string | null
  readonly orders: number
  readonly gross: number
  readonly fees: number
  readonly tax: number
  readonly tax_unknown: number
  readonly refunds: number
  readonly refunds_owed: number
  readonly refunded_at_gateway: number
  readonly disputes_lost: number
}

/**
 * By currency, and in each by event, channel and day of `timeZone`. Refunds, and what else went back, count
 * for the order that they are of.
 */
export function readMoney(tx: TenantTx, reported: Reported, timeZone: string): Promise<MoneyRow[]> {
  return tx.query<MoneyRow & Record<string, unknown>>(
    `with sold as (
       select o.event_id, o.channel, o.currency, o.total, o.fees, o.tax,
         (o.created_at at time zone $4)::date as day, coalesce(r.amount, 0) as refunds,
         coalesce(r.owed, 0) as owed, coalesce(g.amount, 0) as at_gateway, coalesce(d.amount, 0) as lost
       from orders o
       left join lateral (select sum(f.amount) as amount, sum(f.amount) filter (where f.status <> 'done') as owed
         from refunds f where f.organization_id = $1 and f.order_id = o.id
           and o.status in ('partly_refunded', 'refunded')) r on true
       left join (select order_id, sum(amount) as amount from gateway_refunds
         where organization_id = $1 and status = 'done' group by order_id) g on g.order_id = o.id
       left join (select order_id, sum(amount) as amount from disputes
         where organization_id = $1 and status = 'lost' group by order_id) d on d.order_id = o.id
       where o.organization_id = $1 and ${PAID} and ${conditionOf(reported)}),
     -- Money goes back once, although a bank, the gateway and staff may each tell of it.
     kept as (
       select s.*, least(s.at_gateway, s.total - s.refunds) as outside,
         least(s.lost, s.total - s.refunds - least(s.at_gateway, s.total - s.refunds)) as disputed
       from sold s)
     select case grouping(event_id, channel, day) when 7 then 'total' when 3 then 'event' when 5 then 'channel'
         else 'day' end as what,
       currency, event_id, channel, day::text, count(*)::float8 as orders,
       coalesce(sum(total), 0)::float8 as gross, coalesce(sum(fees), 0)::float8 as fees,
       coalesce(sum(tax), 0)::float8 as tax, coalesce(sum(total) filter (where tax is null), 0)::float8 as tax_unknown,
       coalesce(sum(refunds), 0)::float8 as refunds, coalesce(sum(owed), 0)::float8 as refunds_owed,
       coalesce(sum(outside), 0)::float8 as refunded_at_gateway,
       coalesce(sum(disputed), 0)::float8 as disputes_lost
     from kept
     group by grouping sets ((currency), (currency, event_id), (currency, channel), (currency, day))
     order by currency, day, gross desc, channel`,
    [...valuesOf(reported), timeZone],
  )
}

export interface SoldRow {
  readonly what: 'zone' | 'category' | 'ticket_type' | 'channel'
  readonly currency: string | null
  readonly zone_index: number | null
  readonly category: string | null
  readonly ticket_type: string | null
  /** Null: the ticket has no order. */
  readonly channel: SalesChannel | null
  readonly sold: number
  readonly returned: number
  readonly amount: number
  readonly returned_amount: number
}

/** A ticket that was moved to another seat is void, and was not returned: its line goes on with another. */
const movedAway = (ticket: string) =>
  `exists (select from ticket_moves m where m.organization_id = $1 and m.from_ticket_id = ${ticket}.id)`
const movedHere = (ticket: string) =>
  `exists (select from ticket_moves m where m.organization_id = $1 and m.to_ticket_id = ${ticket}.id)`

/** Every ticket of an event, by zone, price category, ticket type and channel, each by currency. */
export function readSold(tx: TenantTx, eventId: EventId): Promise<SoldRow[]> {
  return tx.query<SoldRow & Record<string, unknown>>(
    `select case grouping(zone_index, category, ticket_type, channel) when 7 then 'zone' when 11 then 'category'
         when 9 then 'ticket_type' else 'channel' end as what,
       currency, zone_index, category, ticket_type, channel, count(*)::float8 as sold,
       count(*) filter (where is_void)::float8 as returned,
       coalesce(sum(amount), 0)::float8 as amount,
       coalesce(sum(amount) filter (where is_void), 0)::float8 as returned_amount
     from (select t.zone_index, t.voided_at is not null as is_void, l.category, l.ticket_type, l.amount,
         o.channel, o.currency
       from tickets t
       left join order_lines l on l.organization_id = $1 and l.ticket_id = t.id
       left join orders o on o.organization_id = $1 and o.id = t.checkout_id
       where t.organization_id = $1 and t.event_id = $2 and not ${movedAway('t')}) tickets
     group by grouping sets ((currency, zone_index), (currency, category), (currency, category, ticket_type),
       (currency, channel))
     order by zone_index, sold desc, category, ticket_type, channel`,
    [eventId],
  )
}

/** Orders of an event that were paid for, by channel. */
export async function countOrders(
  tx: TenantTx,
  eventId: EventId,
): Promise<ReadonlyMap<SalesChannel, number>> {
  const rows = await tx.query<{ channel: SalesChannel; orders: number }>(
    `select o.channel, count(*)::float8 as orders from orders o
     where o.organization_id = $1 and o.event_id = $2 and ${PAID} group by o.channel`,
    [eventId],
  )
  return new Map(rows.map(({ channel, orders }) => [channel, orders]))
}

export interface ReportedZone {
  readonly zone_index: number
  readonly zone_id: string
  readonly zone_name: string
  readonly capacity: number
  readonly held: number
  readonly taken: number
  readonly blocked: number
}

/** The zones of an event that is or was on sale, and how full they are. Of a draft there are none. */
export function readReportedZones(tx: TenantTx, eventId: EventId): Promise<ReportedZone[]> {
  return tx.query<ReportedZone & Record<string, unknown>>(
    `select z.zone_index, z.zone_id,
       coalesce(e.overlay -> 'zone_overrides' -> z.zone_id::text ->> 'name', n.name) as zone_name,
       z.capacity, z.held, z.sold as taken, z.blocked
     from zone_counts z
     join events e on e.organization_id = $1 and e.id = z.event_id
     join zones n on n.organization_id = $1 and n.layout_id = e.layout_id and n.version = e.layout_version
       and n.zone_id = z.zone_id
     where z.organization_id = $1 and z.event_id = $2 order by z.zone_index`,
    [eventId],
  )
}

export interface SeriesRow {
  readonly from: Date
  readonly sold: number
  readonly returned: number
}

/** Tickets that were sold and that became void, by days or hours of `timeZone`. At most `limit` steps. */
export function readSeries(
  tx: TenantTx,
  eventId: EventId,
  series: {
    readonly step: 'day' | 'hour'
    readonly from: Date | null
    readonly to: Date | null
    readonly timeZone: string
    readonly limit: number
  },
): Promise<SeriesRow[]> {
  const within = (moment: string) =>
    `($3::timestamptz is null or ${moment} >= $3) and ($4::timestamptz is null or ${moment} < $4)`
  return tx.query<SeriesRow & Record<string, unknown>>(
    `select "from", sum(sold)::float8 as sold, sum(returned)::float8 as returned from (
       select date_trunc($5, created_at, $6) as "from", count(*) as sold, 0 as returned from tickets t
       where organization_id = $1 and event_id = $2 and ${within('created_at')} and not ${movedHere('t')} group by 1
       union all
       select date_trunc($5, voided_at, $6), 0, count(*) from tickets t
       where organization_id = $1 and event_id = $2 and voided_at is not null and ${within('voided_at')}
         and not ${movedAway('t')} group by 1)
       as steps
     group by 1 order by 1 limit $7`,
    [eventId, series.from, series.to, series.step, series.timeZone, series.limit],
  )
}

export interface SalesRow {
  readonly what: 'total' | 'event' | 'channel' | 'day'
  readonly event_id: EventId | null
  readonly channel: SalesChannel | null
  readonly day: string | null
  readonly orders: number
  readonly sold: number
  readonly returned: number
}

/** Tickets of orders that were made in a time, by event, channel and day of `timeZone`. */
export function readSales(
  tx: TenantTx,
  reported: { readonly from: Date; readonly to: Date },
  timeZone: string,
): Promise<SalesRow[]> {
  return tx.query<SalesRow & Record<string, unknown>>(
    `select case grouping(event_id, channel, day) when 7 then 'total' when 3 then 'event' when 5 then 'channel'
         else 'day' end as what,
       event_id, channel, day::text, count(*)::float8 as orders, coalesce(sum(sold), 0)::float8 as sold,
       coalesce(sum(returned), 0)::float8 as returned
     from (select o.event_id, o.channel, (o.created_at at time zone $4)::date as day, l.sold, l.returned
       from orders o
       left join lateral (select count(*) as sold, count(refund_id) as returned from order_lines l
         where l.organization_id = $1 and l.order_id = o.id) l on true
       where o.organization_id = $1 and ${PAID} and ${conditionOf(reported)}) made
     group by grouping sets ((), (event_id), (channel), (day))
     order by day, sold desc, channel`,
    [...valuesOf(reported), timeZone],
  )
}

export interface ReportedEvent {
  readonly event_id: EventId
  readonly event_name: string
  readonly status: string
  readonly starts_at: Date | null
  readonly capacity: number
  readonly held: number
  readonly taken: number
  readonly blocked: number
}

/** What they are called, and how full they are now. */
export async function readReportedEvents(
  tx: TenantTx,
  eventIds: readonly EventId[],
): Promise<ReadonlyMap<EventId, ReportedEvent>> {
  const rows = await tx.query<ReportedEvent & Record<string, unknown>>(
    `select e.id as event_id, e.name as event_name, e.status, e.starts_at, coalesce(z.capacity, 0)::int as capacity,
       coalesce(z.held, 0)::int as held, coalesce(z.sold, 0)::int as taken, coalesce(z.blocked, 0)::int as blocked
     from events e
     left join lateral (select sum(capacity) as capacity, sum(held) as held, sum(sold) as sold, sum(blocked) as blocked
       from zone_counts z where z.organization_id = $1 and z.event_id = e.id) z on true
     where e.organization_id = $1 and e.id = any ($2::uuid[])`,
    [eventIds],
  )
  return new Map(rows.map(row => [row.event_id, row]))
}

/** The steps of all funnels in a time that begins and ends at a quarter of an hour. */
export async function readFunnelSteps(
  tx: TenantTx,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ step: string; count: number }>(
    `select step, sum(count)::float8 as count from funnel_counts
     where organization_id = $1 and quarter < $3
       and quarter >= date_bin('15 minutes', $2::timestamptz, timestamptz '2000-01-01 00:00Z')
     group by step`,
    [from, to],
  )
  return new Map(rows.map(({ step, count }) => [step, count]))
}
