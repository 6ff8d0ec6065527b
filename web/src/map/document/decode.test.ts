import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import { rankOf, saleOf } from '@voelgoed/core/layout/meaning'
import { hasSeats, type Layout, SEAT_CATEGORIES, type SeatConfig } from '@voelgoed/core/layout/model'
import { EMPTY_OVERLAY, type Overlay, overlayZones } from '@voelgoed/core/layout/overlay'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compiled, encodeLayout, modelOf } from '../test/encode-layout.ts'
import { wildHall } from '../test/wild-hall.ts'
import { MapFormatError } from './byte-reader.ts'
import { decodeMap } from './decode.ts'
import type { MapModel } from './model.ts'

const SEED = 20_261_115

describe('a hall, encoded and decoded', () => {
  it.each([
    ['theatre', 1_200],
    ['arena', 2_000],
    ['stadium', 3_000],
  ] as const)('is the same hall: %s of %i seats', (kind, seats) => {
    const layout = compiled(generateVenue({ kind, seats }))
    expectSame(decodeMap(encodeLayout(layout)), layout)
  })

  it('is much smaller than its JSON', () => {
    const layout = compiled(generateVenue({ kind: 'arena', seats: 1_000 }))
    const json = JSON.stringify(layout.seats).length
    expect(encodeLayout(layout).length).toBeLessThan(json / 20)
  })

  it('is the same for whatever people write into layouts', () => {
    fc.assert(
      fc.property(wildHall, fc.integer({ min: 1, max: 7 }), ({ config, overlayOf }, pageSize) => {
        const layout = compiled(config)
        const overlay = overlayOf(layout)
        expectSame(decodeMap(encodeLayout(layout, overlay, pageSize)), layout, overlay)
      }),
      { seed: SEED, numRuns: 100 },
    )
  })

  it('gives zones without an outline the hull of their seats, or a place beside the hall', () => {
    const model = modelOf({
      zones: [
        { name: 'Chairs', zone_type: 'reserved_seating', seats: rowOfSeats('A', 5) },
        { name: 'Lawn', zone_type: 'ga_standing', capacity: 50 },
      ],
    })
    const [chairs, lawn] = model.zones
    expect(chairs!.outline.length).toBeGreaterThanOrEqual(4)
    expect(Math.min(...lawn!.outline.map(point => point.y))).toBeGreaterThan(
      Math.max(...chairs!.outline.map(point => point.y)),
    )
  })

  it('finds the ordinal of an id with a hint, with a wrong one, and without', () => {
    const model = modelOf(festival())
    const ordinal = 137
    const hint = { row: model.rowOf(ordinal), number: model.numberOf(ordinal) }
    expect(model.ordinalOf(model.seatIdOf(ordinal), hint)).toBe(ordinal)
    expect(model.ordinalOf(model.seatIdOf(ordinal), { row: 'nowhere', number: 1 })).toBe(ordinal)
    expect(model.ordinalOf(model.seatIdOf(ordinal))).toBe(ordinal)
    expect(model.ordinalOf('00000000-0000-4000-8000-000000000000')).toBeUndefined()
  })
})

describe('documents of other times', () => {
  /** The document with other lengths of columns in its header, and other bytes at the end. */
  function withColumns(document: Uint8Array, change: (lengths: number[]) => number[], ...more: number[]) {
    const headerEnd = 8 + new DataView(document.buffer).getUint32(4, true)
    const header = JSON.parse(new TextDecoder().decode(document.subarray(8, headerEnd)))
    const text = new TextEncoder().encode(JSON.stringify({ ...header, columns: change(header.columns) }))
    const changed = new Uint8Array([
      ...document.subarray(0, 8),
      ...text,
      ...document.subarray(headerEnd),
      ...more,
    ])
    new DataView(changed.buffer).setUint32(4, text.length, true)
    return changed
  }
  const layout = compiled(generateVenue({ kind: 'theatre', seats: 300 }))
  const document = encodeLayout(layout)

  it('that end before aisles and groups are read: there are none', () => {
    const older = withColumns(document, lengths => {
      expect(lengths.splice(10)).toEqual([0, 0])
      return lengths
    })
    const model = decodeMap(older)
    expectSame(model, layout)
    expect(model.groups).toEqual([])
  })

  it('that have one column more are read without it', () => {
    expectSame(decodeMap(withColumns(document, lengths => [...lengths, 3], 1, 2, 3)), layout)
  })
})

