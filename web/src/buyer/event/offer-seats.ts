import { bestAvailable } from '@voelgoed/core/allocation/best-available'
import { type Explanation, explain } from '@voelgoed/core/allocation/explain'
import { findAccessible } from '@voelgoed/core/allocation/find-accessible'
import { FreeSeats } from '@voelgoed/core/allocation/free-seats'
import { OFFER } from '@voelgoed/core/allocation/hall'
import { hallOf, type MapModel } from '../../map/index.ts'
import type { FindWish } from './find-wish.ts'

export interface OfferLimits {
  /** By zone of the map: whether this buyer may sit there. */
  readonly zones: readonly boolean[]
  /** By price category of the layout; null: any. */
  readonly prices: readonly boolean[] | null
}

/**
 * The seats that the server would choose for the wish, as far as the page knows what is free: the same code
 * over the same hall. Nothing is held by it. Null: there are none.
 */
export function offerSeats(
  model: MapModel,
  isFree: (ordinal: number) => boolean,
  { quantity, isTogether, wheelchair, companions, zoneId }: FindWish,
  { zones, prices }: OfferLimits,
): Explanation | null {
  const hall = hallOf(model)
  const seats = new FreeSeats(hall, ordinal => model.has(ordinal) && isFree(ordinal))
  seats.update()
  const wish = {
    quantity,
    zones: model.zones.map((zone, index) => zones[index]! && (zoneId === null || zone.zoneId === zoneId)),
    prices,
    together: isTogether,
    maxSplit: null,
    offer: OFFER.general,
  }
  const found =
    wheelchair > 0
      ? findAccessible(seats, { ...wish, wheelchair, companions }, isFree)
      : (bestAvailable(seats, wish) ?? bestAvailable(seats, { ...wish, offer: wish.offer | OFFER.companion }))
  return found && explain(hall, found)
}
