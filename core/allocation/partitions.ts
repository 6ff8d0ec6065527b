/** Sizes of the clusters of a group, largest first. */
export type Sizes = readonly number[]

/** The smallest cluster that is made as long as there is another way. */
const PAIR = 2

/**
 * The ways to make so many clusters of a group, each of two seats or more, and none larger than `most`; the
 * largest first. One after another, because a group of 70 has a million of them.
 */
export function* partitions(quantity: number, count: number, most: number): Generator<Sizes, void, void> {
  if (count < 1 || quantity < PAIR * count || quantity > most * count) return
  const sizes = new Array<number>(count).fill(0)
  fill(sizes, 0, quantity, most)
  for (;;) {
    yield [...sizes]
    // The last size that can do with one less, where those behind it have room for that one.
    let rest = sizes[count - 1]!
    let index = count - 2
    for (; index >= 0; index -= 1) {
      const size = sizes[index]! - 1
      if (size >= PAIR && size * (count - 1 - index) >= rest + 1) break
      rest += sizes[index]!
    }
    if (index < 0) return
    sizes[index]! -= 1
    fill(sizes, index + 1, rest + 1, sizes[index]!)
  }
}

/** As large as they can be, from this one on. */
function fill(sizes: number[], from: number, quantity: number, most: number): void {
  let left = quantity
  for (let index = from; index < sizes.length; index += 1) {
    const size = Math.min(most, left - PAIR * (sizes.length - 1 - index))
    sizes[index] = size
    left -= size
  }
}
