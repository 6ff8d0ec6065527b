import type { CheckoutId, HoldId, UserId } from '../../ids.ts'
import { assert } from '../../result.ts'
import type { EventState } from '../state.ts'
import type { ActiveHold } from './active-hold.ts'
import type { ExpiryQueue } from './expiry-queue.ts'
import { forgetIfIdle } from './idle-holders.ts'

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
  const { holds, users, ips } = state
  assert(row.ordinal === null || row.quantity === 1, 'a seat is one place')
  const slot = holds.add(row.holdId)
  const user = users.slotFor(row.userId)
  const ip = row.ip === null ? -1 : ips.slotFor(row.ip)
  holds.userOf[slot] = user
  holds.ipOf[slot] = ip
  holds.ordinals[slot] = row.ordinal ?? -1
  holds.zoneIndexes[slot] = row.zoneIndex
  holds.heldUntil[slot] = row.heldUntil
  holds.capUntil[slot] = row.capUntil
  holds.lastSeq[slot] = row.lastSeq ?? 0
  // This has no effect in an event whose zones all have seats.
  holds.quantities[slot] = row.quantity
  if (row.checkoutId) holds.checkouts.set(slot, row.checkoutId)
  if (row.ordinal !== null) state.holdOfSeat[row.ordinal] = slot

  state.queue.add(slot)
  users.add(user, slot)
  if (ip >= 0) ips.add(ip, slot)
  zoneQueueOf(state, slot)?.add(slot)
  return holds.at(slot)
}

export function removeHold(state: EventState, { slot }: ActiveHold, at: number): void {
  const { holds, users, ips } = state
  const user = holds.userOf[slot]!
  const ip = holds.ipOf[slot]!
  const ordinal = holds.ordinals[slot]!
  state.queue.remove(slot)
  users.remove(user, slot)
  if (ip >= 0) {
    ips.remove(ip, slot)
    if (ips.isEmpty(ip)) ips.forget(ip)
  }
  zoneQueueOf(state, slot)?.remove(slot)
  if (ordinal >= 0) state.holdOfSeat[ordinal] = -1
  holds.remove(slot)
  forgetIfIdle(state, user, at)
}

/** The hold goes to another user, and keeps its place in every other queue. */
export function moveHold(
  state: EventState,
  { slot }: ActiveHold,
  { userId, at }: { userId: UserId; at: number },
): void {
  const { holds, users } = state
  const from = holds.userOf[slot]!
  users.remove(from, slot)
  const to = users.slotFor(userId)
  holds.userOf[slot] = to
  users.add(to, slot)
  forgetIfIdle(state, from, at)
}

export function shrinkHold(
  state: EventState,
  { slot, quantity: before }: ActiveHold,
  quantity: number,
): void {
  const { holds, users, ips } = state
  const by = before - quantity
  assert(quantity > 0 && by > 0, 'a hold that does not get smaller')
  holds.quantities[slot] = quantity
  state.queue.shrunk(by)
  users.shrunk(holds.userOf[slot]!, by)
  if (holds.ipOf[slot]! >= 0) ips.shrunk(holds.ipOf[slot]!, by)
  zoneQueueOf(state, slot)?.shrunk(by)
}

export function postponeHold(
  state: EventState,
  hold: ActiveHold,
  { heldUntil, capUntil = hold.capUntil }: { heldUntil: number; capUntil?: number },
): void {
  const { holds, users, ips } = state
  const { slot } = hold
  assert(heldUntil >= hold.heldUntil && heldUntil <= capUntil, 'a hold moved back or past its cap')
  holds.heldUntil[slot] = heldUntil
  holds.capUntil[slot] = capUntil
  state.queue.postponed(slot)
  users.postponed(holds.userOf[slot]!, slot)
  if (holds.ipOf[slot]! >= 0) ips.postponed(holds.ipOf[slot]!, slot)
  zoneQueueOf(state, slot)?.postponed(slot)
}

/** The queue of the zone, for places; null for seats. */
function zoneQueueOf({ holds, zones }: EventState, slot: number): ExpiryQueue | null {
  return holds.ordinals[slot]! < 0 ? zones[holds.zoneIndexes[slot]!]!.holds : null
}
