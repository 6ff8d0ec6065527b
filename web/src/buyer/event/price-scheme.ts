import { categoryOf, type PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel, PriceScheme } from '../../map/index.ts'

/** What the map must know of an event's prices: the category of each place, and its colour. */
export function schemeOf(list: PriceList, { zones, priceCategories }: MapModel): PriceScheme {
  return {
    colors: list.categories.map(({ colour }) => colour),
    categoryOf: (zoneIndex, priceIndex) => {
      const { zoneId, pricingRuleId } = zones[zoneIndex]!
      const ownCategory = priceCategories[priceIndex]?.key ?? null
      const category = categoryOf(list, { ownCategory, zoneId, pricingRuleId })
      return category ? list.categories.indexOf(category) : -1
    },
  }
}

/** The lowest price of a zone's places, for any type of ticket, as on the storefront; null: none has one. */
export function lowestIn(
  list: PriceList,
  scheme: PriceScheme,
  model: MapModel,
  zoneIndex: number,
): number | null {
  const { firstOrdinal, seatCount } = model.zones[zoneIndex]!
  const own = seatCount === 0 ? [-1] : new Set(model.priceOf.subarray(firstOrdinal, firstOrdinal + seatCount))
  const amounts = [...own].flatMap(priceIndex => {
    const category = list.categories[scheme.categoryOf(zoneIndex, priceIndex)]
    return category ? category.ticket_types.map(({ amount }) => amount) : []
  })
  return amounts.length === 0 ? null : Math.min(...amounts)
}
