import { type PricedCart, priceCart } from '@voelgoed/core/prices/price-cart'
import type { Category, PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel } from '../../../map/index.ts'
import { categoryOfSeat, categoryOfZone } from '../hall/prices.ts'
import type { Choice } from './choices.ts'
import { ordinalOf } from './hold-words.ts'
import type { MyHold } from './holdings.svelte.ts'

/** Prices the cart as the server does, as long as its prices are these. Null: something has no price. */
export function priceChoices(list: PriceList | null, choices: readonly Choice[]): PricedCart | null {
  const items = choices.map(({ hold, category, quantity, ticketType }) => ({
    holdId: hold.hold_id,
    category,
    quantity,
    ...(ticketType !== undefined && { ticketType }),
  }))
  const priced = priceCart(list, items)
  return priced.ok ? priced.value : null
}

export function categoryOfHold(list: PriceList, model: MapModel, hold: MyHold): Category | null {
  const ordinal = ordinalOf(model, hold)
  return ordinal === undefined
    ? categoryOfZone(list, model, hold.zone_id)
    : categoryOfSeat(list, model, ordinal)
}
