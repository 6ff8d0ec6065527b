/**
 * The ways to make so many clusters of a group, largest first, in two lists: each cluster of two seats or
 * more; and exactly one of one seat. The first list is to be tried first.
 */
export function partitions(quantity: number, count: number): number[][][] {
  if (quantity === 2) return count === 2 ? [[[1, 1]]] : []
  const withoutOne = sizesFrom(quantity, count, quantity)
  const withOne = sizesFrom(quantity - 1, count - 1, quantity - 1).map(sizes => [...sizes, 1])
  return [withoutOne, withOne].filter(ways => ways.length > 0)
}

/** Sizes of at least two and at most `most`, none larger than the one before it. */
function sizesFrom(quantity: number, count: number, most: number): number[][] {
  if (count === 0) return quantity === 0 ? [[]] : []
  const ways: number[][] = []
  for (let size = Math.min(most, quantity - 2 * (count - 1)); size >= 2; size -= 1) {
    for (const rest of sizesFrom(quantity - size, count - 1, size)) ways.push([size, ...rest])
  }
  return ways
}
