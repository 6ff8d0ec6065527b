import { describe, expect, test } from 'vitest'
import { compiled, uuid } from './fixtures/small-theatre.ts'
import { festival, generateVenue, type VenueOptions } from './generate.ts'
import { levelsOf } from './levels.ts'
import type { Layout, Point } from './model.ts'

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const expectedRows = [...letters, ...letters.map(letter => `A${letter}`)]

const kinds = ['theatre', 'arena', 'stadium'] as const
const sizes = [100, 1_200, 20_000]
const venues = kinds.flatMap(kind => sizes.map(seats => ({ kind, seats })))

describe.each(venues)('a $kind of $seats seats', ({ kind, seats }) => {
  const config = generateVenue({ kind, seats })
  const layout = compiled(config)

  test('has exactly that many seats, all numbered', () => {
    expect(layout.seats).toHaveLength(seats)
    expect(layout.totalCapacity).toBe(seats)
  })

  test('puts every seat inside the outline of its zone', () => {
    const outside = layout.seats.filter(seat => !isInside(seat, layout.zones[seat.zoneIndex]!.outline!))
    expect(outside).toEqual([])
  })

  test('puts no two seats closer than the width of a seat', () => {
    expect(smallestDistance(layout.seats)).toBeGreaterThan(9.5)
  })

  test('has wheelchair places, each beside a companion seat of its own', () => {
    const wheelchairs = layout.seats.filter(({ category }) => category === 'wheelchair')
    expect(wheelchairs.length).toBeGreaterThanOrEqual(Math.ceil(seats / 500))
    for (const seat of wheelchairs) {
      const companion = layout.seats[seat.companionOrdinal!]!
      expect(companion).toMatchObject({ category: 'companion', row: seat.row })
      expect(Math.hypot(seat.x - companion.x, seat.y - companion.y)).toBeLessThan(11)
    }
  })

  test('labels rows A, B, C … in each zone, and numbers seats from 1', () => {
    for (const { firstOrdinal, seatCount } of layout.zones) {
      const own = layout.seats.slice(firstOrdinal, firstOrdinal + seatCount)
      const rows = [...new Set(own.map(({ row }) => row))]
      expect(rows).toEqual(expectedRows.slice(0, rows.length))
      expect(own[0]).toMatchObject({ row: 'A', number: 1 })
    }
  })

  test('writes places with one decimal at most, to keep the JSON short', () => {
    expect(JSON.stringify(config)).not.toMatch(/\.\d\d/)
  })

  test('has a stage, a focal point and prices', () => {
    expect(layout.outlines[0]!.kind).toBe('stage')
    expect(layout.focalPoint).not.toBeNull()
    expect(layout.seats.every(({ priceCategory }) => priceCategory !== null)).toBe(true)
  })

  test.runIf(seats > 1_000)('is divided into zones of a sensible size', () => {
    for (const { seatCount } of layout.zones) {
      expect(seatCount).toBeGreaterThanOrEqual(300)
      expect(seatCount).toBeLessThanOrEqual(1_500)
    }
  })
})

test.each([1, 2, 3, 4, 5, 7, 13, 99, 301, 4_321])('any number of seats can be built: %i', seats => {
  for (const kind of kinds) expect(compiled(generateVenue({ kind, seats })).seats).toHaveLength(seats)
})

test.each(kinds)('even a %s of 200,000 seats compiles, without two seats in one place', kind => {
  const config = generateVenue({ kind, seats: 200_000 })
  // Deriving 200,000 ids takes seconds, and is tested elsewhere.
  for (const [index, seat] of config.zones.flatMap(zone => zone.seats ?? []).entries())
    seat.seat_id = uuid(index)
  const { seats, zones } = compiled(config)
  expect(seats).toHaveLength(200_000)
  expect(smallestDistance(seats)).toBeGreaterThan(9.5)
  expect(Math.min(...zones.map(({ seatCount }) => seatCount))).toBeGreaterThanOrEqual(300)
  expect(Math.max(...zones.map(({ seatCount }) => seatCount))).toBeLessThanOrEqual(1_500)
})

test('equal options give equal venues; another seed gives another one', () => {
  const options: VenueOptions = { kind: 'theatre', seats: 1_200 }
  expect(generateVenue(options)).toEqual(generateVenue(options))
  expect(generateVenue({ ...options, seed: 2 })).not.toEqual(generateVenue(options))
})

