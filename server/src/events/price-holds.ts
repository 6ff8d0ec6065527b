import type { HoldAnswer } from '@voelgoed/core/event/decision'
import type { CartItem } from '@voelgoed/core/prices/price-cart'
import { categoryOf, type PlaceToPrice, type PriceList } from '@voelgoed/core/prices/price-list'
import type { EventHall } from '../lane/hot-event.ts'

/** Holds as items of a cart, each with the category that its places are sold in. */
export function itemsOfHolds(
  list: PriceList,
  hall: EventHall,
  holds: readonly Pick<HoldAnswer, 'holdId' | 'ordinal' | 'zoneIndex' | 'quantity'>[],
): CartItem[] {
  return holds.map(({ holdId, ordinal, zoneIndex, quantity }) => ({
    holdId,
    quantity,
    category: categoryOf(list, placeOf(hall, ordinal, zoneIndex)),
  }))
}

/** The zone, and the seat. */
export function labelOfPlace({ zones, seats }: EventHall, ordinal: number | null, zoneIndex: number): string {
  const { name } = zones[zoneIndex]!
  return ordinal === null ? name : `${name} ${seats.rows.at(ordinal)} ${seats.numbers.at(ordinal)}`
}

/** Seats that have the same are sold at the same price. */
export function priceKeyOf({ zones, seats }: EventHall, ordinal: number): string {
  const own = ownCategory(seats, ordinal)
  return own === null ? `zone ${zones[seats.map.zoneOf[ordinal]!]!.zoneId}` : `category ${own}`
}

/** Where a ticket or a hold is. */
export function placeOf(
  { zones, seats }: EventHall,
  ordinal: number | null,
  zoneIndex: number,
): PlaceToPrice {
  const { zoneId, pricingRuleId } = zones[zoneIndex]!
  return { ownCategory: ordinal === null ? null : ownCategory(seats, ordinal), zoneId, pricingRuleId }
}

function ownCategory({ map, prices }: EventHall['seats'], ordinal: number): string | null {
  const { price, rows } = map.hall
  return prices[price[rows.positions[ordinal]!]!] ?? null
}
