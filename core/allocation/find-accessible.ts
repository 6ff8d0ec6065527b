import type { Chains } from './chains.ts'
import { stretchesOf } from './find-group.ts'
import type { FreeSeats } from './free-seats.ts'
import { distanceBetween, type Hall, OFFER, zoneOf } from './hall.ts'
import { splitNearby } from './split-nearby.ts'
import { strandedBy, strandsAlone } from './stranded.ts'
import { Budget, type Found, isWanted, type Wish } from './wish.ts'

/** So many steps of looking for places and for seats near them: about five milliseconds. */
const STEPS = 500_000
/** To compare two places, or to put one into order, is more than a step. */
const LOOKING = 10

/** Wheelchair places, companion seats that belong to them, and the rest of the group around them. */
export interface AccessibleWish extends Wish {
  readonly wheelchair: number
  readonly companions: number
}

/** A free wheelchair place, and the companion seats of it that the buyer of the place may take. */
interface Place {
  readonly at: number
  readonly companions: readonly number[]
}

/**
 * The best wheelchair places with enough companion seats of their own, and the nearest free seats for the
 * others: in the same zone, and stranding none if that can be. `isCompanionFree` says whether a companion
 * seat may be taken by the buyer of its wheelchair place: to other buyers it is not free.
 *
 * Places that have a companion seat each come first. Null also when the budget is spent: a hall can be drawn
 * such that there are millions of ways.
 */
export function findAccessible(
  seats: FreeSeats,
  wish: AccessibleWish,
  isCompanionFree: (ordinal: number) => boolean,
  budget = new Budget(STEPS),
): Found | null {
  const { hall } = seats
  budget.left -= hall.places.length * LOOKING
  const places = freePlaces(seats, wish, isCompanionFree)
  const richest = byZone(hall, places)
  // Companion seats come with their places: the others sit on seats for any buyer.
  const chains = seats.chainsFor({ ...wish, offer: OFFER.general })
  if (chains !== seats.general) budget.left -= hall.rows.seats
  // The choice of taken places in a zone does not decide whether the others have room.
  const withoutRoom = new Set<number>()
  for (const pairs of new Set([Math.min(wish.wheelchair, wish.companions), 0])) {
    for (const first of places) {
      const zone = zoneOf(hall, first.at)
      if (budget.isSpent) return null
      if (withoutRoom.has(zone)) continue
      const chosen = choose(hall, first, richest.get(zone)!, { ...wish, pairs }, budget)
      if (chosen === null) continue
      const taken = [...chosen.map(({ at }) => at), ...companionsOf(chosen, wish.companions)]
      const found = withOthers(seats, chains, wish, taken, budget)
      if (found) return found
      withoutRoom.add(zone)
    }
  }
  return null
}

/** The best first. A place of a group that is sold as a whole is not offered by itself. */
function freePlaces(
  { hall, free }: FreeSeats,
  wish: Wish,
  isCompanionFree: (ordinal: number) => boolean,
): Place[] {
  const isOf = (at: number, offer: number) => hall.offer[at] === offer && isWanted(wish, hall, at)
  const isOffered = (at: number) => isOf(at, OFFER.wheelchair)
  const isForCompanions = (at: number) =>
    isOf(at, OFFER.companion) && isCompanionFree(hall.rows.ordinals[at]!)
  return [...hall.places]
    .filter(at => free[at] === 1 && isOffered(at) && wish.zones[zoneOf(hall, at)])
    .sort((a, b) => hall.cost[a]! - hall.cost[b]! || a - b)
    .map(at => ({ at, companions: (hall.companions.seatsOf.get(at) ?? []).filter(isForCompanions) }))
}

/** Those with the most companion seats first. */
function byZone(hall: Hall, places: readonly Place[]): ReadonlyMap<number, readonly Place[]> {
  const zones = new Map<number, Place[]>()
  for (const place of places) {
    const zone = zoneOf(hall, place.at)
    const others = zones.get(zone)
    if (others) others.push(place)
    else zones.set(zone, [place])
  }
  for (const some of zones.values()) some.sort((a, b) => b.companions.length - a.companions.length)
  return zones
}

interface PlacesWanted {
  readonly wheelchair: number
  readonly companions: number
  /** So many of the places have a companion seat. */
  readonly pairs: number
}