test('a theatre has stalls, a circle and balconies, aisles, and seats behind pillars', () => {
  const layout = compiled(generateVenue({ kind: 'theatre', seats: 2_000 }))
  expect(layout.zones.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Stalls', 'Circle', expect.stringContaining('Balcony')]),
  )
  expect(layout.seats.some(({ category }) => category === 'restricted_view')).toBe(true)
  const aisles = layout.seats.filter((seat, index) => {
    const next = layout.seats[index + 1]
    return next?.row === seat.row && next.zoneIndex === seat.zoneIndex && distance(seat, next) > 20
  })
  expect(aisles.length).toBeGreaterThan(50)
})

test('the floors of a theatre can be levels', () => {
  const config = generateVenue({ kind: 'theatre', seats: 640, levels: true })
  const { zones, outlines } = compiled(config)
  expect(levelsOf(zones)).toEqual(['Stalls', 'Circle'])
  expect(zones.every(({ name, level }) => name.startsWith(level!))).toBe(true)
  const pillars = outlines.filter(({ kind }) => kind === 'shape')
  expect(pillars.every(({ level }) => level === 'Stalls')).toBe(true)
  expect(outlines[0]).not.toHaveProperty('level')
})

test('an arena can have a floor to stand on, beside its seats', () => {
  const layout = compiled(generateVenue({ kind: 'arena', seats: 5_000, standing: 2_000 }))
  expect(layout.zones[0]).toMatchObject({ name: 'Floor', zoneType: 'ga_standing', capacity: 2_000 })
  expect(layout.seats).toHaveLength(5_000)
  expect(layout.seats.filter(seat => isInside(seat, layout.zones[0]!.outline!))).toEqual([])
  expect(layout.zones.map(({ name }) => name)).toContain('Section 101')
})

test.each<VenueOptions>([
  { kind: 'arena', seats: 0 },
  { kind: 'arena', seats: 1.5 },
  { kind: 'arena', seats: 250_001 },
  { kind: 'theatre', seats: 10, standing: 5 },
])('what cannot be built is a mistake of the caller: %o', options => {
  expect(() => generateVenue(options)).toThrow('impossible')
})

test('the festival has 300, 400, 300 and 50 places, the last for members', () => {
  const { zones, totalCapacity, seats } = compiled(festival())
  expect(zones.map(({ name, zoneType, capacity }) => [name, zoneType, capacity])).toEqual([
    ['Orchestra', 'reserved_seating', 300],
    ['Floor', 'ga_seated', 400],
    ['Pit', 'ga_standing', 300],
    ['VIP Lounge', 'vip_reserved', 50],
  ])
  expect(zones[3]).toMatchObject({ accessMode: 'membership_tier', membershipTier: 'voelgoed_vriendinne' })
  expect(totalCapacity).toBe(1_050)
  expect(seats.filter(({ companionOrdinal }) => companionOrdinal !== null)).toHaveLength(4)
  expect(seats.every(seat => isInside(seat, zones[seat.zoneIndex]!.outline!))).toBe(true)
})

test('zones of the festival do not overlap', () => {
  const { zones } = compiled(festival())
  for (const zone of zones) {
    for (const other of zones) {
      if (zone === other) continue
      expect(other.outline!.filter(point => isInside(point, zone.outline!))).toEqual([])
    }
  }
})

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

/** Over a grid whose cells are wider than a seat: only neighbouring cells can hold anything closer. */
function smallestDistance(seats: Layout['seats']): number {
  const cellOf = (x: number, y: number) => Math.floor(x / 20) * 1e6 + Math.floor(y / 20)
  const cells = new Map<number, Point[]>()
  let smallest = Number.POSITIVE_INFINITY
  for (const seat of seats) {
    for (const dx of [-20, 0, 20]) {
      for (const dy of [-20, 0, 20]) {
        for (const other of cells.get(cellOf(seat.x + dx, seat.y + dy)) ?? []) {
          smallest = Math.min(smallest, distance(seat, other))
        }
      }
    }
    const cell = cellOf(seat.x, seat.y)
    const inCell = cells.get(cell)
    if (inCell) inCell.push(seat)
    else cells.set(cell, [seat])
  }
  return smallest
}

function isInside({ x, y }: Point, polygon: readonly Point[]): boolean {
  let inside = false
  for (const [index, a] of polygon.entries()) {
    const b = polygon.at(index - 1)!
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside
  }
  return inside
}
