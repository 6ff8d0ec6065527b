import { type PricedCart, priceCart } from '@voelgoed/core/prices/price-cart'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel } from '../map/index.ts'
import { ordinalOf } from './hold-words.ts'
import type { MyHold } from './holdings.svelte.ts'
import { categoryOfSeat, categoryOfZone } from './prices.ts'

/** What the server says of the same cart, as long as its prices are these. Null: something has no price. */
export function priceHolds(list: PriceList, model: MapModel, holds: readonly MyHold[]): PricedCart | null {
  const items = holds.map(hold => {
    const ordinal = ordinalOf(model, hold)
    return {
      holdId: hold.hold_id,
      quantity: 'quantity' in hold ? hold.quantity : 1,
      category:
        ordinal === undefined
          ? categoryOfZone(list, model, hold.zone_id)
          : categoryOfSeat(list, model, ordinal),
    }
  })
  const priced = priceCart(list, items)
  return priced.ok ? priced.value : null
}
