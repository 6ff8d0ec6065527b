import type { UserId } from '../../ids.ts'
import { type ActiveHold, type HoldQueue, type HoldTimes, isAlive } from '../holds/active-hold.ts'
import type { EventState } from '../state.ts'
import type { NewChanges } from './new-changes.ts'

/**
 * A buyer's living holds in an event are their cart.
 * All of them have the same `heldUntil` and the same `capUntil`:
 *
 *   first hold        heldUntil = now + ttl; capUntil = heldUntil + 5 min + 15 min
 *   another hold      joins: the cart's times. If less than 2 min (or half of the ttl) is left,
 *                     the whole cart is lifted to that, at most to capUntil − 15 min
 *   extended          heldUntil = max(old, min(now + 5 min, capUntil − 15 min))
 *   payment started   heldUntil = max(old, min(now + 15 min, capUntil))
 *   carts joined      the later heldUntil, the earlier capUntil (transfer.ts)
 *
 * `capUntil` never moves to a later time, so no hold outlasts the first of its cart by more than ttl + 5 min
 * + 15 min, whatever its owner does. The last 15 min are kept for a payment:
 * the first payment of a cart always has all of them.
 */

/** An extension reaches so far, and all of them so far past the first end of a cart. */
export const EXTENSION_MS = 5 * 60_000
/** A payment may take so long. */
export const PAYMENT_WINDOW_MS = 15 * 60_000
/** A buyer has at least this, after taking one more. */
const LAST_CALL_MS = 2 * 60_000

/** The times of a new hold of this buyer. Lifts their cart if it is about to end. */
export function joinCart(state: EventState, made: NewChanges, userId: UserId, now: number): HoldTimes {
  const ttlMs = state.settings.policy.default_hold_ttl_seconds * 1000
  const some = state.users.get(userId)?.someAlive(now)
  if (!some) {
    const heldUntil = now + ttlMs
    return { heldUntil, capUntil: heldUntil + EXTENSION_MS + PAYMENT_WINDOW_MS }
  }
  const heldUntil = extendedEnd(some, now + Math.min(LAST_CALL_MS, ttlMs / 2))
  if (heldUntil > some.heldUntil) extendCart(made, livingHolds(some.user, now), heldUntil)
  return { heldUntil, capUntil: some.capUntil }
}

/** When a cart ends that is to last until `until`, if it may. */
export function extendedEnd({ heldUntil, capUntil }: HoldTimes, until: number): number {
  return Math.max(heldUntil, Math.min(until, capUntil - PAYMENT_WINDOW_MS))
}

/**
 * A cart from before there was one clock for all may have several until it ends:
 * each hold keeps within its own cap.
 */
export function extendCart(made: NewChanges, cart: readonly ActiveHold[], heldUntil: number): void {
  for (const hold of cart) {
    if (hold.heldUntil < heldUntil && heldUntil <= hold.capUntil) made.extend(hold, { heldUntil })
  }
}

export function livingHolds(queue: HoldQueue, now: number): ActiveHold[] {
  return queue.heap.filter(hold => isAlive(hold, now))
}
