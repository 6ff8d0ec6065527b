import { describe, expect, it } from 'vitest'
import { bestAvailable, searchBudgets } from './best-available.ts'
import { findAccessible } from './find-accessible.ts'
import { drawnHall, wishFor } from './fixtures/drawn-hall.ts'
import { FreeSeats } from './free-seats.ts'
import { compileHall, type Hall, type HallPlan } from './hall.ts'
import { partitions } from './partitions.ts'
import { Budget, type Found, type Wish } from './wish.ts'

/** A search looks at its budget after each step; the last step may be as large as this. */
const LAST_STEP = 20_000

/** Rows of as many seats as a hall of this size has, in three blocks. */
function hallOf(count: number, category: (ordinal: number) => 'standard' | 'wheelchair' = () => 'standard') {
  const width = count <= 1_200 ? 40 : count <= 3_600 ? 60 : count <= 10_000 ? 100 : 200
  const seats = Array.from({ length: count }, (_, ordinal): HallPlan['seats'][number] => {
    const [row, place] = [Math.floor(ordinal / width), ordinal % width]
    return {
      zoneIndex: 0,
      row: `${row}`,
      number: place + 1,
      x: place + 2 * Math.floor((3 * place) / width),
      y: row,
      aisleAfter: null,
      category: category(ordinal),
      priceCategory: null,
      companionOrdinal: null,
    }
  })
  const zones = [{ metadata: {} }]
  return compileHall({ zones, seats, groups: [], priceCategories: [], focalPoint: null })
}

/** Every so many seats one is taken. */
function withHoles(hall: Hall, every: number): FreeSeats {
  const seats = new FreeSeats(hall, ordinal => ordinal % every !== 0)
  seats.update()
  return seats
}

/** A search that has to end: how many steps it went beyond its budgets. */
function search(seats: FreeSeats, wish: Wish): { found: Found | null; beyond: number } {
  const budgets = searchBudgets()
  const found = bestAvailable(seats, wish, budgets)
  return { found, beyond: Math.max(...Object.values(budgets).map(({ left }: Budget) => -left)) }
}

function sizesOf(found: Found | null): number[] {
  return (found?.clusters ?? []).map(({ start, end }) => end - start)
}

describe('a search ends with its budget', () => {
  it.each([1_200, 3_600, 10_000, 20_000])('in a hall of %i with holes, for any number', count => {
    const hall = hallOf(count)
    const beyond: number[] = []
    for (let every = 2; every <= 12; every += 1) {
      const seats = withHoles(hall, every)
      for (let quantity = 2; quantity <= 100; quantity += quantity < 12 ? 1 : count === 3_600 ? 3 : 11) {
        for (const maxSplit of [2, null]) {
          const done = search(seats, wishFor(quantity, { maxSplit }))
          beyond.push(done.beyond)
          if (done.found) expect(sizesOf(done.found).reduce((sum, size) => sum + size)).toBe(quantity)
        }
      }
    }
    expect(Math.max(...beyond)).toBeLessThan(LAST_STEP)
  })

  it('where thousands of wheelchair places without companions are looked through', () => {
    const hall = hallOf(6_000, ordinal => (ordinal % 2 === 0 ? 'wheelchair' : 'standard'))
    const seats = withHoles(hall, 7)
    for (const [quantity, wheelchair] of [
      [100, 50],
      [100, 99],
      [60, 1],
    ] as const) {
      const budget = new Budget(500_000)
      findAccessible(seats, { ...wishFor(quantity), wheelchair, companions: 0 }, () => true, budget)
      expect(-budget.left).toBeLessThan(LAST_STEP)
    }
  })
})

describe('the ways to split a group', () => {
  it('are made one after another: of a group of 100 there are millions', () => {
    const first = partitions(100, 20, 100).next().value
    expect(first).toEqual([62, ...new Array(19).fill(2)])
  })

  it('are all there are, the largest clusters first', () => {
    expect([...partitions(9, 3, 9)]).toEqual([
      [5, 2, 2],
      [4, 3, 2],
      [3, 3, 3],
    ])
    expect([...partitions(9, 3, 4)]).toEqual([
      [4, 3, 2],
      [3, 3, 3],
    ])
    expect([...partitions(4, 2, 4)]).toEqual([[2, 2]])
    expect([...partitions(3, 2, 3)]).toEqual([])
    expect([...partitions(9, 2, 4)]).toEqual([])
  })
})

describe('a school in a hall in which few seats are side by side', () => {
  it('sits in a few rows, beside and behind each other, none of them alone and no seat left alone', () => {
    const hall = hallOf(3_600)
    const { found } = search(withHoles(hall, 7), wishFor(70))
    expect(found).not.toBeNull()
    expect(found!.stranded).toEqual([])
    expect(Math.min(...sizesOf(found))).toBeGreaterThan(1)
    expect(sizesOf(found).length).toBeLessThanOrEqual(14)
    const rows = found!.clusters.map(({ start }) => hall.rows.rowOfRun[hall.rows.runOf[start]!]!)
    expect(Math.max(...rows) - Math.min(...rows)).toBeLessThanOrEqual(2)
  })

  it('is not strewn over the hall in couples', () => {
    expect(search(withHoles(hallOf(3_600), 3), wishFor(70, { maxSplit: null })).found).toBeNull()
  })

  it('is not parted by a gap that none of it fills', () => {
    const half = 'oooo'.repeat(2)
    const rows = (gap: string) => `${half}${gap}${half}\n`.repeat(2)
    const find = (gap: string) => {
      const { seats } = drawnHall(rows(gap))
      return bestAvailable(seats, wishFor(30))
    }
    expect(find('xx')?.clusters).toHaveLength(4)
    expect(find('xxxxxx')).toBeNull()
  })

  it('gives back of the farthest stretches what it does not need, such that no seat stays alone', () => {
    // 24 seats side by side in sixes: one too many, which no stretch can give back by itself.
    const { seats } = drawnHall(`ooooooxooooooxooooooxoooooo\nxxxxxxxoooxxxxxxxxxxxxxxxxxx`)
    const offer = bestAvailable(seats, wishFor(23))
    expect(offer?.stranded).toEqual([])
    expect(sizesOf(offer)).toEqual([6, 6, 6, 3, 2])
  })

  it('is told that there is nothing where it must sit together', () => {
    expect(search(withHoles(hallOf(3_600), 7), wishFor(70, { together: true })).found).toBeNull()
  })
})
