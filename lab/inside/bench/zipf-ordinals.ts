/**
 * So many ordinals by Zipf's law: the second is wanted half as often as the first, the third a third as
 * often. In an order that only follows from the seed.
 */
export function zipfOrdinals(seats: number, count: number, seed: number): Uint32Array {
  const upTo = new Float64Array(seats)
  let sum = 0
  for (let rank = 0; rank < seats; rank += 1) {
    sum += 1 / (rank + 1)
    upTo[rank] = sum
  }
  let state = seed | 0
  return Uint32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    const wanted = ((state >>> 0) / 2 ** 32) * sum
    let low = 0
    let high = seats - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (upTo[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return low
  })
}
