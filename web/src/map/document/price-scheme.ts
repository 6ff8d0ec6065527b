import { allInFrom } from '@voelgoed/core/prices/all-in'
import { categoryOf, type PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel } from './model.ts'

/** The map must know this of prices: which places share one, and its colour. */
export interface PriceScheme {
  /** The colour of each category: `#7b3fa0`, or null for one of the map's own. */
  readonly colors: readonly (string | null)[]
  /**
   * The category of places of a zone that have this price category in the layout; −1: of a place without
   * one. Returns an index into `colors`, or −1: no price.
   */
  categoryOf(zoneIndex: number, priceIndex: number): number
}

/** Without a price list: the layout's own categories. */
export function layoutScheme({ priceCategories }: MapModel): PriceScheme {
  return { colors: priceCategories.map(({ color }) => color), categoryOf: (_, priceIndex) => priceIndex }
}

/** By zone and price category of the layout, so that no seat asks twice. */
export function compileScheme({ zones, priceCategories }: MapModel, scheme: PriceScheme): Int16Array {
  const width = priceCategories.length + 1
  return Int16Array.from({ length: zones.length * width }, (_, at) =>
    scheme.categoryOf(Math.floor(at / width), (at % width) - 1),
  )
}

/** Tells the map an event's prices: the category of each place, and its colour. */
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

/** Finds what the cheapest place of a zone costs to pay, as the storefront does; null: none has a price. */
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
    return category ? [category.ticket_types[0]!.amount] : []
  })
  return allInFrom(list, amounts)
}
