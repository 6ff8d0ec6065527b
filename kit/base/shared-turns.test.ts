import { expect, it } from 'vitest'
import { SharedTurns } from './shared-turns.ts'

/** Work that ends when it is told to. */
function stage() {
  const turns = new SharedTurns<number>()
  const begun: { key: string; end(result?: number): void; fail(error: Error): void }[] = []
  const take = (key: string) =>
    turns.take(key, () => {
      return new Promise<number>((resolve, reject) => {
        const number = begun.length
        begun.push({ key, end: (result = number) => resolve(result), fail: reject })
      })
    })
  return { take, begun }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

it('callers who come while it runs share the turn after it, which begins later than all of them asked', async () => {
  const { take, begun } = stage()
  const first = take('a')
  const late = Array.from({ length: 50 }, () => take('a'))
  expect(begun).toHaveLength(1)
  begun[0]!.end()
  expect(await first).toBe(0)
  await settled()
  expect(begun).toHaveLength(2)
  const later = take('a')
  begun[1]!.end()
  expect(new Set(await Promise.all(late))).toEqual(new Set([1]))
  await settled()
  begun[2]!.end()
  expect(await later).toBe(2)
  await settled()
  const afterAll = take('a')
  begun[3]!.end()
  expect(await afterAll).toBe(3)
})

it('a turn that fails fails for those who share it, and the next begins all the same', async () => {
  const { take, begun } = stage()
  const first = take('a')
  const second = take('a')
  begun[0]!.fail(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await settled()
  begun[1]!.end()
  expect(await second).toBe(1)
})

it('keys do not wait for each other', () => {
  const { take, begun } = stage()
  void take('a')
  void take('b')
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b'])
  for (const { end } of begun) end()
})
