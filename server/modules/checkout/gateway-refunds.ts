import type { RefundId } from '@voelgoed/core/ids'
import type { OrderChange } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit, SYSTEM_ACTOR } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { changeOrder, lessAsked, orderOf } from '../orders/order-rows.ts'
import { MOST_FAILURES } from '../orders/tables/order-changes.ts'
import { readOrder, type WholeOrder } from '../orders/tables/orders.ts'
import type { Gateway } from '../payments/gateway.ts'
import { payeeOf } from './payee.ts'
import { askForLess, noteRefundAnswer, type RefundAttempt, readGatewayRefund } from './tables/payment-work.ts'

interface GatewayRefundsDeps {
  readonly database: Pick<Database, 'tenant'>
  readonly gateway: Gateway
  readonly clock: Pick<Clock, 'now'>
  readonly log: FastifyBaseLogger
}

/** Money that goes back through the gateway, from orders that say so already: tickets are void before. */
export class GatewayRefunds {
  readonly #deps: GatewayRefundsDeps

  constructor(deps: GatewayRefundsDeps) {
    this.#deps = deps
  }

  /** Gives money of a refund back through the gateway, once for each key. Returns what it said. */
  async giveBack(scope: TenantScope, orderId: string, refundId: string): Promise<string> {
    const { database, gateway, log } = this.#deps
    const refund = await database.tenant(scope, tx => readGatewayRefund(tx, orderId, refundId))
    if (!refund) return 'known'
    const { attempt, ...asking } = refund
    const asked = await gateway.refund(await payeeOf(this.#deps, scope, orderId), { ...asking, orderId })
    const present = { orderId, refundId, attempt }
    const settle = (outcome: 'done' | 'failed') => this.settle(scope, present, outcome)
    const told = asked.ok ? asked.value.kind : asked.problem.kind
    if (told !== 'refunded') await database.tenant(scope, tx => noteRefundAnswer(tx, present, told))
    if (!asked.ok && asked.problem.kind === 'exceeds_captured') {
      const lowered = await this.#lower(scope, present, asked.problem.refundable)
      if (lowered) return lowered
    }
    if (!asked.ok) {
      log.error(
        { order_id: orderId, refund_id: refundId, refusal: asked.problem.kind },
        'the payment gateway refuses to give money back; it will be tried again',
      )
      return told
    }
    if (told === 'refunded') await settle('done')
    if (told === 'failed') await settle('failed')
    return told
  }

  /**
   * If staff gave back on the gateway's own pages what it can not give back for this refund, the refund asks
   * for what is left, or is done. Null: they did not.
   */
  async #lower(
    scope: TenantScope,
    present: RefundAttempt,
    refundable: number,
  ): Promise<'lowered' | 'refunded_outside' | null> {
    const { orderId, refundId, attempt } = present
    return this.#deps.database.tenant(scope, async tx => {
      const whole = await readOrder(tx, orderId, { lock: true })
      const refund = whole?.refunds.find(({ id, failures }) => id === refundId && failures === attempt)
      if (!whole || !refund || outsideLeft(whole) < (refund.amount ?? 0) - refundable) return null
      if (refundable > 0) {
        await askForLess(tx, present, refundable)
        return 'lowered'
      }
      await this.#settleIn(tx, whole, present, 'done', refund.amount ?? 0)
      return 'refunded_outside'
    })
  }

  /** Takes what the gateway says of an attempt. `came_back`: it had said before that this one was done. */
  async settle(
    scope: TenantScope,
    { orderId, refundId, attempt }: RefundAttempt,
    outcome: 'done' | 'failed',
  ): Promise<Result<'settled' | 'came_back', Refusal>> {
    const { database, log } = this.#deps
    const present = { orderId, refundId, attempt }
    const done = await database.tenant(scope, async (tx): Promise<Result<OrderChange | null, Refusal>> => {
      const whole = await readOrder(tx, orderId, { lock: true })
      if (!whole) return refuse({ kind: 'order_not_found' })
      const refund = whole.refunds.find(({ id }) => id === refundId)
      return this.#settleIn(tx, whole, present, outcome, refund ? lessAsked(refund) : 0)
    })
    if (!done.ok) return done
    const change = done.value
    const cameBack = change?.kind === 'refund_came_back'
    const about = { order_id: orderId, refund_id: refundId, attempt }
    if (cameBack) log.warn(about, 'the bank of a buyer sent a refund back; it will be tried again')
    else if (change) log.info({ ...about, outcome }, 'a refund was settled')
    if (change && outcome === 'failed' && attempt + 1 >= MOST_FAILURES) log.error(about, GIVEN_UP)
    return ok(cameBack ? 'came_back' : 'settled')
  }

  /** `outside`: so much of it went back on the gateway's own pages. The order is locked. */
  async #settleIn(
    tx: TenantTx,
    whole: WholeOrder,
    { orderId, refundId, attempt }: RefundAttempt,
    outcome: 'done' | 'failed',
    outside: number,
  ): Promise<Result<OrderChange | null, Refusal>> {
    const settled = { kind: 'refund_settled', refundId: refundId as RefundId, attempt, outcome } as const
    const command = outcome === 'done' ? { ...settled, outside } : settled
    const changed = await changeOrder(tx, orderId, orderOf(whole), command)
    if (!changed.ok) return changed
    const [change = null] = changed.value.changes
    if (change?.kind === 'refund_came_back') {
      await appendAudit(tx, SYSTEM_ACTOR, {
        action: 'order_refund_came_back',
        entity: { type: 'order', id: orderId },
        eventId: whole.order.event_id,
        changes: { refund_id: refundId, attempt, amount: change.amount, currency: whole.order.currency },
      })
    }
    // Since it was lowered, a bank may have sent back what went outside.
    if (outside > 0) await this.oweAgain(tx, orderId)
    return ok(change)
  }

  /**
   * If banks have sent back what went out on the gateway's own pages, what refunds here were lowered by is
   * owed again: it becomes a refund of its own. To be called when what is known of money outside has changed,
   * any number of times. The order is locked.
   */
  async oweAgain(tx: TenantTx, orderId: string): Promise<void> {
    const whole = await readOrder(tx, orderId)
    const lowered = whole?.refunds.find(refund => refund.status === 'done' && lessAsked(refund) > 0)
    if (!whole || !lowered) return
    const refundId = uuidV7(this.#deps.clock.now()) as RefundId
    const amount = sumOutside(whole, ({ status }) => status !== 'failed')
    const { cause, reason } = lowered
    const changed = await changeOrder(
      tx,
      orderId,
      orderOf(whole),
      { kind: 'outside_counted', amount, refundId },
      { refund: { cause, reason, key: refundId } },
    )
    const change = changed.ok && changed.value.changes.find(each => each.kind === 'outside_came_back')
    if (!change) return
    await appendAudit(tx, SYSTEM_ACTOR, {
      action: 'order_refund_owed_again',
      entity: { type: 'order', id: orderId },
      eventId: whole.order.event_id,
      changes: {
        refund_id: refundId,
        amount: change.parts.reduce((sum, part) => sum + part.amount, 0),
        currency: whole.order.currency,
        of_refund_ids: change.parts.map(part => part.refundId),
      },
    })
  }
}

/** Staff try it again, or give the money back by hand. */
export const GIVEN_UP = 'a refund was given up; staff must try it again or give the money back by hand'

/** Adds up what went back on the gateway's own pages, less what refunds of ours were lowered by. */
function outsideLeft(whole: WholeOrder): number {
  const lowered = orderOf(whole).refunds.reduce((sum, { outside }) => sum + outside, 0)
  return sumOutside(whole, ({ status }) => status === 'done') - lowered
}

type GatewayRefund = WholeOrder['gatewayRefunds'][number]

function sumOutside({ gatewayRefunds }: WholeOrder, counts: (refund: GatewayRefund) => boolean): number {
  return gatewayRefunds.filter(counts).reduce((sum, { amount }) => sum + amount, 0)
}
