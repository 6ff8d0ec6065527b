import type { EventId } from '@voelgoed/core/ids'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { MoneyRow, ReportedEvent, ReportedZone, SalesRow, SoldRow } from './tables/sales-reports.ts'

/** A report calls the places and prices of its event so. */
export interface ReportNames {
  readonly zones: readonly ReportedZone[]
  readonly list: PriceList | null
}

type Counts = Pick<SoldRow, 'sold' | 'returned'>

/** Counts tickets, whatever they cost: rows that differ only in their currency are one. */
export function soldAnswer(
  rows: readonly SoldRow[],
  orders: ReadonlyMap<string, number>,
  names: ReportNames,
) {
  const of = (what: SoldRow['what']) => rows.filter(row => row.what === what)
  const inZones = new Map(merged(of('zone'), row => row.zone_index).map(row => [row.zone_index, row]))
  const nothing: Counts = { sold: 0, returned: 0 }
  const byChannel = new Map(merged(of('channel'), row => row.channel).map(row => [row.channel, row]))
  const channels = new Set([...byChannel.keys(), ...orders.keys()] as NonNullable<SoldRow['channel']>[])
  return {
    orders: sum(
      [...orders.values()].map(count => ({ count })),
      row => row.count,
    ),
    ...countsOf([...inZones.values()].reduce(added, nothing)),
    ...placesOf(names.zones),
    zones: names.zones.map(zone => ({
      ...zoneOf(zone),
      ...countsOf(inZones.get(zone.zone_index) ?? nothing),
      ...placesOf([zone]),
    })),
    categories: merged(of('category'), row => row.category).map(row => {
      return { ...categoryOf(row, names), ...countsOf(row) }
    }),
    ticket_types: merged(of('ticket_type'), row => `${row.category}\n${row.ticket_type}`).map(row => {
      return { ...ticketTypeOf(row, names), ...countsOf(row) }
    }),
    // A ticket without an order has no channel.
    channels: [...channels]
      .filter(channel => channel !== null)
      .map(channel => ({
        channel,
        orders: orders.get(channel) ?? 0,
        ...countsOf(byChannel.get(channel) ?? nothing),
      })),
  }
}

/** Adds up what tickets cost, by where they are and what they were sold as. */
export function ticketMoneyAnswer(rows: readonly SoldRow[], names: ReportNames) {
  const of = (what: SoldRow['what']) => rows.filter(row => row.what === what && row.currency !== null)
  const money = ({ currency, amount, returned_amount, ...row }: SoldRow) => {
    return { currency, ...countsOf(row), amount, returned_amount }
  }
  const zones = new Map(names.zones.map(zone => [zone.zone_index, zone]))
  return {
    zones: of('zone').map(row => ({ ...zoneOf(zones.get(row.zone_index!)!), ...money(row) })),
    categories: of('category').map(row => ({ ...categoryOf(row, names), ...money(row) })),
    ticket_types: of('ticket_type').map(row => ({ ...ticketTypeOf(row, names), ...money(row) })),
  }
}

export function moneyAnswer(rows: readonly MoneyRow[]) {
  const of = (what: MoneyRow['what']) => rows.filter(row => row.what === what && row.currency !== null)
  return {
    totals: of('total').map(row => ({
      ...moneyOf(row),
      fees: row.fees,
      tax: row.tax,
      tax_unknown: row.tax_unknown,
      refunds_owed: row.refunds_owed,
      refunded_at_gateway: row.refunded_at_gateway,
      disputes_lost: row.disputes_lost,
    })),
    orders_without_amount: rows.find(row => row.what === 'total' && row.currency === null)?.orders ?? 0,
    channels: of('channel').map(row => ({ channel: row.channel, ...moneyOf(row) })),
    days: of('day').map(row => ({ day: row.day, ...moneyOf(row) })),
  }
}

export function salesAnswer(rows: readonly SalesRow[], events: ReadonlyMap<EventId, ReportedEvent>) {
  const of = (what: SalesRow['what']) => rows.filter(row => row.what === what)
  const counts = (row: SalesRow) => ({ orders: row.orders, ...countsOf(row) })
  const [total] = of('total')
  return {
    ...(total ? counts(total) : { orders: 0, sold: 0, returned: 0 }),
    events: of('event').flatMap(row => {
      const event = events.get(row.event_id!)
      return event ? [{ ...eventOf(event), ...counts(row), ...placesOf([event]) }] : []
    }),
    channels: of('channel').map(row => ({ channel: row.channel, ...counts(row) })),
    days: of('day').map(row => ({ day: row.day, ...counts(row) })),
  }
}

export function eventsMoneyAnswer(
  rows: readonly MoneyRow[],
  events: ReadonlyMap<EventId, ReportedEvent>,
): object[] {
  return rows.flatMap(row => {
    const event = row.what === 'event' && row.currency !== null ? events.get(row.event_id!) : undefined
    return event ? [{ ...eventOf(event), ...moneyOf(row) }] : []
  })
}

function moneyOf(row: MoneyRow) {
  const { currency, orders, gross, refunds, refunded_at_gateway, disputes_lost } = row
  return { currency, orders, gross, refunds, net: gross - refunds - refunded_at_gateway - disputes_lost }
}

/** Rows with the same key become one, in the order of the first of them. */
function merged<Row extends Counts>(rows: readonly Row[], keyOf: (row: Row) => unknown): Row[] {
  const found = new Map<unknown, Row>()
  for (const row of rows) {
    const known = found.get(keyOf(row))
    found.set(keyOf(row), known ? { ...known, ...added(known, row) } : row)
  }
  return [...found.values()]
}

function added(one: Counts, other: Counts): Counts {
  return { sold: one.sold + other.sold, returned: one.returned + other.returned }
}

function countsOf({ sold, returned }: Counts): Counts {
  return { sold, returned }
}

function placesOf(parts: readonly Pick<ReportedZone, 'capacity' | 'held' | 'taken' | 'blocked'>[]) {
  return {
    capacity: sum(parts, part => part.capacity),
    held: sum(parts, part => part.held),
    taken: sum(parts, part => part.taken),
    blocked: sum(parts, part => part.blocked),
  }
}

function sum<T>(parts: readonly T[], of: (part: T) => number): number {
  return parts.reduce((total, part) => total + of(part), 0)
}

function zoneOf({ zone_id, zone_name }: ReportedZone) {
  return { zone_id, zone_name }
}

function eventOf({ event_id, event_name, status, starts_at }: ReportedEvent) {
  return { event_id, event_name, status, starts_at: starts_at?.toISOString() ?? null }
}

function categoryOf({ category }: Pick<SoldRow, 'category'>, { list }: ReportNames) {
  const known = list?.categories.find(({ key }) => key === category)
  return { category, category_name: known?.name ?? null }
}

/** A ticket that was sold without a category has the first type with its key. */
function ticketTypeOf(row: SoldRow, names: ReportNames) {
  const types = (names.list?.categories ?? [])
    .filter(({ key }) => row.category === null || key === row.category)
    .flatMap(category => category.ticket_types)
  const known = types.find(({ key }) => key === row.ticket_type)
  return {
    ...categoryOf(row, names),
    ticket_type: row.ticket_type,
    ticket_type_name: known?.name ?? null,
  }
}
