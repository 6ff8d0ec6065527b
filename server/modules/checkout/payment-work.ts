import type { Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import type { Gateway, GatewayEvent } from '../payments/gateway.ts'
import { type LeasedEvent, leaseEvents, noteEvent, storeEvent } from '../payments/tables/gateway-events.ts'
import type { Checkouts } from './checkouts.ts'
import { type NewsResult, takeNews } from './gateway-news.ts'
import { type GatewayRefunds, GIVEN_UP } from './gateway-refunds.ts'
import { SETTLED_AFTER_MS } from './settle-outcome.ts'
import type { Settlements } from './settlements.ts'
import { countWaitingPayments, leaseCheckouts, leasePayments, leaseRefunds } from './tables/payment-work.ts'

const LOOK_EVERY_MS = 5_000
const AT_ONCE = 10
/** One run takes so many batches of each kind. The next run takes the rest, at once if anything moved. */
const MAX_BATCHES = 20
const LEASE_MS = 60_000
/** Twice as long each time, for a week. */
const PAUSES = { firstPauseMs: 15_000, longestPauseMs: 3_600_000, giveUpAfterMs: 7 * 86_400_000 }
/** Longer than the calls of one attempt to give money back: no other node asks for the same meanwhile. */
const PAUSES_OF_REFUNDS = { ...PAUSES, firstPauseMs: 60_000 }
/** After the week, for payments that a bank may take long over. */
const DAILY_FOR_MS = 60 * 86_400_000
const MAX_ATTEMPTS = 30

export interface PaymentWorkWatch {
  lookedUp(outcome: string): void
  news(result: NewsResult | 'known' | 'failed' | 'given_up'): void
  refund(outcome: string): void
}

export type WaitingPayments = Awaited<ReturnType<typeof countWaitingPayments>>

interface PaymentWorkDeps {
  readonly database: Pick<Database, 'tenant' | 'platform'>
  readonly gateway: Gateway
  readonly checkouts: Pick<Checkouts, 'expire'>
  readonly settlements: Settlements
  readonly refunds: GatewayRefunds
  readonly time: Pick<Time, 'now' | 'after'>
  readonly log: FastifyBaseLogger
  readonly watch: PaymentWorkWatch
}

/** The batch found so many due, at most `AT_ONCE`, and something became of `moved` of them. */
interface Batch {
  readonly due: number
  readonly moved: number
}

/**
 * Does what payments need beside requests: messages of the gateway are taken, payments that are not known are
 * looked up, money goes back, and checkouts whose holds have run out expire. All of it is in tables, with
 * leases: any number of nodes may do this, and one that dies leaves its work to the others.
 */
export class PaymentWork implements Job {
  readonly name = 'payment-work'
  readonly on = 'machine'
  readonly #deps: PaymentWorkDeps
  /** Each kind has a round of its own: none waits for calls of another, or fails with it. */
  readonly #news: Repeat
  readonly #looks: Repeat
  readonly #refunds: Repeat
  /** It asks no gateway, so what waits for one is counted here. */
  readonly #ends: Repeat
  #waiting: WaitingPayments = { unknown: 0, refunds: 0, oldestSeconds: 0, givenUp: 0 }

  constructor(deps: PaymentWorkDeps) {
    this.#deps = deps
    const onFailure = (error: unknown) =>
      deps.log.warn({ err: error }, 'could not go on with payments; it will be tried again')
    const repeat = (run: () => Promise<number | undefined>) =>
      new Repeat({ everyMs: LOOK_EVERY_MS, run, onFailure, time: deps.time })
    this.#news = repeat(() => this.#inBatches(this.#takeEvents))
    this.#looks = repeat(() => this.#inBatches(this.#lookUp))
    this.#refunds = repeat(() => this.#inBatches(this.#giveBack))
    this.#ends = repeat(() => this.#expireAndCount())
  }

  get #rounds(): readonly Repeat[] {
    return [this.#news, this.#looks, this.#refunds, this.#ends]
  }

  start(): void {
    for (const round of this.#rounds) round.start(0)
  }

  /** There is something to do. */
  wake(): void {
    for (const round of this.#rounds) round.wakeIn(0)
  }

  /** Resolves after a look at everything that began after this call. */
  async runNow(): Promise<void> {
    for (const round of this.#rounds) await round.runNow()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#rounds.map(round => round.stop()))
  }

  /** A message whose signature is good. It is kept when this resolves, and taken soon. */
  async store(event: GatewayEvent): Promise<void> {
    const { database, gateway, watch } = this.#deps
    const isNew = await database.platform('take news of the gateway', tx =>
      storeEvent(tx, gateway.name, event),
    )
    if (!isNew) watch.news('known')
    this.#news.wakeIn(0)
  }

  async #expireAndCount(): Promise<number | undefined> {
    const nextInMs = await this.#inBatches(this.#expire)
    this.#waiting = await this.#deps.database.platform('go on with payments', countWaitingPayments)
    return nextInMs
  }

  /** Counts what waited for the gateway after the last look. */
  get waiting(): WaitingPayments {
    return this.#waiting
  }

  /** 0: more is due, and it moves, so the next run follows at once. Undefined: after the usual pause. */
  async #inBatches(batch: () => Promise<Batch>): Promise<0 | undefined> {
    let hasMoved = false
    for (let n = 0; n < MAX_BATCHES && !this.#news.isStopped; n += 1) {
      const { due, moved } = await batch()
      if (due < AT_ONCE) return undefined
      hasMoved ||= moved > 0
    }
    return hasMoved ? 0 : undefined
  }

  readonly #takeEvents = async (): Promise<Batch> => {
    const { database } = this.#deps
    const events = await database.platform('take news of the gateway', tx =>
      leaseEvents(tx, AT_ONCE, LEASE_MS),
    )
    const taken = await Promise.all(events.map(event => this.#takeEvent(event)))
    return { due: events.length, moved: taken.filter(Boolean).length }
  }

  /** False: it waits, or was given up. */
  async #takeEvent(leased: LeasedEvent): Promise<boolean> {
    const { database, log, watch } = this.#deps
    let problem: unknown
    try {
      const taken = await takeNews(this.#deps, leased.event as GatewayEvent)
      if (taken.ok) {
        await database.platform('take news of the gateway', tx => noteEvent(tx, leased, { state: 'done' }))
        watch.news(taken.value)
        return true
      }
      problem = taken.problem.kind
    } catch (error) {
      problem = error
    }
    const isLast = leased.attempts >= MAX_ATTEMPTS
    const againInMs = Math.min(1_000 * 2 ** leased.attempts, PAUSES.longestPauseMs)
    log.warn(
      { gateway_event: leased.id, attempts: leased.attempts, err: problem },
      isLast ? 'news of the payment gateway was given up' : 'news of the payment gateway waits',
    )
    await database.platform('take news of the gateway', tx =>
      noteEvent(tx, leased, isLast ? { state: 'given_up' } : { state: 'waiting', againInMs }),
    )
    watch.news(isLast ? 'given_up' : 'failed')
    return false
  }

  readonly #lookUp = async (): Promise<Batch> => {
    const { database, settlements, gateway, log, watch } = this.#deps
    const times = { settledAfterMs: SETTLED_AFTER_MS, dailyForMs: DAILY_FOR_MS }
    const due = await database.platform('go on with payments', tx =>
      leasePayments(tx, gateway.name, { limit: AT_ONCE, ...PAUSES }, times),
    )
    return this.#each(due, async payment => {
      const done = await settlements.lookUp(payment.scope, payment.orderId, payment)
      const outcome = done.ok ? done.value : done.problem.kind
      watch.lookedUp(outcome)
      if (payment.isGivenUp && outcome !== 'captured') {
        log.error({ order_id: payment.orderId, outcome }, 'a payment was given up: ask the gateway about it')
      }
      return outcome !== 'unknown'
    })
  }

  readonly #giveBack = async (): Promise<Batch> => {
    const { database, refunds, log, watch } = this.#deps
    const due = await database.platform('go on with payments', tx =>
      leaseRefunds(tx, { limit: AT_ONCE, ...PAUSES_OF_REFUNDS }),
    )
    return this.#each(due, async ({ scope, orderId, refundId, isOver }) => {
      if (isOver) log.error({ order_id: orderId, refund_id: refundId }, GIVEN_UP)
      const outcome = isOver ? 'given_up' : await refunds.giveBack(scope, orderId, refundId)
      watch.refund(outcome)
      return outcome !== 'unknown'
    })
  }

  readonly #expire = async (): Promise<Batch> => {
    const { database, checkouts } = this.#deps
    const due = await database.platform('go on with payments', tx => leaseCheckouts(tx, AT_ONCE, LEASE_MS))
    return this.#each(due, async ({ scope, orderId }) => {
      await checkouts.expire(scope, orderId)
      return true
    })
  }

  /** A payment that fails is due again later: the others get their turn. */
  async #each<Due extends { readonly orderId: string }>(
    due: readonly Due[],
    work: (each: Due) => Promise<boolean>,
  ): Promise<Batch> {
    const { log } = this.#deps
    const moved = await Promise.all(
      due.map(each =>
        work(each).catch(error => {
          log.warn({ err: error, order_id: each.orderId }, 'a payment waits; it will be tried again')
          return false
        }),
      ),
    )
    return { due: due.length, moved: moved.filter(Boolean).length }
  }
}
