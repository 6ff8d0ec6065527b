import type { HoldAnswer } from '@voelgoed/core/event/decision'
import { type CartItem, priceCart } from '@voelgoed/core/prices/price-cart'
import { categoryOf, type PlaceToPrice, type PriceList } from '@voelgoed/core/prices/price-list'
import type { EventHall } from '@voelgoed/engine/view/hot-event'

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

/**
 * Prices a place at the counter, as the first ticket type of its category or as another: with a tax that
 * comes on top, and without the fees of buying online. Null: it has no price.
 */
export function counterPrice(
  list: PriceList,
  hall: EventHall,
  place: Pick<HoldAnswer, 'ordinal' | 'zoneIndex'>,
  ticketType: string | null = null,
): {
  readonly amount: number
  /** The amount includes this tax. */
  readonly tax: number
  readonly ticketType: string
} | null {
  const [item] = itemsOfHolds(list, hall, [{ ...place, holdId: '' as HoldAnswer['holdId'], quantity: 1 }])
  const priced = priceCart({ ...list, fees: [] }, [{ ...item!, ...(ticketType !== null && { ticketType }) }])
  if (!priced.ok) return null
  const { total: amount, tax, lines } = priced.value
  return { amount, tax: tax?.amount ?? 0, ticketType: lines[0]!.ticketType.key }
}

/** The key of the category that a place is sold in; null: it has none, or there is no list. */
export function categoryKeyOf(
  list: PriceList | null,
  hall: EventHall,
  { ordinal, zoneIndex }: Pick<HoldAnswer, 'ordinal' | 'zoneIndex'>,
): string | null {
  return (list && categoryOf(list, placeOf(hall, ordinal, zoneIndex))?.key) ?? null
}

/** The zone, and the seat. */
export function labelOfPlace({ zones, seats }: EventHall, ordinal: number | null, zoneIndex: number): string {
  const { name } = zones[zoneIndex]!
  return ordinal === null ? name : `${name} ${seats.rows.at(ordinal)} ${seats.numbers.at(ordinal)}`
}

/** Seats that have the same are sold at the same price. */
export function priceKeyOf(hall: EventHall, ordinal: number): string {
  return keyOfPlace(placeOf(hall, ordinal, hall.seats.map.zoneOf[ordinal]!))
}

/** Tells if two places cost the same, by the list if there is one: other zones may have one category. */
export function costTheSame(list: PriceList | null, place: PlaceToPrice, other: PlaceToPrice): boolean {
  const [one, two] = [place, other].map(each => {
    const category = list && categoryOf(list, each)
    return category ? `category ${category.key}` : keyOfPlace(each)
  })
  return one === two
}

function keyOfPlace({ ownCategory: own, zoneId }: PlaceToPrice): string {
  return own === null ? `zone ${zoneId}` : `category ${own}`
}

/** Describes the place of a ticket or a hold to the price list. */
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
