import { bestAvailable } from '@voelgoed/core/allocation/best-available'
import { FreeSeats } from '@voelgoed/core/allocation/free-seats'
import { compileHall, type Hall, type HallPlan, OFFER } from '@voelgoed/core/allocation/hall'

/** Groups of every size in a hall that looks well sold: every so many seats one is taken. */
export interface LargeGroups {
  readonly seats: number
  readonly searches: number
  readonly found: number
  /** The longest search, and what it looked for. */
  readonly worstMs: number
  readonly worst: { readonly quantity: number; readonly every: number }
}

const EVERY = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
/** Other programs stop us now and then: of so many tries the quickest counts. */
const TRIES = 3

export function largeGroups(seats: number, quantities: readonly number[]): LargeGroups {
  const hall = hallOf(seats)
  const figures = { seats, searches: 0, found: 0, worstMs: 0, worst: { quantity: 0, every: 0 } }
  for (const every of EVERY) {
    const free = new FreeSeats(hall, ordinal => ordinal % every !== 0)
    free.update()
    for (const quantity of quantities) {
      let quickest = Number.POSITIVE_INFINITY
      let isFound = false
      for (let left = TRIES; left > 0; left -= 1) {
        const wish = { quantity, zones: [true], prices: null, together: false, maxSplit: 2 }
        const began = performance.now()
        isFound = bestAvailable(free, { ...wish, offer: OFFER.general }) !== null
        quickest = Math.min(quickest, performance.now() - began)
      }
      figures.searches += 1
      if (isFound) figures.found += 1
      if (quickest <= figures.worstMs) continue
      figures.worstMs = quickest
      figures.worst = { quantity, every }
    }
  }
  return figures
}

/** Three blocks, wider in larger halls. */
function hallOf(count: number): Hall {
  const width = count <= 1_200 ? 40 : count <= 3_600 ? 60 : count <= 10_000 ? 100 : 200
  const seats = Array.from({ length: count }, (_, ordinal): HallPlan['seats'][number] => {
    const [row, place] = [Math.floor(ordinal / width), ordinal % width]
    return {
      ...{ zoneIndex: 0, row: `${row}`, number: place + 1, y: row, aisleAfter: null },
      x: place + 2 * Math.floor((3 * place) / width),
      ...{ category: 'standard', priceCategory: null, companionOrdinal: null },
    }
  })
  return compileHall({
    zones: [{ metadata: {} }],
    seats,
    groups: [],
    priceCategories: [],
    focalPoint: null,
  })
}
