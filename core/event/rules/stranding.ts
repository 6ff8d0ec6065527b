import { type CartJudgement, clustersOf, judgeCart } from '../../allocation/cart-rule.ts'
import { NO_PRICE_CATEGORY, OFFER } from '../../allocation/hall.ts'
import { mayStrand, quickWarning } from '../../allocation/quick-warning.ts'
import { strandedWhere } from '../../allocation/stranded.ts'
import { priceIndex, type Wish } from '../../allocation/wish.ts'
import type { UserId } from '../../ids.ts'
import type { HoldRefusal } from '../../refusal.ts'
import { seatIdsOf, statusAt } from '../availability.ts'
import type { Stranding } from '../decision.ts'
import { forgetFreeSeats, freeSeatsOf } from '../free-seats.ts'
import { isAlive } from '../holds/active-hold.ts'
import { AVAILABLE, COMPANION, type EventState, holdOf, WHEELCHAIR } from '../state.ts'
import { livingHolds } from './cart.ts'
import { isKept } from './companions.ts'

/**
 * Single seats that a buyer leaves alone. It is judged on orders: a buyer who takes seat 4 and then seat 5
 * passes through a moment in which 5 stands alone. A hold is granted with a warning, the order is refused.
 */

/** A cart of more seats is a block, and is not judged. */
const MOST_JUDGED = 50
/**
 * So many of the holds that have run out and are not tidied up count as free; of the others none does yet.
 */
const MOST_DUE = 1_000
/** When a buyer has more holds, those besides the order count as taken. */
const MOST_HELD = 1_000

/** The seats of one buyer. */
interface BuyersSeats {
  readonly userId: UserId
  readonly seats: readonly number[]
}

/** Returns what is wrong with a buyer's seats. Null: nothing. */
function strandingOf(state: EventState, { userId, seats }: BuyersSeats, now: number): CartJudgement | null {
  const { hall } = state.seats
  const cart = seats.filter(ordinal => !hall.wholeOf.has(hall.rows.positions[ordinal]!))
  if (cart.length === 0 || cart.length > MOST_JUDGED) return null
  const isFree = freeAt(state, now)
  const isLoose = looseSeats(state, { userId, seats }, now)
  const isFreeOrLoose = (at: number) => isFree(at) || isLoose(hall.rows.ordinals[at]!)
  // Nearly all carts end here: nothing is made for them.
  if (strandedWhere(hall, isFreeOrLoose, clustersOf(hall, cart)).length === 0) return null
  const loose = heldSeats(state, userId, now).filter(isLoose)
  const free = freeSeatsOf(state, [...dueSeats(state, now, MOST_DUE), ...cart, ...loose])
  const judged = judgeCart(free, cart, {
    wish: wishLike(state, cart),
    accessible: accessibleOf(state, cart, ordinal => cart.includes(ordinal) || loose.includes(ordinal), now),
    maxSeats: state.settings.policy.max_seats_per_booking ?? Number.POSITIVE_INFINITY,
  })
  return judged.stranded.length === 0 ? null : judged
}

/**
 * Judges a buyer's whole cart, for which no other buyer waits: only what could be better is worth a warning.
 */
export function cartWarning(state: EventState, userId: UserId, now: number): Stranding | null {
  try {
    const judged = strandingOf(state, { userId, seats: cartOf(state, userId, now) ?? [] }, now)
    return judged && judged.excuse === null ? judged : null
  } catch (fault) {
    return notJudged(state, fault)
  }
}

/** A larger cart gets no warning while other buyers wait. */
const MOST_WARNED = 12

/**
 * Judges seats that are taken now, together with what the buyer has. Under the lock: nothing is looked for
 * far away. What it does not find, the cart's own answer does.
 */
export function quickCartWarning(
  state: EventState,
  { userId, taken }: { userId: UserId; taken: readonly number[] },
  now: number,
): Stranding | null {
  try {
    return warningOfTaken(state, { userId, taken }, now)
  } catch (fault) {
    return notJudged(state, fault)
  }
}

/** A sale must not fail because of this rule: what it can't judge may be sold. */
function notJudged(state: EventState, fault: unknown): Stranding {
  // It may have been left half done.
  forgetFreeSeats(state)
  return { stranded: [], excuse: 'fault', alternatives: [], fault }
}

function warningOfTaken(
  state: EventState,
  { userId, taken }: { userId: UserId; taken: readonly number[] },
  now: number,
): Stranding | null {
  if (taken.length > MOST_WARNED || (taken.length === 1 && !looksAlone(state, taken[0]!))) return null
  const { hall } = state.seats
  const isFree = freeAt(state, now)
  if (!mayStrand(hall, taken, isFree)) return null
  const had = cartOf(state, userId, now)
  if (had === null || had.length + taken.length > MOST_WARNED) return null
  const cart = had.concat(taken).filter(ordinal => !hall.wholeOf.has(hall.rows.positions[ordinal]!))
  const maxSeats = state.settings.policy.max_seats_per_booking ?? Number.POSITIVE_INFINITY
  const warning = quickWarning(hall, cart, { isFree, maxSeats })
  return warning && { ...warning, excuse: null }
}