/**
 * So many places with enough companion seats: the first one, and the nearest to it. A place is passed over
 * where the rest could not make up for the companion seats that it does not have. `richest`: the places of
 * the first one's zone, those with the most companion seats first. Null: there are not so many.
 */
function choose(
  hall: Hall,
  first: Place,
  richest: readonly Place[],
  { wheelchair, companions, pairs }: PlacesWanted,
  budget: Budget,
): Place[] | null {
  const passed = new Set([first])
  const canBeDoneWith = (some: readonly Place[]) => {
    const all = [...some]
    for (const place of richest) {
      budget.left -= 1
      if (all.length === wheelchair) break
      if (!passed.has(place)) all.push(place)
    }
    const paired = all.filter(place => place.companions.length > 0).length
    const seats = all.reduce((sum, place) => sum + place.companions.length, 0)
    return all.length === wheelchair && paired >= pairs && seats >= companions
  }
  if (!canBeDoneWith([first])) return null
  const chosen = [first]
  budget.left -= richest.length * LOOKING
  const near = richest
    .filter(place => place !== first)
    .sort(
      (a, b) => distanceBetween(hall, first.at, a.at) - distanceBetween(hall, first.at, b.at) || a.at - b.at,
    )
  for (const place of near) {
    if (chosen.length === wheelchair) break
    if (budget.isSpent) return null
    passed.add(place)
    if (canBeDoneWith([...chosen, place])) chosen.push(place)
  }
  return chosen
}

/** One of each place, then the rest. */
function companionsOf(places: readonly Place[], count: number): number[] {
  const one = places.flatMap(({ companions }) => companions.slice(0, 1))
  const rest = places.flatMap(({ companions }) => companions.slice(1))
  return [...one, ...rest].slice(0, count)
}

/**
 * The others of the group sit side by side, as near to the place as they can; else in a few stretches near
 * each other, unless that is not wanted.
 */
function withOthers(
  seats: FreeSeats,
  chains: Chains,
  wish: AccessibleWish,
  taken: readonly number[],
  budget: Budget,
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
  const withStretch = (start: number) =>
    found([...taken, ...Array.from({ length: others }, (_, index) => start + index)])
  // Away from the places, a stretch leaves alone what it does by itself: nothing is made to find that out.
  const runsOfTaken = new Set(taken.map(at => hall.rows.runOf[at]!))
  const aloneByTaken = found(taken).stranded.length
  let best = { start: -1, stranded: Number.POSITIVE_INFINITY, away: Number.POSITIVE_INFINITY }
  eachStretch(hall, chains, { zone: zoneOf(hall, taken[0]!), size: others, budget }, (start, run) => {
    const away =
      distanceBetween(hall, taken[0]!, start) + distanceBetween(hall, taken[0]!, start + others - 1)
    if (best.stranded === 0 && away >= best.away) return
    if (runsOfTaken.has(run)) budget.left -= wish.quantity * LOOKING
    const stranded = runsOfTaken.has(run)
      ? withStretch(start).stranded.length
      : aloneByTaken + strandsAlone(hall, free, start, start + others)
    if (stranded < best.stranded || (stranded === best.stranded && away < best.away)) {
      best = { start, stranded, away }
    }
  })
  const together = best.start < 0 ? null : withStretch(best.start)
  if (wish.together || together?.stranded.length === 0) return together
  const apart = splitNearby(seats, chains, { quantity: others, maxSplit: wish.maxSplit, taken })
  const split = apart && found([...taken, ...apart])
  return split && (together === null || split.stranded.length === 0) ? split : together
}

function eachStretch(
  { rows }: Hall,
  { counts, starts, ends }: Chains,
  { zone, size, budget }: { zone: number; size: number; budget: Budget },
  visit: (start: number, run: number) => void,
): void {
  for (let run = 0; run < counts.length; run += 1) {
    budget.left -= 1
    if (rows.zoneOfRow[rows.rowOfRun[run]!] !== zone) continue
    const first = rows.runStarts[run]!
    for (let chain = first; chain < first + counts[run]!; chain += 1) {
      for (let start = starts[chain]!; start + size <= ends[chain]!; start += 1) {
        budget.left -= 1
        visit(start, run)
      }
    }
  }
}
