import { expect, it } from 'vitest'
import { Vacancies } from './vacancies.ts'

const died = { number: 1, hasServed: true, failure: null, isCovered: false }
const couldNotStart = { ...died, hasServed: false, failure: 'could not start: Postgres is away' }

it('a worker that served, or ended without a word, is replaced at once; the fifth time is one too many', () => {
  const vacancies = new Vacancies()
  for (const hasServed of [true, false, true, false]) {
    expect(vacancies.ended({ ...died, hasServed })).toEqual({ startAfterMs: 0 })
  }
  expect(vacancies.ended(died)).toBe('too often')
})

it('one that could not start is tried again with growing pauses, and never ends the server', () => {
  const vacancies = new Vacancies()
  expect(vacancies.ended(died)).toEqual({ startAfterMs: 0 })
  const pauses = Array.from({ length: 8 }, () => vacancies.ended(couldNotStart))
  expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map(seconds => ({ startAfterMs: seconds * 1_000 })))
  expect(vacancies.ended({ ...couldNotStart, number: 2 })).toEqual({ startAfterMs: 1_000 })
  vacancies.filled(1)
  expect(vacancies.ended(couldNotStart)).toEqual({ startAfterMs: 1_000 })
  // None of these was a death.
  for (let death = 1; death < 4; death += 1) expect(vacancies.ended(died)).toEqual({ startAfterMs: 0 })
  expect(vacancies.ended(died)).toBe('too often')
})

it('one that should have replaced a worker which still serves is not tried again, however often it fails', () => {
  const vacancies = new Vacancies()
  for (const failure of [couldNotStart.failure, null]) {
    for (let reload = 0; reload < 5; reload += 1) {
      expect(vacancies.ended({ ...couldNotStart, failure, isCovered: true })).toBe('none')
    }
  }
  // An old one that ends while the next one starts needs no third, and counts.
  for (let death = 0; death < 4; death += 1) {
    expect(vacancies.ended({ ...died, isCovered: true })).toBe('none')
  }
  expect(vacancies.ended({ ...died, isCovered: true })).toBe('too often')
})
