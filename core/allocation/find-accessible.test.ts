import { describe, expect, it } from 'vitest'
import { type AccessibleWish, findAccessible } from './find-accessible.ts'
import { drawnHall, wishFor } from './fixtures/drawn-hall.ts'
import type { HallPlan } from './hall.ts'

function find(
  drawing: string,
  [quantity, wheelchair, companions]: readonly [number, number, number],
  { together = false, groups = [] }: { together?: boolean; groups?: HallPlan['groups'] } = {},
) {
  // A companion seat is kept: to other buyers it is not free.
  const { seats, hall, nameOf } = drawnHall(drawing.replaceAll('c', 'k'), { groups })
  const wish: AccessibleWish = { ...wishFor(quantity, { together }), wheelchair, companions }
  const characters = [...drawing].filter(character => /[a-z]/.test(character))
  const found = findAccessible(seats, wish, ordinal => characters[ordinal] === 'c')
  return (
    found && {
      seats: found.clusters.flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, index) => nameOf(start + index)),
      ),
      stranded: found.stranded.map(nameOf),
      pairs: hall.companions.placeOf.size,
    }
  )
}

describe('an accessible wish', () => {
  it.each<[what: string, drawing: string, wish: [number, number, number], seats: string[]]>([
    ['a place alone', 'wcoo', [1, 1, 0], ['A1']],
    ['a place with its companion', 'xx\nwc', [2, 1, 1], ['B1 B2']],
    ['the next place, where the best has no companion left', 'wx\nwc', [2, 1, 1], ['B1 B2']],
    ['friends beside them, with none left alone', 'wcoooo', [4, 1, 1], ['A1 A2 A3 A4']],
    [
      'friends in the next row, where there is no room beside them',
      'wcx\nooo',
      [5, 1, 1],
      ['B1 B2 B3', 'A1 A2'],
    ],
    ['two places near each other', 'wc oooo cw\nxx xxxx xx', [2, 2, 0], ['A1', 'A10']],
    ['friends apart, where they have no room side by side', 'wc oo ox', [5, 1, 1], ['A1 A2', 'A4 A5', 'A7']],
    ['friends in twos rather than three and one', 'wc ooo oo oo', [6, 1, 1], ['A1 A2', 'A8 A9', 'A11 A12']],
    ['places with a companion seat, where others are nearer', 'cwowowc', [4, 2, 2], ['A1 A2', 'A6 A7']],
    ['a companion beside each place', 'cwcooocw', [4, 2, 2], ['A1 A2', 'A7 A8']],
    ['two companions at one place, where the other has none', 'cwcooow', [4, 2, 2], ['A1 A2 A3', 'A7']],
  ])('%s', (_, drawing, wish, expected) => {
    const found = find(drawing, wish)
    expect(found?.seats.sort()).toEqual(expected.flatMap(names => names.split(' ')).sort())
    expect(found?.stranded).toEqual([])
  })

  it('finds the one place that has a companion seat among hundreds without', () => {
    const row = 'wo'.repeat(25)
    const found = find(`${`${row}\n`.repeat(10)}wc`, [2, 1, 1])
    expect(found?.seats).toEqual(['K1', 'K2'])
  })

  it('finds nothing where no place is free, or none has so many companions', () => {
    expect(find('xcoo', [1, 1, 0])).toBeNull()
    expect(find('wcoo', [3, 1, 2])).toBeNull()
  })

  it('keeps the others together where that is wanted', () => {
    expect(find('wc oo oo', [5, 1, 1], { together: true })).toBeNull()
    expect(find('wc oo oo', [4, 1, 1], { together: true })?.seats).toEqual(['A1', 'A2', 'A4', 'A5'])
  })

  it('takes no part of a group that is sold as a whole', () => {
    const groups = [{ groupType: 'vip_table', ordinals: [0, 1, 2, 3], metadata: { sell: 'whole' } }] as const
    expect(find('wcoo', [1, 1, 0], { groups })).toBeNull()
    expect(find('wcoo wc', [2, 1, 1], { groups })?.seats).toEqual(['A6', 'A7'])
    const companion = [{ groupType: 'vip_table', ordinals: [1, 2], metadata: { sell: 'whole' } }] as const
    expect(find('wcoo', [2, 1, 1], { groups: companion })).toBeNull()
  })
})
