import { isUuid } from '@voelgoed/core/ids'
import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Clock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import type { Card } from '../card.ts'
import type { GatewayRefusal, NewIntent, NewRefund } from '../gateway.ts'
import {
  addIntent,
  addRefund,
  dueIntents,
  findRefund,
  lockIntent,
  lockIntentOfOrder,
  type SimulatedIntent,
  type SimulatedRefund,
  updateIntent,
} from '../tables/simulated-payments.ts'
import { addWebhook, countWaitingWebhooks } from '../tables/simulated-webhooks.ts'
import { type Message, newsOf, newsOfRefund } from './messages.ts'
import { calm, type Mischief } from './mischief.ts'
import { answerStep, behaviourOf, cancelled, pay, type StepAnswer, whenDue } from './rules.ts'
import { StepTokens } from './step-tokens.ts'

/** Waiting webhooks of one organization: when there are more, the fake bank takes no new work. */
const MAX_WAITING_WEBHOOKS = 10_000
const DUE_AT_ONCE = 100
/** As Stripe: eight digits. */
export const MAX_AMOUNT = 99_999_999

export interface FakeBankDeps {
  readonly database: Pick<Database, 'tenant' | 'platform'>
  /** Its own: it may differ from the server's. */
  readonly clock: Pick<Clock, 'now'>
  readonly newId: () => string
  /** For addresses of the second step. */
  readonly secret: Buffer
  readonly mischief?: Mischief
  readonly maxWaitingWebhooks?: number
  /** Something changed that a webhook tells. */
  readonly onNews?: () => void
}

/** The fake bank has more webhooks to deliver than it can hold: the caller comes too often. */
export class TooManyWebhooks extends Error {}

/**
 * The company outside: takes test cards, captures, refunds, disputes, and puts what it has to tell into a
 * queue. Every change is one transaction of its own, never the server's: what the server rolls back or
 * forgets has happened here all the same.
 */
export class FakeBank {
  readonly tokens: StepTokens
  readonly #deps: FakeBankDeps
  readonly #mischief: Mischief
  /** Transactions that have put a webhook into the queue. */
  readonly #withNews = new WeakSet<TenantTx>()

  constructor(deps: FakeBankDeps) {
    this.#deps = deps
    this.#mischief = deps.mischief ?? calm
    this.tokens = new StepTokens(deps.secret)
  }

