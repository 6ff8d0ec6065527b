import { bestAvailable } from '../../allocation/best-available.ts'
import { explain } from '../../allocation/explain.ts'
import { findAccessible } from '../../allocation/find-accessible.ts'
import type { HoldId } from '../../ids.ts'
import type { HoldRefusal, SaleAlternative } from '../../refusal.ts'
import { assert, ok, type Result, refuse } from '../../result.ts'
import { missingPlaces, seatIdsOf, statusAt } from '../availability.ts'
import type { Sell } from '../command.ts'
import { answerOf, decidedSeats, type HoldAnswer, type Outcome } from '../decision.ts'
import { freeSeatsOf } from '../free-seats.ts'
import { type ActiveHold, type HoldTimes, isAlive } from '../holds/active-hold.ts'
import { AVAILABLE, COMPANION, type EventState, holdOf, WHEELCHAIR } from '../state.ts'
import { EXTENSION_MS, PAYMENT_WINDOW_MS } from './cart.ts'
import { releaseCompanions } from './companions.ts'
import { NewChanges } from './new-changes.ts'
import { guestsDenied, judged, seatsOf, zoneDenied } from './settle.ts'
import { dueSeats, wishLike } from './stranding.ts'

/** A hold that is sold: as it is, or once more for the same buyer after it ran out. */
interface SalePlace {
  readonly holdId: HoldId
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  /** Null: it lives. */
  readonly again: { readonly holdId: HoldId; readonly cartToken: string | null } | null
  /** Null: it ran out and was tidied up. */
  readonly hold: ActiveHold | null
}

/**
 * Sells holds of one buyer, all of them or none. The rules are those of a payment that starts and ends at
 * once, but for who asks. Money that comes late gets the same places while they are free: a hold that has
 * run out is taken again and sold within the same decision. If one of them is gone nothing is sold, and the
 * refusal says what is free instead.
 */
export function sell(state: EventState, command: Sell, now: number): Outcome {
  const { buyer, ticketIds, checkoutId } = command
  const found = placesToSell(state, command, now)
  if (!found.ok) return found
  const places = found.value
  const { status } = state.settings
  if (status === 'cancelled' || status === 'archived') return refuse({ kind: 'event_not_available', status })
  const isElsewhere = ({ hold, again }: SalePlace) =>
    again === null && hold!.checkoutId !== null && hold!.checkoutId !== checkoutId
  if (places.some(isElsewhere)) return refuse({ kind: 'hold_in_payment' })

  const late = places.filter(({ again }) => again !== null)
  const ending = new Map<number, ActiveHold>()
  if (!areFree(state, late, ending, now)) {
    const alternatives = alternativesTo(state, late, now)
    return refuse({ kind: 'hold_expired', alternatives, holdIds: late.map(({ holdId }) => holdId) })
  }
  const denied = zoneDenied(state, places, buyer) ?? guestsDenied(state, places, command.guests)
  if (denied !== null) return refuse(denied)
  const quantity = places.reduce((sum, place) => sum + place.quantity, 0)
  if (quantity !== ticketIds.length) return refuse({ kind: 'hold_changed', quantity })
  const order = judged(state, { userId: buyer.userId, seats: seatsOf(places) }, command, now)
  if (!order.ok) return order

  // Nothing refuses from here on.
  const made = new NewChanges(state, now)
  for (const hold of ending.values()) made.expire(hold)
  const times = timesOf(state, command, now)
  const tickets = ticketsOf(places, ticketIds)
  // A place that is taken again joins the cart while the rest of it is there.
  const taken = new Map<HoldId, HoldAnswer>()
  for (const place of late) {
    const again = { ...place, ...place.again! }
    taken.set(place.holdId, made.takeAndSell(command, again, times, tickets.get(place.holdId)!))
  }
  for (const { hold, again, holdId } of places) {
    if (again === null) made.convert(hold!, command, tickets.get(holdId)!)
  }
  if (late.length > 0) releaseCompanions(state, made)
  return decidedSeats(
    made.changes,
    places.map(({ hold, holdId }) => taken.get(holdId) ?? answerOf(hold!)),
    { explanation: null, stranding: order.value },
  )
}

