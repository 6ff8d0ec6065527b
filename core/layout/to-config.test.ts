import { NewVersionBody } from '@voelgoed/contract/layouts'
import fc from 'fast-check'
import Value from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { compiled, layoutId, smallTheatre, uuid } from './fixtures/small-theatre.ts'
import type { LayoutConfig, SeatConfig, SeatGroupConfig, ZoneConfig } from './model.ts'
import { toConfig } from './to-config.ts'

test('the export names every id', () => {
  const config = toConfig(compiled(smallTheatre()))
  for (const zone of config.zones) {
    expect(zone.zone_id).toBeDefined()
    for (const seat of zone.seats ?? []) expect(seat.seat_id).toBeDefined()
  }
  expect(config.seat_groups![0]!.group_id).toBeDefined()
  expect(config.seat_groups![0]!.seat_ids).toHaveLength(2)
})

test('the export says nothing that goes without saying', () => {
  const [stalls] = toConfig(compiled(smallTheatre())).zones
  expect(Object.keys(stalls!.seats![2]!).sort()).toEqual([
    'coordinates',
    'number',
    'price_category',
    'row',
    'seat_id',
  ])
})

test('what is exported can be sent again: numbers that were given as text, long colours', () => {
  const seats = ['-5', '2024000017'].map(number => ({ row: 'A', number }))
  const config = toConfig(
    compiled({
      zones: [{ name: 'Stalls', zone_type: 'reserved_seating', seats }],
      price_categories: [{ key: 'best', color: `rgb(${' '.repeat(40)}10, 20, 30)` }],
    }),
  )
  expect(config.zones[0]!.seats!.map(({ number }) => number)).toEqual([-5, 2_024_000_017])
  expect([...Value.Errors(NewVersionBody, { config })]).toEqual([])
})

