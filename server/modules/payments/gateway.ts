import type { RequestFault } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Card } from './card.ts'
import type { Declined } from './declines.ts'

/**
 * The server asks this of a company that takes money: the fake bank, or Stripe. Both pass one suite of cases
 * (server/modules/payments/gateways.test.ts); docs/guide/payments.md describes the outcomes.
 *
 *   createIntent   one intent for each order. The order's id is the key: however often it is called, the
 *                  buyer is charged at most once.
 *   lookUp         what became of an intent. The way out of `unknown`.
 *   cancelIntent   ends an intent that waits for the buyer: it takes no money any more.
 *   refund         gives money back, once for each key.
 *   readWebhook    news from the gateway, if its signature is good.
 *
 * Every call ends within its time limit, after a bounded number of attempts. No method throws for what a
 * gateway may do. A time-out, a lost connection, or an error of the gateway's is `unknown`, never `declined`:
 * the buyer may have been charged.
 */
export interface Gateway {
  readonly name: GatewayName
  createIntent(payee: Payee, intent: NewIntent): Promise<Result<PaymentOutcome, GatewayRefusal>>
  lookUp(payee: Payee, intent: IntentAddress): Promise<Result<PaymentOutcome | NotFound, GatewayRefusal>>
  cancelIntent(payee: Payee, intent: IntentToCancel): Promise<Result<CancelOutcome, GatewayRefusal>>
  refund(payee: Payee, refund: NewRefund): Promise<Result<RefundOutcome, GatewayRefusal>>
  readWebhook(body: Buffer, headers: WebhookHeaders): Result<GatewayEvent, WebhookRefusal>
  /** It takes multiples of this only, in minor units of the currency (ISO 4217, in capitals). */
  amountStep(currency: string): number
  /** The most that it takes for one order, in minor units. */
  maxAmount(currency: string): number
  /** Says why `createIntent` would not take this card, without asking the gateway. Null: it can be sent. */
  cardFaults(card: Card | null): readonly RequestFault[] | null
}

export type GatewayName = 'simulator' | 'stripe'

/** The payee gets the money. */
export interface Payee {
  readonly scope: TenantScope
  /** The organization's own account at the gateway (Stripe Connect); null: the platform's account. */
  readonly account: string | null
}

interface Money {
  /** In the smallest unit of the currency. */
  readonly amount: number
  /** ISO 4217, in capitals. */
  readonly currency: string
}

export interface NewIntent extends Money {
  /** The id of the order is the idempotency key. */
  readonly orderId: string
  /** The gateway's own pages and exports show this beside the payment. No personal data. */
  readonly metadata: Readonly<Record<string, string>>
  /**
   * The intent that the order has already, if it is known: it is gone on with, and none is made, unless it
   * was cancelled. Gateways forget keys; Stripe does so after a day.
   */
  readonly intentId?: string | null
  /** The buyer's browser goes here after a step on a page of the gateway. */
  readonly returnUrl: string
  /** For the fake bank, which has no form of its own in the page. Stripe never lets us see a card. */
  readonly card?: Card
}

export interface IntentAddress {
  readonly orderId: string
  /** Null: the answer to `createIntent` was lost. Then the gateway is searched for the order. */
  readonly intentId: string | null
  /**
   * When `createIntent` was last called, in milliseconds since 1970: where a search begins. What a gateway
   * says of an earlier attempt is no verdict on this one.
   */
  readonly createdAt: number
}

export interface IntentToCancel {
  readonly orderId: string
  readonly intentId: string
}

export interface NewRefund {
  /** The idempotency key, of any age: the same key gives the same refund. */
  readonly key: string
  readonly orderId: string
  readonly intentId: string
  /** Part of what was captured, or all of it. */
  readonly amount: number
}

export type PaymentOutcome =
  | ({
      readonly kind: 'captured'
      readonly intentId: string
      /** So much of it went back since; undefined: nothing, or the answer does not say it. */
      readonly refunded?: number
    } & Money)
  | Declined
  | ({ readonly kind: 'next_step'; readonly intentId: string; readonly next: NextStep } & Replaces)
  /** The gateway has it and has not decided yet. */
  | ({ readonly kind: 'pending'; readonly intentId: string } & Replaces)
  | Unknown

