import type { FreeSeats } from './free-seats.ts'
import type { Hall } from './hall.ts'
import { type Stretch, strandedBy, strandsAlone } from './stranded.ts'
import { type Found, isWanted, type Wish } from './wish.ts'

/** A group of the layout that is sold as a whole and has as many seats as are wanted: the best of them. */
export function findWhole(seats: FreeSeats, wish: Wish): Found | null {
  const { hall, free } = seats
  let best: Found | null = null
  for (const positions of hall.wholes) {
    if (positions.length !== wish.quantity || !isZoneWanted(hall, wish, positions[0]!)) continue
    if (!positions.every(at => free[at] === 1 && isWanted(wish, hall, at))) continue
    const cost = positions.reduce((sum, at) => sum + hall.cost[at]!, 0)
    if (best !== null && cost >= best.cost) continue
    const clusters = stretchesOf(hall, positions)
    const stranded = strandedBy(hall, free, clusters)
    if (stranded.length === 0) best = { clusters, stranded, cost, isTogether: true }
  }
  return best
}

/**
 * Seats in a group that is a preference. A group is for a number that takes at least half of its seats: else
 * couples would fill the places of families.
 */
export function findInFamily(seats: FreeSeats, wish: Wish): Found | null {
  const { hall, free } = seats
  const { quantity } = wish
  let best: Found | null = null
  for (const positions of hall.families) {
    if (quantity > positions.length || 2 * quantity < positions.length) continue
    if (!isZoneWanted(hall, wish, positions[0]!)) continue
    for (const { start, end } of stretchesOf(hall, positions)) {
      let chain = 0
      for (let at = start; at < end; at += 1) {
        const isOffered = (hall.offer[at]! & wish.offer) !== 0 && isWanted(wish, hall, at)
        chain = free[at] === 1 && isOffered ? chain + 1 : 0
        if (chain < quantity) continue
        const cluster = { start: at - quantity + 1, end: at + 1 }
        const cost = costOf(hall, cluster)
        if (best !== null && cost >= best.cost) continue
        if (strandsAlone(hall, free, cluster.start, cluster.end) > 0) continue
        best = { clusters: [cluster], stranded: [], cost, isTogether: true }
      }
    }
  }
  return best
}

/** Positions in order, as stretches of neighbours. */
export function stretchesOf({ rows }: Hall, positions: Iterable<number>): Stretch[] {
  const stretches: { start: number; end: number }[] = []
  for (const at of positions) {
    const last = stretches.at(-1)
    if (last && last.end === at && rows.runOf[at] === rows.runOf[last.start]) last.end += 1
    else stretches.push({ start: at, end: at + 1 })
  }
  return stretches
}

function isZoneWanted({ rows }: Hall, { zones }: Wish, at: number): boolean {
  return zones[rows.zoneOfRow[rows.rowOfRun[rows.runOf[at]!]!]!] === true
}

function costOf({ cost }: Hall, { start, end }: Stretch): number {
  let sum = 0
  for (let at = start; at < end; at += 1) sum += cost[at]!
  return sum
}
