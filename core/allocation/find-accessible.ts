import type { Chains } from './chains.ts'
import { stretchesOf } from './find-group.ts'
import type { FreeSeats } from './free-seats.ts'
import type { Hall } from './hall.ts'
import { strandedBy } from './stranded.ts'
import { type Found, isWanted, type Wish } from './wish.ts'

/** Wheelchair places, companion seats that belong to them, and the rest of the group around them. */
export interface AccessibleWish extends Wish {
  readonly wheelchair: number
  readonly companions: number
}

/** Places are tried from the best on, so many of them. */
const PLACES_TRIED = 200

/**
 * The best wheelchair places with enough companion seats of their own, and the nearest free seats for the
 * others: in the same zone, and stranding none if that can be. `isCompanionFree` says whether a companion
 * seat may be taken by the buyer of its wheelchair place: to other buyers it is not free.
 */
export function findAccessible(
  seats: FreeSeats,
  wish: AccessibleWish,
  isCompanionFree: (ordinal: number) => boolean,
): Found | null {
  const { hall } = seats
  const places = freePlaces(seats, wish)
  const chains = seats.chainsFor(wish)
  for (const first of places.slice(0, PLACES_TRIED)) {
    const chosen = nearest(hall, first, places, wish.wheelchair)
    if (chosen === null) continue
    const companions = chosen
      .flatMap(place => hall.companions.seatsOf.get(place) ?? [])
      .filter(at => isCompanionFree(hall.rows.ordinals[at]!))
      .slice(0, wish.companions)
    if (companions.length < wish.companions) continue
    const found = withOthers(seats, chains, wish, [...chosen, ...companions])
    if (found) return found
  }
  return null
}

/** The best first. */
function freePlaces({ hall, free }: FreeSeats, wish: Wish): number[] {
  return [...hall.places]
    .filter(at => free[at] === 1 && isWanted(wish, hall.price[at]!) && wish.zones[zoneOf(hall, at)])
    .sort((a, b) => hall.cost[a]! - hall.cost[b]! || a - b)
}

/** So many positions of the first one's zone, nearest to it, with it; null: there are not so many. */
function nearest(hall: Hall, first: number, positions: readonly number[], count: number): number[] | null {
  const zone = zoneOf(hall, first)
  const near = positions
    .filter(at => zoneOf(hall, at) === zone)
    .sort((a, b) => distanceOf(hall, first, a) - distanceOf(hall, first, b) || a - b)
  return near.length < count ? null : near.slice(0, count)
}

/** The others of the group sit side by side, as near to the place as they can. */
function withOthers(
  seats: FreeSeats,
  chains: Chains,
  wish: AccessibleWish,
  taken: readonly number[],
): Found | null {
  const { hall, free } = seats
  const others = wish.quantity - taken.length
  const found = (positions: readonly number[]): Found => {
    const inOrder = [...positions].sort((a, b) => a - b)
    const clusters = stretchesOf(hall, inOrder).sort((a, b) => b.end - b.start - (a.end - a.start))
    const cost = inOrder.reduce((sum, at) => sum + hall.cost[at]!, 0)
    return { clusters, stranded: strandedBy(hall, free, clusters), cost, isTogether: clusters.length === 1 }
  }
  if (others === 0) return found(taken)
  let best: Found | null = null
  let away = Number.POSITIVE_INFINITY
  eachStretch(hall, chains, { zone: zoneOf(hall, taken[0]!), size: others }, start => {
    const distance = distanceOf(hall, taken[0]!, start) + distanceOf(hall, taken[0]!, start + others - 1)
    if (best !== null && best.stranded.length === 0 && distance >= away) return
    const next = found([...taken, ...Array.from({ length: others }, (_, index) => start + index)])
    const difference = best === null ? -1 : next.stranded.length - best.stranded.length || distance - away
    if (difference >= 0) return
    best = next
    away = distance
  })
  return best
}

function eachStretch(
  { rows }: Hall,
  { counts, starts, ends }: Chains,
  { zone, size }: { zone: number; size: number },
  visit: (start: number) => void,
): void {
  for (let run = 0; run < counts.length; run += 1) {
    if (rows.zoneOfRow[rows.rowOfRun[run]!] !== zone) continue
    const first = rows.runStarts[run]!
    for (let chain = first; chain < first + counts[run]!; chain += 1) {
      for (let start = starts[chain]!; start + size <= ends[chain]!; start += 1) visit(start)
    }
  }
}

function zoneOf({ rows }: Hall, at: number): number {
  return rows.zoneOfRow[rows.rowOfRun[rows.runOf[at]!]!]!
}

function distanceOf({ rows: { x, y } }: Hall, a: number, b: number): number {
  return Math.hypot(x[a]! - x[b]!, y[a]! - y[b]!)
}
