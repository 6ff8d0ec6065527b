import { type Alternative, alternativesTo } from './alternatives.ts'
import { findUnstranding } from './best-available.ts'
import { stretchesOf } from './find-group.ts'
import type { FreeSeats } from './free-seats.ts'
import { strandedBy } from './stranded.ts'
import type { Wish } from './wish.ts'

/** Why seats may be stranded although the rule is strict. */
export type StrandingExcuse =
  /** At most a tenth of the row was free before the cart. */
  | 'row_nearly_full'
  /** No other seats of the same number, zones and prices strand nothing. */
  | 'last_resort'

export interface CartJudgement {
  /** By ordinal. Empty: nothing is wrong. */
  readonly stranded: readonly number[]
  readonly excuse: StrandingExcuse | null
  /** What the buyer could take instead. Empty where nothing is stranded. */
  readonly alternatives: readonly Alternative[]
}

/** A row is nearly full when no more than this part of it is free. */
const NEARLY_FULL = 0.1

/**
 * Judges a cart by the seats it leaves alone. `seats` must be up to date, with the cart's own seats free;
 * `wish` is for as many seats, in the zones and price categories of the cart.
 */
export function judgeCart(
  seats: FreeSeats,
  cart: readonly number[],
  wish: Wish,
  maxSeats: number,
): CartJudgement {
  const { hall, free } = seats
  const { ordinals, positions } = hall.rows
  const clusters = stretchesOf(
    hall,
    Array.from(cart, ordinal => positions[ordinal]!).sort((a, b) => a - b),
  )
  const stranded = strandedBy(hall, free, clusters)
  if (stranded.length === 0) return { stranded: [], excuse: null, alternatives: [] }
  return {
    stranded: stranded.map(at => ordinals[at]!),
    excuse: stranded.every(at => isRowNearlyFull(seats, at))
      ? 'row_nearly_full'
      : findUnstranding(seats, wish) === null
        ? 'last_resort'
        : null,
    alternatives: alternativesTo(seats, clusters, { stranded, wish, maxSeats }),
  }
}

function isRowNearlyFull({ hall, free }: FreeSeats, at: number): boolean {
  const { rowOfRun, runOf, rowStarts, runStarts } = hall.rows
  const row = rowOfRun[runOf[at]!]!
  const first = runStarts[rowStarts[row]!]!
  const end = runStarts[rowStarts[row + 1]!]!
  let count = 0
  for (let seat = first; seat < end; seat += 1) count += free[seat]!
  return count <= (end - first) * NEARLY_FULL
}
