import { isUuid, type OrganizationId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit, SYSTEM_ACTOR } from '@voelgoed/kit/audit/audit-log'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Database } from '@voelgoed/kit/postgres/database'
import { readOrder } from '../orders/tables/orders.ts'
import type { Gateway, GatewayEvent } from '../payments/gateway.ts'
import { orderOfIntent, writeDispute, writeGatewayRefund } from '../payments/tables/gateway-events.ts'
import type { GatewayRefunds } from './gateway-refunds.ts'
import type { Settlements } from './settlements.ts'
import { findRefundByKey, isKeyOfRefund, readStripeAccount } from './tables/payment-work.ts'

/**
 * A message of the gateway ended in one of these ways. `refunded_outside`: money went back on the gateway's
 * own pages, and staff see it with the order. `came_back`: a bank did not take a refund. `not_ours`: no order
 * of ours, or an account that is another's.
 */
export const NEWS_RESULTS = ['settled', 'refunded_outside', 'came_back', 'not_ours', 'ignored'] as const
export type NewsResult = (typeof NEWS_RESULTS)[number]

export interface GatewayNewsDeps {
  readonly database: Pick<Database, 'tenant' | 'platform'>
  readonly gateway: Gateway
  readonly settlements: Pick<Settlements, 'settle' | 'lookUp'>
  readonly refunds: Pick<GatewayRefunds, 'settle' | 'oweAgain'>
}

/**
 * Takes a verified message of the gateway for what it is worth. Money that was captured is believed at once:
 * it is never taken back. Anything else may be old news of a payment that has gone on, and is looked up.
 */
export async function takeNews(
  { database, gateway, settlements, refunds }: GatewayNewsDeps,
  event: GatewayEvent,
): Promise<Result<NewsResult, Refusal>> {
  switch (event.kind) {
    case 'ignored':
      return ok('ignored')
    case 'payment': {
      const { orderId, outcome } = event
      const scope = isUuid(orderId) ? await scopeOf(event, orderId) : null
      if (!scope) return ok('not_ours')
      const done =
        outcome.kind === 'captured'
          ? await settlements.settle(scope, orderId, outcome)
          : await settlements.lookUp(scope, orderId)
      return settled(done)
    }
    case 'refund': {
      const { refundKey, outcome, at } = event
      const order = await byIntent(event)
      if (!order) return ok('not_ours')
      const { scope, orderId } = order
      const found =
        refundKey === null ? null : await database.tenant(scope, tx => findRefundByKey(tx, refundKey))
      if (found) {
        if (outcome.kind === 'pending') return ok('settled')
        return settled(await refunds.settle(scope, found, outcome.kind === 'refunded' ? 'done' : 'failed'))
      }
      return database.tenant(scope, async tx => {
        // An attempt that failed, and has another key by now.
        if (refundKey !== null && (await isKeyOfRefund(tx, orderId, refundKey))) return ok('settled')
        const status = outcome.kind === 'refunded' ? 'done' : outcome.kind
        const { refundId: id, amount } = outcome
        // Refunds of ours that are lowered meanwhile see it, or are seen here.
        await readOrder(tx, orderId, { lock: true })
        const written = await writeGatewayRefund(tx, orderId, { id, amount, status, at })
        if (written !== 'known') {
          await appendAudit(tx, SYSTEM_ACTOR, {
            action: written === 'made' ? 'order_refunded_at_gateway' : 'order_refund_at_gateway_failed',
            entity: { type: 'order', id: orderId },
            changes: { gateway_refund_id: id, amount, status },
          })
        }
        if (written !== 'came_back') return ok('refunded_outside')
        await refunds.oweAgain(tx, orderId)
        return ok('came_back')
      })
    }
    case 'dispute': {
      const found = await byIntent(event)
      if (!found) return ok('not_ours')
      await database.tenant(found.scope, tx => writeDispute(tx, found.orderId, event))
      return ok('settled')
    }
  }

  /**
   * The organization that the message names, if the account is that of its payment, or of the organization
   * itself: the owner of a connected account can write any organization into a payment of their own.
   */
  async function scopeOf({ organizationId, account }: Named, orderId: string): Promise<TenantScope | null> {
    if (organizationId === null || !isUuid(organizationId)) return null
    const scope = TenantScope.of(organizationId as OrganizationId)
    return (await accountOf(scope, orderId)) === account ? scope : null
  }

  async function byIntent(event: Named & { readonly intentId: string }) {
    const found = await database.platform('take news of the gateway', tx =>
      orderOfIntent(tx, gateway.name, event.intentId),
    )
    if (!found) return null
    return (await accountOf(found.scope, found.orderId)) === event.account ? found : null
  }

  async function accountOf(scope: TenantScope, orderId: string): Promise<string | null> {
    if (gateway.name !== 'stripe') return null
    return database.tenant(scope, tx => readStripeAccount(tx, orderId))
  }
}

type Named = { readonly organizationId: string | null; readonly account: string | null }

function settled(done: Result<unknown, Refusal>): Result<NewsResult, Refusal> {
  if (done.ok) return ok(done.value === 'came_back' ? 'came_back' : 'settled')
  return done.problem.kind === 'order_not_found' ? ok('not_ours') : refuse(done.problem)
}
