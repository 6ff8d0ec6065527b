import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBoxApart, isBoxInside } from '../document/boxes.ts'
import { pointBounds } from '../document/geometry.ts'
import type { Bounds, MapModel } from '../document/model.ts'
import { SeatGrid } from '../document/seat-grid.ts'
import { modelOf } from '../test/encode-layout.ts'
import { detailOf } from './detail.ts'
import { namedHall } from './named-hall.ts'
import { type PlacedName, piecesOf, placeNames } from './place-names.ts'

/** A seat as a square, a little larger than it is drawn. */
const SEAT_OF_PITCH = 0.44
const measure = (text: string) => 0.62 * text.length

function prepare(config: LayoutConfig) {
  const model = modelOf(config)
  const grid = new SeatGrid(model)
  const hall = namedHall(model, grid, model.focalPoint ?? { x: 0, y: 0 })
  const countOf = (zone: number) => `${model.zones[zone]!.capacity || model.zones[zone]!.seatCount} free`
  return {
    model,
    grid,
    namesAt: (pitchPx: number) => placeNames(hall, pitchPx / model.pitch, measure, countOf),
  }
}

const halls: readonly (readonly [string, ReturnType<typeof prepare>])[] = [
  ['the demo theatre', prepare(generateVenue({ kind: 'theatre', seats: 1_200 }))],
  ['the demo arena', prepare(generateVenue({ kind: 'arena', seats: 20_000 }))],
  ['an arena with a floor', prepare(generateVenue({ kind: 'arena', seats: 600, standing: 200 }))],
  ['the demo festival', prepare(festival())],
  ['a small theatre', prepare(generateVenue({ kind: 'theatre', seats: 80 }))],
  ['a stadium of 200,000 seats', prepare(generateVenue({ kind: 'stadium', seats: 200_000 }))],
]
/** CSS pixels from seat to seat: from far to as near as one can come. */
const PITCHES = [0.15, 0.4, 0.8, 1.4, 2.2, 2.9, 3, 3.6, 5, 7.5, 10, 12.9, 13, 16, 18, 24, 32, 48, 64]

describe.each(halls)('in %s', (_, { model, grid, namesAt }) => {
  it.each(PITCHES)('at %d pixels a seat, names keep to their sections and cover nothing', pitchPx => {
    const scale = pitchPx / model.pitch
    const pieces = namesAt(pitchPx).flatMap(name => piecesOf(name, scale).map(box => ({ name, box })))
    const faults: string[] = []
    for (const [at, { name, box }] of pieces.entries()) {
      const what = name.lines.join(' ')
      if (!isWithin(homeOf(model, name), box)) faults.push(`${what} leaves its box`)
      for (const other of pieces.slice(0, at)) {
        if (other.name !== name && meet(box, other.box))
          faults.push(`${what} meets ${other.name.lines.join(' ')}`)
      }
      if (name.kind === 'shape') continue
      const { outline } = model.zones[name.index]!
      if (!isBoxInside(box, outline) && !isBoxApart(box, outline)) faults.push(`${what} straddles`)
      if (detailOf(pitchPx, model.seatCount) === 'zones' || name.isBeneath) continue
      const reach = SEAT_OF_PITCH * model.pitch
      const near = {
        minX: box.minX - reach,
        minY: box.minY - reach,
        maxX: box.maxX + reach,
        maxY: box.maxY + reach,
      }
      if (!grid.isEmptyIn(near)) faults.push(`${what} covers a seat`)
    }
    expect(faults).toEqual([])
  })
})

