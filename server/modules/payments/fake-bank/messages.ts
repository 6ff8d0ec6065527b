import { type DeclineCode, declined } from '../declines.ts'
import type { GatewayEvent, PaymentOutcome, RefundOutcome, Unknown } from '../gateway.ts'
import type { SimulatedIntent, SimulatedRefund } from '../tables/simulated-payments.ts'

/** Tells the state of an intent, in answers and in webhooks. */
export function outcomeOf(intent: SimulatedIntent, stepUrl: string): Exclude<PaymentOutcome, Unknown> {
  const { id: intentId, amount, currency } = intent
  switch (intent.status) {
    case 'captured':
      return { kind: 'captured', intentId, amount, currency }
    case 'declined':
      return declined(intentId, intent.declineCode as DeclineCode)
    case 'needs_step':
      return { kind: 'next_step', intentId, next: { kind: 'redirect', url: stepUrl } }
    case 'pending':
      return { kind: 'pending', intentId }
  }
}

export function outcomeOfRefund(refund: SimulatedRefund): Exclude<RefundOutcome, Unknown> {
  return { kind: 'refunded', refundId: refund.id, amount: refund.amount }
}

/** The body of a webhook. It is signed, so what the fake bank wrote is what the server reads. */
export interface Message {
  readonly id: string
  readonly type: MessageType | (string & {})
  /** Milliseconds since 1970. */
  readonly created: number
  readonly organization_id: string
  readonly data: unknown
}

const MESSAGE_TYPES = ['payment.captured', 'payment.declined', 'refund.settled', 'dispute.opened'] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

interface PaymentData {
  readonly order_id: string
  readonly outcome: Exclude<PaymentOutcome, Unknown>
}
interface RefundData {
  readonly key: string
  readonly intent_id: string
  readonly outcome: Exclude<RefundOutcome, Unknown>
}
interface DisputeData {
  readonly dispute_id: string
  readonly intent_id: string
  readonly amount: number
  readonly currency: string
}

/** Lists the messages that the fake bank sends after an intent has changed. */
export function newsOf(intent: SimulatedIntent): { type: MessageType; data: unknown }[] {
  if (intent.status !== 'captured' && intent.status !== 'declined') return []
  const payment: PaymentData = { order_id: intent.orderKey, outcome: outcomeOf(intent, '') }
  const dispute: DisputeData = {
    dispute_id: `dispute-${intent.id}`,
    intent_id: intent.id,
    amount: intent.amount,
    currency: intent.currency,
  }
  return [
    { type: `payment.${intent.status}`, data: payment },
    ...(intent.isDisputed ? [{ type: 'dispute.opened' as const, data: dispute }] : []),
  ]
}

export function newsOfRefund(refund: SimulatedRefund): { type: MessageType; data: unknown } {
  const data: RefundData = { key: refund.key, intent_id: refund.intentId, outcome: outcomeOfRefund(refund) }
  return { type: 'refund.settled', data }
}

/** Null: it is no message at all. */
export function readMessage(body: Buffer): GatewayEvent | null {
  let message: Message
  try {
    message = JSON.parse(body.toString()) as Message
  } catch {
    return null
  }
  const { id, type, created, organization_id: organizationId, data } = message ?? {}
  if (typeof id !== 'string' || typeof type !== 'string' || typeof organizationId !== 'string') return null
  const head = { eventId: id, at: created, account: null, organizationId }
  switch (type) {
    case 'payment.captured':
    case 'payment.declined': {
      const { order_id: orderId, outcome } = data as PaymentData
      return { ...head, kind: 'payment', orderId, outcome }
    }
    case 'refund.settled': {
      const { key: refundKey, intent_id: intentId, outcome } = data as RefundData
      return { ...head, kind: 'refund', refundKey, intentId, outcome }
    }
    case 'dispute.opened': {
      const { dispute_id: disputeId, intent_id: intentId, amount, currency } = data as DisputeData
      const what = { disputeId, intentId, amount, currency, status: 'open', reason: 'fraudulent' } as const
      return { ...head, ...what, kind: 'dispute' }
    }
    default:
      return { eventId: id, at: created, account: null, kind: 'ignored', type }
  }
}
