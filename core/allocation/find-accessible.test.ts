import { describe, expect, it } from 'vitest'
import { type AccessibleWish, findAccessible } from './find-accessible.ts'
import { drawnHall, wishFor } from './fixtures/drawn-hall.ts'

function find(drawing: string, quantity: number, wheelchair: number, companions: number) {
  // A companion seat is kept: to other buyers it is not free.
  const { seats, hall, nameOf } = drawnHall(drawing.replaceAll('c', 'k'))
  const wish: AccessibleWish = { ...wishFor(quantity), wheelchair, companions }
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
  ])('%s', (_, drawing, [quantity, wheelchair, companions], expected) => {
    const found = find(drawing, quantity, wheelchair, companions)
    expect(found?.seats.sort()).toEqual(expected.flatMap(names => names.split(' ')).sort())
    expect(found?.stranded).toEqual([])
  })

  it('finds nothing where no place is free, or none has so many companions', () => {
    expect(find('xcoo', 1, 1, 0)).toBeNull()
    expect(find('wcoo', 3, 1, 2)).toBeNull()
  })
})
