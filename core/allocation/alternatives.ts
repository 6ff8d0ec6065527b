import type { FreeSeats } from './free-seats.ts'
import { type Stretch, strandedBy } from './stranded.ts'
import { Budget, type Wish } from './wish.ts'

/** A cart like the buyer's that strands nothing. By ordinal. */
export interface Alternative {
  readonly change: 'add' | 'shift' | 'move'
  readonly seats: readonly number[]
}

/** So many rows before and behind are looked at for another place. */
const ROWS_AROUND = 10
const MOST = 3
/** So many steps of looking for them: some milliseconds, under the lock. What is found until then is told. */
const STEPS = 300_000
/** To look whether one stretch stands beside another is more than a step. */
const LOOKING = 2

/**
 * Up to three carts that strand nothing and are as near as possible to the one that does: with the stranded
 * seats as well, shifted along the row, or in another row. What does not strand stays where it is.
 */
export function alternativesTo(
  seats: FreeSeats,
  cart: readonly Stretch[],
  { stranded, wish, maxSeats }: { stranded: readonly number[]; wish: Wish; maxSeats: number },
): Alternative[] {
  const found: Alternative[] = []
  const offer = (change: Alternative['change'], clusters: readonly Stretch[] | null) => {
    if (clusters === null) return
    found.push({ change, seats: ordinalsOf(seats, clusters) })
  }
  const size = cart.reduce((sum, { start, end }) => sum + end - start, 0)
  const isOffered = (at: number) => isOfferedFor(seats, wish, at)
  if (size + stranded.length <= maxSeats && stranded.every(isOffered)) {
    const added = [...cart, ...stranded.map(at => ({ start: at, end: at + 1 }))]
    if (strandsNothing(seats, added)) offer('add', added)
  }
  const budget = new Budget(STEPS)
  offer('shift', replaced(seats, cart, wish, 0, budget))
  for (let rows = 1; rows <= ROWS_AROUND && found.length < MOST; rows += 1) {
    offer('move', replaced(seats, cart, wish, rows, budget))
  }
  return found.slice(0, MOST)
}

/** Puts each cluster that strands somewhere else, so many rows away; null: that can't be done. */
function replaced(
  seats: FreeSeats,
  cart: readonly Stretch[],
  wish: Wish,
  rowsAway: number,
  budget: Budget,
): Stretch[] | null {
  const { hall, free } = seats
  let clusters = [...cart]
  for (const cluster of cart) {
    if (strandedBy(hall, free, clusters).length === 0) break
    if (budget.isSpent) return null
    if (!strandsHere(seats, clusters, cluster)) continue
    // A wheelchair place, or a companion's, can't be exchanged for any seat.
    if (!isOfferable(seats, cluster, wish)) return null
    const others = clusters.filter(other => other !== cluster)
    const next = nearestTo(seats, cluster, others, wish, rowsAway, budget)
    if (next === null) return null
    clusters = [...others, next]
  }
  return strandsNothing(seats, clusters) ? clusters : null
}

/** The nearest place for the cluster that strands nothing together with the others. */
function nearestTo(
  seats: FreeSeats,
  cluster: Stretch,
  others: readonly Stretch[],
  wish: Wish,
  rowsAway: number,
  budget: Budget,
): Stretch | null {
  const { rows } = seats.hall
  const size = cluster.end - cluster.start
  const row = rows.rowOfRun[rows.runOf[cluster.start]!]!
  let nearest: Stretch | null = null
  let distance = Number.POSITIVE_INFINITY
  for (const other of rowsAway === 0 ? [row] : [row - rowsAway, row + rowsAway]) {
    if (other < 0 || rows.zoneOfRow[other] !== rows.zoneOfRow[row]) continue
    const end = rows.runStarts[rows.rowStarts[other + 1]!]!
    let chain = 0
    for (let at = rows.runStarts[rows.rowStarts[other]!]!; at < end; at += 1) {
      budget.left -= 1 + others.length
      if (at > 0 && rows.runOf[at] !== rows.runOf[at - 1]) chain = 0
      const isTaken = others.some(taken => taken.start <= at && at < taken.end)
      chain = !isTaken && isOfferedFor(seats, wish, at) ? chain + 1 : 0
      if (chain < size) continue
      const place = { start: at - size + 1, end: at + 1 }
      const away = distanceBetween(seats, cluster, place)
      if (away >= distance) continue
      budget.left -= LOOKING * others.length ** 2
      if (strandsNothing(seats, [...others, place])) {
        nearest = place
        distance = away
      }
    }
  }
  return nearest
}

function strandsHere({ hall, free }: FreeSeats, clusters: readonly Stretch[], cluster: Stretch): boolean {
  const without = clusters.filter(other => other !== cluster)
  return strandedBy(hall, free, without).length < strandedBy(hall, free, clusters).length
}

function strandsNothing({ hall, free }: FreeSeats, clusters: readonly Stretch[]): boolean {
  return strandedBy(hall, free, clusters).length === 0
}

function isOfferable({ hall }: FreeSeats, { start, end }: Stretch, { offer }: Wish): boolean {
  for (let at = start; at < end; at += 1) if ((hall.offer[at]! & offer) === 0) return false
  return true
}

function isOfferedFor({ hall, free }: FreeSeats, wish: Wish, at: number): boolean {
  return free[at] === 1 && (hall.offer[at]! & wish.offer) !== 0
}

function distanceBetween({ hall }: FreeSeats, a: Stretch, b: Stretch): number {
  const { x, y } = hall.rows
  const dx = x[a.start]! + x[a.end - 1]! - x[b.start]! - x[b.end - 1]!
  const dy = y[a.start]! + y[a.end - 1]! - y[b.start]! - y[b.end - 1]!
  return Math.hypot(dx, dy)
}

function ordinalsOf({ hall }: FreeSeats, clusters: readonly Stretch[]): number[] {
  return clusters
    .flatMap(({ start, end }) => [...hall.rows.ordinals.subarray(start, end)])
    .sort((a, b) => a - b)
}
