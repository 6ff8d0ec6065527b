import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiled, smallTheatre, stallsSeat } from './fixtures/small-theatre.ts'
import type { LayoutConfig, SeatConfig } from './model.ts'
import {
  compareVersions,
  LAYOUT_VERSION_ACTIONS,
  LAYOUT_VERSION_STATUSES,
  nextVersionStatus,
} from './versions.ts'

test('a version goes from draft to active to archived, or straight to archived, and nowhere else', () => {
  const legal = LAYOUT_VERSION_STATUSES.flatMap(status =>
    LAYOUT_VERSION_ACTIONS.map(action => [status, action, nextVersionStatus(status, action)]),
  )
  expect(legal).toEqual([
    ['draft', 'activate', 'active'],
    ['draft', 'archive', 'archived'],
    ['active', 'activate', null],
    ['active', 'archive', 'archived'],
    ['archived', 'activate', null],
    ['archived', 'archive', null],
  ])
})

describe('comparing versions', () => {
  const compare = (change: (config: LayoutConfig) => void) => {
    const after = smallTheatre()
    change(after)
    return compareVersions(compiled(smallTheatre()), compiled(after))
  }
  const idOf = (ordinal: number) => compiled(smallTheatre()).seats[ordinal]!.seatId

  test('a version equals itself', () => {
    expect(compare(() => {})).toEqual({
      added: [],
      removed: [],
      moved: [],
      changed: [],
      unchangedCount: 5,
      zonesAdded: [],
      zonesRemoved: [],
      zonesChanged: [],
      capacityChange: 0,
    })
  })

  test('a seat that was added shifts ordinals, but changes no other seat and no pair', () => {
    const difference = compare(config => {
      config.zones[0]!.seats!.unshift({ row: 'Z', number: 1, coordinates: { x: 50, y: -5 } })
    })
    expect(difference).toMatchObject({
      removed: [],
      moved: [],
      changed: [],
      unchangedCount: 5,
      capacityChange: 1,
    })
    expect(difference.added).toHaveLength(1)
  })

  test('a seat that is gone is removed; its zone is not changed by that', () => {
    const difference = compare(config => config.zones[0]!.seats!.splice(3, 1))
    expect(difference).toMatchObject({ removed: [idOf(3)], zonesChanged: [], capacityChange: -1 })
  })

  test('a seat at another place is moved', () => {
    const difference = compare(config => {
      stallsSeat(config, 2).coordinates = { x: 100, y: -7 }
    })
    expect(difference).toMatchObject({ moved: [idOf(2)], added: [], removed: [], changed: [] })
  })

  test('a seat in another zone is moved, even if it stands where it stood', () => {
    const { x, y } = compiled(smallTheatre()).seats[3]!
    const difference = compare(config => {
      const [seat] = config.zones[0]!.seats!.splice(3, 1)
      config.zones[2]!.seats!.push({ ...seat!, seat_id: idOf(3), coordinates: { x, y } })
    })
    expect(difference.moved).toContain(idOf(3))
    expect(difference).toMatchObject({ added: [], removed: [], changed: [] })
  })

  test.each<[string, (config: LayoutConfig) => void, number[]]>([
    ['a price', c => Object.assign(stallsSeat(c, 2), { price_category: null }), [2]],
    ['a category', c => Object.assign(stallsSeat(c, 2), { category: 'aisle' }), [2]],
    ['a companion', c => Object.assign(stallsSeat(c, 0), { companion_seat_label: null }), [0, 1]],
    ['an aisle', c => Object.assign(stallsSeat(c, 2), { aisle_after: true }), [2]],
    ['a label', c => Object.assign(stallsSeat(c, 2), { label: 'new', seat_id: idOf(2) }), [2]],
  ])('a seat with another %s is changed', (_what, change, ordinals) => {
    expect(compare(change)).toMatchObject({ changed: ordinals.map(idOf), moved: [], added: [], removed: [] })
  })

  test('zones are compared by id', () => {
    const before = compiled(smallTheatre()).zones
    const difference = compare(config => {
      config.zones[1]!.capacity = 600
      config.zones[2] = { name: 'Balcony', zone_type: 'ga_seated', capacity: 7 }
    })
    expect(difference.zonesChanged).toEqual([before[1]!.zoneId])
    expect(difference.zonesRemoved).toEqual([before[2]!.zoneId])
    expect(difference.zonesAdded).toHaveLength(1)
    expect(difference.capacityChange).toBe(106)
  })
})

test('ids that are left out survive a new version with seats added, removed and moved', () => {
  const seat = fc.record({
    zone: fc.constantFrom('A', 'B'),
    row: fc.constantFrom('1', '2'),
    number: fc.nat(9),
  })
  const seats = fc.uniqueArray(seat, { selector: keyOf, minLength: 1, maxLength: 20 })
  const version = fc.record({ seats, dx: fc.integer({ min: -5, max: 5 }) })
  fc.assert(
    fc.property(version, version, (first, second) => {
      const before = compiled(configOf(first))
      const after = compiled(configOf(second))
      const difference = compareVersions(before, after)
      const kept = second.seats.filter(s => first.seats.some(other => keyOf(other) === keyOf(s)))
      expect(difference.added).toHaveLength(second.seats.length - kept.length)
      expect(difference.removed).toHaveLength(first.seats.length - kept.length)
      expect(difference.moved).toHaveLength(first.dx === second.dx ? 0 : kept.length)
      expect(difference.unchangedCount).toBe(first.dx === second.dx ? kept.length : 0)
      expect(idsByLabel(after)).toMatchObject(
        Object.fromEntries(common(idsByLabel(before), idsByLabel(after))),
      )
    }),
    { seed: 4, numRuns: 300 },
  )

  type Version = { seats: { zone: string; row: string; number: number }[]; dx: number }
  function keyOf({ zone, row, number }: Version['seats'][number]): string {
    return `${zone} ${row}-${number}`
  }
  function configOf({ seats, dx }: Version): LayoutConfig {
    const zones = [...new Set(seats.map(({ zone }) => zone))]
    const seatsOf = (name: string): SeatConfig[] =>
      seats
        .filter(({ zone }) => zone === name)
        .map(({ row, number }) => ({ row, number, coordinates: { x: number + dx, y: Number(row) } }))
    return { zones: zones.map(name => ({ name, zone_type: 'reserved_seating', seats: seatsOf(name) })) }
  }
  function idsByLabel({ seats, zones }: ReturnType<typeof compiled>): Record<string, string> {
    return Object.fromEntries(seats.map(s => [`${zones[s.zoneIndex]!.name} ${s.label}`, s.seatId]))
  }
  function common(before: Record<string, string>, after: Record<string, string>): [string, string][] {
    return Object.entries(before).filter(([label]) => label in after)
  }
})
