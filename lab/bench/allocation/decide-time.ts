import { bestAvailable } from '@voelgoed/core/allocation/best-available'
import { FreeSeats } from '@voelgoed/core/allocation/free-seats'
import { type Hall, OFFER } from '@voelgoed/core/allocation/hall'
import { Random } from '../../random.ts'
import { type Percentiles, percentiles } from '../load/percentiles.ts'

export interface DecideFigures {
  /** Of a hundred seats. */
  readonly sold: number
  readonly quantity: number
  readonly time: Percentiles
  /** How many of the wishes were met together, split, and not at all. */
  readonly outcomes: { readonly together: number; readonly split: number; readonly nothing: number }
}

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
  return quantities.map(quantity => {
    const outcomes = { together: 0, split: 0, nothing: 0 }
    const ms: number[] = []
    const wish = { quantity, zones, prices: null, together: false, maxSplit: 2, offer: OFFER.general }
    for (let count = 0; count < wishes; count += 1) {
      // Between two wishes a seat is taken and another one given back.
      const began = performance.now()
      for (const isTaken of [0, 1]) {
        const ordinal = random.below(hall.rows.seats)
        if (taken[ordinal] !== isTaken) continue
        taken[ordinal] = 1 - isTaken
        seats.touch(ordinal)
      }
      seats.update()
      const offer = bestAvailable(seats, wish)
      ms.push(performance.now() - began)
      if (offer === null) outcomes.nothing += 1
      else if (offer.isTogether) outcomes.together += 1
      else outcomes.split += 1
    }
    return { sold, quantity, time: percentiles(ms), outcomes }
  })
}
