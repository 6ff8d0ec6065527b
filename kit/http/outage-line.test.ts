import { expect, it } from 'vitest'
import { OutageLine } from './outage-line.ts'

it('has one line in ten seconds, which says how many requests failed without', () => {
  let now = 0
  const line = new OutageLine({ elapsed: () => now })
  expect([line.take(), line.take(), line.take()]).toEqual([0, null, null])
  now = 9_999
  expect(line.take()).toBeNull()
  now = 10_000
  expect([line.take(), line.take()]).toEqual([3, null])
  now = 60_000
  expect(line.take()).toBe(1)
})
