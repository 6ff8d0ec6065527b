import type { RefundId } from '@voelgoed/core/ids'
import type { OrderChange } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import type { Gateway } from '../payments/gateway.ts'
import type { Database } from '../postgres/database.ts'
import { appendAudit, SYSTEM_ACTOR } from '../postgres/tables/audit-log.ts'
import { MOST_FAILURES } from '../postgres/tables/order-changes.ts'
import { readOrder, type WholeOrder } from '../postgres/tables/orders.ts'
import {
  askForLess,
  noteRefundAnswer,
  type RefundAttempt,
  readGatewayRefund,
} from '../postgres/tables/payment-work.ts'
import type { TenantScope } from '../tenant.ts'
import { changeOrder, orderOf } from './order-rows.ts'
import { payeeOf } from './payee.ts'

interface GatewayRefundsDeps {
  readonly database: Pick<Database, 'tenant'>
  readonly gateway: Gateway
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
      const { refundable } = asked.problem
      if (await this.#isRestOutside(scope, present, refundable)) {
        if (refundable === 0) await settle('done')
        return refundable === 0 ? 'refunded_outside' : 'lowered'
      }
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
   * Whether staff gave back on the gateway's own pages what it can not give back for this refund. Then the
   * refund asks for what is left.
   */
  async #isRestOutside(scope: TenantScope, present: RefundAttempt, refundable: number): Promise<boolean> {
    const { orderId, refundId, attempt } = present
    return this.#deps.database.tenant(scope, async tx => {
      const whole = await readOrder(tx, orderId, { lock: true })
      const refund = whole?.refunds.find(({ id, failures }) => id === refundId && failures === attempt)
      if (!whole || !refund || givenBackOutside(whole) < (refund.amount ?? 0) - refundable) return false
      if (refundable > 0) await askForLess(tx, present, refundable)
      return true
    })
  }

  /** Takes what the gateway says of an attempt. `came_back`: it had said before that this one was done. */
  async settle(
    scope: TenantScope,
    { orderId, refundId, attempt }: RefundAttempt,
    outcome: 'done' | 'failed',
  ): Promise<Result<'settled' | 'came_back', Refusal>> {
    const { database, log } = this.#deps
    const done = await database.tenant(scope, async (tx): Promise<Result<OrderChange | null, Refusal>> => {
      const whole = await readOrder(tx, orderId, { lock: true })
      if (!whole) return refuse({ kind: 'order_not_found' })
      const command = { kind: 'refund_settled', refundId: refundId as RefundId, attempt, outcome } as const
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
      return ok(change)
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
}

/** Staff try it again, or give the money back by hand. */
export const GIVEN_UP = 'a refund was given up; staff must try it again or give the money back by hand'

/** What went back on the gateway's own pages, less what refunds of ours were settled with. */
function givenBackOutside({ payments, refunds, gatewayRefunds }: WholeOrder): number {
  const sum = (rows: readonly { readonly amount: number | null }[]) =>
    rows.reduce((total, { amount }) => total + (amount ?? 0), 0)
  const outside = sum(gatewayRefunds.filter(({ status }) => status === 'done'))
  // Refunds of ours that the gateway made, and those outside, are together no more than was captured.
  const done = sum(refunds.filter(({ status }) => status === 'done'))
  return Math.min(outside, sum(payments) - done)
}