  /**
   * One intent for each order. A declined one takes another card; any other answers as it is, so the buyer is
   * charged once. `calledAt`: when the caller began. What arrives after it was cancelled, and began before,
   * changes nothing.
   */
  async createIntent(
    scope: TenantScope,
    request: NewIntent,
    calledAt: Date,
  ): Promise<Result<SimulatedIntent, GatewayRefusal>> {
    const now = this.#now()
    const { amount, currency, orderId, returnUrl, metadata } = request
    if (!Number.isSafeInteger(amount) || amount < 1 || amount > MAX_AMOUNT || !/^[A-Z]{3}$/.test(currency)) {
      return refuse({ kind: 'invalid_amount', detail: 'from 1 to 99999999, in a currency of three capitals' })
    }
    const behaviour = this.#behaviour(request.card ?? null, now)
    if (!behaviour.ok) return behaviour
    const state = pay(behaviour.value, now)
    const intent: SimulatedIntent = {
      ...state,
      id: this.#deps.newId(),
      orderKey: orderId,
      amount,
      currency,
      returnUrl,
      metadata,
      refunded: 0,
      createdAt: now,
      cancelledAt: null,
    }
    return this.#transaction(scope, async tx => {
      await this.#makeRoom(tx)
      if (await addIntent(tx, intent)) {
        await this.#tell(tx, newsOf(intent))
        return ok(intent)
      }
      const known = await this.#upToDate(tx, (await lockIntentOfOrder(tx, orderId))!)
      if (known.amount !== amount || known.currency !== currency) return refuse({ kind: 'key_reused' })
      const isOld = known.cancelledAt !== null && calledAt < known.cancelledAt
      if (known.status !== 'declined' || isOld) return ok(known)
      return ok(await this.#move(tx, known, { ...state, returnUrl }))
    })
  }

  async findIntent(
    scope: TenantScope,
    by: { readonly orderId: string } | { readonly intentId: string },
  ): Promise<SimulatedIntent | null> {
    if ('intentId' in by && !isUuid(by.intentId)) return null
    return this.#transaction(scope, async tx => {
      const found =
        'orderId' in by ? await lockIntentOfOrder(tx, by.orderId) : await lockIntent(tx, by.intentId)
      return found ? this.#upToDate(tx, found) : null
    })
  }

  /** Null: there is no such intent. One that waits for the buyer takes no money any more. */
  async cancelIntent(scope: TenantScope, intentId: string): Promise<SimulatedIntent | null> {
    if (!isUuid(intentId)) return null
    return this.#transaction(scope, async tx => {
      const found = await lockIntent(tx, intentId)
      const intent = found && (await this.#upToDate(tx, found))
      if (intent?.status !== 'needs_step' && intent?.status !== 'declined') return intent ?? null
      const state = { cancelledAt: this.#now() }
      if (intent.status === 'needs_step') return this.#move(tx, intent, { ...state, ...cancelled() })
      await updateIntent(tx, { ...intent, ...state })
      return intent
    })
  }

  async refund(
    scope: TenantScope,
    { key, intentId, amount }: NewRefund,
  ): Promise<Result<SimulatedRefund, GatewayRefusal>> {
    if (!isUuid(intentId)) return refuse({ kind: 'intent_not_found' })
    return this.#transaction(scope, async tx => {
      await this.#makeRoom(tx)
      const found = await lockIntent(tx, intentId)
      if (!found) return refuse({ kind: 'intent_not_found' })
      const intent = await this.#upToDate(tx, found)
      // Under the lock of the intent: a second call with this key sees the refund of the first.
      const known = await findRefund(tx, key)
      if (known) {
        const isSame = known.intentId === intentId && known.amount === amount
        return isSame ? ok(known) : refuse({ kind: 'key_reused' })
      }
      if (intent.status !== 'captured') return refuse({ kind: 'not_captured' })
      if (!Number.isSafeInteger(amount) || amount < 1) {
        return refuse({ kind: 'invalid_amount', detail: 'a refund is a whole amount above 0' })
      }
      const refundable = intent.amount - intent.refunded
      if (amount > refundable) return refuse({ kind: 'exceeds_captured', refundable })
      const refund = { key, id: this.#deps.newId(), intentId, amount }
      await addRefund(tx, refund, this.#now())
      await updateIntent(tx, { ...intent, refunded: intent.refunded + amount })
      await this.#tell(tx, [newsOfRefund(refund)])
      return ok(refund)
    })
  }

  /** The intent whose second step this address opens; null: there is none. */
  async stepAt(token: string): Promise<SimulatedIntent | null> {
    const address = this.tokens.read(token)
    if (!address) return null
    return this.findIntent(TenantScope.of(address.organizationId), { intentId: address.intentId })
  }

  /** Null: there is no such step, or the form is not of this attempt to pay. */
  async answerStep(token: string, formToken: string, answer: StepAnswer): Promise<SimulatedIntent | null> {
    const address = this.tokens.read(token)
    if (!address) return null
    return this.#transaction(TenantScope.of(address.organizationId), async tx => {
      const found = await lockIntent(tx, address.intentId)
      const intent = found && (await this.#upToDate(tx, found))
      if (intent?.status !== 'needs_step' || !this.tokens.isFormToken(formToken, intent)) return null
      return this.#move(tx, intent, answerStep(answer, this.#now()))
    })
  }

  /** Goes on with what is due: captures late, declines what was not confirmed. Returns how many. */
  async goOn(): Promise<number> {
    const due = await this.#deps.database.platform('find payments the simulator goes on with', tx =>
      dueIntents(tx, this.#now(), DUE_AT_ONCE),
    )
    for (const { scope, id } of due) await this.findIntent(scope, { intentId: id })
    return due.length
  }

  async #transaction<T>(scope: TenantScope, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    let hasNews = false
    const result = await this.#deps.database.tenant(scope, async tx => {
      const done = await work(tx)
      hasNews = this.#withNews.has(tx)
      return done
    })
    if (hasNews) this.#deps.onNews?.()
    return result
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }

  cardFaults(card: Card | null): readonly RequestFault[] | null {
    const behaviour = this.#behaviour(card, this.#now())
    return behaviour.ok ? null : behaviour.problem.errors
  }

  #behaviour(card: Card | null, now: Date) {
    const invalid = (message: string) =>
      refuse({ kind: 'invalid_card', errors: [{ path: '/card/number', message }] } as const)
    if (!card) return invalid('A card is needed.')
    const checked = card.check(now.getTime())
    if (!checked.ok) return refuse({ kind: 'invalid_card', errors: checked.problem } as const)
    const behaviour = behaviourOf(checked.value)
    return behaviour === null
      ? invalid('This is test mode, which takes test cards only: 4242 4242 4242 4242 pays.')
      : ok(behaviour)
  }

  async #upToDate(tx: TenantTx, intent: SimulatedIntent): Promise<SimulatedIntent> {
    const state = whenDue(intent, this.#now())
    return state ? this.#move(tx, intent, state) : intent
  }

  async #move(
    tx: TenantTx,
    intent: SimulatedIntent,
    state: Partial<SimulatedIntent>,
  ): Promise<SimulatedIntent> {
    const moved = { ...intent, ...state }
    await updateIntent(tx, moved)
    await this.#tell(tx, newsOf(moved))
    return moved
  }

  async #makeRoom(tx: TenantTx): Promise<void> {
    const limit = this.#deps.maxWaitingWebhooks ?? MAX_WAITING_WEBHOOKS
    if ((await countWaitingWebhooks(tx, limit)) >= limit) throw new TooManyWebhooks()
  }

  async #tell(tx: TenantTx, news: readonly Pick<Message, 'type' | 'data'>[]): Promise<void> {
    const at = this.#now()
    if (news.length > 0) this.#withNews.add(tx)
    for (const { type, data } of news) {
      const { delayMs, isLost } = this.#mischief.webhook()
      const id = this.#deps.newId()
      const message: Message = { id, type, created: at.getTime(), organization_id: tx.organizationId, data }
      await addWebhook(tx, {
        id,
        body: JSON.stringify(message),
        at,
        dueAt: new Date(at.getTime() + delayMs),
        state: isLost ? 'given_up' : 'waiting',
      })
    }
  }
}
