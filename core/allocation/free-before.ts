import type { Chains } from './chains.ts'
import type { Hall } from './hall.ts'

/**
 * By row: how many seats are free in all rows before it, in chains of at least so many; one more at the end.
 * Some rows next to each other have a difference of two of them.
 */
export function freeBefore({ rows }: Hall, { counts, starts, ends }: Chains, shortest = 1): Uint32Array {
  const before = new Uint32Array(rows.labels.length + 1)
  for (let row = 0; row < rows.labels.length; row += 1) {
    let free = 0
    for (let run = rows.rowStarts[row]!; run < rows.rowStarts[row + 1]!; run += 1) {
      const first = rows.runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        const length = ends[chain]! - starts[chain]!
        if (length >= shortest) free += length
      }
    }
    before[row + 1] = before[row]! + free
  }
  return before
}
