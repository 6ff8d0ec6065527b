import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../fixtures/runs-of.ts'
import { compiled } from '../fixtures/small-theatre.ts'
import type { LayoutConfig, Point } from '../model.ts'
import club from './fixtures/seatsio-club.json' with { type: 'json' }
import floors from './fixtures/seatsio-floors.json' with { type: 'json' }
import { importLayout } from './import.ts'

function imported(document: unknown) {
  const result = importLayout('seatsio', document)
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}

const zoneOf = (config: LayoutConfig, name: string) => config.zones.find(zone => zone.name === name)!

describe('a chart', () => {
  const { config, warnings } = imported(club)
  const hall = zoneOf(config, 'Hall')
  const hallSeats = new Map(hall.seats!.map(seat => [`${seat.row}-${seat.number}`, seat]))

  test('compiles, without losing a seat', () => {
    expect(compiled(config).seats).toHaveLength(8 + 1 + 5 + 1)
  })

  test('becomes a zone for each section and area, and one for what is in no section', () => {
    expect(config.zones.map(({ name, zone_type, capacity }) => [name, zone_type, capacity])).toEqual([
      ['Main', 'reserved_seating', undefined],
      ['Terrace', 'reserved_seating', undefined],
      ['T3', 'ga_seated', 6],
      ['Pit', 'ga_standing', 300],
      ['Hall', 'reserved_seating', undefined],
      ['Hall-Bar', 'ga_standing', 40],
      ['Hall (2)', 'reserved_seating', undefined],
    ])
  })

  test('has its seats where topLeft puts them, without noise in the last digits', () => {
    expect(hallSeats.get('A-1')!.coordinates).toEqual({ x: 110, y: 210.3 })
    expect(hall.outline![0]).toEqual({ x: 100, y: 200 })
  })

  test('takes prices from the seat, else the row, else the section', () => {
    expect(hallSeats.get('A-4')!.price_category).toBe('back')
    expect(hallSeats.get('A (2)-1')!.price_category).toBe('3')
    expect(hallSeats.get('A-1')!.price_category).toBe('1')
    expect(config.price_categories).toEqual([
      { key: '1', label: 'Front', color: '#aa0000' },
      { key: 'back', label: 'Back', color: '#0000aa' },
      { key: '3', label: 'Wheelchairs', color: null },
    ])
  })

  test('keeps what is said of access, and pairs companions with the nearest wheelchair of the row', () => {
    expect(hallSeats.get('A-2')!.category).toBe('wheelchair')
    expect(hallSeats.get('A-3')).toMatchObject({ category: 'companion', companion_seat_label: 'A-2' })
    expect(hallSeats.get('A-4')!.category).toBe('restricted_view')
    expect(hallSeats.get('A-5')).not.toHaveProperty('companion_seat_label')
    expect(hallSeats.get('A (2)-1')!.category).toBe('wheelchair')
    expect(hallSeats.get('A (2)-1 (2)')).toMatchObject({
      category: 'companion',
      companion_seat_label: 'A (2)-1',
    })
  })

  test('joins rows of one label as long as no seat comes twice', () => {
    expect([...hallSeats.keys()]).toEqual([
      'A-1',
      'A-2',
      'A-3',
      'A-4',
      'A-5',
      'A-6',
      'A (2)-1',
      'A (2)-1 (2)',
    ])
  })

  test('makes a table that is sold whole a group, and a booth one seat in a row of its own', () => {
    expect(config.seat_groups).toEqual([
      {
        group_type: 'vip_table',
        name: 'T1',
        seats: [
          { zone: 'Main', label: 'T1-1' },
          { zone: 'Main', label: 'T1-2' },
        ],
        metadata: { sell: 'whole' },
      },
    ])
    const booth = zoneOf(config, 'Main').seats!.at(-1)
    expect(booth).toMatchObject({ label: 'B1', row: 'Booth B1', number: 1, coordinates: { x: 400, y: 50 } })
  })

  test('draws areas, shapes and texts', () => {
    expect(zoneOf(config, 'Hall-Bar').outline).toEqual([
      { x: 155, y: 270.1 },
      { x: 155, y: 290.1 },
      { x: 145, y: 290.1 },
      { x: 145, y: 270.1 },
    ])
    expect(zoneOf(config, 'Pit').outline![0]).toEqual({ x: 80, y: 100 })
    expect(config.outlines!.map(({ kind, label }) => [kind, label])).toEqual([
      ['stage', 'Stage'],
      ['text', 'Way out'],
    ])
    expect(config.focal_point).toEqual({ x: 50, y: 0 })
  })

  test('remembers in the metadata what has no place elsewhere', () => {
    expect(hall.metadata).toEqual({ entrance: 'Door 3', zone: 'North' })
    expect(zoneOf(config, 'Pit').metadata).toEqual({ price_category: 'back' })
  })

  test('says what it left out, and where', () => {
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['/zones/list/0', 'focal_point_dropped'],
      ['/subChart/tables/3', 'empty_table'],
      ['/subChart/generalAdmissionAreas/1', 'area_without_places'],
      ['/subChart/shapes/1', 'outline_dropped'],
      ['/subChart/backgroundImage', 'image_dropped'],
      ['/subChart/sections/0/subChart/rows/0/seats/4', 'companion_without_wheelchair'],
      ['/subChart/sections/0', 'label_not_unique'],
      ['/subChart/sections/1', 'outline_dropped'],
      ['/subChart/sections/1', 'zone_renamed'],
      ['/subChart/sections/2', 'empty_section'],
    ])
  })
})

