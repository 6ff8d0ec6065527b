import { bestAvailable, bestWithCompanions } from '../../allocation/best-available.ts'
import { explain } from '../../allocation/explain.ts'
import { findAccessible } from '../../allocation/find-accessible.ts'
import type { FreeSeats } from '../../allocation/free-seats.ts'
import { OFFER } from '../../allocation/hall.ts'
import { Budget, type Found, type Wish } from '../../allocation/wish.ts'
import { hasSeats } from '../../layout/model.ts'
import type { HoldRefusal, NoSeatsReason, SeatsAlternative } from '../../refusal.ts'
import { assert, refuse } from '../../result.ts'
import { statusAt } from '../availability.ts'
import type { HoldBest } from '../command.ts'
import type { Outcome } from '../decision.ts'
import { freeSeatsOf } from '../free-seats.ts'
import type { ActiveHold } from '../holds/active-hold.ts'
import { AVAILABLE, type EventState } from '../state.ts'
import { notOnSale, shutZone, takeSeats, tooManySeats } from './hold.ts'
import { overLimits } from './limits.ts'
import { dueSeats } from './stranding.ts'

/** So many of the holds that have run out count as free at first; all of them when nothing is found. */
const MOST_DUE = 1_000

/** The best seats that are free. The rules of new holds (decide.ts) but for those it keeps by choosing. */
export function holdBest(state: EventState, command: HoldBest, now: number): Outcome {
  const { actor, quantity, wheelchair, companions, holdIds } = command
  assert(quantity > 0 && holdIds.length === quantity, 'a number of seats, and a hold id for each')
  assert(wheelchair + companions <= quantity, 'no more accessible seats than seats')
  assert(wheelchair > 0 || companions === 0, 'companions of a wheelchair place')

  const closed = notOnSale(state, now) ?? tooManySeats(state, actor.person, quantity)
  if (closed !== null) return refuse(closed)
  const zones = openZones(state, command)
  if (!Array.isArray(zones)) return refuse(zones)
  const ending = new Map<number, ActiveHold>()
  const overLimit = overLimits(state, actor, { places: quantity, wheelchairs: wheelchair }, ending, now)
  if (overLimit !== null) return refuse(overLimit)

  const { policy } = state.settings
  const wish: Wish = {
    quantity,
    zones,
    prices: command.prices,
    together: command.together ?? policy.group_adjacency_strict,
    maxSplit: policy.max_group_split,
    offer: OFFER.general,
  }
  const found = find(state, command, wish, now)
  if (!found) return refuse(nothingFound(state, command, wish, now))
  const { hall } = state.seats
  const explanation = explain(hall, found)
  const seats = explanation.clusters.flatMap(cluster => cluster.seats)
  return takeSeats(state, { command, seats, holdIds, ending, explanation }, now)
}

/** By zone: whether the buyer may sit there and wants to. A zone that they name must be open. */
function openZones(state: EventState, { actor, zoneIndexes }: HoldBest): boolean[] | HoldRefusal {
  for (const zoneIndex of zoneIndexes ?? []) {
    const { settings } = state.zones[zoneIndex]!
    if (settings.disabled) return { kind: 'zone_at_capacity', available: 0 }
    const shut = shutZone(state, settings, actor.person)
    if (shut !== null) return shut
  }
  return state.zones.map(({ settings }, zoneIndex) => {
    if (!hasSeats(settings.zoneType) || settings.disabled) return false
    if (zoneIndexes !== null) return zoneIndexes.includes(zoneIndex)
    return shutZone(state, settings, actor.person) === null
  })
}

function find(state: EventState, command: HoldBest, wish: Wish, now: number): Found | null {
  const some = search(state, freeSeatsOf(state, dueSeats(state, now, MOST_DUE)), command, wish, now)
  if (some || !hasMoreDue(state, now)) return some
  const all = freeSeatsOf(state, dueSeats(state, now, Number.POSITIVE_INFINITY))
  return search(state, all, command, wish, now)
}

function search(
  state: EventState,
  seats: FreeSeats,
  { wheelchair, companions }: HoldBest,
  wish: Wish,
  now: number,
  budget?: Budget,
): Found | null {
  if (wheelchair === 0) return bestWithCompanions(seats, wish)
  const isCompanionFree = (ordinal: number) => statusAt(state, ordinal, now) === AVAILABLE
  return findAccessible(seats, { ...wish, wheelchair, companions }, isCompanionFree, budget)
}

function hasMoreDue(state: EventState, now: number): boolean {
  let count = 0
  for (const _ of state.queue.due(now)) {
    count += 1
    if (count > MOST_DUE) return true
  }
  return false
}

