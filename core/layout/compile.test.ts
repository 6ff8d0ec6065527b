import { describe, expect, test } from 'vitest'
import { deriveZoneId } from '../ids.ts'
import {
  compiled,
  type FaultCase,
  faultsAfter,
  faultsOf,
  layoutId,
  smallTheatre,
  uuid,
} from './fixtures/small-theatre.ts'
import { LAYOUT_LIMITS, type LayoutConfig, type ZoneConfig } from './model.ts'

test('capacity is the number of seats, or what was said, and adds up', () => {
  const { zones, totalCapacity } = compiled(smallTheatre())
  expect(zones.map(({ capacity }) => capacity)).toEqual([4, 500, 1])
  expect(totalCapacity).toBe(505)
})

test('a zone id that is left out is derived; one that is given is kept, in lower case', () => {
  const config = smallTheatre()
  config.zones[0]!.zone_id = 'ABCDEF00-0000-4000-8000-000000000000'
  const [stalls, , lounge] = compiled(config).zones
  expect(stalls!.zoneId).toBe('abcdef00-0000-4000-8000-000000000000')
  expect(lounge!.zoneId).toBe(deriveZoneId(layoutId, 'Lounge'))
})

test('price categories come from the seats when none are listed', () => {
  const config = smallTheatre()
  config.price_categories = []
  config.zones[2]!.seats![0]!.price_category = 'lounge'
  expect(compiled(config).priceCategories).toEqual([
    { key: 'best', label: 'best', color: null },
    { key: 'lounge', label: 'lounge', color: null },
  ])
})

test('the layout shares nothing with what was sent', () => {
  const config = smallTheatre()
  const doors = ['north']
  config.zones[1]!.metadata = { doors }
  const { zones } = compiled(config)
  doors.push('south')
  expect(zones[1]!.metadata).toEqual({ doors: ['north'] })
})

test('metadata may hold any text, even one that looks like an escaped NUL', () => {
  const config = smallTheatre()
  config.zones[1]!.metadata = { text: '\\u0000 😀 \n', ['__proto__']: 1 }
  expect(compiled(config).zones[1]!.metadata).toEqual(config.zones[1]!.metadata)
})

const change = (zoneIndex: number, members: Partial<ZoneConfig>): FaultCase[3] => {
  return config => {
    Object.assign(config.zones[zoneIndex]!, members)
    if (members.seats || 'seats' in members) config.seat_groups.splice(0)
  }
}
const floor = '/zones/1'
const triangle = (lastY: number) => [
  { x: 0, y: 0 },
  { x: 1, y: 0 },
  { x: 0, y: lastY },
]
test.each<FaultCase>([
  ['no zones', '/zones', 'no_zones', c => c.zones.splice(0)],
  ['a nameless zone', `${floor}/name`, 'text_empty', change(1, { name: ' ' })],
  ['a long name', `${floor}/name`, 'text_too_long', change(1, { name: 'x'.repeat(201) })],
  ['a line break in a name', `${floor}/name`, 'text_not_printable', change(1, { name: 'a\nb' })],
  ['half a surrogate pair', `${floor}/name`, 'text_not_printable', change(1, { name: 'a\ud800' })],
  ['two zones of one name', `${floor}/name`, 'duplicate_zone_name', change(1, { name: 'Stalls' })],
  ['an id that is none', `${floor}/zone_id`, 'id_not_uuid', change(1, { zone_id: 'floor' })],
  [
    'two zones of one id',
    `${floor}/zone_id`,
    'duplicate_zone_id',
    c => {
      c.zones[0]!.zone_id = 'ABCDEF00-0000-4000-8000-000000000000'
      c.zones[1]!.zone_id = 'abcdef00-0000-4000-8000-000000000000'
    },
  ],
  [
    'a new zone under the old name of one that kept its id',
    '/zones/2/zone_id',
    'duplicate_zone_id',
    change(0, { zone_id: deriveZoneId(layoutId, 'Lounge') }),
  ],
  ['no seats at all', '/zones/2', 'reserved_zone_without_seats', change(2, { seats: undefined })],
  ['an empty list of seats', '/zones/2/seats', 'reserved_zone_without_seats', change(2, { seats: [] })],
  ['a wrong capacity', '/zones/2/capacity', 'capacity_not_number_of_seats', change(2, { capacity: 5 })],
  [
    'no number of seats',
    '/zones/2/capacity',
    'capacity_not_number_of_seats',
    change(2, { capacity: Number.NaN }),
  ],
  [
    'seats in a crowd',
    `${floor}/seats`,
    'seats_in_capacity_zone',
    change(1, { seats: [{ row: 'A', number: 1 }] }),
  ],
  ['no capacity', floor, 'capacity_missing', change(1, { capacity: undefined })],
  ['room for no person', `${floor}/capacity`, 'capacity_not_positive', change(1, { capacity: 0 })],
  ['room for half', `${floor}/capacity`, 'capacity_not_whole', change(1, { capacity: 0.5 })],
  [
    'endless room',
    `${floor}/capacity`,
    'capacity_not_whole',
    change(1, { capacity: Number.POSITIVE_INFINITY }),
  ],
  ['too much room', `${floor}/capacity`, 'capacity_too_large', change(1, { capacity: 1_000_001 })],
  [
    'an outline into nowhere',
    `${floor}/outline/2/y`,
    'coordinate_not_finite',
    change(1, { outline: triangle(Number.NaN) }),
  ],
  [
    'an outline without an area',
    `${floor}/outline`,
    'too_few_points',
    change(1, { outline: triangle(1).slice(1) }),
  ],
  [
    'large metadata',
    `${floor}/metadata`,
    'metadata_too_large',
    change(1, { metadata: { a: 'é'.repeat(8_192) } }),
  ],
  ['deep metadata', `${floor}/metadata`, 'metadata_too_deep', change(1, { metadata: nested(100_000) })],
  ['NUL in metadata', `${floor}/metadata`, 'metadata_not_storable', change(1, { metadata: { a: 'x\0' } })],
  [
    'half a pair in metadata',
    `${floor}/metadata`,
    'metadata_not_storable',
    change(1, { metadata: { a: '\udc00' } }),
  ],
  [
    'a price twice',
    '/price_categories/1/key',
    'duplicate_price_category',
    c => c.price_categories.push({ key: 'best' }),
  ],
  [
    'a price without a key',
    '/price_categories/1/key',
    'text_empty',
    c => c.price_categories.push({ key: '' }),
  ],
  [
    'a focal point nowhere',
    '/focal_point/x',
    'coordinate_not_finite',
    c => (c.focal_point = { x: Number.NaN, y: 0 }),
  ],
  ['a drawing of nothing', '/outlines/0/points', 'too_few_points', c => (c.outlines[0]!.points = [])],
  [
    'a drawing of too many points',
    '/outlines/0/points',
    'too_many_points',
    c => (c.outlines[0]!.points = Array(2_001).fill({ x: Number.NaN, y: 0 })),
  ],
  ['a drawing with an empty label', '/outlines/0/label', 'text_empty', c => (c.outlines[0]!.label = '')],
])('refused: %s', (_what, path, code, changeZone) => {
  expect(faultsAfter(changeZone)).toEqual([[path, code]])
})

