import type { Explanation } from '@voelgoed/core/allocation/explain'
import { allIn } from '@voelgoed/core/prices/all-in'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel } from '../../../map/index.ts'
import { categoryOfSeat } from '../hall/prices.ts'
import { type StageView, viewFrom } from '../hall/section-view.ts'
import type { FindWish } from './find-wish.ts'
import { type OfferLimits, offerSeats } from './offer-seats.ts'

/** Says why seats are offered, as far as the page knows: how the stage is seen, and what costs less. */
export interface Reason {
  /** Null: the layout says nothing of a stage. */
  readonly view: Pick<StageView, 'metres' | 'side'> | null
  readonly cheaper: Cheaper | null
}

/** The best seats among those that cost less. */
export interface Cheaper {
  readonly choice: Explanation
  /** So much less for all of them. */
  readonly less: number
  /** Rows behind the offer, less than 0: in front of it; null: in another section. */
  readonly rowsBack: number | null
  readonly zone: string
}

export function reasonOf(
  offer: Explanation,
  model: MapModel,
  prices: PriceList | null,
  search: {
    readonly isFree: (ordinal: number) => boolean
    readonly wish: FindWish
    readonly zones: OfferLimits['zones']
  },
): Reason {
  const seen = viewFrom(model, middleOf(seatsOf(offer)))
  const view = seen && { metres: seen.metres, side: seen.side }
  return { view, cheaper: prices && cheaperThan(offer, model, prices, search) }
}

function cheaperThan(
  offer: Explanation,
  model: MapModel,
  prices: PriceList,
  { isFree, wish, zones }: Parameters<typeof reasonOf>[3],
): Cheaper | null {
  const amountOf = (ordinal: number) => categoryOfSeat(prices, model, ordinal)?.ticket_types[0]?.amount
  const amounts = seatsOf(offer).map(amountOf)
  if (amounts.some(amount => amount === undefined)) return null
  const least = Math.min(...(amounts as number[]))
  const isAffordable = (ordinal: number) => (amountOf(ordinal) ?? least) < least
  const choice = offerSeats(model, isFree, wish, { zones, isAffordable })
  if (!choice) return null
  const [from, to] = [offer.clusters[0]!, choice.clusters[0]!]
  const isSameZone = from.zoneIndex === to.zoneIndex
  const paid = (all: readonly (number | undefined)[]) => allIn(prices, all as number[]).total
  return {
    choice,
    less: paid(amounts) - paid(seatsOf(choice).map(amountOf)),
    rowsBack: isSameZone ? rowOf(model, to) - rowOf(model, from) : null,
    zone: model.zones[to.zoneIndex]!.name,
  }
}

/** From the first row of its section. */
function rowOf({ zones }: MapModel, { zoneIndex, seats }: Explanation['clusters'][number]): number {
  return zones[zoneIndex]!.rows.findIndex(
    ({ firstOrdinal, seatCount }) => seats[0]! >= firstOrdinal && seats[0]! < firstOrdinal + seatCount,
  )
}

function seatsOf({ clusters }: Explanation): number[] {
  return clusters.flatMap(({ seats }) => seats)
}

function middleOf(seats: readonly number[]): number {
  return seats[Math.floor(seats.length / 2)]!
}
