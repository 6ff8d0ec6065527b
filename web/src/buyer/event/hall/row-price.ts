import type { Words } from '../../../kit/words/en.ts'
import { colorOfCategory, type MapModel, type MapTheme, strengthOf } from '../../../map/index.ts'
import type { Seating } from '../seating.svelte.ts'
import { categoryOfSeat, categoryOfZone, toPay } from './prices.ts'

/** The colour of a seat's price, as on the map; null: it has no price. */
export function seatColor(
  { prices }: Seating,
  model: MapModel,
  ordinal: number,
  theme: MapTheme,
): string | null {
  const category = prices && categoryOfSeat(prices, model, ordinal)
  return category ? colorOfCategory(category.colour, prices.categories.indexOf(category), theme) : null
}

/** Says how much of it is left, from 0 to 1, as on the map. */
export interface PriceSign {
  /** Its cheapest price. */
  readonly price: string
  readonly category: string
  /** There are dearer places as well. */
  readonly isFrom: boolean
  readonly color: string
  /** From 0 to 1: how much of it is left, as on the map. */
  readonly strength: number
}

/** Null: none of its places has a price. `left`: of these places. */
export function priceSign(
  { prices }: Seating,
  model: MapModel,
  places: readonly number[] | { readonly zoneId: string },
  { left, all }: { readonly left: number; readonly all: number },
  { words, theme }: { readonly words: Words; readonly theme: MapTheme },
): PriceSign | null {
  if (!prices) return null
  const found =
    'zoneId' in places
      ? [categoryOfZone(prices, model, places.zoneId)]
      : places.map(ordinal => categoryOfSeat(prices, model, ordinal))
  const categories = [...new Set(found)].filter(category => category !== null)
  const amountOf = (category: (typeof categories)[number]) => category.ticket_types[0]!.amount
  const [cheapest] = categories.sort((a, b) => amountOf(a) - amountOf(b))
  if (!cheapest) return null
  return {
    price: toPay(prices, [amountOf(cheapest)], words).total,
    category: cheapest.name,
    isFrom: categories.length > 1,
    color: colorOfCategory(cheapest.colour, prices.categories.indexOf(cheapest), theme),
    strength: strengthOf(left, all),
  }
}