describe('what is no map', () => {
  const bytes = encodeLayout(compiled(festival()))

  /** With these bytes as the last column, that of groups. */
  function withGroup(column: number[]): Uint8Array {
    const headerEnd = 8 + new DataView(bytes.buffer).getUint32(4, true)
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, headerEnd)))
    const kept = bytes.length - header.columns.at(-1)
    header.columns[header.columns.length - 1] = column.length
    const text = new TextEncoder().encode(JSON.stringify(header))
    const changed = new Uint8Array([
      ...bytes.subarray(0, 8),
      ...text,
      ...bytes.subarray(headerEnd, kept),
      ...column,
    ])
    new DataView(changed.buffer).setUint32(4, text.length, true)
    return changed
  }

  it.each([
    ['nothing', new Uint8Array()],
    ['another file', new TextEncoder().encode('<!doctype html><title>Bad gateway</title>')],
    ['half a map', bytes.slice(0, bytes.length >> 1)],
    ['half a header', bytes.slice(0, 100)],
    ['a map with one byte too many', new Uint8Array([...bytes, 0])],
    ['a map whose group has no seats', withGroup([0, 2, 0x80, 0x80, 0x80, 1, 1])],
    ['a map whose group is larger than the hall', withGroup([0, 0xff, 0xff, 0xff, 1, 0])],
    ['a map whose group is sold in an unknown way', withGroup([9, 0, 1, 0])],
  ])('is refused: %s', (_, wrong) => {
    expect(() => decodeMap(wrong)).toThrow(MapFormatError)
  })
})

function expectSame(model: MapModel, layout: Layout, overlay: Overlay = EMPTY_OVERLAY): void {
  const zones = overlayZones(layout.zones, overlay)
  const open = zones.filter(zone => !zone.disabled)
  expect(model.ordinalCount).toBe(layout.seats.length)
  expect(model.zones.map(zone => [zone.zoneId, zone.name, zone.capacity, zone.level])).toEqual(
    open.map(zone => [zone.zoneId, zone.name, zone.capacity, zone.level]),
  )
  expect(model.zones.map(({ rank }) => rank)).toEqual(open.map(rankOf))
  expect(model.groups).toEqual(
    layout.groups
      .filter(group => saleOf(group) !== null && model.has(group.ordinals[0]!))
      .map(group => ({ sale: saleOf(group), ordinals: group.ordinals.toSorted((a, b) => a - b) })),
  )
  const differences: unknown[] = []
  for (const seat of layout.seats) {
    const zone = zones[seat.zoneIndex]!
    const { ordinal } = seat
    const isThere = !zone.disabled && hasSeats(zone.zoneType)
    if (model.has(ordinal) !== isThere) differences.push({ ordinal, isThere })
    if (!isThere) continue
    const got = {
      zone: model.zones[model.zoneOf[ordinal]!]!.zoneId,
      id: model.seatIdOf(ordinal),
      row: model.rowOf(ordinal),
      number: model.numberOf(ordinal),
      label: model.labelOf(ordinal),
      category: SEAT_CATEGORIES[model.categoryOf[ordinal]!],
      price: model.priceCategories[model.priceOf[ordinal]!]?.key ?? null,
      companion: model.companionOf(ordinal),
      aisle: model.aisleAfter(ordinal),
    }
    const wanted = {
      zone: zone.zoneId,
      id: seat.seatId,
      row: seat.row,
      number: seat.number,
      label: seat.label,
      category: seat.category,
      price: seat.priceCategory,
      companion: seat.companionOrdinal,
      aisle: seat.aisleAfter,
    }
    if (JSON.stringify(got) !== JSON.stringify(wanted)) differences.push({ ordinal, got, wanted })
    for (const axis of ['x', 'y'] as const) {
      // A fiftieth of a seat's width, or what 32 bits can tell apart,
      // or a step of a hall as large as a country.
      const { minX, maxX, minY, maxY } = model.bounds
      const step = Math.max(model.pitch / 50, (10 * Math.max(maxX - minX, maxY - minY)) / 2 ** 28)
      const tolerance = step + Math.abs(seat[axis]) * 2 ** -23
      if (Math.abs(model[axis][ordinal]! - seat[axis]) > tolerance) differences.push({ ordinal, axis })
    }
  }
  expect(differences.slice(0, 3)).toEqual([])
}

function rowOfSeats(row: string, count: number): SeatConfig[] {
  return Array.from({ length: count }, (_, index) => ({
    row,
    number: index + 1,
    coordinates: { x: index * 10, y: 0 },
  }))
}
