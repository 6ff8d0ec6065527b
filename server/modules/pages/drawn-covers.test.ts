import { ok, refuse } from '@voelgoed/core/result'
import { TooManyWaiting } from '@voelgoed/kit/postgres/database'
import { expect, it } from 'vitest'
import { DrawnCovers } from './drawn-covers.ts'

it('a cover is drawn once for all who ask for it, two at a time, and the last two hundred are kept', async () => {
  let drawn = 0
  const covers = new DrawnCovers({
    draw: async () => {
      drawn += 1
      return ok(new Uint8Array(1))
    },
  })
  const [first, second] = await Promise.all([covers.find('Hamlet', 'a'), covers.find(' hamlet ', 'b')])
  expect(first).toBe(second)
  expect(drawn).toBe(1)
  const waiting = [covers.find('A', 'a'), covers.find('B', 'b')]
  await expect(covers.find('C', 'c')).rejects.toThrow(TooManyWaiting)
  await Promise.all(waiting)
  for (let n = 0; n < 250; n += 1) await covers.find(`Event ${n}`, 'a')
  expect(covers.size).toBe(200)
})

it('where no images can be made there is none, and a busy thread is asked again later', async () => {
  let problem: 'images_unavailable' | 'internal_error' = 'images_unavailable'
  const covers = new DrawnCovers({ draw: async () => refuse({ kind: problem }) })
  expect(await covers.find('Hamlet', 'a')).toBeNull()
  problem = 'internal_error'
  await expect(covers.find('Hamlet', 'a')).rejects.toThrow(TooManyWaiting)
  expect(covers.size).toBe(0)
})
