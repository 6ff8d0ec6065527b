import { expect, it } from 'vitest'
import { pathOf, timeTicks } from './chart.ts'

const HOUR = 3_600_000

it('ticks are round moments inside the range, and never more than asked for', () => {
  for (const hours of [0.1, 1, 5, 24, 100, 700, 9_000]) {
    const from = 1_700_000_000_000
    const ticks = timeTicks(from, from + hours * HOUR, 7)
    expect(ticks.length).toBeLessThanOrEqual(8)
    for (const tick of ticks) {
      expect(tick).toBeGreaterThanOrEqual(from)
      expect(tick).toBeLessThanOrEqual(from + hours * HOUR)
      expect(tick % (HOUR / 4)).toBe(0)
    }
  }
})

it('a line begins where its first point is', () => {
  expect(pathOf([])).toBe('')
  expect(
    pathOf([
      { x: 1, y: 2 },
      { x: 3, y: 4.06 },
    ]),
  ).toBe('M1.0,2.0 L3.0,4.1')
})
