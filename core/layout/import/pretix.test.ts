import { describe, expect, test } from 'vitest'
import { runsOf } from '../fixtures/runs-of.ts'
import { compiled } from '../fixtures/small-theatre.ts'
import hall from './fixtures/pretix-hall.json' with { type: 'json' }
import { importLayout } from './import.ts'

function imported(document: unknown) {
  const result = importLayout('pretix', document)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}

test('a gap in a row is an aisle', () => {
  const seat = (number: number, x: number) => ({
    seat_guid: `a-${number}`,
    seat_number: String(number),
    position: { x, y: 0 },
  })
  const seats = [seat(1, 0), seat(2, 20), seat(3, 40), seat(4, 100), seat(5, 120)]
  const { config } = imported({
    name: 'Hall',
    categories: [],
    zones: [{ name: 'Ground', position: { x: 0, y: 0 }, rows: [{ row_number: 'A', seats }], areas: [] }],
  })
  expect(runsOf(compiled(config))).toEqual(['A: 1 2 3 | 4 5'])
})

describe('a plan', () => {
  const { config, warnings } = imported(hall)
  const ground = config.zones[0]!

  test('compiles, without losing a seat', () => {
    const { seats, zones } = compiled(config)
    expect(seats).toHaveLength(6)
    expect(zones.map(({ name }) => name)).toEqual(['Ground', 'Ground (2)'])
  })

  test('puts a seat where zone, row and seat say together', () => {
    expect(ground.seats![0]!.coordinates).toEqual({ x: 111, y: 55.5 })
    expect(ground.seats![3]!.coordinates).toEqual({ x: 100, y: 140 })
  })

  test('labels seats by row and number, and by the templates of the row', () => {
    expect(compiled(config).seats.map(({ label, row, number }) => [label, row, number])).toEqual([
      ['A-1', 'A', 1],
      ['A-2', 'A', 2],
      ['A-1 (g-a-x)', 'A', 1],
      ['Table 4-Chair 7', 'Table 4', 7],
      ['4-1', '4', 1],
      ['1-1', '1', 1],
    ])
  })

  test('joins categories by name, and adds one that is used but not listed', () => {
    expect(config.price_categories).toEqual([
      { key: 'Stalls', label: 'Stalls', color: 'red' },
      { key: 'Box', label: 'Box', color: null },
      { key: 'Balcony', label: 'Balcony', color: null },
    ])
    expect(ground.seats![1]!.price_category).toBe('Balcony')
  })

  test('draws its areas, and looks at the stage', () => {
    expect(config.outlines!.map(({ kind, label, points }) => [kind, label, points.length])).toEqual([
      ['stage', 'Stage', 4],
      ['shape', null, 32],
      ['shape', null, 32],
      ['shape', null, 3],
      ['text', 'Exit', 1],
    ])
    expect(config.outlines![0]!.points[2]).toEqual({ x: 180, y: 30 })
    expect(config.outlines![1]!.points[0]).toEqual({ x: 115, y: 60 })
    expect(config.outlines![2]!.points[8]).toEqual({ x: 100, y: 52 })
    expect(config.outlines![3]!.points[1]).toEqual({ x: 106, y: 51 })
    expect(config.outlines![4]!.points).toEqual([{ x: 104, y: 55 }])
    expect(config.focal_point).toEqual({ x: 140, y: 20 })
  })

  test('says what it changed or left out, and where', () => {
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['/zones/0/rows/0/seats/1/category', 'category_not_listed'],
      ['/zones/0/rows/1/seats/0', 'label_not_unique'],
      ['/zones/0', 'label_missing'],
      ['/zones/0/areas/5', 'outline_dropped'],
      ['/zones/1', 'zone_renamed'],
      ['/zones/2', 'empty_section'],
    ])
  })
})

const seat = { seat_number: '1', position: { x: 0, y: 0 }, category: 'A' }
const plan = (...seats: unknown[]) => ({
  name: 'x',
  categories: [{ name: 'A' }],
  zones: [{ position: { x: 0, y: 0 }, rows: [{ row_number: 'A', seats }] }],
})
const at = (index: number) => `/zones/0/rows/0/seats/${index}`

test('a template is filled in literally, wherever it says %s', () => {
  const row = { row_number: '$&', row_label: 'Row %s (%s)', seats: [{ ...seat, seat_guid: 'ab' }] }
  const { config } = imported({ ...plan(), zones: [{ position: { x: 0, y: 0 }, rows: [row] }] })
  expect(config.zones[0]!.seats![0]!.row).toBe('Row $& ($&)')
})

test.each<[string, unknown, string, string]>([
  ['no seat_guid', plan(seat), `${at(0)}/seat_guid`, 'missing'],
  ['an empty seat_guid', plan({ ...seat, seat_guid: ' ' }), `${at(0)}/seat_guid`, 'missing'],
  ['a seat_guid of one letter', plan({ ...seat, seat_guid: 'a' }), `${at(0)}/seat_guid`, 'seat_guid_length'],
  [
    'a seat_guid twice',
    plan({ ...seat, seat_guid: 'ab' }, { ...seat, seat_guid: 'ab' }),
    `${at(1)}/seat_guid`,
    'duplicate_seat_guid',
  ],
  ['no position', plan({ ...seat, seat_guid: 'ab', position: null }), `${at(0)}/position`, 'missing'],
  [
    'a position too far out',
    plan({ ...seat, seat_guid: 'ab', position: { x: 1e300, y: 0 } }),
    at(0),
    'coordinate_too_large',
  ],
  ['a long label', plan({ ...seat, seat_guid: 'ab', seat_number: 'x'.repeat(99) }), at(0), 'text_too_long'],
  ['a category without a name', { ...plan(), categories: [{}] }, '/categories/0/name', 'missing'],
  ['no seats', plan(), '', 'nothing_to_book'],
  ['rows that are no list', { zones: [{ rows: {} }] }, '/zones/0/rows', 'not_a_list'],
])('refused: %s', (_what, document, path, code) => {
  const result = importLayout('pretix', document)
  expect(result.ok ? [] : result.problem.map(fault => [fault.path, fault.code])).toEqual([[path, code]])
})
