import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { OrderCommand } from '@voelgoed/core/orders/decide-order'
import type { Order, OrderChange } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { assert, ok, type Result, refuse } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { changeOrder, orderOf } from '../orders/order-rows.ts'
import type { NotFound, PaymentOutcome } from '../payments/gateway.ts'
import { type FoundCheckout, findCheckout } from './find-checkout.ts'
import { releaseCommand } from './steps/settle.ts'
import { livingHoldsOf, lookSoon, noteCheckout, notePayment, slowLooks } from './tables/checkouts.ts'

/** This was known of a payment when the gateway was asked about it. */
export interface LookUp {
  /** When the gateway was last asked to take the money, in milliseconds since 1970. */
  readonly sentAt: number | null
  /** No call that would take it can still be on its way. */
  readonly isSettled: boolean
}

/** A payment that the gateway decides on is looked up after so long, for the first time. */
export const FIRST_LOOK_MS = 15_000

/**
 * Well past the time limit of a call: so long after the gateway was last asked to take the money, it has what
 * it will have.
 */
export const SETTLED_AFTER_MS = 120_000

/**
 * An order is over, and its payment still waits for the buyer: so long after its holds have ended it is
 * looked up once a day. If the buyer pays after all, the gateway tells it, as a rule.
 */
const LOOKS_AFTER_END_MS = 3 * 3_600_000

/** All that a gateway may say except that it took the money, which steps/settle.ts settles. */
type NotCaptured = Exclude<PaymentOutcome, { kind: 'captured' }> | NotFound

/**
 * Applies what the gateway says of a payment to its order, and decides when the payment is looked up
 * next. `give`: the event is locked, and an order that a decline ends releases its holds. `lookUp` null: it
 * is the answer to a call of ours.
 */
export async function settleOutcome(
  tx: TenantTx,
  give: ((command: Command) => Outcome) | null,
  told: { readonly orderId: string; readonly outcome: NotCaptured; readonly lookUp: LookUp | null },
): Promise<Result<{ readonly order: Order; readonly changes: readonly OrderChange[] }, Refusal>> {
  const { orderId, outcome, lookUp } = told
  const found = await findCheckout(tx, orderId, { lock: true })
  if (!found) return refuse({ kind: 'order_not_found' })
  const { checkout, whole } = found
  const before = orderOf(whole)
  const isVerdict = outcome.kind === 'declined' || outcome.kind === 'not_found'
  // The buyer has tried again meanwhile: what was looked up is older than that.
  if (isVerdict && lookUp && lookUp.sentAt !== timeSent(checkout)) return ok({ order: before, changes: [] })
  const living = await livingHoldsOf(tx, whole.order.event_id, checkout.hold_ids)
  const areHeld = give === null && living.count === checkout.hold_ids.length
  const changed = await changeOrder(tx, orderId, before, commandOf(outcome, areHeld))
  if (!changed.ok) return changed
  const { order, changes } = changed.value
  await noteLooks(tx, told, { order, hasChanged: changes.length > 0 })
  // The next look ends it at the gateway: see Settlements.lookUp.
  if (changes.some(change => change.kind === 'expired') && waitsForBuyer(outcome)) await lookSoon(tx, orderId)
  if (give && changes.some(change => change.kind === 'expired')) {
    const released = give(releaseCommand(orderId, checkout))
    assert(released.ok, 'a release passes over what it can not release')
  }
  const isWatched = order.status === 'open' || order.payments.some(each => each.waitsForBuyer)
  const dueAt = isWatched ? (living.heldUntil ?? new Date(0)) : null
  if (changes.length > 0) await noteCheckout(tx, orderId, { dueAt })
  return ok({ order, changes })
}

/** When the payment is looked up next, and what is known of it besides. */
async function noteLooks(
  tx: TenantTx,
  { orderId, outcome, lookUp }: { orderId: string; outcome: NotCaptured; lookUp: LookUp | null },
  { order, hasChanged }: { order: Order; hasChanged: boolean },
): Promise<void> {
  const isLastWord = lookUp?.isSettled === true && !waitsForBuyer(outcome)
  switch (outcome.kind) {
    case 'declined':
    case 'not_found':
      if (hasChanged) await noteVerdict(tx, orderId, outcome, isLastWord)
      else if (isLastWord) await notePayment(tx, orderId, { lookInMs: null })
      break
    default:
      // A look-up has its own pauses, which get longer.
      if (!lookUp) await noteWaiting(tx, orderId, outcome)
      else if (outcome.kind === 'pending') await noteWaiting(tx, orderId, outcome, { keepsLook: true })
  }
  const isOver = order.status === 'expired' || order.status === 'cancelled'
  if (lookUp && isOver && waitsForBuyer(outcome)) await slowLooks(tx, orderId, LOOKS_AFTER_END_MS)
}

async function noteWaiting(
  tx: TenantTx,
  orderId: string,
  outcome: NotCaptured,
  { keepsLook = false } = {},
): Promise<void> {
  await notePayment(tx, orderId, { ...intentOf(outcome), lookInMs: FIRST_LOOK_MS, keepsLook })
}

/**
 * A decline is believed at once, so that the buyer can try again. Another call for the same payment may be on
 * its way, or may have arrived since: the payment is looked up once more when that is over.
 */
async function noteVerdict(
  tx: TenantTx,
  orderId: string,
  outcome: NotCaptured,
  isLastWord: boolean,
): Promise<void> {
  const declineCode = outcome.kind === 'declined' ? outcome.code : 'try_again'
  const lookInMs = isLastWord ? null : SETTLED_AFTER_MS
  await notePayment(tx, orderId, { ...intentOf(outcome), declineCode, lookInMs })
}

/** The buyer can pay it: on a page of the gateway, or in its form, also after a decline. */
export function waitsForBuyer(
  outcome: PaymentOutcome | NotFound,
): outcome is Extract<PaymentOutcome, { kind: 'next_step' | 'declined' }> {
  return outcome.kind === 'next_step' || (outcome.kind === 'declined' && outcome.canGoOn === true)
}

function intentOf(outcome: NotCaptured): { intentId?: string; replaces?: string } {
  if (!('intentId' in outcome) || outcome.intentId === '') return {}
  const { intentId } = outcome
  return 'replaces' in outcome && outcome.replaces !== undefined
    ? { intentId, replaces: outcome.replaces }
    : { intentId }
}

/** When the gateway was last asked to take the money, in milliseconds since 1970; null: never. */
export function timeSent({ sent_at }: FoundCheckout['checkout']): number | null {
  return sent_at?.getTime() ?? null
}

/** `not_found`: no call that would take the money can still be on its way, says the caller. */
function commandOf(outcome: NotCaptured, areHeld: boolean): OrderCommand {
  switch (outcome.kind) {
    case 'declined':
    case 'not_found':
      return { kind: 'declined', areHeld }
    case 'next_step':
      return { kind: 'waits', forBuyer: true, areHeld }
    case 'pending':
      return { kind: 'waits', forBuyer: false, areHeld }
    case 'unknown':
      return { kind: 'unknown' }
  }
}
