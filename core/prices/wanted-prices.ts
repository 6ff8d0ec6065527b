import type { WantedPrices } from '../allocation/wish.ts'
import { categoryKeyOf, type PlaceToPrice, type PriceList } from './price-list.ts'

/** Describes what a buyer wants to pay: a category, at most so much for each seat, or both. */
export interface PriceWish {
  readonly category?: string
  /**
   * The price of the category's first type of ticket, in minor units. Seats without a price are none of
   * these.
   */
  readonly mostAmount?: number
}

export interface HallToPrice {
  readonly zones: readonly Pick<PlaceToPrice, 'zoneId' | 'pricingRuleId'>[]
  /** The keys of the layout's own price categories, in their order. */
  readonly categories: readonly string[]
}

/** Returns the seats of a hall that this means, as best available is asked for them. Null: every seat. */
export function wantedPrices(
  list: PriceList | null,
  { zones, categories }: HallToPrice,
  { category, mostAmount }: PriceWish,
): WantedPrices | null {
  if (category === undefined && mostAmount === undefined) return null
  const amounts = new Map(list?.categories.map(({ key, ticket_types }) => [key, ticket_types[0]!.amount]))
  const isWanted = (key: string | null) => {
    if (key === null) return false
    if (category !== undefined && key !== category) return false
    return mostAmount === undefined || (amounts.get(key) ?? Number.POSITIVE_INFINITY) <= mostAmount
  }
  // A seat's own category is the same in every zone.
  const own = categories.map(isWanted)
  return zones.map(zone => [isWanted(categoryKeyOf(list, { ...zone, ownCategory: null })), ...own])
}
