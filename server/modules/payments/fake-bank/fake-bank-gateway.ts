import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import { type Attempt, boundedCall, type CallLimits, STANDARD_LIMITS } from '../bounded-call.ts'
import type { Card } from '../card.ts'
import type {
  CancelOutcome,
  Gateway,
  GatewayEvent,
  GatewayRefusal,
  IntentAddress,
  IntentToCancel,
  NewIntent,
  NewRefund,
  NotFound,
  Payee,
  PaymentOutcome,
  RefundOutcome,
  Unknown,
  UnknownReason,
  WebhookHeaders,
  WebhookRefusal,
} from '../gateway.ts'
import type { SimulatedIntent } from '../tables/simulated-payments.ts'
import { type FakeBank, MAX_AMOUNT, TooManyWebhooks } from './fake-bank.ts'
import { outcomeOf, outcomeOfRefund, readMessage } from './messages.ts'
import { goodNetwork, type Network } from './network.ts'
import { checkSignature, SIGNATURE_HEADER } from './signature.ts'

export interface FakeBankGatewayDeps {
  readonly fakeBank: FakeBank
  /** The server's, by which it judges the age of webhooks. */
  readonly clock: Pick<Clock, 'now'>
  readonly time: Pick<Time, 'now' | 'after'>
  readonly random: () => number
  /** Shared with the fake bank's sender of webhooks. */
  readonly webhookSecret: Buffer
  /** The address of the page of the second step. */
  readonly stepUrl: (token: string) => string
  readonly limits?: CallLimits
  readonly network?: Network
  /** The fake bank failed in a way that no gateway should. */
  readonly onFailure: (error: unknown) => void
  readonly onRetry?: (reason: UnknownReason) => void
}

/** The server's side of the fake bank: as if a network lay between them. */
export class FakeBankGateway implements Gateway {
  readonly name = 'simulator'
  readonly #deps: FakeBankGatewayDeps
  readonly #limits: CallLimits
  readonly #network: Network

  constructor(deps: FakeBankGatewayDeps) {
    this.#deps = deps
    this.#limits = deps.limits ?? STANDARD_LIMITS
    this.#network = deps.network ?? goodNetwork
  }

  amountStep(): number {
    return 1
  }

  maxAmount(): number {
    return MAX_AMOUNT
  }

  cardFaults(card: Card | null): readonly RequestFault[] | null {
    return this.#deps.fakeBank.cardFaults(card)
  }

  async createIntent({ scope }: Payee, intent: NewIntent): Promise<Result<PaymentOutcome, GatewayRefusal>> {
    const calledAt = new Date(this.#deps.clock.now())
    return this.#call(async () => {
      const made = await this.#deps.fakeBank.createIntent(scope, intent, calledAt)
      return made.ok ? ok(this.#outcome(scope.organizationId, made.value)) : made
    })
  }

  async lookUp(
    { scope }: Payee,
    { orderId, intentId }: IntentAddress,
  ): Promise<Result<PaymentOutcome | NotFound, GatewayRefusal>> {
    return this.#call(async () => {
      const found = await this.#deps.fakeBank.findIntent(scope, intentId ? { intentId } : { orderId })
      return ok(found ? this.#outcome(scope.organizationId, found) : ({ kind: 'not_found' } as const))
    })
  }

  async cancelIntent(
    { scope }: Payee,
    { intentId }: IntentToCancel,
  ): Promise<Result<CancelOutcome, GatewayRefusal>> {
    return this.#call(async () => {
      const intent = await this.#deps.fakeBank.cancelIntent(scope, intentId)
      if (!intent) return refuse({ kind: 'intent_not_found' } as const)
      return ok({ kind: intent.status === 'declined' ? 'cancelled' : 'too_late' } as const)
    })
  }

  async refund({ scope }: Payee, refund: NewRefund): Promise<Result<RefundOutcome, GatewayRefusal>> {
    return this.#call(async () => {
      const made = await this.#deps.fakeBank.refund(scope, refund)
      return made.ok ? ok(outcomeOfRefund(made.value)) : made
    })
  }

  readWebhook(body: Buffer, headers: WebhookHeaders): Result<GatewayEvent, WebhookRefusal> {
    const { webhookSecret, clock } = this.#deps
    const checked = checkSignature(webhookSecret, body, headers[SIGNATURE_HEADER], clock.now())
    if (!checked.ok) return checked
    const event = readMessage(body)
    return event ? ok(event) : refuse({ kind: 'malformed' })
  }

  #outcome(organizationId: string, intent: SimulatedIntent): Exclude<PaymentOutcome, Unknown> {
    const { fakeBank, stepUrl } = this.#deps
    return outcomeOf(intent, stepUrl(fakeBank.tokens.make(organizationId, intent.id)))
  }

  async #call<Answer>(
    effect: () => Promise<Result<Answer, GatewayRefusal>>,
  ): Promise<Result<Answer | Unknown, GatewayRefusal>> {
    const { time, random, onRetry } = this.#deps
    const answer = await boundedCall(
      { time, random, limits: this.#limits, ...(onRetry && { onRetry }) },
      () => this.#network(() => this.#attempt(effect)),
    )
    return 'kind' in answer ? ok(answer) : answer
  }

  async #attempt<Answer>(effect: () => Promise<Answer>): Promise<Attempt<Answer>> {
    try {
      return { kind: 'answered', answer: await effect() }
    } catch (error) {
      if (error instanceof TooManyWebhooks) return failed('rate_limited')
      this.#deps.onFailure(error)
      return failed('gateway_error')
    }
  }
}

function failed(reason: UnknownReason) {
  return { kind: 'failed', reason, again: true } as const
}
