import { expect, it } from 'vitest'
import { Random } from './random.ts'

const MANY = 50_000
const firstNumbers = (random: Random) => [random.next(), random.next(), random.next()].join()

it('no two seeds give the same numbers, and no two streams of a seed', () => {
  const bySeed = Array.from({ length: MANY }, (_, seed) => firstNumbers(new Random(seed, 3)))
  expect(new Set(bySeed).size).toBe(MANY)
  const byStream = Array.from({ length: MANY }, (_, stream) => firstNumbers(new Random(3, stream)))
  expect(new Set(byStream).size).toBe(MANY)
  expect(firstNumbers(new Random(2 ** 32 + 1))).not.toBe(firstNumbers(new Random(1)))
})

it('the same seed and stream give the same numbers', () => {
  expect(firstNumbers(new Random(7, 1))).toBe(firstNumbers(new Random(7, 1)))
})

it('numbers are spread evenly, also over the first of neighbouring seeds', () => {
  const shares = (numbers: readonly number[]) => {
    const counts = new Array<number>(10).fill(0)
    for (const number of numbers) counts[Math.floor(number * 10)]! += 1
    return counts.map(count => count / numbers.length)
  }
  const random = new Random(1)
  const inARow = Array.from({ length: MANY }, () => random.next())
  const neighbours = Array.from({ length: MANY }, (_, seed) => new Random(seed).next())
  for (const share of [...shares(inARow), ...shares(neighbours)]) expect(share).toBeCloseTo(0.1, 2)
})