/** Says why there is nothing, and what there is instead. All of it from one look at the rows. */
function nothingFound(state: EventState, command: HoldBest, wish: Wish, now: number): HoldRefusal {
  const seats = freeSeatsOf(state, dueSeats(state, now, Number.POSITIVE_INFINITY))
  if (command.wheelchair > 0) return nothingAccessible(state, seats, command, wish, now)
  const { quantity } = wish
  const ofZones = leftByZone(seats, wish)
  const left = leftIn(ofZones, wish.zones)
  const alternatives: SeatsAlternative[] = []
  const longest = Math.min(left.longest, quantity - 1)
  if (longest > 0) alternatives.push({ kind: 'fewer', quantity: longest })
  if (wish.together && quantity > 1 && bestAvailable(seats, { ...wish, together: false })) {
    alternatives.push({ kind: 'apart' })
  }
  const atAnyPrice = wish.prices === null ? left : leftAtAnyPrice(seats, wish)
  if (wish.prices !== null && atAnyPrice.longest >= quantity) alternatives.push({ kind: 'any_price' })
  alternatives.push(...otherZones(state, command, zone => (ofZones[zone]?.longest ?? 0) >= quantity))
  return { kind: 'no_suitable_seats', reason: reasonOf(quantity, left, atAnyPrice), alternatives }
}

/** All searches for what there is instead of wheelchair places: about five milliseconds. */
const ALTERNATIVE_STEPS = 500_000

/** The same of a group with wheelchair places: only what a search finds is named. */
function nothingAccessible(
  state: EventState,
  seats: FreeSeats,
  command: HoldBest,
  wish: Wish,
  now: number,
): HoldRefusal {
  const budget = new Budget(ALTERNATIVE_STEPS)
  const isThere = (other: Partial<Wish>) =>
    !budget.isSpent && search(state, seats, command, { ...wish, ...other }, now, budget) !== null
  const accessible = command.wheelchair + command.companions
  const alternatives: SeatsAlternative[] = []
  let fewer = accessible - 1
  for (let tooMany = wish.quantity; tooMany - fewer > 1; ) {
    const quantity = Math.floor((fewer + tooMany) / 2)
    if (isThere({ quantity })) fewer = quantity
    else tooMany = quantity
  }
  const hasPlaces = fewer >= accessible
  if (hasPlaces) alternatives.push({ kind: 'fewer', quantity: fewer })
  if (wish.together && isThere({ together: false })) alternatives.push({ kind: 'apart' })
  if (wish.prices !== null && isThere({ prices: null })) alternatives.push({ kind: 'any_price' })
  const isInZone = (zone: number) => isThere({ zones: state.zones.map((_, index) => index === zone) })
  alternatives.push(...otherZones(state, command, isInZone))
  if (!hasPlaces) {
    const isDearer = wish.prices !== null && isThere({ prices: null, quantity: accessible })
    const reason = isDearer ? 'none_within_price' : 'no_wheelchair_place'
    return { kind: 'no_suitable_seats', reason, alternatives }
  }
  // With places and companion seats it is the others' seats that are missing.
  const left = leftIn(leftByZone(seats, wish), wish.zones)
  const atAnyPrice = leftAtAnyPrice(seats, wish)
  const reason = reasonOf(wish.quantity - accessible, left, atAnyPrice)
  return { kind: 'no_suitable_seats', reason, alternatives }
}

/** Other zones that are named at most. */
const MOST_ZONES = 3

/** Finds other zones that have what a buyer wants who named one. `hasRoom` is asked by zone. */
function otherZones(
  state: EventState,
  { actor, zoneIndexes }: HoldBest,
  hasRoom: (zoneIndex: number) => boolean,
): SeatsAlternative[] {
  if (zoneIndexes === null) return []
  const found: SeatsAlternative[] = []
  for (const [zoneIndex, { settings }] of state.zones.entries()) {
    if (found.length === MOST_ZONES) break
    if (zoneIndexes.includes(zoneIndex) || settings.disabled || !hasSeats(settings.zoneType)) continue
    if (shutZone(state, settings, actor.person) !== null) continue
    if (hasRoom(zoneIndex)) found.push({ kind: 'zone', zoneId: settings.zoneId })
  }
  return found
}

interface Left {
  readonly seats: number
  /** Side by side. */
  readonly longest: number
}

/** By zone; all of them in one pass, because a hall has as many zones as it likes. */
function leftByZone(seats: FreeSeats, wish: Wish): readonly Left[] {
  const { rows } = seats.hall
  const { counts, starts, ends } = seats.chainsFor(wish)
  const left = wish.zones.map(() => ({ seats: 0, longest: 0 }))
  for (let run = 0; run < counts.length; run += 1) {
    const ofZone = left[rows.zoneOfRow[rows.rowOfRun[run]!]!]
    if (!ofZone) continue
    const first = rows.runStarts[run]!
    for (let chain = first; chain < first + counts[run]!; chain += 1) {
      const length = ends[chain]! - starts[chain]!
      ofZone.seats += length
      ofZone.longest = Math.max(ofZone.longest, length)
    }
  }
  return left
}

function leftIn(ofZones: readonly Left[], wanted: readonly boolean[]): Left {
  const left = { seats: 0, longest: 0 }
  for (const [zone, { seats, longest }] of ofZones.entries()) {
    if (!wanted[zone]) continue
    left.seats += seats
    left.longest = Math.max(left.longest, longest)
  }
  return left
}

function leftAtAnyPrice(seats: FreeSeats, wish: Wish): Left {
  return leftIn(leftByZone(seats, { ...wish, prices: null }), wish.zones)
}

function reasonOf(quantity: number, left: Left, atAnyPrice: Left): NoSeatsReason {
  if (left.seats >= quantity) return 'not_together'
  return atAnyPrice.seats >= quantity ? 'none_within_price' : 'not_enough_seats'
}