test('gaps in a row, and between two pieces of it, are aisles', () => {
  const seat = (label: number, x: number) => ({ label: String(label), x, y: 0, categoryKey: 1 })
  const { config } = imported({
    categories: { list: [{ key: 1, label: 'All' }] },
    subChart: {
      rows: [
        { label: 'A', seats: [seat(1, 0), seat(2, 20), seat(3, 40), seat(4, 100), seat(5, 120)] },
        { label: 'A', seats: [seat(7, 180), seat(8, 200)] },
      ],
    },
  })
  expect(runsOf(compiled(config))).toEqual(['A: 1 2 3 | 4 5 | 7 8'])
})

describe('floors', () => {
  const { config, warnings } = imported(floors)

  test('give their names to their zones', () => {
    expect(config.zones.map(({ name }) => name)).toEqual(['Ground - S', '2 - Main', '2 - Bar'])
  })

  test('are levels: zones and drawings stay where the chart has them', () => {
    expect(config.zones.map(({ level }) => level)).toEqual(['Ground', '2', '2'])
    expect(config.zones[0]!.seats![0]!.coordinates).toEqual({ x: 60, y: 40 })
    expect(config.zones[1]!.seats![0]!.coordinates).toEqual({ x: 60, y: 40 })
    expect(config.outlines![0]!).toMatchObject({ level: '2' })
    expect(compiled(config).zones.map(({ level }) => level)).toEqual(['Ground', '2', '2'])
  })

  test('have one focal point, the first', () => {
    expect(config.focal_point).toEqual({ x: 5, y: 0 })
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['/subChartFloors/1/focalPoint', 'focal_point_dropped'],
    ])
  })
})

test('more floors than a layout may have levels are refused', () => {
  const subChartFloors = Array.from({ length: 21 }, (_, index) => ({
    floorName: `Floor ${index}`,
    rows: [{ label: 'A', seats: [{ x: 0, y: 0, label: '1' }] }],
  }))
  expect(importLayout('seatsio', { subChartFloors })).toMatchObject({
    ok: false,
    problem: [{ path: '', code: 'too_many_levels' }],
  })
})

test('a focal point that is off the map is left out', () => {
  const { config, warnings } = imported({
    ...club,
    subChart: { ...club.subChart, focalPoint: { x: 2e9, y: 0 } },
  })
  expect(config.focal_point).toBeUndefined()
  expect(warnings).toContainEqual(
    expect.objectContaining({ path: '/subChart/focalPoint', code: 'focal_point_dropped' }),
  )
})

test('a category that only an area uses is listed', () => {
  const subChart = { generalAdmissionAreas: [{ label: 'Pit', capacity: 5, categoryKey: 'new' }] }
  const { config, warnings } = imported({ subChart })
  expect(config.price_categories).toEqual([{ key: 'new', label: 'new', color: null }])
  expect(warnings.map(({ code }) => code)).toEqual(['category_not_listed'])
})

test('what is inherited is not in the document', () => {
  const result = importLayout('seatsio', Object.create(club))
  expect(result).toMatchObject({ ok: false, problem: [{ path: '/subChart', code: 'missing' }] })
})

test('a thousand flaws of one kind in one section are one warning', () => {
  const seats = Array.from({ length: 1_000 }, (_, x) => ({ x, y: 0, label: `${x}`, companionSeat: true }))
  const chart = { sections: [{ label: 'S', categoryKey: 1, subChart: { rows: [{ label: 'A', seats }] } }] }
  const { warnings } = imported({ categories: { list: [{ key: 1 }] }, subChart: chart })
  const found = warnings.filter(({ code }) => code === 'companion_without_wheelchair')
  expect(found).toMatchObject([
    { path: '/subChart/sections/0', message: expect.stringContaining('1000 times') },
  ])
})

