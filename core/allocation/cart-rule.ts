import { type Alternative, alternativesTo } from './alternatives.ts'
import { findUnstranding } from './best-available.ts'
import { findAccessible } from './find-accessible.ts'
import { stretchesOf } from './find-group.ts'
import type { FreeSeats } from './free-seats.ts'
import type { Hall } from './hall.ts'
import { type Stretch, strandedBy } from './stranded.ts'
import type { Wish } from './wish.ts'

/** Describes why seats may be stranded although the rule is strict. */
export type StrandingExcuse =
  /** At most a tenth of the row was free before the cart. */
  | 'row_nearly_full'
  /** No other seats of the same number, zones and prices strand nothing. */
  | 'last_resort'

export interface CartJudgement {
  /** By ordinal. Empty: nothing is wrong. */
  readonly stranded: readonly number[]
  readonly excuse: StrandingExcuse | null
  /** This is what the buyer could take instead. Empty where nothing is stranded. */
  readonly alternatives: readonly Alternative[]
}

/** A row is nearly full when no more than this part of it is free. */
const NEARLY_FULL = 0.1

/** A cart is compared with this: as many seats, in its zones and price categories. */
export interface CartWish {
  readonly wish: Wish
  /** For a cart with wheelchair places: how many, with how many companions, and who else could sit where. */
  readonly accessible: {
    readonly wheelchair: number
    readonly companions: number
    isCompanionFree(ordinal: number): boolean
  } | null
  /** This is what the buyer may have in all. */
  readonly maxSeats: number
}

/**
 * Judges a cart by the seats it leaves alone. `seats` must be up to date, with the cart's own seats free.
 */
export function judgeCart(
  seats: FreeSeats,
  cart: readonly number[],
  { wish, accessible, maxSeats }: CartWish,
): CartJudgement {
  const { hall, free } = seats
  const { ordinals } = hall.rows
  const clusters = clustersOf(hall, cart)
  const stranded = strandedBy(hall, free, clusters)
  if (stranded.length === 0) return { stranded: [], excuse: null, alternatives: [] }
  const judged = { stranded: stranded.map(at => ordinals[at]!) }
  if (stranded.every(at => isRowNearlyFull(seats, at))) {
    return { ...judged, excuse: 'row_nearly_full', alternatives: [] }
  }
  const alternatives = alternativesTo(seats, clusters, { stranded, wish, maxSeats })
  // One that has as many seats shows that it need not be: then there is no need to look further.
  const needNotBe = alternatives.some(({ change }) => change !== 'add') || couldSit(seats, wish, accessible)
  return needNotBe
    ? { ...judged, excuse: null, alternatives }
    : { ...judged, excuse: 'last_resort', alternatives }
}

/** Seats by ordinal, as stretches of neighbours. */
export function clustersOf(hall: Hall, cart: Iterable<number>): Stretch[] {
  const positions = Array.from(cart, ordinal => hall.rows.positions[ordinal]!)
  return stretchesOf(
    hall,
    positions.sort((a, b) => a - b),
  )
}

/** Returns whether as many people can sit elsewhere without leaving a seat alone. */
function couldSit(seats: FreeSeats, wish: Wish, accessible: CartWish['accessible']): boolean {
  if (!accessible) return findUnstranding(seats, wish) !== null
  const { wheelchair, companions, isCompanionFree } = accessible
  return findAccessible(seats, { ...wish, wheelchair, companions }, isCompanionFree)?.stranded.length === 0
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
