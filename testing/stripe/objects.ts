import { createHmac } from 'node:crypto'

/** The objects of Stripe's API, with the members that its documents give them, as JSON. */

export interface IntentRow {
  readonly id: string
  readonly clientSecret: string
  readonly amount: number
  readonly currency: string
  readonly metadata: Record<string, string>
  readonly created: number
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled'
  error: CardErrorRow | null
  charge: ChargeRow | null
  /** The last one that a bank declined. */
  failed: FailedChargeRow | null
}

interface FailedChargeRow {
  readonly id: string
  created: number
}

export interface ChargeRow {
  readonly id: string
  readonly created: number
  readonly amount: number
  refunded: number
  isDisputed: boolean
}

export interface RefundRow {
  readonly id: string
  readonly intentId: string
  readonly chargeId: string
  readonly amount: number
  readonly currency: string
  readonly metadata: Record<string, string>
  readonly created: number
  status: 'succeeded' | 'failed'
}

export interface CardErrorRow {
  readonly code: string
  readonly decline_code: string | null
}

export function intentJson(intent: IntentRow, expand: readonly string[] = []) {
  const latest = intent.charge ?? intent.failed
  const charge = latest && (expand.includes('latest_charge') ? latestJson(intent) : latest.id)
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    amount_capturable: 0,
    amount_received: intent.status === 'succeeded' ? intent.amount : 0,
    automatic_payment_methods: { allow_redirects: 'always', enabled: true },
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: intent.clientSecret,
    confirmation_method: 'automatic',
    created: intent.created,
    currency: intent.currency,
    customer: null,
    description: null,
    last_payment_error: intent.error && cardErrorJson(intent.error),
    latest_charge: charge,
    livemode: false,
    metadata: intent.metadata,
    next_action:
      intent.status === 'requires_action'
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
        : null,
    payment_method: null,
    payment_method_types: ['card'],
    status: intent.status,
    transfer_data: null,
  }
}

function latestJson(intent: IntentRow) {
  if (intent.charge) return chargeJson(intent, intent.charge)
  const { id, created } = intent.failed!
  const { amount, currency, metadata, id: payment_intent } = intent
  const nothing = {
    amount_captured: 0,
    amount_refunded: 0,
    captured: false,
    disputed: false,
    refunded: false,
  }
  return {
    ...{ id, object: 'charge', amount, created, currency, livemode: false, metadata, paid: false },
    ...{ ...nothing, payment_intent, status: 'failed' },
  }
}

function chargeJson(intent: IntentRow, charge: ChargeRow) {
  return {
    id: charge.id,
    object: 'charge',
    created: charge.created,
    amount: charge.amount,
    amount_captured: charge.amount,
    amount_refunded: charge.refunded,
    captured: true,
    currency: intent.currency,
    disputed: charge.isDisputed,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    refunded: charge.refunded === charge.amount,
    status: 'succeeded',
  }
}

export function refundJson(refund: RefundRow) {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: null,
    charge: refund.chargeId,
    created: refund.created,
    currency: refund.currency,
    ...(refund.status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
    metadata: refund.metadata,
    payment_intent: refund.intentId,
    reason: null,
    receipt_number: null,
    status: refund.status,
  }
}

export function disputeJson(intent: IntentRow, charge: ChargeRow, created: number) {
  return {
    id: `dp_${charge.id.slice(3)}`,
    object: 'dispute',
    amount: charge.amount,
    charge: charge.id,
    created,
    currency: intent.currency,
    evidence_details: {
      due_by: created + 700_000,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: intent.id,
    reason: 'fraudulent',
    status: 'needs_response',
  }
}

function cardErrorJson({ code, decline_code }: CardErrorRow) {
  return {
    code,
    ...(decline_code && { decline_code }),
    doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
    message: 'Your card was declined.',
    type: 'card_error',
  }
}

export interface EventJson {
  readonly id: string
  readonly type: string
  readonly livemode: boolean
  readonly [member: string]: unknown
}

/**
 * The header of a webhook, made as Stripe's documents say and not by the SDK, with the scheme that it
 * ignores.
 */
export function stripeSignature(secret: string, body: string | Buffer, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  const v1 = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
  return `t=${seconds},v1=${v1},v0=${'6f'.repeat(32)}`
}
