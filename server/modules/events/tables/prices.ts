import type { EventId } from '@voelgoed/core/ids'
import { type PriceList, priceFrom } from '@voelgoed/core/prices/price-list'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** The price list of an event and its revision. */
export interface StoredPrices {
  readonly revision: number
  readonly list: PriceList
}

/** Null: the event never had one. */
export async function readPrices(tx: TenantTx, eventId: EventId): Promise<StoredPrices | null> {
  const row = await tx.one<StoredPrices>(
    'select revision, list from event_prices where organization_id = $1 and event_id = $2',
    [eventId],
  )
  return row ?? null
}

/** The revision of the event has to move with it: that is how nodes notice (events/price-lists.ts). */
export async function writePrices(tx: TenantTx, eventId: EventId, list: PriceList): Promise<StoredPrices> {
  const row = await tx.one<{ revision: number }>(
    `insert into event_prices as p (organization_id, event_id, list, currency, price_from)
     values ($1, $2, $3, $4, $5)
     on conflict (organization_id, event_id) do update set list = excluded.list, currency = excluded.currency,
       price_from = excluded.price_from, revision = p.revision + 1, updated_at = now()
     returning revision`,
    [eventId, JSON.stringify(list), list.currency, priceFrom(list)],
  )
  return { revision: row!.revision, list }
}

/** A price list as it was at one moment, and how far its event was then. */
export interface DatedPrices {
  readonly list: PriceList | null
  readonly epoch: number
  readonly eventRevision: number
}

/**
 * Reads the price lists of events that were ever on sale. Every change of a price list moves the revision of
 * its event, in the same transaction.
 */
export async function findPrices(
  tx: TenantTx,
  eventIds: readonly string[],
): Promise<Map<string, DatedPrices>> {
  const rows = await tx.query<DatedPrices & { event_id: EventId }>(
    `select e.id as event_id, p.list, l.epoch::float8 as epoch, e.revision as "eventRevision"
     from events e
     join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
     left join event_prices p on p.organization_id = e.organization_id and p.event_id = e.id
     where e.organization_id = $1 and e.id = any ($2::uuid[])`,
    [eventIds],
  )
  return new Map(rows.map(({ event_id, ...prices }) => [event_id, prices]))
}

/** Reads which price categories the seats of each zone have in the layout, and how many; null: none. */
export async function readSeatCategories(
  tx: TenantTx,
  layoutId: string,
  version: number,
): Promise<{ zoneId: string; category: string | null; seats: number }[]> {
  return tx.query(
    `select zone_id as "zoneId", price_category as category, count(*)::int as seats from seats
     where organization_id = $1 and layout_id = $2 and version = $3 group by zone_id, price_category`,
    [layoutId, version],
  )
}
