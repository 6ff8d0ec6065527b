import type { EventId } from '@voelgoed/core/ids'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { SYSTEM_ACTOR } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { claimRun, finishRun } from '@voelgoed/kit/jobs/job-runs'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database, PlatformTx } from '@voelgoed/kit/postgres/database'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import type { FastifyBaseLogger } from 'fastify'
import { refundOrder } from '../refund-order.ts'
import {
  countRefundRuns,
  countUnanswered,
  endRefundRun,
  nextOrdersToRefund,
  noteFailedRefund,
  noteRefunded,
  readRefundRun,
  visitRefundRuns,
} from '../tables/refund-runs.ts'

const LOOK_EVERY_MS = 5_000
/** The pace is so many orders in so long, of all nodes together. */
const BITE_SECONDS = 1
/** A node that took a bite and is not heard of any more is in the way of the others for so long. */
const STUCK_SECONDS = 30
/** An organization that waits for more answers of the gateway than this gets no more orders begun. */
const MAX_UNANSWERED = 100
const FAILURES = { firstPauseMs: 30_000, attempts: 5 }
const JOB = 'refund orders of cancelled events'
const REASON = 'The event was cancelled'

export const REFUND_RUN_OUTCOMES = ['refunded', 'known', 'stopped', 'failed', 'busy'] as const
export type RefundRunOutcome = (typeof REFUND_RUN_OUTCOMES)[number]

export type RunsInProgress = Awaited<ReturnType<typeof countRefundRuns>>

interface RefundRunsDeps {
  readonly database: Pick<Database, 'tenant' | 'platform'>
  readonly lanes: Pick<Lanes, 'lane'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: FastifyBaseLogger
  readonly perSecond: number
  onOrder(outcome: RefundRunOutcome): void
  /** Money waits to go back through the gateway. */
  onRefund(): void
}

/**
 * Refunds the orders of cancelled events, each in a transaction of its own under the event's lock: tickets
 * void, the refund written, the mail queued. What is left to do are the orders that are paid, so a node that
 * dies leaves nothing but an order that is not refunded yet. Nodes take turns to keep the pace; if two go on
 * at once, the order's row lets one of them refund it.
 */
export class RefundRuns implements Job {
  readonly name = 'refund-runs'
  readonly on = 'machine'
  readonly endsBeforeLanes = true
  readonly #deps: RefundRunsDeps
  readonly #repeat: Repeat
  #inProgress: RunsInProgress = { running: 0, stillSeconds: 0, givenUp: 0 }

  constructor(deps: RefundRunsDeps) {
    this.#deps = deps
    this.#repeat = new Repeat({
      everyMs: LOOK_EVERY_MS,
      run: async () => ((await this.#look()) ? BITE_SECONDS * 1_000 : undefined),
      onFailure: error =>
        deps.log.warn({ err: error }, 'could not go on with refunds of cancelled events; the next look does'),
    })
  }

  start(): void {
    this.#repeat.start(0)
  }

  /** A run was started. */
  wake(): void {
    this.#repeat.wakeIn(0)
  }

  runNow(): Promise<void> {
    return this.#repeat.runNow()
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  /** As the last look left it. */
  get inProgress(): RunsInProgress {
    return this.#inProgress
  }

  /** True: there is more to do. */
  async #look(): Promise<boolean> {
    const { database, perSecond } = this.#deps
    const platform = <T>(work: (tx: PlatformTx) => Promise<T>) =>
      database.platform('go on with refunds of cancelled events', work)
    this.#inProgress = await platform(countRefundRuns)
    if (this.#inProgress.running === 0) return false
    const pace = { everySeconds: BITE_SECONDS, stuckSeconds: STUCK_SECONDS }
    const isOurs = await platform(tx => claimRun(tx, JOB, pace))
    if (isOurs) {
      const begun = await this.bite(perSecond * BITE_SECONDS)
      await platform(tx => finishRun(tx, JOB, begun))
    }
    return true
  }

  /** Refunds up to so many orders, of all runs in turn. Returns how many it did. */
  async bite(limit: number): Promise<number> {
    const { database, onRefund } = this.#deps
    const runs = await database.platform('go on with refunds of cancelled events', tx =>
      visitRefundRuns(tx, limit),
    )
    const ofEach = Math.max(1, Math.floor(limit / Math.max(1, runs.length)))
    const counts = await Promise.all(runs.map(({ scope, eventId }) => this.#goOn(scope, eventId, ofEach)))
    const refunded = counts.reduce((sum, count) => sum + count, 0)
    if (refunded > 0) onRefund()
    return refunded
  }

  async #goOn(scope: TenantScope, eventId: EventId, limit: number): Promise<number> {
    const { database, log, onOrder } = this.#deps
    const next = await database.tenant(scope, async tx => {
      const room = MAX_UNANSWERED - (await countUnanswered(tx, MAX_UNANSWERED))
      const found = await nextOrdersToRefund(tx, eventId, Math.max(1, Math.min(limit, room)))
      const isDone = found.isOver && (await endRefundRun(tx, eventId))
      return { orderIds: room > 0 ? found.orderIds : [], isDone }
    })
    if (next.isDone)
      log.info({ event_id: eventId }, 'every order of a cancelled event was refunded, or failed')
    let refunded = 0
    for (const orderId of next.orderIds) {
      if (this.#repeat.isStopped) break
      const outcome = await this.#refund(scope, eventId, orderId)
      onOrder(outcome)
      if (outcome === 'refunded') refunded += 1
      if (outcome === 'stopped' || outcome === 'busy') break
    }
    if (refunded > 0) log.info({ event_id: eventId, refunded }, 'refunded orders of a cancelled event')
    return refunded
  }

  async #refund(scope: TenantScope, eventId: EventId, orderId: string): Promise<RefundRunOutcome> {
    const { database, lanes, clock, log } = this.#deps
    let reason: string
    try {
      const done = await lanes.lane(scope, eventId).exclusive(async (tx, give) => {
        const run = await readRefundRun(tx, eventId, { lock: true })
        if (run?.status !== 'running') return { ok: true, value: 'stopped' } as const
        const by = {
          actor: { person: null, ip: null, source: 'system' } as const,
          audit: { ...SYSTEM_ACTOR, userId: run.started_by },
        }
        const order = { orderId, ticketIds: null, cause: 'event_cancelled', reason: REASON } as const
        const refunded = await refundOrder(tx, give, { ...order, by, now: clock.now() })
        if (!refunded.ok) return refunded
        await noteRefunded(tx, eventId, orderId)
        return { ok: true, value: 'refunded' } as const
      })
      if (done.ok) return done.value
      const { kind } = done.problem
      // Staff, or another node, refunded it meanwhile.
      if (kind === 'invalid_transition') return 'known'
      if (kind === 'busy' || kind === 'database_unavailable' || kind === 'outcome_unknown') return 'busy'
      reason = kind
    } catch (error) {
      if (outageKind(error) !== null) return 'busy'
      log.error({ err: error, order_id: orderId }, 'an order of a cancelled event could not be refunded')
      reason = 'internal_error'
    }
    log.warn(
      { event_id: eventId, order_id: orderId, reason },
      'an order of a cancelled event was not refunded',
    )
    await database.tenant(scope, tx => noteFailedRefund(tx, orderId, reason, FAILURES))
    return 'failed'
  }
}
