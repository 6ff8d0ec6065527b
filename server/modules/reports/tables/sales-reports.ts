import type { EventId } from '@voelgoed/core/ids'
import type { SalesChannel } from '@voelgoed/core/orders/order'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/*
 * Statements that add up what was sold, and the money for it. Amounts are whole minor units: sums of bigint
 * in the database, and of whole numbers here, never of fractions.
 *
 * Rows are first added up by all that a report tells apart, which several processes of Postgres do at once,
 * and then the few sums that this makes by each of them: grouping sets over all rows run in one process.
 */

/** A report adds up these orders: all of an event, or those that an organization's events made in a time. */
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
const REFUNDED = `o.status in ('partly_refunded', 'refunded')`

/**
 * From here on to the end of the transaction, days and hours are those of `timeZone`. A statement that names
 * the zone looks it up for each row, which took as long as all else that a report does with a row.
 */
async function useDaysOf(tx: TenantTx, timeZone: string): Promise<void> {
  await tx.query(`select set_config('TimeZone', $2, true) where $1::uuid is not null`, [timeZone])
}

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
export async function readMoney(tx: TenantTx, reported: Reported, timeZone: string): Promise<MoneyRow[]> {
  await useDaysOf(tx, timeZone)
  const group = 'o.currency, o.event_id, o.channel, o.created_at::date'
  const isReported = `o.organization_id = $1 and ${PAID} and ${conditionOf(reported)}`
  return tx.query<MoneyRow & Record<string, unknown>>(
    `with sold (currency, event_id, channel, day, orders, gross, fees, tax, tax_unknown) as (
       select ${group}, count(*), sum(o.total), sum(o.fees), sum(o.tax), sum(o.total) filter (where o.tax is null)
       from orders o where ${isReported} group by ${group}),
     refunded (currency, event_id, channel, day, refunds, owed) as (
       select ${group}, sum(r.amount), sum(r.owed) from orders o cross join lateral (
         select sum(f.amount) as amount, sum(f.amount) filter (where f.status <> 'done') as owed
         from refunds f where f.organization_id = $1 and f.order_id = o.id) r
       where ${isReported} and ${REFUNDED} group by ${group}),
     told (order_id, at_gateway, lost) as (
       select order_id, sum(at_gateway), sum(lost) from (
         select order_id, amount as at_gateway, 0 as lost from gateway_refunds
         where organization_id = $1 and status = 'done'
         union all
         select order_id, 0, amount from disputes where organization_id = $1 and status = 'lost') t
       group by order_id),
     -- Money goes back once, although a bank, the gateway and staff may each tell of it.
     gone (currency, event_id, channel, day, outside, disputed) as (
       select ${group}, least(t.at_gateway, o.total - r.amount),
         least(t.lost, o.total - r.amount - least(t.at_gateway, o.total - r.amount))
       from told t
       join orders o on o.organization_id = $1 and o.id = t.order_id
       cross join lateral (select coalesce(sum(f.amount), 0) as amount from refunds f
         where f.organization_id = $1 and f.order_id = o.id and ${REFUNDED}) r
       where ${isReported}),
     counted as (
       select *, 0 as refunds, 0 as owed, 0 as outside, 0 as disputed from sold
       union all
       select currency, event_id, channel, day, 0, 0, 0, 0, 0, refunds, owed, 0, 0 from refunded
       union all
       select currency, event_id, channel, day, 0, 0, 0, 0, 0, 0, 0, outside, disputed from gone)
     select case grouping(event_id, channel, day) when 7 then 'total' when 3 then 'event' when 5 then 'channel'
         else 'day' end as what,
       currency, event_id, channel, day::text, sum(orders)::float8 as orders,
       coalesce(sum(gross), 0)::float8 as gross, coalesce(sum(fees), 0)::float8 as fees,
       coalesce(sum(tax), 0)::float8 as tax, coalesce(sum(tax_unknown), 0)::float8 as tax_unknown,
       coalesce(sum(refunds), 0)::float8 as refunds, coalesce(sum(owed), 0)::float8 as refunds_owed,
       coalesce(sum(outside), 0)::float8 as refunded_at_gateway,
       coalesce(sum(disputed), 0)::float8 as disputes_lost
     from counted
     group by grouping sets ((currency), (currency, event_id), (currency, channel), (currency, day))
     order by currency, day, gross desc, channel`,
    valuesOf(reported),
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
       currency, zone_index, category, ticket_type, channel, sum(sold)::float8 as sold,
       sum(returned)::float8 as returned, coalesce(sum(amount), 0)::float8 as amount,
       coalesce(sum(returned_amount), 0)::float8 as returned_amount
     from (select o.currency, t.zone_index, l.category, l.ticket_type, o.channel, count(*) as sold,
         count(t.voided_at) as returned, sum(l.amount) as amount,
         sum(l.amount) filter (where t.voided_at is not null) as returned_amount
       from tickets t
       left join order_lines l on l.organization_id = $1 and l.ticket_id = t.id
       left join orders o on o.organization_id = $1 and o.event_id = $2 and o.id = t.checkout_id
       where t.organization_id = $1 and t.event_id = $2 and not ${movedAway('t')}
       group by o.currency, t.zone_index, l.category, l.ticket_type, o.channel) tickets
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
export async function readSeries(
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
  await useDaysOf(tx, series.timeZone)
  return tx.query<SeriesRow & Record<string, unknown>>(
    `select "from", sum(sold)::float8 as sold, sum(returned)::float8 as returned from (
       select date_trunc($5, created_at) as "from", count(*) as sold, 0 as returned from tickets t
       where organization_id = $1 and event_id = $2 and ${within('created_at')} and not ${movedHere('t')} group by 1
       union all
       select date_trunc($5, voided_at), 0, count(*) from tickets t
       where organization_id = $1 and event_id = $2 and voided_at is not null and ${within('voided_at')}
         and not ${movedAway('t')} group by 1)
       as steps
     group by 1 order by 1 limit $6`,
    [eventId, series.from, series.to, series.step, series.limit],
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
export async function readSales(
  tx: TenantTx,
  reported: { readonly from: Date; readonly to: Date },
  timeZone: string,
): Promise<SalesRow[]> {
  await useDaysOf(tx, timeZone)
  return tx.query<SalesRow & Record<string, unknown>>(
    `select case grouping(event_id, channel, day) when 7 then 'total' when 3 then 'event' when 5 then 'channel'
         else 'day' end as what,
       event_id, channel, day::text, coalesce(sum(orders), 0)::float8 as orders,
       coalesce(sum(sold), 0)::float8 as sold, coalesce(sum(returned), 0)::float8 as returned
     from (
       -- The first line of an order is number 0. An order without lines counts as well.
       select o.event_id, o.channel, o.created_at::date as day,
         count(*) filter (where coalesce(l.position, 0) = 0) as orders, count(l.position) as sold,
         count(l.refund_id) as returned
       from orders o left join order_lines l on l.organization_id = $1 and l.order_id = o.id
       where o.organization_id = $1 and ${PAID} and ${conditionOf(reported)}
       group by o.event_id, o.channel, o.created_at::date) made
     group by grouping sets ((), (event_id), (channel), (day))
     order by day, sold desc, channel`,
    valuesOf(reported),
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

/** Reads how events are called, and how full they are now. */
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

/**
 * The steps of all funnels in a time that begins and ends at a quarter of an hour.
 */
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
