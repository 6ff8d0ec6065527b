import { expect, it } from 'vitest'
import { type HeldClock, nextClock } from './clock-face.ts'

const run = (seconds: readonly number[], usual = 600): HeldClock[] => {
  const clocks: HeldClock[] = []
  for (const left of seconds) clocks.push(nextClock(clocks.at(-1) ?? null, left, usual))
  return clocks
}
const filled = (seconds: readonly number[], usual?: number) =>
  run(seconds, usual).map(({ left, full }) => Number((left / full).toFixed(2)))

it('the ring tells how much is left of what was given, also after more time and while one pays', () => {
  expect(filled([600, 300, 150])).toEqual([1, 0.5, 0.25])
  // The page was opened in the middle.
  expect(filled([150, 120])).toEqual([0.25, 0.2])
  // More time: five minutes from then.
  expect(filled([60, 299, 208], 60)).toEqual([1, 1, 0.7])
  expect(filled([240, 300, 150])).toEqual([0.4, 1, 0.5])
  // A buyer who pays has fifteen.
  expect(filled([461, 899, 450])).toEqual([0.77, 1, 0.5])
  // An answer of the server that rounds otherwise.
  expect(filled([300, 301, 150])).toEqual([0.5, 0.5, 0.25])
})

it('says how much is really left, once when it is late and once when it is nearly over', () => {
  const said = (seconds: readonly number[], usual?: number) => run(seconds, usual).map(clock => clock.said)
  expect(said([62, 61, 60, 59, 30])).toEqual([null, null, 60, 60, 60])
  expect(said([30, 29, 28])).toEqual([30, 30, 30])
  expect(said([12, 11, 10, 9, 1, 0])).toEqual([12, 12, 10, 10, 10, null])
  expect(said([30, 300, 60])).toEqual([30, null, 60])
  expect(said([13, 12, 11], 60)).toEqual([null, 12, 12])
})