test('every fault is found at once, with what to do about it', () => {
  const config = smallTheatre()
  config.zones[0]!.name = ''
  config.zones[0]!.seats![2]!.number = 2
  config.zones[1]!.capacity = -1
  config.seat_groups = [{ group_type: 'family_block', seat_ids: [uuid(1)] }]
  const found = faultsOf(config)
  expect(found.map(({ code }) => code)).toEqual([
    'text_empty',
    'duplicate_seat_label',
    'capacity_not_positive',
    'group_seat_unknown',
  ])
  for (const { message } of found) expect(message).toMatch(/^[A-Z].* .*\.$/)
})

test('a zone that is there twice is one fault, not one for each of its seats', () => {
  const config = smallTheatre()
  config.zones.push({ ...config.zones[0]! })
  expect(faultsOf(config).map(({ path, code }) => [path, code])).toEqual([
    ['/zones/3/name', 'duplicate_zone_name'],
  ])
})

test('a thousand faults are told, the last of which counts the rest', () => {
  const config = smallTheatre()
  config.zones[0]!.seats!.push(...Array.from({ length: 1_200 }, () => ({ row: 'C', number: 1 })))
  const found = faultsOf(config)
  expect(found).toHaveLength(1_000)
  expect(found[998]!.code).toBe('duplicate_seat_label')
  expect(found[999]).toMatchObject({ code: 'more_faults', message: expect.stringContaining(' 200 more') })
})

describe('a layout over a size limit', () => {
  // Lists of holes: code that looks at an item of theirs fails on undefined.
  const holes = <Item>(length: number) => new Array<Item>(length)
  const reserved = { name: 'A', zone_type: 'reserved_seating' as const }

  test.each<[string, string, LayoutConfig]>([
    ['too_many_seats', '/zones', { zones: [{ ...reserved, seats: holes(250_001) }] }],
    ['too_many_groups', '/seat_groups', { ...smallTheatre(), seat_groups: holes(50_001) }],
    ['too_many_price_categories', '/price_categories', { ...smallTheatre(), price_categories: holes(1_001) }],
    ['too_many_outlines', '/outlines', { ...smallTheatre(), outlines: holes(5_001) }],
    ['too_many_zones', '/zones', { zones: Array(2_001).fill(reserved) }],
  ])('is refused before anything else is looked at: %s', (code, path, config) => {
    expect(faultsOf(config).map(fault => [fault.path, fault.code])).toEqual([[path, code]])
  })

  test('is refused for price categories that only the seats name', () => {
    const seats = Array.from({ length: 1_001 }, (_, index) => ({
      row: 'A',
      number: index,
      price_category: `p${index}`,
    }))
    expect(faultsOf({ zones: [{ ...reserved, seats }] })).toMatchObject([
      { code: 'too_many_price_categories' },
    ])
  })

  test('but a limit can be reached', () => {
    const zones = Array.from({ length: LAYOUT_LIMITS.zones }, (_, index) => ({
      name: `Zone ${index}`,
      zone_type: 'ga_standing' as const,
      capacity: LAYOUT_LIMITS.zoneCapacity,
    }))
    expect(compiled({ zones }).totalCapacity).toBe(2_000_000_000)
  })
})

function nested(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = {}
  for (let level = 0; level < depth; level++) value = { value }
  return value
}
