import { ok, type Result, refuse } from '@voelgoed/core/result'
import type Stripe from 'stripe'
import type { DisputeStatus, EventHead, GatewayEvent, WebhookHeaders, WebhookRefusal } from '../gateway.ts'
import { fromStripe } from './amounts.ts'
import { outcomeOf, outcomeOfRefund } from './outcomes.ts'

const TOLERANCE_SECONDS = 300

export interface StripeWebhooks {
  readonly stripe: Pick<Stripe, 'webhooks'>
  /**
   * The endpoint signs with one of these. There are several while one is replaced, or when connected accounts
   * have an endpoint of their own.
   */
  readonly secrets: readonly string[]
  /** An endpoint for live payments of connected accounts gets their test payments as well. */
  readonly isLive: boolean
  readonly now: number
}

export function readStripeWebhook(
  { stripe, secrets, isLive, now }: StripeWebhooks,
  body: Buffer,
  headers: WebhookHeaders,
): Result<GatewayEvent, WebhookRefusal> {
  const signature = headers['stripe-signature']
  if (typeof signature !== 'string') return refuse({ kind: 'bad_signature' })
  const read = (toleranceSeconds: number): Stripe.Event | null | 'malformed' => {
    for (const secret of secrets) {
      try {
        return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, now)
      } catch (error) {
        // The signature is judged first, so what fails to parse was signed by Stripe.
        if (error instanceof SyntaxError) return 'malformed'
      }
    }
    return null
  }
  const event = read(TOLERANCE_SECONDS)
  if (event === 'malformed' || (event && !isMessage(event))) return refuse({ kind: 'malformed' })
  // Without a tolerance its age does not count: then only the age was wrong.
  if (!event) return refuse({ kind: read(0) ? 'too_old' : 'bad_signature' })
  return ok(eventOf(event, isLive))
}

/** Signed, and still not what Stripe would send. */
function isMessage(event: unknown): boolean {
  const { id, type, created, data } = (event ?? {}) as Record<string, unknown>
  const isNamed = typeof id === 'string' && /^\S{1,255}$/.test(id) && typeof type === 'string'
  const object = (data as { object?: unknown } | null | undefined)?.object
  return isNamed && Number.isSafeInteger(created) && typeof object === 'object' && object !== null
}

function eventOf(event: Stripe.Event, isLive: boolean): GatewayEvent {
  const head = { eventId: event.id, at: event.created * 1000, account: event.account ?? null }
  const ignored: GatewayEvent = { ...head, kind: 'ignored', type: event.type }
  if (event.livemode !== isLive) return ignored
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.processing':
    case 'payment_intent.canceled':
      return paymentEvent(head, event.data.object) ?? ignored
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refundEvent(head, event.data.object) ?? ignored
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
      return disputeEvent(head, event.data.object) ?? ignored
    default:
      return ignored
  }
}

type Head = Omit<EventHead, 'organizationId'>

/** Null: not ours. The account may also sell elsewhere. */
function paymentEvent(head: Head, intent: Stripe.PaymentIntent): GatewayEvent | null {
  const { organization_id: organizationId, order_id: orderId } = intent.metadata
  if (!organizationId || !orderId) return null
  const outcome = outcomeOf(intent, () => ({ kind: 'redirect', url: '' }))
  if (outcome.kind === 'next_step') return null
  return { ...head, organizationId, kind: 'payment', orderId, outcome }
}

function refundEvent(head: Head, refund: Stripe.Refund): GatewayEvent | null {
  const intentId = idOf(refund.payment_intent)
  if (!intentId) return null
  const { organization_id: organizationId, refund_key: refundKey } = refund.metadata ?? {}
  return {
    ...head,
    organizationId: organizationId ?? null,
    kind: 'refund',
    refundKey: refundKey ?? null,
    intentId,
    outcome: outcomeOfRefund(refund),
  }
}

/** Disputes end in these ways. All other statuses are those of an open one. */
const ENDS: Readonly<Record<string, DisputeStatus>> = {
  won: 'won',
  lost: 'lost',
  // An inquiry that did not become a dispute: the money was never taken.
  warning_closed: 'won',
  // The money went back by an agreement with the card network before it became a dispute.
  prevented: 'lost',
}

function disputeEvent(head: Head, dispute: Stripe.Dispute): GatewayEvent | null {
  const intentId = idOf(dispute.payment_intent)
  if (!intentId) return null
  const { id: disputeId, amount, currency, reason } = dispute
  return {
    ...head,
    organizationId: null,
    kind: 'dispute',
    disputeId,
    intentId,
    amount: fromStripe(amount, currency),
    currency: currency.toUpperCase(),
    status: ENDS[dispute.status] ?? 'open',
    reason,
  }
}

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'object' ? (reference?.id ?? null) : reference
}
