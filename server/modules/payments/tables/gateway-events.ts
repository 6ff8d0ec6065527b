import type { OrganizationId } from '@voelgoed/core/ids'
import type { RefundStatus } from '@voelgoed/core/orders/order'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** News as the gateway told it (payments/gateway.ts): kept as it is. */
interface KeptEvent {
  readonly eventId: string
  readonly kind: string
}

export interface LeasedEvent {
  readonly gateway: string
  readonly id: string
  readonly attempts: number
  readonly event: KeptEvent
}

/** False: it is there already. */
export async function storeEvent(tx: PlatformTx, gateway: string, event: KeptEvent): Promise<boolean> {
  const rows = await tx.query(
    `insert into gateway_events (gateway, id, event) values ($1, $2, $3)
     on conflict (gateway, id) do nothing returning 1`,
    [gateway, event.eventId, JSON.stringify(event)],
  )
  return rows.length > 0
}

/**
 * Takes events that are due. They are due again when the lease is over: another process goes on with them.
 */
export async function leaseEvents(tx: PlatformTx, limit: number, leaseMs: number): Promise<LeasedEvent[]> {
  return tx.query<LeasedEvent & Record<string, unknown>>(
    `with due as (select gateway, id from gateway_events where state = 'waiting' and due_at <= now()
       order by due_at limit $1 for update skip locked)
     update gateway_events e set attempts = attempts + 1, due_at = now() + $2 * interval '1 millisecond'
     from due where e.gateway = due.gateway and e.id = due.id
     returning e.gateway, e.id, e.attempts, e.event`,
    [limit, leaseMs],
  )
}

/** `againInMs`: of one that still waits. */
export async function noteEvent(
  tx: PlatformTx,
  { gateway, id }: Pick<LeasedEvent, 'gateway' | 'id'>,
  note: { readonly state: 'waiting' | 'done' | 'given_up'; readonly againInMs?: number },
): Promise<void> {
  await tx.query(
    `update gateway_events set state = $3, due_at = now() + $4 * interval '1 millisecond'
     where gateway = $1 and id = $2`,
    [gateway, id, note.state, note.againInMs ?? 0],
  )
}

/** Deletes old events that are done with. Returns how many rows went. */
export async function sweepGatewayEvents(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from gateway_events where (gateway, id) in (
       select gateway, id from gateway_events
       where state <> 'waiting' and received_at < now() - interval '60 days' order by received_at limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}

/** Finds the order that an intent of the gateway pays for. */
export async function orderOfIntent(
  tx: PlatformTx,
  gateway: string,
  intentId: string,
): Promise<{ scope: TenantScope; orderId: string } | null> {
  const row = await tx.one<{ organization_id: OrganizationId; order_id: string }>(
    'select organization_id, order_id from payments where intent_id = $2 and gateway = $1 limit 1',
    [gateway, intentId],
  )
  return row ? { scope: TenantScope.of(row.organization_id), orderId: row.order_id } : null
}

export interface DisputeRow {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly status: 'open' | 'won' | 'lost'
  readonly reason: string
}

/** Older news does not overwrite newer. Of the same second, which is Stripe's unit, the end counts. */
export async function writeDispute(
  tx: TenantTx,
  orderId: string,
  dispute: Omit<DisputeRow, 'id'> & { readonly disputeId: string; readonly at: number },
): Promise<void> {
  await tx.query(
    `insert into disputes as d (organization_id, id, order_id, amount, currency, status, reason, told_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (organization_id, id) do update set amount = excluded.amount, status = excluded.status,
       reason = excluded.reason, told_at = excluded.told_at
     where d.told_at < excluded.told_at or (d.told_at = excluded.told_at and d.status = 'open')`,
    [
      dispute.disputeId,
      orderId,
      dispute.amount,
      dispute.currency,
      dispute.status,
      dispute.reason.slice(0, 200),
      new Date(dispute.at),
    ],
  )
}

export function listDisputes(tx: TenantTx, orderId: string): Promise<DisputeRow[]> {
  return tx.prepared<DisputeRow & Record<string, unknown>>(
    'disputes_of_order',
    `select id, amount::float8 as amount, currency, status, reason from disputes
     where organization_id = $1 and order_id = $2 order by created_at, id`,
    [orderId],
  )
}

export interface GatewayRefundRow {
  readonly id: string
  readonly amount: number
  readonly status: RefundStatus
  readonly created_at: Date
}

/**
 * `came_back`: it was made, and a bank did not take it. `known`: nothing that staff need to hear. Older news
 * does not overwrite newer; of the same second, the later state counts. What failed is kept as well: older
 * news of it may still come.
 */
export async function writeGatewayRefund(
  tx: TenantTx,
  orderId: string,
  refund: {
    readonly id: string
    readonly amount: number
    readonly status: RefundStatus
    readonly at: number
  },
): Promise<'made' | 'came_back' | 'known'> {
  const { id, amount, status, at } = refund
  const changed = await tx.one<{ before: RefundStatus }>(
    `with old as (select status from gateway_refunds
       where organization_id = $1 and id = $2 and order_id = $3 for update)
     update gateway_refunds g set status = $4::refund_status, told_at = $5 from old
     where g.organization_id = $1 and g.id = $2 and g.order_id = $3
       and (g.told_at < $5 or (g.told_at = $5 and (g.status = 'pending' or $4::refund_status = 'failed')))
     returning old.status as before`,
    [id, orderId, status, new Date(at)],
  )
  if (changed) return status === 'failed' && changed.before !== 'failed' ? 'came_back' : 'known'
  const made = await tx.query(
    `insert into gateway_refunds (organization_id, id, order_id, amount, status, told_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [id, orderId, amount, status, new Date(at)],
  )
  return made.length > 0 && status !== 'failed' ? 'made' : 'known'
}

export function listGatewayRefunds(tx: TenantTx, orderId: string): Promise<GatewayRefundRow[]> {
  return tx.prepared<GatewayRefundRow & Record<string, unknown>>(
    'gateway_refunds_of_order',
    `select id, amount::float8 as amount, status, created_at from gateway_refunds
     where organization_id = $1 and order_id = $2 order by created_at, id`,
    [orderId],
  )
}