/** By position: whether a seat is free for any buyer. */
function freeAt(state: EventState, now: number): (at: number) => boolean {
  const { ordinals } = state.seats.hall.rows
  return at => {
    const ordinal = ordinals[at]!
    return statusAt(state, ordinal, now) === AVAILABLE && !isKept(state, ordinal)
  }
}

/**
 * By ordinal: whether the buyer of an order holds a seat besides it that no checkout has. Such a seat counts
 * as free: a buyer could else hold a seat beside their order, pay, give the seat back and leave it alone.
 */
function looseSeats(
  state: EventState,
  { userId, seats }: BuyersSeats,
  now: number,
): (ordinal: number) => boolean {
  const user = state.users.get(userId)
  if (!user || user.size > MOST_HELD) return () => false
  return ordinal => {
    const hold = holdOf(state, ordinal)
    if (!hold?.belongsTo(userId) || !isAlive(hold, now) || hold.checkoutId !== null) return false
    return !seats.includes(ordinal) && !isKept(state, ordinal)
  }
}

/** Returns whether a seat beside this one may stay alone. Nearly all holds end here, so it makes nothing. */
function looksAlone({ seats, seatStatus }: EventState, ordinal: number): boolean {
  const { positions, runOf, ordinals } = seats.hall.rows
  const at = positions[ordinal]!
  const run = runOf[at]!
  if (runOf[at - 1] === run && seatStatus[ordinals[at - 1]!] === AVAILABLE) {
    if (runOf[at - 2] !== run || seatStatus[ordinals[at - 2]!] !== AVAILABLE) return true
  }
  if (runOf[at + 1] !== run || seatStatus[ordinals[at + 1]!] !== AVAILABLE) return false
  return runOf[at + 2] !== run || seatStatus[ordinals[at + 2]!] !== AVAILABLE
}

/** The seats that a buyer holds. Null: too many to be judged. */
function cartOf(state: EventState, userId: UserId, now: number): number[] | null {
  const user = state.users.get(userId)
  if (!user) return []
  return user.size > MOST_JUDGED ? null : heldSeats(state, userId, now)
}

function heldSeats(state: EventState, userId: UserId, now: number): number[] {
  const user = state.users.get(userId)
  if (!user || user.size > MOST_HELD) return []
  const seats: number[] = []
  for (const { ordinal } of livingHolds(user.all, now)) if (ordinal !== null) seats.push(ordinal)
  return seats
}

/** Judges an order. Where it may leave seats alone, `stranding` says which and why it may. */
export function judgeOrder(
  state: EventState,
  order: BuyersSeats,
  { isAllowed, now }: { isAllowed: boolean; now: number },
): { readonly refusal: HoldRefusal | null; readonly stranding: Stranding | null } {
  let judged: CartJudgement | null
  try {
    judged = strandingOf(state, order, now)
  } catch (fault) {
    return { refusal: null, stranding: notJudged(state, fault) }
  }
  if (!judged) return { refusal: null, stranding: null }
  const isStrict = state.settings.policy.orphan_avoidance_strict
  const excuse = judged.excuse ?? (isAllowed ? 'allowed' : isStrict ? null : 'not_strict')
  if (excuse !== null) return { refusal: null, stranding: { ...judged, excuse } }
  const alternatives = judged.alternatives.map(({ change, seats: instead }) => {
    return { change, seatIds: seatIdsOf(state, instead) }
  })
  const seatIds = seatIdsOf(state, judged.stranded)
  return { refusal: { kind: 'would_strand_seats', seatIds, alternatives }, stranding: null }
}

/** Seats that are free because their hold has run out, at most so many. */
export function* dueSeats(state: EventState, now: number, most: number): Generator<number, void, void> {
  let count = 0
  for (const { ordinal } of state.queue.due(now)) {
    if (count === most) return
    count += 1
    if (ordinal !== null && !isKept(state, ordinal)) yield ordinal
  }
}

/**
 * As many seats, in the cart's zones and price categories; for seats without a category, those of their zone
 * without one.
 */
export function wishLike({ seats, zones, settings }: EventState, cart: readonly number[]): Wish {
  const { hall } = seats
  const wanted = zones.map(() => false)
  const prices = zones.map((): boolean[] => [])
  let offer: number = OFFER.general
  for (const ordinal of cart) {
    const at = hall.rows.positions[ordinal]!
    wanted[seats.zoneOf[ordinal]!] = true
    const price = hall.price[at]!
    const alike = price === NO_PRICE_CATEGORY ? [prices[seats.zoneOf[ordinal]!]!] : prices
    for (const ofZone of alike) ofZone[priceIndex(price)] = true
    if (hall.offer[at] === OFFER.companion) offer |= OFFER.companion
  }
  return {
    quantity: cart.length,
    zones: wanted,
    prices,
    together: false,
    maxSplit: settings.policy.max_group_split,
    offer,
  }
}

function accessibleOf(
  state: EventState,
  cart: readonly number[],
  isTheirs: (ordinal: number) => boolean,
  now: number,
) {
  const { category } = state.seats
  const count = (wanted: number) => cart.filter(ordinal => category[ordinal] === wanted).length
  const wheelchair = count(WHEELCHAIR)
  if (wheelchair === 0) return null
  const isCompanionFree = (ordinal: number) =>
    isTheirs(ordinal) || statusAt(state, ordinal, now) === AVAILABLE
  return { wheelchair, companions: count(COMPANION), isCompanionFree }
}
