import type { MapModel } from './model.ts'

/** What places cost, as far as the map must know: which of them share a price, and its colour. */
export interface PriceScheme {
  /** Of each category: `#7b3fa0`, or null for one of the map's own. */
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