describe('compiling an exported layout gives the same layout again', () => {
  const name = fc.stringMatching(/^[A-Za-zäß😀][A-Za-z0-9 '"\\/~é-]{0,12}$/u)
  const coordinate = fc.oneof(
    fc.integer({ min: -1_000, max: 1_000 }),
    fc.double({ min: -9e8, max: 9e8, noNaN: true }),
  )
  const point = fc.record({ x: coordinate, y: coordinate })
  const metadata = fc.dictionary(
    fc.string({ maxLength: 4 }).filter(key => !key.includes('\0')),
    fc.oneof(fc.integer(), fc.boolean(), name, fc.array(fc.integer(), { maxLength: 2 })),
    { maxKeys: 3 },
  )

  /** This can vary in a seat; `index` and the zone make the rest unique. */
  const seatKind = fc.record({
    row: fc.constantFrom('A', 'B', 'BB'),
    numberAsText: fc.boolean(),
    suffix: fc.constantFrom('', '', 'x'),
    ownLabel: fc.boolean(),
    ownId: fc.boolean(),
    upperCase: fc.boolean(),
    category: fc.constantFrom('standard', 'restricted_view', 'aisle', undefined),
    price: fc.constantFrom('p1', 'p2', null, undefined),
    coordinates: fc.option(point),
    paired: fc.constantFrom('no', 'no', 'wheelchair names', 'companion names', 'both name', 'two are listed'),
    aisleAfter: fc.constantFrom(true, false, undefined),
  })
  const zoneKind = fc.record({
    reserved: fc.boolean(),
    vip: fc.boolean(),
    ownId: fc.boolean(),
    sayCapacity: fc.boolean(),
    capacity: fc.integer({ min: 1, max: 1_000_000 }),
    access: fc.constantFrom('public', 'membership_tier', 'role_based', 'whitelist', undefined),
    metadata: fc.option(metadata, { nil: undefined }),
    outline: fc.option(fc.array(point, { minLength: 3, maxLength: 6 })),
    seats: fc.array(seatKind, { minLength: 1, maxLength: 8 }),
  })
  const groupKind = fc.record({
    type: fc.constantFrom('family_block', 'vip_table', 'reserved_block'),
    byId: fc.boolean(),
    ownId: fc.boolean(),
    name: fc.option(name),
    take: fc.integer({ min: 1, max: 4 }),
    metadata: fc.option(metadata, { nil: undefined }),
  })
  const validConfig = fc
    .record({
      names: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      zones: fc.array(zoneKind, { minLength: 4, maxLength: 4 }),
      groups: fc.array(groupKind, { maxLength: 3 }),
      listPrices: fc.boolean(),
      focalPoint: fc.option(point),
      outlines: fc.array(
        fc.record({
          kind: fc.constantFrom('stage' as const, 'shape' as const, 'text' as const),
          label: fc.option(name),
          points: fc.array(point, { minLength: 2, maxLength: 4 }),
        }),
        { maxLength: 2 },
      ),
    })
    .map((parts): LayoutConfig => {
      const zones = parts.names.map((zoneName, index) => buildZone(zoneName, index, parts.zones[index]!))
      return {
        zones,
        seat_groups: buildGroups(zones, parts.groups),
        ...(parts.listPrices
          ? { price_categories: [{ key: 'p2', label: 'Two', color: '#222' }, { key: 'p1' }] }
          : {}),
        focal_point: parts.focalPoint,
        outlines: parts.outlines,
      }
    })

  type Kind<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never

  function buildZone(zoneName: string, index: number, kind: Kind<typeof zoneKind>): ZoneConfig {
    const seats = kind.seats.flatMap((seat, seatIndex) => buildSeats(seat, index * 1_000 + seatIndex * 10))
    return {
      name: zoneName,
      zone_type: kind.reserved
        ? kind.vip
          ? 'vip_reserved'
          : 'reserved_seating'
        : kind.vip
          ? 'vip_standing'
          : 'ga_seated',
      ...(kind.ownId ? { zone_id: uuid(900_000 + index) } : {}),
      ...(kind.reserved ? { seats } : { capacity: kind.capacity }),
      ...(kind.reserved && kind.sayCapacity ? { capacity: seats.length } : {}),
      ...(kind.access ? { access_mode: kind.access } : {}),
      ...(kind.access === 'membership_tier' ? { membership_tier: 'gold' } : {}),
      ...(kind.access === 'role_based' ? { allowed_roles: ['support', 'admin'] } : {}),
      ...(kind.access === 'whitelist' ? { allowed_user_ids: [uuid(7), uuid(8)] } : {}),
      ...(kind.metadata ? { metadata: kind.metadata } : {}),
      outline: kind.outline,
    }
  }

  function buildSeats(kind: Kind<typeof seatKind>, serial: number): SeatConfig[] {
    const build = (number: number): SeatConfig => ({
      row: kind.row,
      number: kind.numberAsText || kind.suffix ? `${number}${kind.suffix}` : number,
      ...(kind.ownLabel ? { label: `seat ${number}` } : {}),
      ...(kind.ownId ? { seat_id: kind.upperCase ? uuid(number).toUpperCase() : uuid(number) } : {}),
      ...(kind.category ? { category: kind.category } : {}),
      ...(kind.price === undefined ? {} : { price_category: kind.price }),
      coordinates: kind.coordinates,
      ...(kind.aisleAfter === undefined ? {} : { aisle_after: kind.aisleAfter }),
    })
    if (kind.paired === 'no') return [build(serial)]
    const wheelchair: SeatConfig = { ...build(serial), category: 'wheelchair' }
    const companion: SeatConfig = { ...build(serial + 1), category: 'companion' }
    if (kind.paired === 'two are listed') {
      const other: SeatConfig = { ...build(serial + 2), category: 'companion' }
      wheelchair.companion_seat_labels = [labelOf(other), labelOf(companion)]
      return [companion, wheelchair, other]
    }
    if (kind.paired !== 'companion names') wheelchair.companion_seat_label = labelOf(companion)
    if (kind.paired !== 'wheelchair names') companion.companion_seat_label = labelOf(wheelchair)
    return [companion, wheelchair]
  }

  function buildGroups(
    zones: readonly ZoneConfig[],
    kinds: readonly Kind<typeof groupKind>[],
  ): SeatGroupConfig[] {
    const reserved = zones.filter(({ seats }) => seats)
    return kinds.slice(0, reserved.length).map((kind, index) => {
      const zone = reserved[index]!
      const seats = zone.seats!.slice(0, kind.take)
      const ids = seats.flatMap(seat => seat.seat_id ?? [])
      return {
        group_type: kind.type,
        name: kind.name,
        ...(kind.ownId ? { group_id: uuid(800_000 + index) } : {}),
        ...(kind.metadata ? { metadata: kind.metadata } : {}),
        ...(kind.byId && ids.length > 0
          ? { seat_ids: ids }
          : { seats: seats.map(seat => ({ zone: zone.name, label: labelOf(seat) })) }),
      }
    })
  }

  function labelOf({ label, row, number }: SeatConfig): string {
    return label ?? `${row}-${number}`
  }

  test('for any valid layout, directly and through JSON text', () => {
    fc.assert(
      fc.property(validConfig, config => {
        const layout = compiled(config)
        const exported = toConfig(layout)
        expect(layout.layoutId).toBe(layoutId)
        expect(compiled(exported)).toStrictEqual(layout)
        expect(compiled(JSON.parse(JSON.stringify(exported)))).toStrictEqual(layout)
      }),
      { seed: 2, numRuns: 500 },
    )
  })
})
