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
  for (const { start, end } of cart) {
    const run = runOf[start]!
    for (let side = 0; side < 2; side += 1) {
      const beside = side === 0 ? start - 1 : end
      const beyond = side === 0 ? start - 2 : end + 1
      if (runOf[beside] !== run || !isFree(beside) || isIn(cart, beside)) continue
      if (runOf[beyond] === run && isFree(beyond) && !isIn(cart, beyond)) continue
      if (canStrand(hall, beside) && !stranded.includes(beside)) stranded.push(beside)
    }
  }
  return stranded
}

/** Returns whether a seat lies in one of these stretches. */
export function isIn(stretches: readonly Stretch[], at: number): boolean {
  for (const { start, end } of stretches) if (start <= at && at < end) return true
  return false
}

/** Returns how many seats one stretch strands by itself. The same rule, without making anything. */
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