/** A hold of another buyer, or one that never ran out and is not there, is not found. */
function placesToSell(
  state: EventState,
  { holds, buyer }: Sell,
  now: number,
): Result<SalePlace[], HoldRefusal> {
  assert(new Set(holds.map(({ holdId }) => holdId)).size === holds.length, 'a hold named twice')
  if (holds.length === 0) return refuse({ kind: 'hold_not_found' })
  const places: SalePlace[] = []
  for (const { holdId, againAs, cartToken, ended } of holds) {
    const again = { holdId: againAs, cartToken }
    const hold = state.holds.get(holdId) ?? null
    if (hold) {
      if (!hold.belongsTo(buyer.userId)) return refuse({ kind: 'hold_not_found' })
      const { ordinal, zoneIndex, quantity } = hold
      const place = { holdId, ordinal, zoneIndex, quantity }
      places.push({ ...place, again: isAlive(hold, now) ? null : again, hold })
    } else {
      if (ended === null) return refuse({ kind: 'hold_not_found' })
      places.push({ holdId, ...ended, again, hold: null })
    }
  }
  return ok(places)
}

/** Returns whether all of them are free but for holds that have run out, which are added to `ending`. */
function areFree(
  state: EventState,
  late: readonly SalePlace[],
  ending: Map<number, ActiveHold>,
  now: number,
): boolean {
  const seats = seatsOf(late)
  if (new Set(seats).size < seats.length) return false
  const wanted = new Map<number, number>()
  for (const { ordinal, zoneIndex, quantity, hold } of late) {
    const { disabled } = state.zones[zoneIndex]!.settings
    if (disabled) return false
    if (hold) ending.set(hold.slot, hold)
    if (ordinal === null) {
      wanted.set(zoneIndex, quantity + (wanted.get(zoneIndex) ?? 0))
      continue
    }
    if (statusAt(state, ordinal, now) !== AVAILABLE) return false
    const inTheWay = holdOf(state, ordinal)
    if (inTheWay) ending.set(inTheWay.slot, inTheWay)
  }
  for (const [zoneIndex, quantity] of wanted) {
    const { capacity } = state.zones[zoneIndex]!.settings
    if (missingPlaces(state, { zoneIndex, capacity }, quantity, ending, now) > 0) return false
  }
  return true
}

/** Those of the buyer's cart, which is not lifted: what is taken again is sold in the same moment. */
export function timesOf(state: EventState, { buyer }: Pick<Sell, 'buyer'>, now: number): HoldTimes {
  const some = state.users.get(buyer.userId)?.someAlive(now)
  if (some) return { heldUntil: some.heldUntil, capUntil: some.capUntil }
  const heldUntil = now + state.settings.policy.default_hold_ttl_seconds * 1000
  return { heldUntil, capUntil: heldUntil + EXTENSION_MS + PAYMENT_WINDOW_MS }
}

function ticketsOf(places: readonly SalePlace[], ticketIds: Sell['ticketIds']) {
  const tickets = new Map<HoldId, Sell['ticketIds']>()
  let issued = 0
  for (const { holdId, quantity } of places) {
    tickets.set(holdId, ticketIds.slice(issued, issued + quantity))
    issued += quantity
  }
  return tickets
}

/** So many of the holds that have run out count as free for an alternative. */
const MOST_DUE = 1_000

function alternativesTo(state: EventState, late: readonly SalePlace[], now: number): SaleAlternative[] {
  const alternatives: SaleAlternative[] = []
  const seats = seatsOf(late)
  const instead = seats.length > 0 ? seatsLike(state, seats, now) : null
  if (instead) alternatives.push({ kind: 'seats', seatIds: seatIdsOf(state, instead) })
  for (const zoneIndex of new Set(late.filter(({ ordinal }) => ordinal === null).map(one => one.zoneIndex))) {
    const { zoneId, capacity, disabled } = state.zones[zoneIndex]!.settings
    if (disabled) continue
    const missing = missingPlaces(state, { zoneIndex, capacity }, capacity, new Map(), now)
    if (missing < capacity) alternatives.push({ kind: 'places', zoneId, available: capacity - missing })
  }
  return alternatives
}

/** As many seats of the same zones and price categories, the best that are free. */
function seatsLike(state: EventState, seats: readonly number[], now: number): readonly number[] | null {
  const { category, hall } = state.seats
  const free = freeSeatsOf(state, dueSeats(state, now, MOST_DUE))
  const wish = wishLike(state, seats)
  const count = (wanted: number) => seats.filter(ordinal => category[ordinal] === wanted).length
  const wheelchair = count(WHEELCHAIR)
  const isCompanionFree = (ordinal: number) => statusAt(state, ordinal, now) === AVAILABLE
  const found =
    wheelchair > 0
      ? findAccessible(free, { ...wish, wheelchair, companions: count(COMPANION) }, isCompanionFree)
      : bestAvailable(free, wish)
  return found && explain(hall, found).clusters.flatMap(cluster => cluster.seats)
}
