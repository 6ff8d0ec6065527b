import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import { lastStartOf, salesEnd } from '@voelgoed/core/event/sale-window'
import type { EventId, LayoutId, VenueId } from '@voelgoed/core/ids'
import type { Overlay } from '@voelgoed/core/layout/overlay'
import type { SeatingOverrides } from '@voelgoed/core/policy'
import { allInFrom } from '@voelgoed/core/prices/all-in'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { KeptEvent } from '@voelgoed/engine/ports/event-source'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { IMAGE, type StoredImage } from '../../images/tables/images.ts'

export interface EventDay {
  readonly date: string
  readonly name: string | null
  readonly starts_at: string | null
  readonly ends_at: string | null
}

export interface Event extends KeptEvent {
  readonly name: string
  readonly description: string | null
  readonly image: StoredImage | null
  readonly venueId: VenueId
  readonly venueName: string
  /** The venue's, or else the organization's. */
  readonly timeZone: string
  readonly doorsAt: Date | null
  readonly days: readonly EventDay[]
  readonly overlayRevision: number
  /** Null: it never had a price list. */
  readonly prices: EventPrices | null
  readonly isSoldOut: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** In milliseconds: when the last day of the event begins. */
function lastStart({ startsAt, days }: Pick<Event, 'startsAt' | 'days'>): number | null {
  return lastStartOf({ startsAt: startsAt?.getTime() ?? null, days })
}

/** When its sales end; null: when it is completed. */
export function salesEndOf(event: Pick<Event, 'saleEnd' | 'startsAt' | 'days'>): Date | null {
  const end = salesEnd({ saleEnd: event.saleEnd?.getTime() ?? null, lastStart: lastStart(event) })
  return end === null ? null : new Date(end)
}

/** Lists of events show these of a price list (prices.ts). */
interface EventPrices {
  readonly revision: number
  readonly currency: string
  readonly priceFrom: number | null
  /** Tells what has to be paid for the cheapest place, as the first type of its category. */
  readonly allInFrom: number | null
}

interface EventRow {
  id: EventId
  name: string
  description: string | null
  image: StoredImage | null
  status: EventStatus
  venue_id: VenueId
  venue_name: string
  time_zone: string
  layout_id: LayoutId
  layout_version: number
  layout_made_at: Date
  sale_start: Date | null
  sale_end: Date | null
  starts_at: Date | null
  doors_at: Date | null
  days: EventDay[]
  overlay: Overlay
  overlay_revision: number
  seating_overrides: SeatingOverrides
  prices_revision: number | null
  currency: string | null
  price_from: number | null
  usual_amounts: number[] | null
  fees: PriceList['fees'] | null
  tax: PriceList['tax']
  was_on_sale: boolean
  is_sold_out: boolean
  created_at: Date
  updated_at: Date
}

/**
 * True if tickets of an event `e` are sold, and no place is free or held. Zones that are closed do not count:
 * their places are not on sale.
 */
export const IS_SOLD_OUT = `(select coalesce(sum(z.sold) > 0 and bool_and(z.sold + z.blocked = z.capacity
      or e.overlay -> 'disabled_zones' ? z.zone_id::text), false)
    from zone_counts z where z.organization_id = e.organization_id and z.event_id = e.id)`

/**
 * Selects what the lowest price to pay of a list `p` follows from (core/prices/all-in.ts): few numbers of a
 * list that may be long.
 */
export const ALL_IN_OF_LIST = `jsonb_path_query_array(p.list, '$.categories[*].ticket_types[0].amount') as usual_amounts,
    p.list -> 'fees' as fees, p.list -> 'tax' as tax`

const SELECT = `select e.id, e.name, e.description, ${IMAGE} as image, e.status, e.venue_id, v.name as venue_name,
    coalesce(v.time_zone, o.time_zone) as time_zone, e.layout_id, e.layout_version, (
      select lv.created_at from layout_versions lv where lv.organization_id = e.organization_id
        and lv.layout_id = e.layout_id and lv.version = e.layout_version
    ) as layout_made_at,
    e.sale_start, e.sale_end, e.starts_at, e.doors_at, e.days, e.overlay, e.overlay_revision, e.seating_overrides,
    p.revision as prices_revision, p.currency, p.price_from::float8 as price_from,
    ${ALL_IN_OF_LIST},
    e.created_at, e.updated_at, exists (
      select from event_ledgers l where l.organization_id = e.organization_id and l.event_id = e.id
    ) as was_on_sale, ${IS_SOLD_OUT} as is_sold_out
  from events e join venues v on v.organization_id = e.organization_id and v.id = e.venue_id
    join organizations o on o.id = e.organization_id
    left join event_prices p on p.organization_id = e.organization_id and p.event_id = e.id
    left join images i on i.organization_id = e.organization_id and i.event_id = e.id
  where e.organization_id = $1`

export type NewEvent = Omit<
  Event,
  | 'status'
  | 'image'
  | 'venueName'
  | 'timeZone'
  | 'layoutMadeAt'
  | 'overlayRevision'
  | 'prices'
  | 'wasOnSale'
  | 'isSoldOut'
  | 'createdAt'
  | 'updatedAt'
>

export async function insertEvent(tx: TenantTx, event: NewEvent): Promise<void> {
  await tx.query(
    `insert into events (organization_id, id, name, venue_id, layout_id, layout_version, sale_start, sale_end,
       starts_at, days, overlay, seating_overrides, description, doors_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      event.id,
      event.name,
      event.venueId,
      event.layoutId,
      event.layoutVersion,
      event.saleStart,
      event.saleEnd,
      event.startsAt,
      JSON.stringify(event.days),
      JSON.stringify(event.overlay),
      JSON.stringify(event.seatingOverrides),
      event.description,
      event.doorsAt,
    ],
  )
}

export async function findEvent(tx: TenantTx, id: string): Promise<Event | null> {
  const row = await tx.one<EventRow>(`${SELECT} and e.id = $2`, [id])
  return row ? toEvent(row) : null
}

export async function findEvents(tx: TenantTx, ids: readonly string[]): Promise<Map<string, Event>> {
  const rows = await tx.query<EventRow>(`${SELECT} and e.id = any ($2::uuid[])`, [ids])
  return new Map(rows.map(row => [row.id, toEvent(row)]))
}

/** Held until the end of the transaction: changes of one event happen one after another. */
export async function lockEvent(tx: TenantTx, id: string): Promise<Event | null> {
  const row = await tx.one<EventRow>(`${SELECT} and e.id = $2 for update of e`, [id])
  return row ? toEvent(row) : null
}

/**
 * In the order of creation (ids of version 7 sort by time). `statuses: null` means all; otherwise only events
 * that were published once, so a draft that was cancelled is not listed.
 */
export async function listEvents(
  tx: TenantTx,
  filter: { statuses: readonly EventStatus[] | null; after?: string; limit: number },
): Promise<Event[]> {
  const rows = await tx.query<EventRow>(
    `${SELECT} and ($2::event_status[] is null or (e.status = any ($2) and exists (
         select from event_ledgers l where l.organization_id = e.organization_id and l.event_id = e.id)))
       and ($3::uuid is null or e.id > $3)
     order by e.id limit $4`,
    [filter.statuses, filter.after ?? null, filter.limit],
  )
  return rows.map(toEvent)
}

/** Writes everything that may change. */
export async function updateEvent(tx: TenantTx, event: Event): Promise<Event> {
  await tx.query(
    `update events set name = $3, status = $4, venue_id = $5, layout_id = $6, layout_version = $7, sale_start = $8,
       sale_end = $9, starts_at = $10, days = $11, overlay = $12, seating_overrides = $13,
       overlay_revision = $14, description = $15, doors_at = $16, revision = revision + 1, updated_at = now()
     where organization_id = $1 and id = $2`,
    [
      event.id,
      event.name,
      event.status,
      event.venueId,
      event.layoutId,
      event.layoutVersion,
      event.saleStart,
      event.saleEnd,
      event.startsAt,
      JSON.stringify(event.days),
      JSON.stringify(event.overlay),
      JSON.stringify(event.seatingOverrides),
      event.overlayRevision,
      event.description,
      event.doorsAt,
    ],
  )
  return (await findEvent(tx, event.id))!
}

/** An event that still needs this layout version, if there is one. */
export async function openEventOnLayout(
  tx: TenantTx,
  layoutId: string,
  version: number,
): Promise<{ name: string; status: EventStatus } | null> {
  const row = await tx.one<{ name: string; status: EventStatus }>(
    `select name, status from events where organization_id = $1 and layout_id = $2 and layout_version = $3
       and status in ('draft', 'published', 'live') order by id limit 1`,
    [layoutId, version],
  )
  return row ?? null
}

function toEvent(row: EventRow): Event {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    image: row.image,
    status: row.status,
    venueId: row.venue_id,
    venueName: row.venue_name,
    timeZone: row.time_zone,
    layoutId: row.layout_id,
    layoutVersion: row.layout_version,
    layoutMadeAt: row.layout_made_at,
    saleStart: row.sale_start,
    saleEnd: row.sale_end,
    startsAt: row.starts_at,
    doorsAt: row.doors_at,
    days: row.days,
    overlay: row.overlay,
    overlayRevision: row.overlay_revision,
    seatingOverrides: row.seating_overrides,
    prices:
      row.prices_revision === null
        ? null
        : {
            revision: row.prices_revision,
            currency: row.currency!,
            priceFrom: row.price_from,
            allInFrom: allInFrom({ fees: row.fees!, tax: row.tax }, row.usual_amounts!),
          },
    wasOnSale: row.was_on_sale,
    isSoldOut: row.is_sold_out,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
