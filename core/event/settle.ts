import type { UserId } from '../ids.ts'
import type { HoldRefusal } from '../refusal.ts'
import { assert, ok, type Result, refuse } from '../result.ts'
import { type ActiveHold, isAlive } from './active-hold.ts'
import type { Convert, Extend, Release, ReleaseByUser, StartPayment } from './command.ts'
import { answerOf, decided, type HoldAnswer, type Outcome, type Skipped } from './decision.ts'
import { Draft, EXTENSION_MS } from './draft.ts'
import type { CheckoutId, HoldId } from './ids.ts'
import type { EventState } from './state.ts'

/**
 * What becomes of holds that exist.
 *
 * How long they last, at most (`capUntil`; `heldUntil` is never later):
 *
 *   made              heldUntil = now + ttl                            capUntil = heldUntil + 5 min
 *   extended          heldUntil = max(old, min(now + 5 min, capUntil)) capUntil stays
 *   payment started   heldUntil = max(old, now + 15 min)               capUntil = max(old, heldUntil)
 *
 * A hold is alive when its payment starts, and that happens once, so none outlasts
 * its making by more than ttl + 5 min + 15 min.
 */
export const PAYMENT_WINDOW_MS = 15 * 60_000

export function extend(state: EventState, { holdId, actor }: Extend, now: number): Outcome {
  const found = usableHolds(state, { holdIds: [holdId], userId: actor.person.userId, now })
  if (!found.ok) return found
  const hold = found.value[0]!
  const heldUntil = Math.max(hold.heldUntil, Math.min(now + EXTENSION_MS, hold.capUntil))
  const draft = new Draft(state, now)
  if (heldUntil > hold.heldUntil) draft.extend(hold, heldUntil)
  return decided(draft.changes, [answerOf(hold, heldUntil)])
}

export function startPayment(state: EventState, command: StartPayment, now: number): Outcome {
  const { holdIds, checkoutId, actor } = command
  const found = usableHolds(state, { holdIds, userId: actor.person.userId, checkoutId, now })
  if (!found.ok) return found
  const draft = new Draft(state, now)
  const holds = found.value.map(hold => {
    // Again for the same checkout: its time does not start anew.
    if (hold.checkoutId === checkoutId) return answerOf(hold)
    const heldUntil = Math.max(hold.heldUntil, now + PAYMENT_WINDOW_MS)
    const capUntil = Math.max(hold.capUntil, heldUntil)
    draft.startPayment(hold, { checkoutId, heldUntil, capUntil })
    return answerOf(hold, heldUntil)
  })
  return decided(draft.changes, holds)
}

export function convert(state: EventState, command: Convert, now: number): Outcome {
  const { holdIds, ticketIds, checkoutId, actor } = command
  const userId = actor.person?.userId ?? null
  const found = usableHolds(state, { holdIds, userId, checkoutId, now })
  if (!found.ok) return found
  const draft = new Draft(state, now)
  let issued = 0
  for (const hold of found.value) {
    draft.convert(hold, command, ticketIds.slice(issued, issued + hold.quantity))
    issued += hold.quantity
  }
  assert(issued === ticketIds.length, 'a ticket for each place')
  return decided(
    draft.changes,
    found.value.map(hold => answerOf(hold)),
  )
}

/**
 * A buyer cancels their checkout, not a hold that is in payment. Staff may insist (`force`): money that arrives all the
 * same is for the checkout to refund.
 */
export function release(state: EventState, command: Release, now: number): Outcome {
  assertDistinct(command.holdIds)
  if (command.reason === 'user_cancelled') {
    const refusal = notReleasable(state, command, now)
    if (refusal !== null) return refuse(refusal)
  }
  const draft = new Draft(state, now)
  const released: HoldAnswer[] = []
  const skipped: Skipped[] = []
  for (const holdId of command.holdIds) {
    const hold = state.holds.get(holdId)
    if (hold === undefined || !mayRelease(hold, command)) {
      skipped.push({ holdId, code: 'hold_not_found' })
    } else if (!isAlive(hold, now)) {
      draft.expire(hold)
      skipped.push({ holdId, code: 'hold_expired' })
    } else if (isKeptByPayment(hold, command)) {
      skipped.push({ holdId, code: 'hold_in_payment' })
    } else {
      draft.release(hold, command)
      released.push(answerOf(hold))
    }
  }
  return decided(draft.changes, released, skipped)
}

/** A buyer releases all of the holds or none. */
function notReleasable(state: EventState, command: ReleaseByUser, now: number): HoldRefusal | null {
  const holds = command.holdIds.map(holdId => state.holds.get(holdId))
  if (!holds.every(hold => hold !== undefined && mayRelease(hold, command))) return { kind: 'hold_not_found' }
  return holds.some(hold => hold !== undefined && isAlive(hold, now) && isKeptByPayment(hold, command))
    ? { kind: 'hold_in_payment' }
    : null
}

function mayRelease(hold: ActiveHold, command: Release): boolean {
  switch (command.reason) {
    case 'user_cancelled':
      return hold.user.key === command.actor.person.userId
    case 'payment_failed':
      return hold.checkoutId === command.checkoutId
    case 'admin_override':
      return true
  }
}

function isKeptByPayment(hold: ActiveHold, command: Release): boolean {
  if (hold.checkoutId === null || command.reason === 'payment_failed') return false
  return command.reason === 'user_cancelled' || command.force !== true
}

/** All of the holds, or why not. No holds at all are not "all of them": an empty checkout must not be charged. */
function usableHolds(
  state: EventState,
  use: {
    holdIds: readonly HoldId[]
    /** null: the system, which may use what is in payment with the checkout. */
    userId: UserId | null
    checkoutId?: CheckoutId
    now: number
  },
): Result<ActiveHold[], HoldRefusal> {
  const { holdIds, userId, checkoutId, now } = use
  assertDistinct(holdIds)
  const holds: ActiveHold[] = []
  for (const holdId of holdIds) {
    const hold = state.holds.get(holdId)
    const isTheirs = userId === null ? hold?.checkoutId === checkoutId : hold?.user.key === userId
    if (hold === undefined || !isTheirs) return refuse({ kind: 'hold_not_found' })
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
