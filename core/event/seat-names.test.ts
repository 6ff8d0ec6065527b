import { expect, test } from 'vitest'
import { SeatNames } from './seat-names.ts'

test('every seat has its own name, however many of them are the same', () => {
  for (const different of [1, 3, 2 ** 16, 2 ** 16 + 1]) {
    const given = Array.from({ length: 70_000 }, (_, ordinal) => ordinal % different)
    const names = new SeatNames(given)
    expect(given.every((name, ordinal) => names.at(ordinal) === name)).toBe(true)
  }
})

test('a number and its text are two names, and a seat that does not exist has none', () => {
  const names = new SeatNames<number | string>([12, '12', '012', 12])
  expect([0, 1, 2, 3, 4, -1].map(ordinal => names.at(ordinal))).toEqual([
    12,
    '12',
    '012',
    12,
    undefined,
    undefined,
  ])
})
