import { describe, expect, it } from 'vitest'
import { compiled } from '../layout/fixtures/small-theatre.ts'
import { generateVenue } from '../layout/generate.ts'
import type { LayoutConfig } from '../layout/model.ts'
import { drawnHall } from './fixtures/drawn-hall.ts'
import { compileHall } from './hall.ts'
import { nearestFree } from './nearest-free.ts'

/**
 * Two blocks: rows of ten seats with an aisle in the middle. Ordinal = row × 10 + place,
 * the right block from 20.
 */
const twoBlocks: LayoutConfig = {
  zones: ['Left', 'Right'].map((name, zone) => ({
    name,
    zone_type: 'reserved_seating',
    seats: ['A', 'B'].flatMap((row, rowIndex) =>
      Array.from({ length: 10 }, (_, place) => ({
        row,
        number: place + 1,
        coordinates: { x: zone * 300 + place * 10 + (place >= 5 ? 30 : 0), y: rowIndex * 15 },
      })),
    ),
  })),
}
const hall = compileHall(compiled(twoBlocks))
const all = Array.from({ length: 40 }, (_, ordinal) => ordinal)

function nearest(taken: readonly number[], around: number, count: number): number[] {
  return nearestFree(hall, ordinal => !taken.includes(ordinal), around, count)
}

describe('the nearest free seats', () => {
  it('are side by side in the same row when there are such', () => {
    expect(nearest([2], 2, 2)).toEqual([0, 1])
  })

  it('are not on both sides of an aisle', () => {
    // Row A has only the seats beside the aisle left: 4 and 5. The next two together are in row B.
    expect(nearest([0, 1, 2, 3, 6, 7, 8, 9], 3, 2)).toEqual([12, 13])
  })

  it('are together in another zone rather than apart in the own one', () => {
    const own = all.slice(0, 20).filter(ordinal => ordinal % 2 === 0)
    expect(nearest(own, 8, 2)).toEqual([20, 21])
  })

  it('are apart, the nearest first, when so many are nowhere together', () => {
    const found = nearest(
      all.filter(ordinal => ordinal % 2 === 0),
      2,
      3,
    )
    expect(found).toHaveLength(3)
    expect(found.slice(0, 2).sort((a, b) => a - b)).toEqual([1, 3])
  })

  it('are in the own zone before others, when they are apart', () => {
    expect(nearest(all.slice(1, 20), 19, 1)).toEqual([0])
  })

  it('are in the own row rather than nearer in the next one', () => {
    // Seat 14, in row B, is 15 away, and seat 2, in row A, is 20 away.
    expect(nearest([0, 1, 3, 5, 6, 7, 8, 9], 4, 1)).toEqual([2])
    expect(nearest([0, 1, 2, 3, 5, 6, 7, 8, 9], 4, 1)).toEqual([14])
  })

  it('are fewer than asked for, or none, when there are no more; and none around a seat that is none', () => {
    expect(nearest(all.slice(1), 5, 2)).toEqual([0])
    expect(nearest(all, 5, 2)).toEqual([])
    expect(nearest([], 9_999, 2)).toEqual([])
    expect(nearest([], 5, 0)).toEqual([])
  })

  it('are never the seat itself', () => {
    expect(nearest(all.slice(1), 0, 1)).toEqual([])
  })

  it('are no places for wheelchairs or companions, unless the buyer asked for such a place', () => {
    const { seats, ...plan } = compiled(generateVenue({ kind: 'theatre', seats: 400 }))
    const theatre = compileHall({ ...plan, seats })
    const isAccessible = (ordinal: number) => /wheelchair|companion/.test(seats[ordinal]!.category)
    for (const { ordinal: around } of seats) {
      if (around % 7 !== 0 || isAccessible(around)) continue
      expect(nearestFree(theatre, () => true, around, 3).filter(isAccessible)).toEqual([])
    }
    const wheelchair = seats.find(seat => seat.category === 'wheelchair')!
    expect(nearestFree(theatre, () => true, wheelchair.ordinal, 1)).toEqual([wheelchair.companionOrdinal])
  })

  it('are not seats of a table that is sold as a whole', () => {
    const group = { groupType: 'vip_table', ordinals: [1, 2, 3], metadata: { sell: 'whole' } } as const
    const { hall: box } = drawnHall('ooooo', { groups: [group] })
    expect(nearestFree(box, () => true, 0, 1)).toEqual([4])
  })
})
