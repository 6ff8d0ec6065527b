import { missingForZone, type Person } from '../../access.ts'
import { guestsRefused, type NamedGuests, NO_GUESTS } from '../../guests/guest-rule.ts'
import type { CheckoutId, HoldId, UserId } from '../../ids.ts'
import type { HoldRefusal } from '../../refusal.ts'
import { assert, ok, type Result, refuse } from '../../result.ts'
import { seatIdsOf } from '../availability.ts'
import type { EndPayment, Extend, Reduce, Release, ReleaseByUser, Sell, StartPayment } from '../command.ts'
import {
  answerOf,
  decided,
  decidedSeats,
  type HoldAnswer,
  type Outcome,
  type Skipped,
  type Stranding,
} from '../decision.ts'
import { type ActiveHold, isAlive } from '../holds/active-hold.ts'
import type { EventState } from '../state.ts'
import { EXTENSION_MS, extendCart, extendedEnd, livingHolds, PAYMENT_WINDOW_MS } from './cart.ts'
import { keptFrom } from './companions.ts'
import { NewChanges } from './new-changes.ts'
import { judgeOrder } from './stranding.ts'
import { brokenWholes, withWholes } from './wholes.ts'

/**
 * Moves holds that exist to their next state. How long they last is in cart.ts: what moves one of a cart
 * moves all of it.
 */

export function extend(state: EventState, { holdId, actor }: Extend, now: number): Outcome {
  const found = usableHolds(state, { holdIds: [holdId], userId: actor.person.userId, now })
  if (!found.ok) return found
  const hold = found.value[0]!
  const heldUntil = extendedEnd(hold, now + EXTENSION_MS)
  const made = new NewChanges(state, now)
  if (heldUntil > hold.heldUntil) extendCart(made, livingHolds(hold.user.all, now), heldUntil)
  return decided(made.changes, [answerOf(hold, heldUntil)])
}

export function reduce(state: EventState, { holdId, quantity, actor }: Reduce, now: number): Outcome {
  assert(Number.isSafeInteger(quantity) && quantity > 0, 'a number of places')
  const found = usableHolds(state, { holdIds: [holdId], userId: actor.person.userId, now })
  if (!found.ok) return found
  const hold = found.value[0]!
  if (hold.checkoutId !== null) return refuse({ kind: 'hold_in_payment' })
  if (quantity >= hold.quantity) return refuse({ kind: 'hold_not_reducible', quantity: hold.quantity })
  const made = new NewChanges(state, now)
  const answer = made.reduce(hold, quantity)
  return decided(made.changes, [answer])
}

export function startPayment(state: EventState, command: StartPayment, now: number): Outcome {
  const { holdIds, checkoutId, actor } = command
  const found = usableHolds(state, { holdIds, userId: actor.person.userId, checkoutId, now })
  if (!found.ok) return found
  const denied =
    zoneDenied(state, found.value, actor.person) ?? guestsDenied(state, found.value, command.guests)
  if (denied !== null) return refuse(denied)

  const first = found.value[0]!
  const starting = found.value.filter(hold => hold.checkoutId !== checkoutId)
  const { userId } = actor.person
  const isNew = starting.length > 0
  const order = isNew ? judged(state, { userId, seats: seatsOf(found.value) }, command, now) : ok(null)
  if (!order.ok) return order
  const made = new NewChanges(state, now)
  // Again for the same checkout: its time does not start again.
  const heldUntil =
    starting.length === 0
      ? first.heldUntil
      : Math.max(first.heldUntil, Math.min(now + PAYMENT_WINDOW_MS, first.capUntil))
  for (const hold of starting) made.startPayment(hold, { checkoutId, heldUntil })
  const others = livingHolds(first.user.all, now).filter(
    hold => !starting.some(({ slot }) => slot === hold.slot),
  )
  extendCart(made, others, heldUntil)
  return decidedSeats(
    made.changes,
    found.value.map(hold => answerOf(hold, heldUntil)),
    { explanation: null, stranding: order.value },
  )
}

/** The holds of a payment that is over are the buyer's as before. Those that have ended are passed over. */
export function endPayment(
  state: EventState,
  { holdIds, checkoutId, actor }: EndPayment,
  now: number,
): Outcome {
  assertDistinct(holdIds)
  const made = new NewChanges(state, now)
  const ended: HoldAnswer[] = []
  for (const holdId of holdIds) {
    const hold = state.holds.get(holdId)
    if (hold?.checkoutId !== checkoutId || !hold.belongsTo(actor.person.userId) || !isAlive(hold, now))
      continue
    made.endPayment(hold)
    ended.push(answerOf(hold))
  }
  return decided(made.changes, ended)
}

/** Judges an order by the rules for its seats, when its payment starts and when it is sold. */
export function judged(
  state: EventState,
  { userId, seats }: { readonly userId: UserId; readonly seats: readonly number[] },
  command: StartPayment | Sell,
  now: number,
): Result<Stranding | null, HoldRefusal> {
  const kept = keptFrom(state, userId, { seats, taken: seats, isOrder: true }, now)
  if (kept.length > 0) return refuse({ kind: 'companion_reserved', seatIds: seatIdsOf(state, kept) })
  const broken = brokenWholes(state, seats, ordinal => seats.includes(ordinal))
  if (broken !== null) return refuse(broken)
  const isAllowed = command.allowStranding === true
  const { refusal, stranding } = judgeOrder(state, { userId, seats }, { isAllowed, now })
  return refusal === null ? ok(stranding) : refuse(refusal)
}

