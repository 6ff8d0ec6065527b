import { isUuid, type OrganizationId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Gateway, GatewayEvent } from '../payments/gateway.ts'
import type { Database } from '../postgres/database.ts'
import { orderOfIntent, writeDispute } from '../postgres/tables/gateway-events.ts'
import { findRefundByKey, readStripeAccount } from '../postgres/tables/payment-work.ts'
import { TenantScope } from '../tenant.ts'
import type { Checkouts } from './checkouts.ts'

/** What became of a message of the gateway. `not_ours`: no order of ours, or an account that is another's. */
export const NEWS_RESULTS = ['settled', 'not_ours', 'ignored'] as const
export type NewsResult = (typeof NEWS_RESULTS)[number]

export interface GatewayNewsDeps {
  readonly database: Pick<Database, 'tenant' | 'platform'>
  readonly gateway: Gateway
  readonly checkouts: Pick<Checkouts, 'settle' | 'settleRefund' | 'lookUp'>
}

/**
 * Takes a verified message of the gateway for what it is worth. Money that was captured is believed at once:
 * it is never taken back. Anything else may be old news of a payment that has gone on, and is looked up.
 */
export async function takeNews(
  { database, gateway, checkouts }: GatewayNewsDeps,
  event: GatewayEvent,
): Promise<Result<NewsResult, Refusal>> {
  switch (event.kind) {
    case 'ignored':
      return ok('ignored')
    case 'payment': {
      const scope = await scopeOf(event)
      if (!scope || !isUuid(event.orderId)) return ok('not_ours')
      const { orderId, outcome } = event
      const done =
        outcome.kind === 'captured'
          ? await checkouts.settle(scope, orderId, outcome)
          : await checkouts.lookUp(scope, orderId)
      return settled(done)
    }
    case 'refund': {
      const { refundKey, outcome } = event
      const scope = refundKey === null ? null : ((await scopeOf(event)) ?? (await byIntent(event))?.scope)
      const found = scope && (await database.tenant(scope, tx => findRefundByKey(tx, refundKey!)))
      // Money that was given back on the gateway's own pages is for staff to record.
      if (!scope || !found) return ok('not_ours')
      if (outcome.kind === 'pending') return ok('settled')
      const verdict = outcome.kind === 'refunded' ? 'done' : 'failed'
      return settled(await checkouts.settleRefund(scope, found.orderId, found.refundId, verdict))
    }
    case 'dispute': {
      const found = await byIntent(event)
      if (!found) return ok('not_ours')
      await database.tenant(found.scope, tx => writeDispute(tx, found.orderId, event))
      return ok('settled')
    }
  }

  /**
   * The organization that the message names, if the account is that organization's: the owner of a connected
   * account can write any organization into a payment of their own.
   */
  async function scopeOf({ organizationId, account }: Named): Promise<TenantScope | null> {
    if (organizationId === null || !isUuid(organizationId)) return null
    const scope = TenantScope.of(organizationId as OrganizationId)
    const own = gateway.name === 'stripe' ? await database.tenant(scope, readStripeAccount) : null
    return own === account ? scope : null
  }

  async function byIntent(event: Named & { readonly intentId: string }) {
    const found = await database.platform('take news of the gateway', tx =>
      orderOfIntent(tx, gateway.name, event.intentId),
    )
    if (!found) return null
    const own = gateway.name === 'stripe' ? await database.tenant(found.scope, readStripeAccount) : null
    return own === event.account ? found : null
  }
}

type Named = { readonly organizationId: string | null; readonly account: string | null }

function settled(done: Result<unknown, Refusal>): Result<NewsResult, Refusal> {
  if (done.ok) return ok('settled')
  return done.problem.kind === 'order_not_found' ? ok('not_ours') : refuse(done.problem)
}