test('a broken chart gives all of its faults, with their places, and no layout', () => {
  const result = importLayout('seatsio', {
    categories: { list: [{ label: 'no key' }] },
    subChart: {
      rows: [{ label: 'A', seats: [{ x: '1', label: {} }, null] }],
      tables: 7,
      generalAdmissionAreas: [{ label: 'GA', capacity: 1.5 }],
      sections: [{ label: 'S', topLeft: [], subChart: { sections: [{}] } }],
    },
  })
  expect(result.ok ? [] : result.problem.map(({ path, code }) => [path, code]).sort()).toEqual([
    ['/categories/list/0/key', 'missing'],
    ['/subChart/generalAdmissionAreas/0/capacity', 'capacity_not_whole'],
    ['/subChart/rows/0/seats/0/label', 'not_text'],
    ['/subChart/rows/0/seats/0/x', 'not_a_number'],
    ['/subChart/rows/0/seats/0/y', 'missing'],
    ['/subChart/rows/0/seats/1', 'missing'],
    ['/subChart/sections/0/subChart/sections', 'sections_nested'],
    ['/subChart/sections/0/topLeft', 'not_an_object'],
    ['/subChart/tables', 'not_a_list'],
  ])
})

test.each([
  ['an empty chart', { subChart: {} }, ['', 'nothing_to_book']],
  ['no chart', {}, ['/subChart', 'missing']],
  ['not even an object', [], ['', 'not_an_object']],
  ['null', null, ['', 'missing']],
  [
    'a number that no double holds',
    JSON.parse('{"subChart":{"rows":[{"label":"A","seats":[{"x":1e400,"y":0,"label":"1"}]}]}}'),
    ['/subChart/rows/0/seats/0/x', 'not_a_number'],
  ],
  [
    'a crowd of more than a million',
    { subChart: { generalAdmissionAreas: [{ label: 'Pit', capacity: 1_000_001 }] } },
    ['/subChart/generalAdmissionAreas/0/capacity', 'capacity_too_large'],
  ],
])('refused: %s', (_what, document, fault) => {
  const result = importLayout('seatsio', document)
  expect(result.ok ? [] : result.problem.map(({ path, code }) => [path, code])).toEqual([fault])
})

test('a chart of more than 250,000 seats is refused with one fault', () => {
  const seats = Array.from({ length: 1_000 }, (_, x) => ({ x, y: 0, label: `${x}`, categoryKey: 1 }))
  const rows = Array.from({ length: 251 }, (_, row) => ({ label: `${row}`, seats }))
  const result = importLayout('seatsio', { categories: { list: [{ key: 1 }] }, subChart: { rows } })
  expect(result.ok ? [] : result.problem.map(({ code }) => code)).toEqual(['too_many_seats'])
})

const realCharts = new URL('../../../../shared/data/seatsio/', import.meta.url)
describe.runIf(existsSync(realCharts))('real charts', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, realCharts), 'utf8'))
  const charts = [
    ['sampleChartWithSections.json', 71],
    ['sampleChartWithZones.json', 8_897],
  ] as const

  test.each(charts)('%s keeps all %i seats, each inside its section', (file, count) => {
    const layout = compiled(imported(read(file)).config)
    expect(layout.seats).toHaveLength(count)
    expect(layout.seats.filter(seat => !isInside(seat, layout.zones[seat.zoneIndex]!.outline!))).toEqual([])
    const labels = layout.seats.map(({ zoneIndex, label }) => `${zoneIndex} ${label}`)
    expect(new Set(labels).size).toBe(count)
  })

  test.each(charts)('%s has no gap in its rows, and one where a seat is taken out', file => {
    const chart = read(file)
    const rowsOf = () => runsOf(compiled(imported(chart).config))
    expect(rowsOf().filter(row => row.includes('|'))).toEqual([])
    const row = chart.subChart.sections[0].subChart.rows.find((one: { seats: [] }) => one.seats.length >= 5)
    row.seats.splice(2, 1)
    expect(rowsOf().filter(one => one.includes('|'))).toHaveLength(1)
  })

  test.each([0.01, 0.5, 0.75, 1.5, 2, 100])(
    'seats would lie outside of their sections at scale %d',
    scale => {
      const chart = read('sampleChartWithZones.json')
      for (const section of chart.subChart.sections) {
        for (const seat of section.subChart.rows.flatMap((row: { seats: Point[] }) => row.seats)) {
          seat.x *= scale
          seat.y *= scale
        }
      }
      const outside = imported(chart).config.zones.flatMap(({ seats, outline }) =>
        seats!.filter(({ coordinates }) => !isInside(coordinates!, outline!)),
      )
      expect(outside.length).toBeGreaterThan(0)
    },
  )
})

function isInside({ x, y }: Point, polygon: readonly Point[]): boolean {
  let inside = false
  for (const [index, a] of polygon.entries()) {
    const b = polygon.at(index - 1)!
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside
  }
  return inside
}