describe('names', () => {
  const named = (hall: number, pitchPx: number) => halls[hall]![1].namesAt(pitchPx)
  const zoneNames = (names: readonly PlacedName[]) => names.filter(({ kind }) => kind === 'zone')

  const firstLines = (pitchPx: number) =>
    zoneNames(named(0, pitchPx))
      .map(({ lines }) => lines[0])
      .sort()

  it('are all there in the theatre, in the gap before their first row', () => {
    for (const pitchPx of [7, 13, 30]) expect(firstLines(pitchPx)).toEqual(['Balcony', 'Circle', 'Stalls'])
  })

  it('do not lie beneath seats beside names that can be read', () => {
    // From so far, no letter fits between the stage and the stalls.
    expect(firstLines(4)).toEqual(['Balcony', 'Circle'])
    for (const pitchPx of [4, 7, 13]) {
      expect(zoneNames(named(0, pitchPx)).some(({ isBeneath }) => isBeneath)).toBe(false)
    }
  })

  it('follow their first row in the theatre, from near with what is free beside them', () => {
    for (const pitchPx of [8, 13, 30]) expect(zoneNames(named(0, pitchPx)).every(({ arc }) => arc)).toBe(true)
    expect(zoneNames(named(0, 30)).every(({ hasCount }) => hasCount)).toBe(true)
  })

  it('are all there in the arena from far, each in the same form, with what is free where it fits', () => {
    const { model } = halls[1]![1]
    const names = zoneNames(named(1, 1.6))
    expect(names).toHaveLength(model.zones.length)
    expect(new Set(names.map(({ px, hasCount }) => `${px} ${hasCount}`)).size).toBe(1)
    expect(zoneNames(named(1, 2.8)).every(({ hasCount }) => hasCount)).toBe(true)
  })

  it('lie beneath dots that fill their section, and go where seats are large', () => {
    const { model } = halls[1]![1]
    const beneath = zoneNames(named(1, 6))
    expect(beneath).toHaveLength(model.zones.length)
    expect(beneath.every(({ isBeneath }) => isBeneath)).toBe(true)
    expect(zoneNames(named(1, 30)).some(({ isBeneath }) => isBeneath)).toBe(false)
  })

  it('become shorter before they go', () => {
    expect(zoneNames(named(1, 0.8)).every(({ lines }) => /^\d+$/.test(lines[0]!))).toBe(true)
    expect(zoneNames(named(1, 0.1))).toEqual([])
  })
})

it('two names never meet, whatever the sections: also where sections lie on each other', () => {
  const zone = fc.record({
    left: fc.integer({ min: 0, max: 400 }),
    top: fc.integer({ min: 0, max: 300 }),
    width: fc.integer({ min: 20, max: 300 }),
    height: fc.integer({ min: 20, max: 200 }),
    name: fc.constantFrom('Floor', 'Golden Circle', 'Pit 1', 'Pit 2', 'Hospitality', 'A'),
  })
  fc.assert(
    fc.property(
      fc.array(zone, { minLength: 1, maxLength: 7 }),
      fc.double({ min: 0.1, max: 4, noNaN: true }),
      (zones, scale) => {
        const model = modelOf({
          zones: zones.map(({ left, top, width, height, name }, index) => ({
            name: `${name}${' '.repeat(index === 0 ? 0 : 1)}${'i'.repeat(index)}`,
            zone_type: 'ga_standing',
            capacity: 50,
            outline: [
              { x: left, y: top },
              { x: left + width, y: top },
              { x: left + width, y: top + height },
              { x: left, y: top + height },
            ],
          })),
        })
        const hall = namedHall(model, new SeatGrid(model), { x: 0, y: 0 })
        const names = placeNames(hall, scale, measure, () => '50 free')
        const boxes = names.map(name => boxOf(name, scale))
        for (const [at, box] of boxes.entries()) {
          expect(isWithin(homeOf(model, names[at]!), box)).toBe(true)
          for (const other of boxes.slice(0, at)) expect(meet(box, other)).toBe(false)
        }
      },
    ),
    { numRuns: 60 },
  )
})

function boxOf({ x, y, width, height }: PlacedName, scale: number): Bounds {
  const half = { x: width / 2 / scale, y: height / 2 / scale }
  return { minX: x - half.x, minY: y - half.y, maxX: x + half.x, maxY: y + half.y }
}

function homeOf(model: MapModel, { kind, index }: PlacedName): Bounds {
  return pointBounds(kind === 'zone' ? model.zones[index]!.outline : model.shapes[index]!.points)
}

function isWithin(outer: Bounds, inner: Bounds): boolean {
  const slack = 1e-6
  return (
    inner.minX >= outer.minX - slack &&
    inner.maxX <= outer.maxX + slack &&
    inner.minY >= outer.minY - slack &&
    inner.maxY <= outer.maxY + slack
  )
}

function meet(a: Bounds, b: Bounds): boolean {
  return a.minX < b.maxX && a.maxX > b.minX && a.minY < b.maxY && a.maxY > b.minY
}
