import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** The fake bank keeps these in simulated_intents. */
export interface SimulatedIntent {
  readonly id: string
  readonly orderKey: string
  readonly amount: number
  readonly currency: string
  readonly status: 'declined' | 'needs_step' | 'pending' | 'captured'
  readonly declineCode: string | null
  readonly dueAt: Date | null
  readonly isDisputed: boolean
  readonly returnUrl: string
  readonly metadata: Readonly<Record<string, string>>
  readonly refunded: number
  readonly createdAt: Date
  readonly capturedAt: Date | null
  readonly cancelledAt: Date | null
}

export interface SimulatedRefund {
  readonly key: string
  readonly id: string
  readonly intentId: string
  readonly amount: number
}

const INTENT = `id, order_key as "orderKey", amount::float8 as amount, currency, status,
  decline_code as "declineCode", due_at as "dueAt", is_disputed as "isDisputed", return_url as "returnUrl",
  metadata, refunded::float8 as refunded, created_at as "createdAt", captured_at as "capturedAt",
  cancelled_at as "cancelledAt"`

type Row<T> = T & Record<string, unknown>

/** False: there is an intent with this key already. A caller that writes the same key is waited for. */
export async function addIntent(tx: TenantTx, intent: SimulatedIntent): Promise<boolean> {
  const rows = await tx.query(
    `insert into simulated_intents (organization_id, id, order_key, amount, currency, status, decline_code, due_at,
       is_disputed, return_url, metadata, refunded, created_at, captured_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (organization_id, order_key) do nothing returning 1`,
    [
      intent.id,
      intent.orderKey,
      intent.amount,
      intent.currency,
      intent.status,
      intent.declineCode,
      intent.dueAt,
      intent.isDisputed,
      intent.returnUrl,
      JSON.stringify(intent.metadata),
      intent.refunded,
      intent.createdAt,
      intent.capturedAt,
    ],
  )
  return rows.length === 1
}

/** For as long as the transaction lives, no other changes it. */
export function lockIntentOfOrder(tx: TenantTx, orderKey: string): Promise<SimulatedIntent | undefined> {
  return tx.one<Row<SimulatedIntent>>(
    `select ${INTENT} from simulated_intents where organization_id = $1 and order_key = $2 for update`,
    [orderKey],
  )
}

/** For as long as the transaction lives, no other changes it. */
export function lockIntent(tx: TenantTx, id: string): Promise<SimulatedIntent | undefined> {
  return tx.one<Row<SimulatedIntent>>(
    `select ${INTENT} from simulated_intents where organization_id = $1 and id = $2 for update`,
    [id],
  )
}

export async function updateIntent(tx: TenantTx, intent: SimulatedIntent): Promise<void> {
  await tx.query(
    `update simulated_intents set status = $3, decline_code = $4, due_at = $5, is_disputed = $6, return_url = $7,
       refunded = $8, captured_at = $9, cancelled_at = $10
     where organization_id = $1 and id = $2`,
    [
      intent.id,
      intent.status,
      intent.declineCode,
      intent.dueAt,
      intent.isDisputed,
      intent.returnUrl,
      intent.refunded,
      intent.capturedAt,
      intent.cancelledAt,
    ],
  )
}

export function findRefund(tx: TenantTx, key: string): Promise<SimulatedRefund | undefined> {
  return tx.one<Row<SimulatedRefund>>(
    `select key, id, intent_id as "intentId", amount::float8 as amount from simulated_refunds
     where organization_id = $1 and key = $2`,
    [key],
  )
}

export async function addRefund(tx: TenantTx, refund: SimulatedRefund, at: Date): Promise<void> {
  await tx.query(
    `insert into simulated_refunds (organization_id, key, id, intent_id, amount, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [refund.key, refund.id, refund.intentId, refund.amount, at],
  )
}

/** Intents with which the fake bank goes on by itself, the oldest first. */
export async function dueIntents(
  tx: PlatformTx,
  now: Date,
  limit: number,
): Promise<{ scope: TenantScope; id: string }[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; id: string }>(
    'select organization_id, id from simulated_intents where due_at <= $1 order by due_at limit $2',
    [now, limit],
  )
  return rows.map(row => ({ scope: TenantScope.of(row.organization_id), id: row.id }))
}
