import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import type Stripe from 'stripe'
import { type Attempt, boundedCall, type CallLimits, STANDARD_LIMITS } from '../bounded-call.ts'
import { declined } from '../declines.ts'
import type {
  CancelOutcome,
  Gateway,
  GatewayEvent,
  GatewayRefusal,
  IntentAddress,
  IntentToCancel,
  NewIntent,
  NewRefund,
  NextStep,
  NotFound,
  Payee,
  PaymentOutcome,
  RefundOutcome,
  Unknown,
  UnknownReason,
  WebhookHeaders,
  WebhookRefusal,
} from '../gateway.ts'
import { amountStep, fromStripe, maxAmount, toStripe } from './amounts.ts'
import { openStripeApi, type StripeApi } from './api.ts'
import { type Failure, type FailureNote, noteOf, readFailure } from './failures.ts'
import { cancelOutcomeOf, outcomeOf, outcomeOfRefund } from './outcomes.ts'
import { readStripeWebhook } from './webhooks.ts'

export interface StripeKeys {
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecrets: readonly string[]
  readonly isLive: boolean
}

export interface StripeGatewayDeps {
  readonly keys: StripeKeys
  readonly clock: Pick<Clock, 'now'>
  readonly time: Pick<Time, 'now' | 'after'>
  readonly random: () => number
  readonly limits?: CallLimits
  readonly server?: StripeApi['server']
  readonly onFailure: (note: FailureNote) => void
  readonly onRetry?: (reason: UnknownReason) => void
}

const PAGE = 100
/** Intents that are looked through to find an order whose intent is not known. */
const MAX_PAGES = 20
/** So many intents of one order that were cancelled are followed by another in one call. */
const MAX_CANCELLED = 3
/** Clocks differ. */
const BEFORE_MS = 120_000
/** An order is paid, or over, long before. */
const AFTER_MS = 3_600_000

/**
 * Stripe. To create an intent charges no card: the Payment Element in the buyer's browser does that, with
 * the client secret. So cards never pass through the server, and `captured` comes by webhook or `lookUp`.
 */
export class StripeGateway implements Gateway {
  readonly name = 'stripe'
  readonly #deps: StripeGatewayDeps
  readonly #limits: CallLimits
  readonly #stripe: Stripe

