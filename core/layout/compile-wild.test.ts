import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compiled, faultsOf, uuid } from './fixtures/small-theatre.ts'
import { ACCESS_MODES, GROUP_TYPES, type LayoutConfig, SEAT_CATEGORIES, ZONE_TYPES } from './model.ts'
import { toConfig } from './to-config.ts'

const number = fc.oneof(
  fc.integer({ min: -2, max: 6 }),
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 2e9),
)
const text = fc.oneof(
  fc.constantFrom('A', 'B', '1', 'A-1', 'B-1', '', '\0', '\ud800'),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const id = fc.oneof(text, fc.constantFrom(uuid(1), uuid(2), 'ABCDEF00-0000-4000-8000-000000000000'))
const point = fc.record({ x: number, y: number })
const some = <Value>(value: fc.Arbitrary<Value>, maxLength = 3) => fc.array(value, { maxLength })
const metadata = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue() as fc.Arbitrary<unknown>, {
  maxKeys: 2,
})
const seat = fc.record(
  {
    seat_id: id,
    label: text,
    row: text,
    number: fc.oneof(number, text),
    category: fc.constantFrom(...SEAT_CATEGORIES),
    price_category: fc.option(text),
    coordinates: fc.option(point),
    companion_seat_label: fc.option(text),
    companion_seat_labels: fc.array(text, { maxLength: 3 }),
    aisle_after: fc.boolean(),
  },
  { requiredKeys: ['row', 'number'] },
)
const zone = fc.record(
  {
    zone_id: id,
    name: text,
    zone_type: fc.constantFrom(...ZONE_TYPES),
    capacity: number,
    access_mode: fc.constantFrom(...ACCESS_MODES),
    membership_tier: fc.option(text),
    allowed_roles: fc.option(some(fc.oneof(text, fc.constant('admin')))),
    allowed_user_ids: fc.option(some(id)),
    metadata,
    outline: fc.option(some(point, 4)),
    seats: some(seat, 4),
  },
  { requiredKeys: ['name', 'zone_type'] },
)
const group = fc.record(
  {
    group_id: id,
    group_type: fc.constantFrom(...GROUP_TYPES),
    name: fc.option(text),
    seat_ids: some(id),
    seats: some(fc.record({ zone: text, label: text })),
    metadata,
  },
  { requiredKeys: ['group_type'] },
)
const outline = fc.record(
  { kind: fc.constantFrom('stage', 'shape', 'text'), label: fc.option(text), points: some(point) },
  { requiredKeys: ['kind', 'points'] },
)
const price = fc.record({ key: text, label: text, color: fc.option(text) }, { requiredKeys: ['key'] })
const config = fc.record(
  {
    zones: some(zone),
    seat_groups: some(group),
    price_categories: some(price),
    focal_point: fc.option(point),
    outlines: some(outline),
  },
  { requiredKeys: ['zones'] },
) as fc.Arbitrary<LayoutConfig>

test('anything of the right shape is compiled or refused, and every fault points into it', () => {
  fc.assert(
    fc.property(config, wild => {
      const faults = faultsOf(wild)
      for (const { path, code, message } of faults) {
        expect(code).toMatch(/^[a-z_]+$/)
        expect(message).not.toBe('')
        expect(parentExists(wild, path), path).toBe(true)
      }
      if (faults.length === 0) expect(compiled(toConfig(compiled(wild)))).toStrictEqual(compiled(wild))
    }),
    { seed: 3, numRuns: 1_000 },
  )
})

/** The last step of a path may name what is missing; the steps before it must be there. */
function parentExists(document: unknown, path: string): boolean {
  let value = document
  for (const key of path.split('/').slice(1, -1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return typeof value === 'object' && value !== null
}
