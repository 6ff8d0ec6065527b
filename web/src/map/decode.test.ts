import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import {
  hasSeats,
  type Layout,
  type LayoutConfig,
  SEAT_CATEGORIES,
  type SeatConfig,
} from '@voelgoed/core/layout/model'
import { EMPTY_OVERLAY, type Overlay, overlayZones } from '@voelgoed/core/layout/overlay'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MapFormatError } from './byte-reader.ts'
import { decodeMap } from './decode.ts'
import type { MapModel } from './model.ts'
import { compiled, encodeLayout, modelOf } from './test/encode-layout.ts'

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

describe('what is no map', () => {
  const bytes = encodeLayout(compiled(festival()))

  it.each([
    ['nothing', new Uint8Array()],
    ['another file', new TextEncoder().encode('<!doctype html><title>Bad gateway</title>')],
    ['half a map', bytes.slice(0, bytes.length >> 1)],
    ['half a header', bytes.slice(0, 100)],
    ['a map with one byte too many', new Uint8Array([...bytes, 0])],
  ])('is refused: %s', (_, wrong) => {
    expect(() => decodeMap(wrong)).toThrow(MapFormatError)
  })
})

function expectSame(model: MapModel, layout: Layout, overlay: Overlay = EMPTY_OVERLAY): void {
  const zones = overlayZones(layout.zones, overlay)
  const open = zones.filter(zone => !zone.disabled)
  expect(model.ordinalCount).toBe(layout.seats.length)
  expect(model.zones.map(zone => [zone.zoneId, zone.name, zone.capacity])).toEqual(
    open.map(zone => [zone.zoneId, zone.name, zone.capacity]),
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

const text = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
  .filter(value => value.trim() !== '' && value.isWellFormed() && !/\p{C}/u.test(value))

const wildSeat = fc.record({
  row: fc.oneof(fc.constantFrom('A', 'B', 'AA'), text),
  number: fc.oneof(fc.integer({ min: -3, max: 40 }), fc.maxSafeInteger(), text),
  label: fc.option(text, { nil: undefined }),
  seat_id: fc.option(fc.uuid(), { nil: undefined, freq: 4 }),
  category: fc.constantFrom('standard', 'restricted_view', 'aisle' as const),
  price_category: fc.constantFrom(null, 'gold', 'silver', 'unlisted'),
  coordinates: fc.record({
    x: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    y: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  }),
})

/** Up to four zones of a few seats each; some of them closed, some without their chairs. */
const wildHall = fc
  .array(fc.tuple(fc.array(wildSeat, { maxLength: 12 }), fc.constantFrom('open', 'closed', 'cleared')), {
    minLength: 1,
    maxLength: 4,
  })
  .map(zones => {
    const seen = new Set<string>()
    const config: LayoutConfig = {
      zones: zones.map(([seats], index) => ({
        name: `Zone ${index}`,
        zone_type: 'reserved_seating',
        seats: [
          ...seats.filter(seat => isNew(seen, index, seat)),
          {
            row: 'Z',
            number: 1,
            label: 'wheelchair',
            category: 'wheelchair',
            companion_seat_label: 'companion',
          },
          { row: 'Z', number: 2, label: 'companion', category: 'companion' },
        ],
      })),
    }
    const overlayOf = (layout: Layout): Overlay => ({
      ...EMPTY_OVERLAY,
      disabled_zones: layout.zones
        .filter((_, index) => zones[index]![1] === 'closed')
        .map(zone => zone.zoneId),
      zone_overrides: Object.fromEntries(
        layout.zones
          .filter((_, index) => zones[index]![1] === 'cleared')
          .map(zone => [zone.zoneId, { zone_type: 'ga_standing' as const }]),
      ),
    })
    return { config, overlayOf }
  })

/** Labels are unique in a zone, ids in a layout. */
function isNew(seen: Set<string>, zoneIndex: number, seat: SeatConfig): boolean {
  const keys = [`${zoneIndex} ${seat.label ?? `${seat.row}-${seat.number}`}`, seat.seat_id ?? '']
  if (keys.some(key => seen.has(key))) return false
  for (const key of keys) if (key !== '') seen.add(key)
  return true
}
