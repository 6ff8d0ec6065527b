import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiled } from '../fixtures/small-theatre.ts'
import pretixHall from './fixtures/pretix-hall.json' with { type: 'json' }
import seatsioClub from './fixtures/seatsio-club.json' with { type: 'json' }
import seatsioFloors from './fixtures/seatsio-floors.json' with { type: 'json' }
import { IMPORT_FORMATS, type ImportFormat, importLayout } from './import.ts'

const fixtures: [string, ImportFormat, unknown][] = [
  ['pretix-hall', 'pretix', pretixHall],
  ['seatsio-club', 'seatsio', seatsioClub],
  ['seatsio-floors', 'seatsio', seatsioFloors],
]

/**
 * Whatever comes in: a layout that compiles, or faults that point into the document. Never both,
 * never a throw.
 */
function checkOutcome(format: ImportFormat, document: unknown): 'imported' | 'refused' {
  const result = importLayout(format, document)
  const told = result.ok ? result.value.warnings : result.problem
  for (const { path, code, message } of told) {
    expect(code).toMatch(/^[a-z_]+$/)
    expect(message).not.toBe('')
    expect(parentExists(document, path), path).toBe(true)
  }
  if (result.ok) compiled(result.value.config)
  else expect(told.length).toBeGreaterThan(0)
  return result.ok ? 'imported' : 'refused'
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, 1e308, -1e308, 2e9, 0.5, true, [], {}, 'A', '1', 'x'.repeat(250)),
  fc.constantFrom('\ud83d', `${'y'.repeat(199)}😀`, 'a\0b', '%s', '__proto__', `${'z'.repeat(97)}`),
  fc.jsonValue({ maxDepth: 2 }),
)

test.each(IMPORT_FORMATS)('any JSON is answered as %s', format => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), document => {
      checkOutcome(format, document)
    }),
    { seed: 5, numRuns: 300 },
  )
})

describe.each(fixtures)('%s', (_name, format, fixture) => {
  test('any damage to it is answered', () => {
    const damage = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom('remove', 'replace', 'copy'),
      from: fc.nat(),
      value: junk,
    })
    const outcomes = new Set<string>()
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), damages => {
        const document = JSON.parse(JSON.stringify(fixture))
        for (const { at, kind, from, value } of damages) {
          const places = placesIn(document)
          if (places.length === 0) break
          const { parent, key } = places[at % places.length]!
          const source = places[from % places.length]!
          if (kind === 'remove') delete parent[key]
          else parent[key] = JSON.parse(JSON.stringify(kind === 'copy' ? source.parent[source.key] : value))
        }
        outcomes.add(checkOutcome(format, JSON.parse(JSON.stringify(document))))
      }),
      { seed: 6, numRuns: 500 },
    )
    expect([...outcomes].sort()).toEqual(['imported', 'refused'])
  })

  test('nesting of any depth, anywhere in it, overflows no stack', () => {
    for (const { key } of placesIn(fixture)) {
      const document = JSON.parse(JSON.stringify(fixture))
      for (const place of placesIn(document)) if (place.key === key) place.parent[key] = deep
      checkOutcome(format, document)
    }
  })

  test('members named __proto__ or constructor change nothing', () => {
    const text = JSON.stringify(fixture).replaceAll('{', '{"__proto__":{"label":1,"x":[]},"constructor":7,')
    const document = JSON.parse(text.replaceAll(',}', '}'))
    expect(importLayout(format, document)).toEqual(importLayout(format, fixture))
    expect({}).not.toHaveProperty('label')
  })
})

const deep = JSON.parse(`${'['.repeat(50_000)}{}${']'.repeat(50_000)}`)

const label = fc.oneof(
  fc.constantFrom('A', 'B', '1', '2', '12A', 'A (2)', '1 (2)'),
  fc.string({ minLength: 1, maxLength: 5 }),
)
const coordinate = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const point = fc.record({ x: coordinate, y: coordinate })
const list = <Value>(value: fc.Arbitrary<Value>, maxLength = 3) => fc.array(value, { maxLength })

