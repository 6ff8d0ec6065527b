import { expect, test } from 'vitest'
import { pairRow } from './pair-row.ts'

/** `w` and `c` are a wheelchair place and a companion seat, `.` any other; a space is a gap. */
function pairsOf(row: string): string {
  const places = [...row].flatMap((letter, x) => (letter === ' ' ? [] : [{ letter, x }]))
  const categories = { w: 'wheelchair', c: 'companion', '.': 'standard' } as const
  const seats = places.map(({ letter, x }) => ({
    category: categories[letter as keyof typeof categories],
    place: { x, y: 0 },
  }))
  return [...pairRow(seats)].map(([companion, wheelchair]) => `${companion}${wheelchair}`).join(' ')
}

test.each([
  ['wc', '10'],
  ['cw', '01'],
  ['wcw', '10'],
  ['wccw', '10 23'],
  ['w.c w', '20'],
  ['w ..cw', '34'],
  ['cwc', '01'],
  ['wwcc', '21 30'],
  ['ccww', '02 13'],
  ['c.c', ''],
  ['w.w', ''],
  ['', ''],
])('%s gives %s', (row, pairs) => {
  expect(pairsOf(row)).toBe(pairs)
})

test('a row of a hundred thousand seats is paired in one walk', () => {
  const seats = Array.from({ length: 100_000 }, (_, x) => ({
    category: x < 50_000 ? ('companion' as const) : ('wheelchair' as const),
    place: { x, y: 0 },
  }))
  expect(pairRow(seats).size).toBe(50_000)
})
