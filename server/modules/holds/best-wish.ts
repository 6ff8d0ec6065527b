import type { createHolds } from '@voelgoed/contract/holds'
import type { HoldBest } from '@voelgoed/core/event/command'
import { hasSeats } from '@voelgoed/core/layout/model'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { wantedPrices } from '@voelgoed/core/prices/wanted-prices'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import type { Call } from '@voelgoed/kit/http/call'

export type BestBody = Extract<Call<typeof createHolds>['body'], { best_available: object }>

type BestWish = Pick<
  HoldBest,
  'quantity' | 'wheelchair' | 'companions' | 'zoneIndexes' | 'prices' | 'together'
>

/** The prices of the event have to be known for it. */
export function asksForPrices({ best_available: { price_category, max_amount } }: BestBody): boolean {
  return price_category !== undefined || max_amount !== undefined
}

/**
 * Puts the wish of a buyer who lets the server choose in the terms of the hall. `list`: if it asks for
 * prices.
 */
export function bestWish(
  { best_available: wish }: BestBody,
  hall: EventHall,
  list: PriceList | null,
): Result<BestWish, Refusal> {
  const { quantity, accessible, together, price_category: category, max_amount: mostAmount } = wish
  const wheelchair = accessible?.wheelchair ?? 0
  const companions = accessible?.companions ?? 0
  if (wheelchair + companions > quantity) {
    const least = wheelchair + companions
    return fault('quantity', `must be at least ${least}: the wheelchair places and companions are among them`)
  }
  const zoneIndex = hall.zones.findIndex(({ zoneId }) => zoneId === wish.zone_id?.toLowerCase())
  const zone = hall.zones[zoneIndex]
  if (wish.zone_id !== undefined && !(zone && hasSeats(zone.zoneType))) {
    return refuse({ kind: 'zone_not_found' })
  }
  const categories = hall.seats.prices
  const known = [...new Set([...(list?.categories ?? []).map(({ key }) => key), ...categories])]
  if (category !== undefined && !known.includes(category)) {
    const names = known.join(', ') || 'it has none'
    return fault('price_category', `must be a price category of the event: ${names}`)
  }
  if (mostAmount !== undefined && !list) {
    return fault('max_amount', 'is not known here: the event has no prices, so leave it out')
  }
  const prices = wantedPrices(
    list,
    { zones: hall.zones, categories },
    { ...(category !== undefined && { category }), ...(mostAmount !== undefined && { mostAmount }) },
  )
  return ok({
    quantity,
    wheelchair,
    companions,
    zoneIndexes: zone ? [zoneIndex] : null,
    prices,
    together: together === undefined ? null : together === 'required',
  })
}

function fault(member: string, message: string): Result<never, Refusal> {
  return refuse({ kind: 'invalid_request', errors: [{ path: `/best_available/${member}`, message }] })
}
