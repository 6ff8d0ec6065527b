import type Stripe from 'stripe'
import { type DeclineCode, declined } from '../declines.ts'
import type { CancelOutcome, NextStep, PaymentOutcome, RefundOutcome, Unknown } from '../gateway.ts'
import { fromStripe } from './amounts.ts'

/**
 * Tells what the state of a PaymentIntent means. `step`: how the buyer's browser goes on with it. `triedAt`:
 * when the buyer last began to pay; an error from before that is of another card.
 */
export function outcomeOf(
  intent: Stripe.PaymentIntent,
  step: (clientSecret: string) => NextStep,
  triedAt = 0,
): Exclude<PaymentOutcome, Unknown> {
  const intentId = intent.id
  switch (intent.status) {
    case 'succeeded':
      return {
        kind: 'captured',
        intentId,
        amount: fromStripe(intent.amount_received, intent.currency),
        currency: intent.currency.toUpperCase(),
        ...refundedOf(intent),
      }
    case 'canceled':
      return declined(intentId, 'cancelled')
    case 'requires_payment_method':
      if (intent.last_payment_error && !isOlder(intent.latest_charge, triedAt)) {
        return { ...declined(intentId, declineCodeOf(intent.last_payment_error)), canGoOn: true }
      }
      return { kind: 'next_step', intentId, next: step(intent.client_secret ?? '') }
    case 'requires_action':
    case 'requires_confirmation':
      return { kind: 'next_step', intentId, next: step(intent.client_secret ?? '') }
    default:
      return { kind: 'pending', intentId }
  }
}

/** Null: it waits for the buyer, and can be cancelled. */
export function cancelOutcomeOf({ status }: Stripe.PaymentIntent): CancelOutcome | null {
  if (status === 'canceled') return { kind: 'cancelled' }
  return status.startsWith('requires_') && status !== 'requires_capture' ? null : { kind: 'too_late' }
}

/** Webhooks and lists name the charge by its id only. */
function refundedOf({ latest_charge: charge }: Stripe.PaymentIntent): { refunded?: number } {
  if (!charge || typeof charge === 'string' || charge.amount_refunded === 0) return {}
  return { refunded: fromStripe(charge.amount_refunded, charge.currency) }
}

/** Their clock and ours may differ by so much, and theirs has whole seconds. */
const CLOCKS_DIFFER_MS = 5_000

function isOlder(charge: Stripe.PaymentIntent['latest_charge'], triedAt: number): boolean {
  if (charge === null || typeof charge === 'string') return false
  return charge.created * 1_000 + CLOCKS_DIFFER_MS < triedAt
}

export function outcomeOfRefund(refund: Stripe.Refund): Exclude<RefundOutcome, Unknown> {
  const refundId = refund.id
  const amount = fromStripe(refund.amount, refund.currency)
  switch (refund.status) {
    case 'succeeded':
      return { kind: 'refunded', refundId, amount }
    case 'failed':
    case 'canceled':
      return { kind: 'failed', refundId, amount }
    default:
      return { kind: 'pending', refundId, amount }
  }
}

/**
 * Stripe has some fifty reasons. What the buyer can do is one of nine things; of a lost or stolen card, or
 * of a suspicion of fraud, the buyer learns no more than that it was declined.
 */
const BY_STRIPE_CODE: Readonly<Record<string, DeclineCode>> = {
  insufficient_funds: 'insufficient_funds',
  card_velocity_exceeded: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_number: 'incorrect_details',
  invalid_number: 'incorrect_details',
  incorrect_cvc: 'incorrect_details',
  invalid_cvc: 'incorrect_details',
  invalid_expiry_month: 'incorrect_details',
  invalid_expiry_year: 'incorrect_details',
  incorrect_zip: 'incorrect_details',
  authentication_required: 'confirmation_failed',
  payment_intent_authentication_failure: 'confirmation_failed',
  authentication_not_handled: 'confirmation_failed',
  payment_intent_payment_attempt_expired: 'confirmation_expired',
  card_not_supported: 'not_supported',
  currency_not_supported: 'not_supported',
  invalid_account: 'not_supported',
  issuer_not_available: 'try_again',
  processing_error: 'try_again',
  reenter_transaction: 'try_again',
  try_again_later: 'try_again',
}

export function declineCodeOf(error: {
  readonly code?: string
  readonly decline_code?: string
}): DeclineCode {
  return BY_STRIPE_CODE[error.decline_code ?? ''] ?? BY_STRIPE_CODE[error.code ?? ''] ?? 'card_declined'
}
