/** Numbers in [0, 1) that only follow from the seed: xorshift32, plenty for where to put a pillar. */
export function randomNumbers(seed: number): () => number {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ 0x6d2b79f5) | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
