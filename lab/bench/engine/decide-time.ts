import { bestAvailable } from '@voelgoed/core/allocation/best-available'
import { FreeSeats } from '@voelgoed/core/allocation/free-seats'
import { type Hall, OFFER } from '@voelgoed/core/allocation/hall'
import { Random } from '../../random.ts'
import { type Percentiles, percentiles } from '../load/percentiles.ts'

export interface DecideFigures {
  /** So many of a hundred seats were sold. */
  readonly sold: number
  readonly quantity: number
  readonly time: Percentiles
  /** The server met so many wishes together, split so many, and could not meet the others. */
  readonly outcomes: { readonly together: number; readonly split: number; readonly nothing: number }
}

/** Wishes of each size before the first that is timed: a server that sells has compiled this code. */
const WARM_UP = 50

/** Seats sold here and there, which is worse than any real sale: chains are short, and splits many. */
export function decideTimes(
  hall: Hall,
  {
    sold,
    quantities,
    wishes,
    seed,
  }: { sold: number; quantities: readonly number[]; wishes: number; seed: number },
): DecideFigures[] {
  const random = new Random(seed, sold)
  const taken = Uint8Array.from({ length: hall.rows.seats }, () => (random.next() * 100 < sold ? 1 : 0))
  const seats = new FreeSeats(hall, ordinal => taken[ordinal] === 0)
  const zones = Array.from(new Set(hall.rows.zoneOfRow), () => true)
  seats.update()
  /** Any seat that is taken, or that is not; any seat at all where there is none. */
  const any = (isTaken: 0 | 1): number => {
    const first = random.below(taken.length)
    for (let step = 0; step < taken.length; step += 1) {
      const ordinal = (first + step) % taken.length
      if (taken[ordinal] === isTaken) return ordinal
    }
    return first
  }
  const wish = (quantity: number) => {
    // Between two wishes a seat is taken and another one given back, so that as many are sold as before.
    const changed = [any(0), any(1)]
    const began = performance.now()
    for (const ordinal of changed) {
      taken[ordinal]! ^= 1
      seats.touch(ordinal)
    }
    seats.update()
    const rest = { prices: null, together: false, maxSplit: 2, offer: OFFER.general }
    const offer = bestAvailable(seats, { quantity, zones, ...rest })
    return { offer, ms: performance.now() - began }
  }
  // The largest groups are split first.
  for (const quantity of quantities.toReversed()) for (let left = WARM_UP; left > 0; left -= 1) wish(quantity)
  return quantities.map(quantity => {
    const outcomes = { together: 0, split: 0, nothing: 0 }
    const times: number[] = []
    for (let count = 0; count < wishes; count += 1) {
      const { offer, ms } = wish(quantity)
      times.push(ms)
      if (offer === null) outcomes.nothing += 1
      else if (offer.isTogether) outcomes.together += 1
      else outcomes.split += 1
    }
    return { sold, quantity, time: percentiles(times), outcomes }
  })
}