test('any valid seats.io chart is imported, compiles, and keeps every seat', () => {
  const category = fc.constantFrom(1, 'two', null)
  const seat = fc.record(
    {
      x: coordinate,
      y: coordinate,
      label: fc.option(label),
      categoryKey: category,
      accessible: fc.boolean(),
      companionSeat: fc.boolean(),
      restrictedView: fc.boolean(),
      uuid: fc.string(),
    },
    { requiredKeys: ['x', 'y'] },
  )
  const row = fc.record({ label: fc.option(label), seats: list(seat, 5), categoryKey: category })
  const table = fc.record({ label, seats: list(seat), bookAsAWhole: fc.boolean(), center: point })
  const booth = fc.record({ label, center: point, categoryKey: category })
  const area = fc.record({ label, capacity: fc.integer({ min: 0, max: 1_000_000 }), categoryKey: category })
  const text = fc.record({ text: fc.string({ maxLength: 300 }), center: point })
  const objects = {
    rows: list(row),
    tables: list(table, 2),
    booths: list(booth, 2),
    generalAdmissionAreas: list(area, 2),
    texts: list(text, 2),
  }
  const section = fc.record({
    label,
    points: list(point, 5),
    topLeft: point,
    categoryKey: category,
    entrance: fc.option(fc.string()),
    subChart: fc.record(objects),
  })
  const chart = fc.record({ ...objects, sections: list(section), focalPoint: fc.option(point) })
  const head = {
    categories: {
      list: [
        { key: 1, label: 'One' },
        { key: 'two', accessible: true },
      ],
    },
  }
  const document = fc.oneof(
    chart.map(subChart => ({ ...head, subChart, floors: [subChart] })),
    fc
      .array(chart, { minLength: 1, maxLength: 3 })
      .map(subChartFloors => ({ ...head, subChartFloors, floors: subChartFloors })),
  )

  fc.assert(
    fc.property(document, ({ floors, ...valid }) => {
      const parts = floors.flatMap(floor => [floor, ...floor.sections.map(({ subChart }) => subChart)])
      const seats = parts.flatMap(({ rows, tables, booths }) => [
        ...[...rows, ...tables].flatMap(owner => owner.seats),
        ...booths,
      ])
      const capacity = parts
        .flatMap(part => part.generalAdmissionAreas)
        .reduce((sum, a) => sum + a.capacity, 0)
      const result = importLayout('seatsio', valid)
      if (seats.length + capacity === 0) {
        expect(result).toMatchObject({ ok: false, problem: [{ code: 'nothing_to_book' }] })
        return
      }
      if (!result.ok) throw new Error(JSON.stringify(result.problem))
      const layout = compiled(result.value.config)
      expect(layout.seats).toHaveLength(seats.length)
      expect(layout.totalCapacity).toBe(seats.length + capacity)
    }),
    { seed: 7, numRuns: 300 },
  )
})

test('any valid pretix plan is imported, compiles, and keeps every seat', () => {
  const seat = fc.record({ seat_number: label, position: point, category: fc.constantFrom('A', 'B', 'C') })
  const row = fc.record(
    {
      row_number: label,
      seats: list(seat, 5),
      position: point,
      row_label: fc.constantFrom('Row %s', '%s$&', 'Box'),
    },
    { requiredKeys: ['row_number', 'seats'] },
  )
  const area = fc.oneof(
    fc.record({
      shape: fc.constant('polygon'),
      position: point,
      polygon: fc.record({ points: list(point, 5) }),
    }),
    fc.record({ shape: fc.constant('circle'), position: point, circle: fc.record({ radius: coordinate }) }),
    fc.record({
      shape: fc.constant('text'),
      position: point,
      text: fc.record({ text: fc.string({ maxLength: 300 }) }),
    }),
  )
  const zone = fc.record(
    { name: label, position: point, rows: list(row), areas: list(area, 2) },
    { requiredKeys: ['position', 'rows'] },
  )
  fc.assert(
    fc.property(list(zone), zones => {
      let count = 0
      const guid = () => `${count++} ${'g'.repeat(count % 3 === 0 ? 180 : 5)}`
      const numbered = zones.map(z => ({
        ...z,
        rows: z.rows.map(r => ({ ...r, seats: r.seats.map(s => ({ ...s, seat_guid: guid() })) })),
      }))
      const result = importLayout('pretix', { name: 'x', categories: [{ name: 'A' }], zones: numbered })
      if (count === 0) {
        expect(result).toMatchObject({ ok: false, problem: [{ code: 'nothing_to_book' }] })
        return
      }
      if (!result.ok) throw new Error(JSON.stringify(result.problem))
      expect(compiled(result.value.config).seats).toHaveLength(count)
    }),
    { seed: 8, numRuns: 300 },
  )
})

type Container = Record<string | number, unknown>

/** Every member of every object and list of a document. */
function placesIn(document: unknown): { parent: Container; key: string }[] {
  if (typeof document !== 'object' || document === null || document === deep) return []
  const parent = document as Container
  return Object.keys(parent).flatMap(key => [{ parent, key }, ...placesIn(parent[key])])
}

/** The last step of a path may name what is missing; the steps before it must be there. */
function parentExists(document: unknown, path: string): boolean {
  let value = document
  for (const key of path.split('/').slice(1, -1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Container)[key]
  }
  return path === '' || (typeof value === 'object' && value !== null)
}
