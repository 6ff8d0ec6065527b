import type { Data } from '@voelgoed/client'
import { type Category, categoryOf, type PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel } from '../../../map/index.ts'

/** Null: the event has no prices. */
export function priceListOf({ currency, ...list }: Data<'GET /api/events/:event/prices'>): PriceList | null {
  return currency === null ? null : { ...list, currency, admission: {} }
}

export function categoryOfSeat(list: PriceList, model: MapModel, ordinal: number): Category | null {
  const { zoneId, pricingRuleId } = model.zones[model.zoneOf[ordinal]!]!
  const ownCategory = model.priceCategories[model.priceOf[ordinal]!]?.key ?? null
  return categoryOf(list, { ownCategory, zoneId, pricingRuleId })
}

/** True for a seat that costs at most so much, as the first type of ticket. One without a price does not. */
export function isAtMost(list: PriceList, model: MapModel, most: number): (ordinal: number) => boolean {
  return ordinal => {
    const category = model.has(ordinal) ? categoryOfSeat(list, model, ordinal) : null
    return category !== null && category.ticket_types[0]!.amount <= most
  }
}

export function categoryOfZone(list: PriceList, model: MapModel, id: string): Category | null {
  const zone = model.zones.find(({ zoneId }) => zoneId === id)
  return zone ? categoryOf(list, { ...zone, ownCategory: null }) : null
}
