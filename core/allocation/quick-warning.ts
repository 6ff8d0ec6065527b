import type { Alternative } from './alternatives.ts'
import { clustersOf } from './cart-rule.ts'
import { type Hall, OFFER } from './hall.ts'
import { isIn, type Stretch, strandedWhere } from './stranded.ts'

/**
 * Says in a few microseconds, while other buyers wait, which seats a cart leaves alone, and whether one seat
 * more or a shift by one would do. judgeCart (cart-rule.ts) looks at the other rows as well.
 */

/** Returns whether seats that are taken now may leave one alone: a look at two neighbours on each side. */
export function mayStrand(
  { rows }: Hall,
  taken: readonly number[],
  isFree: (at: number) => boolean,
): boolean {
  const { positions, runOf, ordinals } = rows
  for (const ordinal of taken) {
    const at = positions[ordinal]!
    const run = runOf[at]!
    for (let step = -1; step <= 1; step += 2) {
      const beside = at + step
      if (runOf[beside] !== run || !isFree(beside) || taken.includes(ordinals[beside]!)) continue
      const beyond = beside + step
      if (runOf[beyond] !== run || !isFree(beyond) || taken.includes(ordinals[beyond]!)) return true
    }
  }
  return false
}

export interface QuickWarning {
  /** By ordinal. */
  readonly stranded: readonly number[]
  readonly alternatives: readonly Alternative[]
}

/** `isFree` says what is free for the buyer; their own seats need not be. Null: nothing stays alone. */
export function quickWarning(
  hall: Hall,
  cart: readonly number[],
  { isFree, maxSeats }: { isFree: (at: number) => boolean; maxSeats: number },
): QuickWarning | null {
  const { ordinals } = hall.rows
  const clusters = clustersOf(hall, cart)
  // A cart does not leave its own seats alone, so nearly all carts end here: nothing is made for them.
  const stranded = strandedWhere(hall, isFree, clusters)
  if (stranded.length === 0) return null
  const isTheirs = (at: number) => isIn(clusters, at) || isFree(at)
  const strandsNothing = (others: readonly Stretch[]) => strandedWhere(hall, isTheirs, others).length === 0
  const isGeneral = (at: number) => hall.offer[at] === OFFER.general
  const ordinalsOf = (stretches: readonly Stretch[]) =>
    stretches.flatMap(({ start, end }) => [...ordinals.subarray(start, end)]).sort((a, b) => a - b)
  const alternatives: Alternative[] = []
  const added = [...clusters, ...stranded.map(at => ({ start: at, end: at + 1 }))]
  if (cart.length + stranded.length <= maxSeats && stranded.every(isGeneral) && strandsNothing(added)) {
    alternatives.push({ change: 'add', seats: ordinalsOf(added) })
  }
  const shifted = shiftedBy(hall, clusters, { stranded, isTheirs, isGeneral, strandsNothing })
  if (shifted) alternatives.push({ change: 'shift', seats: ordinalsOf(shifted) })
  return { stranded: stranded.map(at => ordinals[at]!), alternatives }
}

/** With one of the clusters beside a stranded seat moved onto that seat. */
function shiftedBy(
  { rows: { runOf } }: Hall,
  clusters: readonly Stretch[],
  {
    stranded,
    isTheirs,
    isGeneral,
    strandsNothing,
  }: {
    stranded: readonly number[]
    isTheirs: (at: number) => boolean
    isGeneral: (at: number) => boolean
    strandsNothing: (clusters: readonly Stretch[]) => boolean
  },
): Stretch[] | null {
  for (const cluster of clusters) {
    for (const by of [-1, 1]) {
      const beside = by < 0 ? cluster.start - 1 : cluster.end
      if (!stranded.includes(beside) || runOf[beside] !== runOf[cluster.start]) continue
      const moved = { start: cluster.start + by, end: cluster.end + by }
      let isGood = true
      for (let at = moved.start; at < moved.end; at += 1) isGood &&= isTheirs(at) && isGeneral(at)
      const others = clusters.map(other => (other === cluster ? moved : other))
      if (isGood && strandsNothing(others)) return others
    }
  }
  return null
}
