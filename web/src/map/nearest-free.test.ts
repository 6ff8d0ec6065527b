import { generateVenue } from '@voelgoed/core/layout/generate'
import { type LayoutConfig, SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { describe, expect, it } from 'vitest'
import { BLOCKED, SOLD } from './model.ts'
import { nearestFree } from './nearest-free.ts'
import { modelOf } from './test/encode-layout.ts'

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
const model = modelOf(twoBlocks)

function statuses(...taken: number[]): Uint8Array {
  const all = new Uint8Array(model.ordinalCount)
  for (const ordinal of taken) all[ordinal] = SOLD
  return all
}

describe('the nearest free seats', () => {
  it('are side by side in the same row when there are such', () => {
    expect(nearestFree(model, statuses(2), 2, 2)).toEqual([0, 1])
  })

  it('are not on both sides of an aisle', () => {
    // Of row A only the seats beside the aisle are left: 4 and 5. The next two together are in row B.
    expect(nearestFree(model, statuses(0, 1, 2, 3, 6, 7, 8, 9), 3, 2)).toEqual([12, 13])
  })

  it('are together in another zone rather than apart in the own one', () => {
    const own = Array.from({ length: 20 }, (_, ordinal) => ordinal).filter(ordinal => ordinal % 2 === 0)
    expect(nearestFree(model, statuses(...own), 8, 2)).toEqual([20, 21])
  })

  it('are apart, the nearest first, when so many are nowhere together', () => {
    const even = Array.from({ length: 40 }, (_, ordinal) => ordinal).filter(ordinal => ordinal % 2 === 0)
    const found = nearestFree(model, statuses(...even), 2, 3)
    expect(found).toHaveLength(3)
    expect(found.slice(0, 2).sort((a, b) => a - b)).toEqual([1, 3])
  })

  it('are fewer than asked for, or none, when there are no more; and none around a seat that is none', () => {
    const all = Array.from({ length: 40 }, (_, ordinal) => ordinal)
    expect(nearestFree(model, statuses(...all.slice(1)), 5, 2)).toEqual([0])
    expect(nearestFree(model, statuses(...all).fill(BLOCKED), 5, 2)).toEqual([])
    expect(nearestFree(model, statuses(), 9_999, 2)).toEqual([])
    expect(nearestFree(model, statuses(), 5, 0)).toEqual([])
  })

  it('are no places for wheelchairs or companions, unless one asked for such a place', () => {
    const theatre = modelOf(generateVenue({ kind: 'theatre', seats: 400 }))
    const categoryOf = (ordinal: number) => SEAT_CATEGORIES[theatre.categoryOf[ordinal]!]!
    const wheelchair = [...theatre.x.keys()].find(ordinal => categoryOf(ordinal) === 'wheelchair')!
    const free = new Uint8Array(theatre.ordinalCount)
    for (const around of theatre.x.keys()) {
      if (around % 7 !== 0 || /wheelchair|companion/.test(categoryOf(around))) continue
      const found = nearestFree(theatre, free, around, 3)
      expect(found.map(categoryOf).filter(category => /wheelchair|companion/.test(category))).toEqual([])
    }
    expect(nearestFree(theatre, free, wheelchair, 1)).toHaveLength(1)
    expect(nearestFree(theatre, free, wheelchair, 1)).toEqual([theatre.companionOf(wheelchair)])
  })
})