  constructor(deps: StripeGatewayDeps) {
    this.#deps = deps
    this.#limits = deps.limits ?? STANDARD_LIMITS
    this.#stripe = openStripeApi({
      secretKey: deps.keys.secretKey,
      attemptMs: this.#limits.attemptMs,
      ...(deps.server && { server: deps.server }),
    })
  }

  async createIntent(payee: Payee, intent: NewIntent): Promise<Result<PaymentOutcome, GatewayRefusal>> {
    const currency = intent.currency.toLowerCase()
    const amount = toStripe(intent.amount, currency)
    if (!amount.ok) return amount
    const { intentId = null } = intent
    const money = { amount: amount.value, currency }
    let now = intentId ? await this.#retrieve(payee, intentId) : await this.#make(payee, intent, money)
    if (now.kind === 'done' && (now.answer.amount !== money.amount || now.answer.currency !== currency)) {
      return refuse({ kind: 'key_reused' })
    }
    // One that was cancelled, here or on Stripe's own pages, takes no money any more.
    for (let n = 0; n < MAX_CANCELLED && now.kind === 'done' && now.answer.status === 'canceled'; n += 1) {
      now = await this.#make(payee, intent, money, now.answer.id)
    }
    if (now.kind !== 'done') return this.#withoutIntent(now)
    const wanted = this.#wanted(payee, now.answer)
    const isOther = intentId !== null && now.answer.id !== intentId
    return ok(isOther ? { ...wanted, replaces: intentId } : wanted)
  }

  /** `after`: of this order, one that was cancelled. */
  async #make(
    payee: Payee,
    intent: NewIntent,
    money: { readonly amount: number; readonly currency: string },
    after: string | null = null,
  ): Promise<Called<Stripe.PaymentIntent>> {
    const { organizationId } = payee.scope
    const key = `intent:${organizationId}:${intent.orderId}`
    const made = await this.#call(payee, options =>
      this.#stripe.paymentIntents.create(
        {
          ...money,
          automatic_payment_methods: { enabled: true },
          metadata: { ...intent.metadata, organization_id: organizationId, order_id: intent.orderId },
        },
        { ...options, idempotencyKey: after === null ? key : `${key}:after:${after}` },
      ),
    )
    if (made.kind !== 'done') return made
    // Stripe answers a repeated key as it did the first time: what has become of the intent is asked for.
    const isReplay = made.answer.lastResponse.headers['idempotent-replayed'] === 'true'
    return isReplay ? this.#retrieve(payee, made.answer.id) : made
  }

  /** The caller wants to pay: an intent that was declined takes another card. */
  #wanted(payee: Payee, intent: Stripe.PaymentIntent): PaymentOutcome {
    return outcomeOf({ ...intent, last_payment_error: null }, this.#step(payee))
  }

  async lookUp(
    payee: Payee,
    { orderId, intentId, createdAt: triedAt }: IntentAddress,
  ): Promise<Result<PaymentOutcome | NotFound, GatewayRefusal>> {
    const found = intentId
      ? await this.#retrieve(payee, intentId)
      : await this.#search(payee, orderId, triedAt)
    if (found.kind === 'not_found') return ok(found)
    if (found.kind !== 'done') return this.#withoutIntent(found)
    return ok(outcomeOf(found.answer, this.#step(payee), triedAt))
  }

  async cancelIntent(
    payee: Payee,
    { intentId }: IntentToCancel,
  ): Promise<Result<CancelOutcome, GatewayRefusal>> {
    const found = await this.#retrieve(payee, intentId)
    if (found.kind === 'not_found') return refuse({ kind: 'intent_not_found' })
    if (found.kind !== 'done') return this.#withoutRefund(found)
    const known = cancelOutcomeOf(found.answer)
    if (known) return ok(known)
    const cancelled = await this.#call(payee, options =>
      this.#stripe.paymentIntents.cancel(intentId, { cancellation_reason: 'abandoned' }, options),
    )
    if (cancelled.kind === 'done') return ok({ kind: 'cancelled' })
    if (cancelled.kind === 'unknown') return ok(cancelled)
    // The buyer has paid meanwhile, or another call has cancelled it.
    const now = await this.#retrieve(payee, intentId)
    const since = now.kind === 'done' ? cancelOutcomeOf(now.answer) : null
    return since ? ok(since) : this.#withoutRefund(cancelled)
  }

  async refund(payee: Payee, refund: NewRefund): Promise<Result<RefundOutcome, GatewayRefusal>> {
    const { key, intentId, orderId } = refund
    const { organizationId } = payee.scope
    if (!Number.isSafeInteger(refund.amount) || refund.amount < 1) {
      return refuse({ kind: 'invalid_amount', detail: 'a refund is a whole amount above 0' })
    }
    const intent = await this.#retrieve(payee, intentId)
    if (intent.kind === 'not_found') return refuse({ kind: 'intent_not_found' })
    if (intent.kind !== 'done') return this.#withoutRefund(intent)
    const asked = toStripe(refund.amount, intent.answer.currency)
    if (!asked.ok) return asked
    const amount = asked.value
    // Stripe forgets an idempotency key after a day; the refund itself remembers ours.
    const known = await this.#call(payee, options =>
      this.#stripe.refunds.list({ payment_intent: intentId, limit: PAGE }, options),
    )
    if (known.kind !== 'done') return this.#withoutRefund(known)
    const same = known.answer.data.find(({ metadata }) => metadata?.refund_key === key)
    if (same) return same.amount === amount ? ok(outcomeOfRefund(same)) : refuse({ kind: 'key_reused' })
    const made = await this.#call(payee, options =>
      this.#stripe.refunds.create(
        {
          payment_intent: intentId,
          amount,
          metadata: { refund_key: key, order_id: orderId, organization_id: organizationId },
        },
        { ...options, idempotencyKey: `refund:${organizationId}:${key}` },
      ),
    )
    if (made.kind === 'done') return ok(outcomeOfRefund(made.answer))
    if (made.kind === 'refused' && made.refusal.kind !== 'key_reused') {
      return this.#whyNoRefund(payee, refund, made.refusal)
    }
    return this.#withoutRefund(made)
  }

  readWebhook(body: Buffer, headers: WebhookHeaders): Result<GatewayEvent, WebhookRefusal> {
    const { keys, clock } = this.#deps
    const { webhookSecrets: secrets, isLive } = keys
    return readStripeWebhook({ stripe: this.#stripe, secrets, isLive, now: clock.now() }, body, headers)
  }

  amountStep(currency: string): number {
    return amountStep(currency)
  }

  maxAmount(currency: string): number {
    return maxAmount(currency)
  }

  /** Stripe's own form has the card. */
  cardFaults(): null {
    return null
  }

  #step({ account }: Payee): (clientSecret: string) => NextStep {
    const { publishableKey } = this.#deps.keys
    return clientSecret => ({ kind: 'stripe', clientSecret, publishableKey, account })
  }

  /** Stripe says in a sentence why it does not refund; the intent says it in figures. */
  async #whyNoRefund(
    payee: Payee,
    { intentId, amount }: NewRefund,
    refusal: GatewayRefusal,
  ): Promise<Result<RefundOutcome, GatewayRefusal>> {
    const found = await this.#retrieve(payee, intentId)
    if (found.kind === 'not_found') return refuse({ kind: 'intent_not_found' })
    if (found.kind !== 'done') return this.#withoutRefund(found)
    const charge = found.answer.latest_charge
    if (found.answer.status !== 'succeeded' || charge === null || typeof charge === 'string') {
      return refuse({ kind: 'not_captured' })
    }
    const refundable = fromStripe(charge.amount_captured - charge.amount_refunded, charge.currency)
    return refuse(amount > refundable ? { kind: 'exceeds_captured', refundable } : refusal)
  }

  /**
   * Organizations without an account of their own share the platform's: an intent of another is not there.
   */
  async #retrieve(payee: Payee, intentId: string): Promise<Called<Stripe.PaymentIntent>> {
    const found = await this.#call(payee, options =>
      this.#stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] }, options),
    )
    return found.kind === 'done' && !isOf(payee, found.answer) ? { kind: 'not_found' } : found
  }

  /**
   * By listing, which sees every intent at once. Stripe's search by metadata may lag behind by a minute, and
   * would answer "none" about a payment that was made.
   */
  async #search(payee: Payee, orderId: string, createdAt: number): Promise<Called<Stripe.PaymentIntent>> {
    const created = {
      gte: Math.floor((createdAt - BEFORE_MS) / 1000),
      lte: Math.ceil((createdAt + AFTER_MS) / 1000),
    }
    let after: string | undefined
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const listed = await this.#call(payee, options =>
        this.#stripe.paymentIntents.list(
          { created, limit: PAGE, ...(after && { starting_after: after }) },
          options,
        ),
      )
      if (listed.kind !== 'done') return listed
      const { data, has_more } = listed.answer
      const found = data.find(intent => intent.metadata.order_id === orderId && isOf(payee, intent))
      if (found) return { kind: 'done', answer: found }
      if (!has_more) return { kind: 'not_found' }
      after = data.at(-1)!.id
    }
    return { kind: 'unknown', reason: 'search_too_long' }
  }

  #withoutIntent(
    failed: Exclude<Called<unknown>, { kind: 'done' }>,
  ): Result<Exclude<PaymentOutcome, { kind: 'captured' }>, GatewayRefusal> {
    switch (failed.kind) {
      case 'unknown':
        return ok(failed)
      case 'refused':
        return refuse(failed.refusal)
      case 'declined':
        return ok(declined(failed.intentId, failed.code))
      case 'not_found':
        return refuse({ kind: 'misconfigured', detail: '404' })
    }
  }

  #withoutRefund(failed: Exclude<Called<unknown>, { kind: 'done' }>): Result<Unknown, GatewayRefusal> {
    if (failed.kind === 'unknown') return ok(failed)
    return refuse(
      failed.kind === 'refused' ? failed.refusal : { kind: 'misconfigured', detail: `refund ${failed.kind}` },
    )
  }

  async #call<Answer>(
    { account }: Payee,
    send: (options: Stripe.RequestOptions) => Promise<Answer>,
  ): Promise<Called<Answer>> {
    const { time, random, onRetry } = this.#deps
    /** The attempt before had no verdict for this reason. */
    let doubt = null as UnknownReason | null
    const attempt = async (limitMs: number): Promise<Attempt<Called<Answer>>> => {
      try {
        const options = { timeout: Math.ceil(limitMs), ...(account && { stripeAccount: account }) }
        return { kind: 'answered', answer: { kind: 'done', answer: await send(options) } }
      } catch (error) {
        this.#deps.onFailure(noteOf(error))
        const failure = readFailure(error)
        if (failure.kind === 'no_verdict') {
          return { kind: 'failed', reason: failure.reason, again: failure.again }
        }
        // A key that was revoked between two attempts says nothing about the first.
        const isVerdict = failure.kind !== 'refused' || failure.refusal.kind !== 'misconfigured'
        if (doubt !== null && !isVerdict) return { kind: 'failed', reason: doubt, again: false }
        return { kind: 'answered', answer: failure }
      }
    }
    const noteRetry = (reason: UnknownReason) => {
      doubt = reason
      onRetry?.(reason)
    }
    return boundedCall({ time, random, limits: this.#limits, onRetry: noteRetry }, attempt)
  }
}

function isOf({ scope }: Payee, { metadata }: Stripe.PaymentIntent): boolean {
  return metadata.organization_id === scope.organizationId
}

type Called<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | Exclude<Failure, { kind: 'no_verdict' }>
  | Unknown
