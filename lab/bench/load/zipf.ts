import type { Random } from '../../random.ts'

/**
 * Ranks from 0 to count − 1 by Zipf's law: the second is wanted half as often as the first, the third a third
 * as often.
 */
export function zipf(count: number, random: Pick<Random, 'next'>): () => number {
  const upTo = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1)
    upTo[rank] = sum
  }
  return () => {
    const wanted = random.next() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (upTo[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