export function seatsOf(holds: readonly { readonly ordinal: number | null }[]): number[] {
  return holds.flatMap(({ ordinal }) => (ordinal === null ? [] : [ordinal]))
}

/** A membership may have ended since the seats were taken. */
export function zoneDenied(
  state: EventState,
  holds: readonly { readonly zoneIndex: number }[],
  person: Person,
): HoldRefusal | null {
  for (const hold of holds) {
    const required = missingForZone(state.zones[hold.zoneIndex]!.settings.access, person)
    if (required !== null) return { kind: 'zone_access_denied', required }
  }
  return null
}

/** Returns who sits on the places that are paid for. A checkout that asked for no guests has named none. */
export function guestsDenied(
  state: EventState,
  holds: readonly Pick<ActiveHold, 'holdId' | 'quantity' | 'zoneIndex'>[],
  guests: NamedGuests = NO_GUESTS,
): HoldRefusal | null {
  const places = holds.map(({ holdId, quantity, zoneIndex }) => {
    return { holdId, quantity, zone: state.zones[zoneIndex]!.settings.access }
  })
  return guestsRefused(places, guests)
}

/**
 * A buyer cancels their checkout, which releases its own holds, not a hold that is in payment. Staff may
 * insist (`force`): money that arrives all the same is for the checkout to refund.
 */
export function release(state: EventState, command: Release, now: number): Outcome {
  assertDistinct(command.holdIds)
  if (command.reason === 'user_cancelled') {
    const refusal = notReleasable(state, command, now)
    if (refusal !== null) return refuse(refusal)
  }
  const made = new NewChanges(state, now)
  const released: HoldAnswer[] = []
  const skipped: Skipped[] = []
  const named = command.holdIds.map(holdId => state.holds.get(holdId))
  const more = command.reason === 'payment_failed' ? [] : withWholes(state, named, now)
  for (const holdId of [...command.holdIds, ...more.map(hold => hold.holdId)]) {
    const hold = state.holds.get(holdId)
    if (hold === undefined || !mayRelease(hold, command)) {
      skipped.push({ holdId, code: 'hold_not_found' })
    } else if (!isAlive(hold, now)) {
      made.expire(hold)
      skipped.push({ holdId, code: 'hold_expired' })
    } else if (isKeptByPayment(hold, command)) {
      skipped.push({ holdId, code: 'hold_in_payment' })
    } else {
      made.release(hold, command)
      released.push(answerOf(hold))
    }
  }
  return decided(made.changes, released, skipped)
}

/** A buyer releases all of the holds or none. */
function notReleasable(state: EventState, command: ReleaseByUser, now: number): HoldRefusal | null {
  const named = command.holdIds.map(holdId => state.holds.get(holdId))
  const holds = [...named, ...withWholes(state, named, now)]
  if (!holds.every(hold => hold !== undefined && mayRelease(hold, command))) return { kind: 'hold_not_found' }
  return holds.some(hold => hold !== undefined && isAlive(hold, now) && isKeptByPayment(hold, command))
    ? { kind: 'hold_in_payment' }
    : null
}

function mayRelease(hold: ActiveHold, command: Release): boolean {
  switch (command.reason) {
    case 'user_cancelled':
      return hold.belongsTo(command.actor.person.userId)
    case 'payment_failed':
      return hold.checkoutId === command.checkoutId
    case 'admin_override':
      return true
  }
}

function isKeptByPayment(hold: ActiveHold, command: Release): boolean {
  if (hold.checkoutId === null || command.reason === 'payment_failed') return false
  if (command.reason === 'user_cancelled') return hold.checkoutId !== command.checkoutId
  return command.force !== true
}

/**
 * All of the holds, or why not. No holds at all are not "all of them": an empty checkout must not be charged.
 */
function usableHolds(
  state: EventState,
  use: {
    holdIds: readonly HoldId[]
    userId: UserId
    checkoutId?: CheckoutId
    now: number
  },
): Result<ActiveHold[], HoldRefusal> {
  const { holdIds, userId, checkoutId, now } = use
  assertDistinct(holdIds)
  const holds: ActiveHold[] = []
  for (const holdId of holdIds) {
    const hold = state.holds.get(holdId)
    if (!hold?.belongsTo(userId)) return refuse({ kind: 'hold_not_found' })
    holds.push(hold)
  }
  if (holds.length === 0) return refuse({ kind: 'hold_not_found' })

  const { status } = state.settings
  if (status === 'cancelled' || status === 'archived') return refuse({ kind: 'event_not_available', status })
  if (holds.some(hold => !isAlive(hold, now))) return refuse({ kind: 'hold_expired' })
  if (
    checkoutId !== undefined &&
    holds.some(hold => hold.checkoutId !== null && hold.checkoutId !== checkoutId)
  ) {
    return refuse({ kind: 'hold_in_payment' })
  }
  return ok(holds)
}

function assertDistinct(holdIds: readonly HoldId[]): void {
  assert(holdIds.length < 2 || new Set(holdIds).size === holdIds.length, 'a hold named twice')
}
