import { expect, it, vi } from 'vitest'
import { LookUpTogether } from './look-up-together.ts'

const LIMITS = { knownMs: 1_000, maxKnown: 10, maxWaiting: 5 }

function lookUp(limits = LIMITS) {
  let now = 0
  const ask = vi.fn(async (keys: readonly string[]) => {
    await new Promise(setImmediate)
    return new Map(keys.filter(key => !key.startsWith('no')).map(key => [key, key.toUpperCase()]))
  })
  const clock = { now: () => now, elapsed: () => now }
  const pass = (ms: number) => {
    now += ms
  }
  return { found: new LookUpTogether(ask, clock, limits), ask, pass }
}

it('those who ask at the same moment share one question, and soon after there is none', async () => {
  const { found, ask, pass } = lookUp()
  const answers = await Promise.all(['a', 'b', 'a', 'no'].map(key => found.find(key)))
  expect(answers).toEqual(['A', 'B', 'A', null])
  expect(ask.mock.calls).toEqual([[['a', 'b', 'no']]])
  pass(999)
  expect(await found.find('no')).toBeNull()
  expect(ask).toHaveBeenCalledTimes(1)
  pass(1)
  await found.find('no')
  expect(ask).toHaveBeenCalledTimes(2)
})

it('one question at a time, and only so many wait', async () => {
  const { found, ask } = lookUp()
  const first = found.find('a')
  await Promise.resolve()
  await Promise.resolve()
  const others = ['b', 'c', 'd', 'e', 'f', 'g'].map(key => found.find(key))
  expect(await first).toBe('A')
  expect(await Promise.all(others)).toEqual(['B', 'C', 'D', 'E', 'F', null])
  expect(ask.mock.calls.map(([keys]) => keys.length)).toEqual([1, 5])
})

it('remembers only so many', async () => {
  const { found, ask } = lookUp()
  for (let n = 0; n < 11; n++) await found.find(`k${n}`)
  await found.find('k10')
  expect(ask).toHaveBeenCalledTimes(11)
  await found.find('k0')
  expect(ask).toHaveBeenCalledTimes(12)
})

it('a question that failed is asked again', async () => {
  const { found, ask } = lookUp()
  ask.mockRejectedValueOnce(new Error('away'))
  await expect(found.find('a')).rejects.toThrow('away')
  expect(await found.find('a')).toBe('A')
})
