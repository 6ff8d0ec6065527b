import type { FreeSeats } from './free-seats.ts'

/** Returns how many seats are free for anyone, and how many of them have no free neighbour. */
export function countAlone(seats: FreeSeats): { readonly free: number; readonly alone: number } {
  const { starts, ends, counts } = seats.general
  const { runStarts } = seats.hall.rows
  let [free, alone] = [0, 0]
  for (let run = 0; run < counts.length; run += 1) {
    const first = runStarts[run]!
    for (let chain = first; chain < first + counts[run]!; chain += 1) {
      const length = ends[chain]! - starts[chain]!
      free += length
      if (length === 1) alone += 1
    }
  }
  return { free, alone }
}