/** The intent that the caller knew was cancelled at the gateway: this one is the order's from now on. */
interface Replaces {
  readonly replaces?: string
}

/** The buyer must do this next. */
export type NextStep =
  | { readonly kind: 'redirect'; readonly url: string }
  | {
      readonly kind: 'stripe'
      readonly clientSecret: string
      readonly publishableKey: string
      /** The connected account that Stripe.js must name; null: the platform's own. */
      readonly account: string | null
    }

/** Perhaps it took effect, perhaps not: look it up. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly reason: UnknownReason
}

export const UNKNOWN_REASONS = [
  'time_out',
  'connection_lost',
  'gateway_error',
  'rate_limited',
  'in_progress',
  'search_too_long',
] as const
export type UnknownReason = (typeof UNKNOWN_REASONS)[number]

/**
 * The gateway has no intent of this order. Only a verdict when no call of `createIntent` can still be on its
 * way: its time limit has passed.
 */
export interface NotFound {
  readonly kind: 'not_found'
}

/** `too_late`: the money was taken, or a bank decides on it. It stays as it is, and a look-up tells it. */
export type CancelOutcome = { readonly kind: 'cancelled' } | { readonly kind: 'too_late' } | Unknown

export type RefundOutcome =
  | { readonly kind: 'refunded'; readonly refundId: string; readonly amount: number }
  | { readonly kind: 'pending'; readonly refundId: string; readonly amount: number }
  /** The gateway tried and gave up (a closed bank account): the money is with the payee again. */
  | { readonly kind: 'failed'; readonly refundId: string; readonly amount: number }
  | Unknown

/** The call had no effect, and the same call never will have one. */
export type GatewayRefusal =
  | { readonly kind: 'invalid_card'; readonly errors: readonly RequestFault[] }
  /** The key belongs to an intent or a refund with another amount, currency or payment. */
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'invalid_amount'; readonly detail: string }
  | { readonly kind: 'intent_not_found' }
  | { readonly kind: 'not_captured' }
  | { readonly kind: 'exceeds_captured'; readonly refundable: number }
  /** Our keys or the organization's account are wrong, or we sent what the gateway does not understand. */
  | { readonly kind: 'misconfigured'; readonly detail: string }

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

export type WebhookRefusal = { readonly kind: 'bad_signature' | 'too_old' | 'malformed' }

/**
 * News, verified. It may come twice, late, in any order: `eventId` is the same each time, and what is
 * captured stays so, whatever older news says.
 *
 * `organizationId` is what we gave the gateway when the intent was made. With Stripe the owner of a connected
 * account can write the same into an intent of their own: believe it only if `account` is the account of that
 * organization.
 */
export type GatewayEvent =
  | (EventHead & {
      readonly kind: 'payment'
      readonly orderId: string
      readonly outcome: Exclude<PaymentOutcome, Unknown>
    })
  | (EventHead & {
      readonly kind: 'refund'
      /** Null: made by hand on the gateway's own pages. */
      readonly refundKey: string | null
      readonly intentId: string
      readonly outcome: Exclude<RefundOutcome, Unknown>
    })
  | (EventHead &
      Money & {
        readonly kind: 'dispute'
        readonly disputeId: string
        readonly intentId: string
        readonly status: DisputeStatus
        readonly reason: string
      })
  /** We do not follow this kind, or the payment is not ours: acknowledge it. */
  | (Omit<EventHead, 'organizationId'> & { readonly kind: 'ignored'; readonly type: string })

export type DisputeStatus = 'open' | 'won' | 'lost'

export interface EventHead {
  readonly eventId: string
  /** Milliseconds since 1970, by the gateway's clock. */
  readonly at: number
  readonly account: string | null
  /** Null: the news does not say it (disputes at Stripe). Find it by the payment. */
  readonly organizationId: string | null
}
