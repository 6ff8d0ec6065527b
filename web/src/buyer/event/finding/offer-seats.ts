import { bestWithCompanions } from '@voelgoed/core/allocation/best-available'
import { type Explanation, explain } from '@voelgoed/core/allocation/explain'
import { findAccessible } from '@voelgoed/core/allocation/find-accessible'
import { FreeSeats } from '@voelgoed/core/allocation/free-seats'
import { type Hall, OFFER } from '@voelgoed/core/allocation/hall'
import { hallOf, type MapModel } from '../../../map/index.ts'
import type { FindWish } from './find-wish.ts'

export interface OfferLimits {
  /** By zone of the map: whether this buyer may sit there. */
  readonly zones: readonly boolean[]
  /** True for a seat that costs no more than the buyer wants to pay; null: any may be offered. */
  readonly isAffordable: ((ordinal: number) => boolean) | null
}

/** `priced` splits the hall's price categories in two: those that the buyer wants to pay, and the others. */
const AFFORDABLE = 0
const TOO_DEAR = 1
/** By `priceIndex`: `priced` leaves no seat without a category. */
const WANTED = [false, true, false]

/**
 * The seats that the server would choose for the wish, as far as the page knows what is free: the same code
 * over the same hall. Nothing is held by it. Null: there are none.
 */
export function offerSeats(
  model: MapModel,
  isFree: (ordinal: number) => boolean,
  { quantity, isTogether, wheelchair, companions, zoneId }: FindWish,
  { zones, isAffordable }: OfferLimits,
): Explanation | null {
  const hall = isAffordable ? priced(hallOf(model), isAffordable) : hallOf(model)
  const seats = new FreeSeats(hall, ordinal => model.has(ordinal) && isFree(ordinal))
  seats.update()
  const wish = {
    quantity,
    zones: model.zones.map((zone, index) => zones[index]! && (zoneId === null || zone.zoneId === zoneId)),
    prices: isAffordable && model.zones.map(() => WANTED),
    together: isTogether,
    maxSplit: null,
    offer: OFFER.general,
  }
  const found =
    wheelchair > 0
      ? findAccessible(seats, { ...wish, wheelchair, companions }, isFree)
      : bestWithCompanions(seats, wish)
  return found && explain(hall, found)
}

/**
 * The same hall by what its seats cost. A seat's price may be that of its zone, which the layout's price
 * categories do not tell. Seats that are too dear stay free: no seat beside them is alone.
 */
function priced(hall: Hall, isAffordable: (ordinal: number) => boolean): Hall {
  const priceOf = (ordinal: number) => (isAffordable(ordinal) ? AFFORDABLE : TOO_DEAR)
  return { ...hall, price: Uint16Array.from(hall.rows.ordinals, priceOf) }
}
