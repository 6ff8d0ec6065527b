import { type Hall, OFFER } from './hall.ts'

/** Seats side by side: positions from `start` up to `end`, without it. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * The seats that a cart strands, by position: free, without a free neighbour, beside a seat of the cart. A
 * wheelchair place is never stranded: it is meant to be taken alone; nor is a seat of a group that is sold as
 * a whole.
 *
 * `free` says what is free for the buyer; what the cart already holds is not.
 */
export function strandedBy(hall: Hall, free: Uint8Array, cart: readonly Stretch[]): number[] {
  return strandedWhere(hall, at => free[at] === 1, cart)
}

/** The same, where it is known otherwise what is free. */
export function strandedWhere(
  hall: Hall,
  isFree: (at: number) => boolean,
  cart: readonly Stretch[],
): number[] {
  const { runOf } = hall.rows
  const stranded: number[] = []
  const isInCart = (at: number) => cart.some(({ start, end }) => start <= at && at < end)
  const isLeftFree = (at: number, run: number) => runOf[at] === run && isFree(at) && !isInCart(at)
  for (const { start, end } of cart) {
    const run = runOf[start]!
    for (const [beside, beyond] of [
      [start - 1, start - 2],
      [end, end + 1],
    ] as const) {
      if (!isLeftFree(beside, run) || isLeftFree(beyond, run)) continue
      if (canStrand(hall, beside) && !stranded.includes(beside)) stranded.push(beside)
    }
  }
  return stranded
}

/** How many seats one stretch strands by itself. The same rule, without making anything. */
export function strandsAlone(hall: Hall, free: Uint8Array, start: number, end: number): number {
  const { runOf, runStarts } = hall.rows
  const run = runOf[start]!
  const first = runStarts[run]!
  const last = runStarts[run + 1]! - 1
  let stranded = 0
  const left = start - 1
  if (left >= first && free[left] === 1 && !(left > first && free[left - 1] === 1)) {
    if (canStrand(hall, left)) stranded += 1
  }
  if (end <= last && free[end] === 1 && !(end < last && free[end + 1] === 1)) {
    if (canStrand(hall, end)) stranded += 1
  }
  return stranded
}

function canStrand({ offer }: Hall, at: number): boolean {
  return (offer[at]! & (OFFER.wheelchair | OFFER.whole)) === 0
}
