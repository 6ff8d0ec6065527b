import { expect, it } from 'vitest'
import { DeathCount } from './death-count.ts'

it('the fifth death of a worker within a minute is one too many; others do not count for it', () => {
  let now = 0
  const deaths = new DeathCount(() => now)
  const die = (number: number, at: number) => {
    now = at
    return deaths.add(number)
  }
  expect([0, 1, 2, 3].map(second => die(1, second * 1_000))).toEqual([false, false, false, false])
  expect(die(2, 4_000)).toBe(false)
  // The first one is more than a minute ago.
  expect(die(1, 60_500)).toBe(false)
  expect(die(1, 60_600)).toBe(true)
})
