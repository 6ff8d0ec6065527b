import { expect, test } from 'vitest'
import { deriveSeatId, deriveZoneId } from '../ids.ts'
import {
  compiled,
  type FaultCase,
  faultsAfter,
  layoutId,
  stallsSeat as seat,
  smallTheatre,
  uuid,
} from './fixtures/small-theatre.ts'
import { toConfig } from './to-config.ts'

test('ordinals are dense in zone order, then seat order', () => {
  const { seats, zones } = compiled(smallTheatre())
  expect(seats.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2, 3, 4])
  expect(seats.map(({ zoneIndex }) => zoneIndex)).toEqual([0, 0, 0, 0, 2])
  expect(zones.map(({ firstOrdinal, seatCount }) => [firstOrdinal, seatCount])).toEqual([
    [0, 4],
    [4, 0],
    [4, 1],
  ])
})

test('an id that is left out is derived; one that is given is kept, in lower case', () => {
  const config = smallTheatre()
  seat(config, 0).seat_id = 'ABCDEF00-0000-4000-8000-000000000001'
  const { seats } = compiled(config)
  expect(seats[0]!.seatId).toBe('abcdef00-0000-4000-8000-000000000001')
  expect(seats[1]!.seatId).toBe(deriveSeatId(deriveZoneId(layoutId, 'Stalls'), 'A-2'))
})

test('text is read as a number only where nothing is lost', () => {
  const { seats } = compiled(smallTheatre())
  expect(seats.map(({ number }) => number)).toEqual([1, 2, 3, '03', 1])
  expect(seats.map(({ label }) => label)).toEqual(['A-1', 'A-2', 'A-3', 'the one behind the pillar', 'A-1'])
})

test('text that a double cannot hold stays text', () => {
  const config = smallTheatre()
  seat(config, 2).number = '9007199254740993'
  expect(compiled(config).seats[2]).toMatchObject({ number: '9007199254740993', label: 'A-9007199254740993' })
})

test('−0 becomes 0, which JSON can write', () => {
  const config = smallTheatre()
  Object.assign(seat(config, 2), { number: -0, coordinates: { x: -0, y: -0 } })
  expect(compiled(config).seats[2]).toMatchObject({ number: 0, label: 'A-0', x: 0, y: 0 })
})

test('an aisle is said, denied or not said, and the export says it again', () => {
  const config = smallTheatre()
  seat(config, 0).aisle_after = true
  seat(config, 1).aisle_after = false
  const layout = compiled(config)
  expect(layout.seats.map(({ aisleAfter }) => aisleAfter)).toEqual([true, false, null, null, null])
  const exported = toConfig(layout).zones[0]!.seats!
  expect(exported.map(({ aisle_after }) => aisle_after)).toEqual([true, false, undefined, undefined])
  expect(exported[2]).not.toHaveProperty('aisle_after')
})

const at = (index: number, member: string) => `/zones/0/seats/${index}/${member}`
test.each<FaultCase>([
  ['an id that is none', at(3, 'seat_id'), 'id_not_uuid', c => (seat(c, 3).seat_id = '7')],
  [
    'one id in two zones',
    '/zones/2/seats/0/seat_id',
    'duplicate_seat_id',
    c => {
      seat(c, 2).seat_id = uuid(11)
      c.zones[2]!.seats![0]!.seat_id = uuid(11)
    },
  ],
  [
    'a new seat under the old label of one that kept its id',
    at(3, 'seat_id'),
    'duplicate_seat_id',
    c => {
      seat(c, 2).seat_id = deriveSeatId(deriveZoneId(layoutId, 'Stalls'), 'A-9')
      Object.assign(seat(c, 3), { row: 'A', number: 9, label: undefined })
    },
  ],
  ['two seats of one label', at(2, 'label'), 'duplicate_seat_label', c => (seat(c, 2).number = 2)],
  ['an empty label', at(2, 'label'), 'text_empty', c => (seat(c, 2).label = '')],
  ['a long label', at(2, 'label'), 'text_too_long', c => (seat(c, 2).label = 'x'.repeat(101))],
  ['a line break in a label', at(2, 'label'), 'text_not_printable', c => (seat(c, 2).label = 'a\nb')],
  [
    'a row and a number too long for one label',
    '/zones/0/seats/2',
    'text_too_long',
    c => Object.assign(seat(c, 2), { row: 'x'.repeat(60), number: 'y'.repeat(60) }),
  ],
  ['an empty row', at(2, 'row'), 'text_empty', c => (seat(c, 2).row = ' ')],
  ['a long row', at(2, 'row'), 'text_too_long', c => (seat(c, 2).row = 'x'.repeat(101))],
  ['an empty number', at(2, 'number'), 'text_empty', c => (seat(c, 2).number = '')],
  ['a broken number', at(2, 'number'), 'number_not_whole', c => (seat(c, 2).number = 1.5)],
  ['not a number', at(2, 'number'), 'number_not_whole', c => (seat(c, 2).number = Number.NaN)],
  [
    'a price that is not listed',
    at(2, 'price_category'),
    'price_category_unknown',
    c => (seat(c, 2).price_category = 'worst'),
  ],
  [
    'a price without a name',
    at(2, 'price_category'),
    'text_empty',
    c => {
      c.price_categories = []
      seat(c, 2).price_category = ''
    },
  ],
  [
    'a place that is none',
    at(1, 'coordinates/x'),
    'coordinate_not_finite',
    c => (seat(c, 1).coordinates = { x: Number.NaN, y: 0 }),
  ],
  [
    'a place too far out',
    at(1, 'coordinates/y'),
    'coordinate_too_large',
    c => (seat(c, 1).coordinates = { x: 0, y: -1.1e9 }),
  ],
])('refused: %s', (_what, path, code, change) => {
  expect(faultsAfter(change)).toEqual([[path, code]])
})

test('a place at the very edge is fine, in both directions at once', () => {
  const edge = (c: Parameters<Parameters<typeof faultsAfter>[0]>[0]) => {
    for (const zone of c.zones) for (const seat of zone.seats ?? []) seat.coordinates = { x: 1e9, y: -1e9 }
  }
  expect(faultsAfter(edge)).toEqual([])
})
