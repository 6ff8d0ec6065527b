import Stripe from 'stripe'
import type { DeclineCode } from '../declines.ts'
import type { GatewayRefusal, UnknownReason } from '../gateway.ts'
import { declineCodeOf } from './outcomes.ts'

/** A request to Stripe that did not succeed ended in one of these ways. */
export type Failure =
  /** No verdict. `again`: the same request may be sent once more. */
  | { readonly kind: 'no_verdict'; readonly reason: UnknownReason; readonly again: boolean }
  | { readonly kind: 'declined'; readonly code: DeclineCode; readonly intentId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused'; readonly refusal: GatewayRefusal }

/** The log gets this of a failure. It gets no message, because messages can repeat what was sent. */
export interface FailureNote {
  readonly status: number | null
  readonly type: string
  readonly code: string | null
  readonly request_id: string | null
}

const AMOUNT_CODES = ['amount_too_small', 'amount_too_large', 'parameter_invalid_integer', 'invalid_currency']

export function readFailure(error: unknown): Failure {
  if (!(error instanceof Stripe.errors.StripeError)) throw error
  const { statusCode, code, headers } = error
  if (statusCode === undefined) {
    const isLate = /timeout|ETIMEDOUT/i.test(`${error.message} ${detailCode(error)}`)
    return noVerdict(isLate ? 'time_out' : 'connection_lost', true)
  }
  const advice = headers?.['stripe-should-retry']
  const isReplay = headers?.['idempotent-replayed'] === 'true'
  // The answer to this key is decided, whatever it says: to ask again gives the same.
  const again = advice === 'true' || (advice !== 'false' && !isReplay)
  if (statusCode >= 500) return noVerdict('gateway_error', again)
  if (statusCode === 429) return noVerdict('rate_limited', again)
  if (statusCode === 409) return noVerdict('in_progress', again)
  const intent = error.payment_intent
  if (error instanceof Stripe.errors.StripeCardError && intent) {
    return { kind: 'declined', code: declineCodeOf(error), intentId: intent.id }
  }
  if (error instanceof Stripe.errors.StripeIdempotencyError) return refused({ kind: 'key_reused' })
  if (statusCode === 404) return { kind: 'not_found' }
  if (code !== undefined && AMOUNT_CODES.includes(code)) {
    return refused({ kind: 'invalid_amount', detail: code })
  }
  return refused({ kind: 'misconfigured', detail: `${statusCode} ${error.type} ${code ?? ''}`.trim() })
}

export function noteOf(error: unknown): FailureNote {
  const { statusCode, type, code, requestId } = error as Partial<
    InstanceType<typeof Stripe.errors.StripeError>
  >
  return {
    status: statusCode ?? null,
    type: type ?? 'unknown',
    code: code ?? null,
    request_id: requestId ?? null,
  }
}

function detailCode(error: { readonly detail?: unknown }): string {
  return String((error.detail as { code?: unknown } | undefined)?.code ?? '')
}

function noVerdict(reason: UnknownReason, again: boolean): Failure {
  return { kind: 'no_verdict', reason, again }
}

function refused(refusal: GatewayRefusal): Failure {
  return { kind: 'refused', refusal }
}
