import { behaviourOf } from '../../server/modules/payments/fake-bank/rules.ts'
import {
  type CardErrorRow,
  disputeJson,
  type EventJson,
  type IntentRow,
  intentJson,
  type RefundRow,
  refundJson,
} from './objects.ts'

/** An answer of 400 and more. */
export class StripeProblem extends Error {
  readonly status: number
  readonly error: Readonly<Record<string, unknown>>

  constructor(status: number, error: Readonly<Record<string, unknown>>) {
    super(String(error.code))
    this.status = status
    this.error = error
  }
}

export function invalidRequest(code: string, message: string, param?: string): StripeProblem {
  return new StripeProblem(400, { code, message, param, type: 'invalid_request_error' })
}

const SMALLEST_AMOUNT = 50
const LARGEST_AMOUNT = 99_999_999

/** Stripe keeps this for one account: intents, charges, refunds, and the events that tell of them. */
export class StripeBooks {
  readonly intents: IntentRow[] = []
  readonly refunds: RefundRow[] = []
  /** Not yet delivered. */
  readonly events: EventJson[] = []
  readonly #account: string | null
  readonly #clock: { now(): number }
  #made = 0

  constructor(account: string | null, clock: { now(): number }) {
    this.#account = account
    this.#clock = clock
  }

  createIntent(amount: number, currency: string, metadata: Record<string, string>): IntentRow {
    if (amount < SMALLEST_AMOUNT) {
      throw invalidRequest('amount_too_small', 'Amount must be at least 50 cents', 'amount')
    }
    if (amount > LARGEST_AMOUNT) {
      throw invalidRequest('amount_too_large', 'Amount must be no more than $999,999.99', 'amount')
    }
    const id = this.#id('pi')
    const intent: IntentRow = {
      id,
      clientSecret: `${id}_secret_${this.#made}`,
      amount,
      currency,
      metadata,
      created: this.#seconds(),
      status: 'requires_payment_method',
      error: null,
      charge: null,
      failed: null,
    }
    this.intents.unshift(intent)
    this.#tell('payment_intent.created', intentJson(intent))
    return intent
  }

  intent(id: string): IntentRow {
    const found = this.intents.find(intent => intent.id === id)
    if (found) return found
    const message = `No such payment_intent: '${id}'`
    throw new StripeProblem(404, {
      code: 'resource_missing',
      message,
      param: 'intent',
      type: 'invalid_request_error',
    })
  }

  /** Takes what the Payment Element sends. Test cards do what they do to the simulator, and others pay. */
  confirm(intent: IntentRow, number: string): void {
    if (intent.status !== 'requires_payment_method') {
      throw invalidRequest(
        'payment_intent_unexpected_state',
        `This PaymentIntent's status is ${intent.status}`,
      )
    }
    intent.error = null
    switch (behaviourOf(number)) {
      case 'declines':
        this.#decline(intent, { code: 'card_declined', decline_code: 'generic_decline' })
        break
      case 'has_no_money':
        this.#decline(intent, { code: 'card_declined', decline_code: 'insufficient_funds' })
        break
      case 'asks_for_a_step':
        intent.status = 'requires_action'
        this.#tell('payment_intent.requires_action', intentJson(intent))
        break
      case 'captures_late':
        intent.status = 'processing'
        this.#tell('payment_intent.processing', intentJson(intent))
        break
      case 'captures_and_is_disputed':
        this.succeed(intent)
        intent.charge!.isDisputed = true
        this.#tell('charge.dispute.created', disputeJson(intent, intent.charge!, this.#seconds()))
        break
      default:
        this.succeed(intent)
    }
  }

  /** By the API, or by staff on Stripe's own pages. */
  cancel(intent: IntentRow): void {
    if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action') {
      throw invalidRequest(
        'payment_intent_unexpected_state',
        `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      )
    }
    intent.status = 'canceled'
    this.#tell('payment_intent.canceled', intentJson(intent))
  }

  succeed(intent: IntentRow): void {
    if (intent.charge) throw new Error('charged twice')
    if (intent.status === 'canceled') throw new Error('charged after it was cancelled')
    intent.status = 'succeeded'
    const created = this.#seconds()
    intent.charge = { id: this.#id('ch'), created, amount: intent.amount, refunded: 0, isDisputed: false }
    this.#tell('payment_intent.succeeded', intentJson(intent))
  }

  failAuthentication(intent: IntentRow): void {
    intent.status = 'requires_payment_method'
    intent.error = { code: 'payment_intent_authentication_failure', decline_code: null }
    this.#tell('payment_intent.payment_failed', intentJson(intent))
  }

  refund(intent: IntentRow, amount: number, metadata: Record<string, string>): RefundRow {
    const { charge } = intent
    if (!charge) {
      throw invalidRequest(
        'payment_intent_unexpected_state',
        `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      )
    }
    if (charge.refunded === charge.amount) {
      throw invalidRequest('charge_already_refunded', `Charge ${charge.id} has already been refunded.`)
    }
    if (amount > charge.amount - charge.refunded) {
      throw new StripeProblem(400, {
        message: `Refund amount is greater than unrefunded amount on charge`,
        param: 'amount',
        type: 'invalid_request_error',
      })
    }
    charge.refunded += amount
    const refund: RefundRow = {
      id: this.#id('re'),
      intentId: intent.id,
      chargeId: charge.id,
      amount,
      currency: intent.currency,
      metadata,
      created: this.#seconds(),
      status: 'succeeded',
    }
    this.refunds.unshift(refund)
    this.#tell('refund.created', refundJson(refund))
    return refund
  }

  /** The bank of the buyer sends the money back: it is with the account again. Stripe tells it twice. */
  failRefund(refund: RefundRow): void {
    if (refund.status === 'failed') throw new Error('failed twice')
    const { charge } = this.intent(refund.intentId)
    refund.status = 'failed'
    charge!.refunded -= refund.amount
    this.#tell('refund.updated', refundJson(refund))
    this.#tell('refund.failed', refundJson(refund))
  }

  #decline(intent: IntentRow, error: CardErrorRow): never {
    intent.status = 'requires_payment_method'
    intent.error = error
    intent.failed = { id: this.#id('ch'), created: this.#seconds() }
    this.#tell('payment_intent.payment_failed', intentJson(intent))
    throw new StripeProblem(402, {
      ...error,
      message: 'Your card was declined.',
      payment_intent: intentJson(intent),
      type: 'card_error',
    })
  }

  #tell(type: string, object: object): void {
    this.events.push({
      id: this.#id('evt'),
      object: 'event',
      ...(this.#account && { account: this.#account }),
      api_version: '2026-10-28.endive',
      created: this.#seconds(),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    })
  }

  #id(prefix: string): string {
    this.#made += 1
    return `${prefix}_${(this.#account ?? 'platform').replace('_', '')}${String(this.#made).padStart(6, '0')}`
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000)
  }
}
