import { expect, test } from 'vitest'
import { compileHall } from '../allocation/hall.ts'
import { compiled, faultsAfter, smallTheatre } from './fixtures/small-theatre.ts'
import { importText } from './import/import-text.ts'
import { levelsOf } from './levels.ts'
import type { LayoutConfig, SeatConfig } from './model.ts'
import { toConfig } from './to-config.ts'
import { toCsv } from './to-csv.ts'
import { compareVersions } from './versions.ts'

function withLevels() {
  const config = smallTheatre()
  config.zones[0]!.level = 'Stalls'
  config.zones[2]!.level = 'Balcony'
  config.outlines[0]!.level = 'Stalls'
  return config
}

test('levels come in the order in which zones name them; a layout needs none', () => {
  expect(levelsOf(compiled(withLevels()).zones)).toEqual(['Stalls', 'Balcony'])
  expect(levelsOf(compiled(smallTheatre()).zones)).toEqual([])
  expect(compiled(smallTheatre()).zones.map(({ level }) => level)).toEqual([null, null, null])
})

test('an export has them, and gives the same layout again', () => {
  const layout = compiled(withLevels())
  expect(toConfig(layout).zones.map(({ level }) => level)).toEqual(['Stalls', undefined, 'Balcony'])
  expect(toConfig(layout).outlines![0]!.level).toBe('Stalls')
  expect(compiled(toConfig(layout))).toEqual(layout)
})

test('a table has them', () => {
  const layout = compiled(withLevels())
  const read = importText(toCsv(layout), { format: 'csv' })
  if (!read.ok) throw new Error(JSON.stringify(read.problem))
  expect(compiled(read.value.config).zones.map(({ level }) => level)).toEqual(['Stalls', null, 'Balcony'])
})

test('a zone on another level is a changed zone', () => {
  const before = compiled(withLevels())
  const config = withLevels()
  config.zones[2]!.level = 'Gallery'
  expect(compareVersions(before, compiled(config)).zonesChanged).toEqual([before.zones[2]!.zoneId])
})

test.each([
  ['an empty one', '/zones/0/level', 'text_empty', ' '],
  ['one that is too long', '/zones/0/level', 'text_too_long', 'x'.repeat(101)],
  ['one of two lines', '/zones/0/level', 'text_not_printable', 'a\nb'],
])('%s is refused', (_what, path, code, level) => {
  expect(faultsAfter(config => Object.assign(config.zones[0]!, { level }))).toEqual([[path, code]])
})

test('a layout has at most 20 of them', () => {
  const floors = (count: number) => (config: LayoutConfig) => {
    for (let floor = 0; floor < count; floor += 1) {
      config.zones.push({
        name: `Floor ${floor}`,
        zone_type: 'ga_standing',
        capacity: 1,
        level: String(floor),
      })
    }
  }
  expect(faultsAfter(floors(20))).toEqual([])
  expect(faultsAfter(floors(21))).toEqual([['/zones', 'too_many_levels']])
})

test('of seats that lie on top of each other, those of the lower level are better', () => {
  const seats = (): SeatConfig[] =>
    [1, 2, 3].map(number => ({ row: 'A', number, coordinates: { x: number, y: 10 } }))
  const config = (...levels: (string | null)[]): LayoutConfig => ({
    focal_point: { x: 2, y: 0 },
    zones: levels.map((level, index) => ({
      name: `Zone ${index}`,
      zone_type: 'reserved_seating',
      level,
      seats: seats(),
    })),
  })
  const costs = (of: LayoutConfig) => [...compileHall(compiled(of)).cost]
  const [a1, a2, a3, b1, b2, b3] = costs(config('Stalls', 'Balcony'))
  expect([b1! > a1!, b2! > a2!, b3! > a3!, b2! > a1!]).toEqual([true, true, true, true])
  const plain = costs(config(null, null))
  expect(plain.slice(3)).toEqual(plain.slice(0, 3))
  expect(costs(config('Stalls', 'Stalls'))).toEqual(plain)
})
