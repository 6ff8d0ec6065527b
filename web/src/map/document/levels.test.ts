import type { LayoutConfig, SeatConfig } from '@voelgoed/core/layout/model'
import { describe, expect, it } from 'vitest'
import { namedHall } from '../paint/named-hall.ts'
import { modelOf } from '../test/encode-layout.ts'
import { nearestStop, neighbour } from '../view/neighbour.ts'
import { zoneAround } from '../view/under-eye.ts'
import { levelOfZone, onLevel } from './levels.ts'
import { SeatGrid } from './seat-grid.ts'

const row = (y: number): SeatConfig[] =>
  [0, 1, 2, 3].map(x => ({ row: 'A', number: x + 1, coordinates: { x: 10 * x, y } }))
const square = (size: number) => [
  { x: 0, y: 0 },
  { x: size, y: 0 },
  { x: size, y: size },
]

/** Two floors on top of each other; the bar is open to both. */
const config: LayoutConfig = {
  zones: [
    { name: 'Left', zone_type: 'reserved_seating', level: 'Stalls', seats: row(20) },
    { name: 'Upper left', zone_type: 'reserved_seating', level: 'Balcony', seats: row(20) },
    {
      name: 'Gallery',
      zone_type: 'ga_standing',
      capacity: 9,
      level: 'Balcony',
      outline: square(900).map(({ x, y }) => ({ x, y: y + 60 })),
    },
    { name: 'Bar', zone_type: 'ga_standing', capacity: 5, outline: square(15) },
  ],
  outlines: [
    { kind: 'stage', label: 'Stage', points: square(30) },
    { kind: 'shape', label: 'Foyer', points: square(40), level: 'Stalls' },
  ],
}
const hall = modelOf(config)
const [stalls, balcony] = [onLevel(hall, 0), onLevel(hall, 1)]

describe('one floor of a hall', () => {
  it('has its own seats, zones and drawings, and what is on no floor', () => {
    expect(hall.levels).toEqual(['Stalls', 'Balcony'])
    expect([stalls.seatCount, balcony.seatCount]).toEqual([4, 4])
    expect([0, 4].map(ordinal => [stalls.has(ordinal), balcony.has(ordinal)])).toEqual([
      [true, false],
      [false, true],
    ])
    expect(stalls.shapes.map(({ label }) => label)).toEqual(['Stage', 'Foyer'])
    expect(balcony.shapes.map(({ label }) => label)).toEqual(['Stage'])
    expect(stalls.bounds.maxX).toBeLessThan(balcony.bounds.maxX)
  })

  it('has the indices and ordinals of the hall', () => {
    expect(balcony.zones.map(({ name }) => name)).toEqual(hall.zones.map(({ name }) => name))
    expect(balcony.seatIdOf(5)).toBe(hall.seatIdOf(5))
    expect(hall.zones.map((_, index) => levelOfZone(hall, index))).toEqual([0, 1, 1, null])
  })

  it('is what the hand, the keyboard and the names know of', () => {
    const at = { x: 700, y: 100 }
    expect(zoneAround(balcony, at)).toBe(2)
    expect(zoneAround(stalls, at)).toBe(-1)
    const [below, above] = [new SeatGrid(stalls), new SeatGrid(balcony)]
    expect(below.nearest(0, 20, 1)).toBe(0)
    expect(above.nearest(0, 20, 1)).toBe(4)
    expect(nearestStop(stalls, below, at)).toEqual({ kind: 'seat', ordinal: 3 })
    expect(nearestStop(balcony, above, at)).toEqual({ kind: 'zone', zoneIndex: 2 })
    expect(neighbour(stalls, below, { kind: 'seat', ordinal: 3 }, 'down')).toBeNull()
    expect(neighbour(balcony, above, { kind: 'seat', ordinal: 7 }, 'down')).not.toBeNull()
    expect(namedHall(stalls, below, { x: 0, y: 0 }).families.flat().sort()).toEqual([0, 3])
    expect(namedHall(balcony, above, { x: 0, y: 0 }).families.flat().sort()).toEqual([1, 2, 3])
  })
})

describe('a hall without floors', () => {
  it('is drawn as it is, also when all of it is on the same one', () => {
    const flat = modelOf({ zones: [{ ...config.zones[0]! }, { ...config.zones[3]! }] })
    expect(flat.levels).toEqual([])
    expect(onLevel(flat, 0)).toBe(flat)
    expect(levelOfZone(flat, 0)).toBeNull()
  })
})
