import type { CheckoutId, HoldId, UserId } from '../../ids.ts'
import { assert } from '../../result.ts'
import { type EventState, WHEELCHAIR } from '../state.ts'
import type { ActiveHold, HoldQueue } from './active-hold.ts'
import { ExpiryQueue } from './expiry-queue.ts'
import { forgetLater, ipFor, userFor } from './holders.ts'

/**
 * The active holds of a state, and the queues they are in. Seat statuses and counters are apply's business.
 */

export interface HoldRow {
  readonly holdId: HoldId
  readonly userId: UserId
  readonly ip: string | null
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  readonly heldUntil: number
  readonly capUntil: number
  /** Left out: payment has not started. */
  readonly checkoutId?: CheckoutId | null
  /** The seq of its last change. Left out: not known. */
  readonly lastSeq?: number
}

export function addHold(state: EventState, row: HoldRow): ActiveHold {
  // Written out: every hold then has one shape, and nothing else of the row is kept alive.
  const hold: ActiveHold = {
    holdId: row.holdId,
    user: userFor(state, row.userId),
    ip: row.ip === null ? null : ipFor(state, row.ip),
    ordinal: row.ordinal,
    zoneIndex: row.zoneIndex,
    quantity: row.quantity,
    heldUntil: row.heldUntil,
    capUntil: row.capUntil,
    checkoutId: row.checkoutId ?? null,
    lastSeq: row.lastSeq ?? 0,
    placeInEvent: -1,
    placeWithUser: -1,
    placeWithIp: -1,
    placeInGroup: -1,
  }
  const known = state.holds.size
  state.holds.set(hold.holdId, hold)
  assert(state.holds.size === known + 1, 'a hold id used twice')
  if (hold.ordinal !== null) state.holdOfSeat[hold.ordinal] = hold

  state.queue.add(hold)
  hold.user.all.add(hold)
  hold.ip?.all.add(hold)
  groupOf(state, hold)?.add(hold)
  return hold
}

export function removeHold(state: EventState, hold: ActiveHold, at: number): void {
  state.queue.remove(hold)
  hold.user.all.remove(hold)
  hold.ip?.all.remove(hold)
  groupOf(state, hold)?.remove(hold)

  forgetLater(state, hold, at)
  if (hold.ordinal !== null) state.holdOfSeat[hold.ordinal] = null
  state.holds.delete(hold.holdId)
}

/** The hold goes to another user, and keeps its place in every other queue. */
export function moveHold(
  state: EventState,
  hold: ActiveHold,
  { userId, at }: { userId: UserId; at: number },
): void {
  const from = hold.user
  const isOfUser = hold.ordinal !== null
  from.all.remove(hold)
  if (isOfUser) groupOf(state, hold)?.remove(hold)
  hold.user = userFor(state, userId)
  hold.user.all.add(hold)
  if (isOfUser) groupOf(state, hold)?.add(hold)
  forgetLater(state, { user: from, ip: null }, at)
}

export function shrinkHold(state: EventState, hold: ActiveHold, quantity: number): void {
  const by = hold.quantity - quantity
  assert(quantity > 0 && by > 0, 'a hold that does not get smaller')
  hold.quantity = quantity
  state.queue.shrunk(hold, by)
  hold.user.all.shrunk(hold, by)
  hold.ip?.all.shrunk(hold, by)
  groupOf(state, hold)?.shrunk(hold, by)
}

export function postponeHold(
  state: EventState,
  hold: ActiveHold,
  { heldUntil, capUntil = hold.capUntil }: { heldUntil: number; capUntil?: number },
): void {
  assert(heldUntil >= hold.heldUntil && heldUntil <= capUntil, 'a hold moved back or past its cap')
  hold.heldUntil = heldUntil
  hold.capUntil = capUntil
  state.queue.postponed(hold)
  hold.user.all.postponed(hold)
  hold.ip?.all.postponed(hold)
  groupOf(state, hold)?.postponed(hold)
}

/**
 * The queue of the zone, for places; of the user's wheelchair seats, for one of these; null for other seats.
 */
function groupOf(state: EventState, hold: ActiveHold): HoldQueue | null {
  if (hold.ordinal === null) return state.zones[hold.zoneIndex]!.holds
  if (state.seats.category[hold.ordinal] !== WHEELCHAIR) return null
  hold.user.wheelchairs ??= new ExpiryQueue('placeInGroup')
  return hold.user.wheelchairs
}
