import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** A message of the fake bank to the server. */
export interface SimulatedWebhook {
  readonly organizationId: string
  readonly id: string
  readonly body: string
  readonly attempts: number
}

export async function addWebhook(
  tx: TenantTx,
  webhook: {
    readonly id: string
    readonly body: string
    readonly at: Date
    readonly dueAt: Date
    readonly state: 'waiting' | 'given_up'
  },
): Promise<void> {
  await tx.query(
    `insert into simulated_webhooks (organization_id, id, body, state, created_at, due_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [webhook.id, webhook.body, webhook.state, webhook.at, webhook.dueAt],
  )
}

/** Counts the organization's webhooks that wait, up to a limit. */
export async function countWaitingWebhooks(tx: TenantTx, limit: number): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from simulated_webhooks where organization_id = $1 and state = 'waiting' limit $2) as waiting`,
    [limit],
  )
  return row!.count
}

/**
 * Takes webhooks that are due. They are due again when the lease is over: a process that dies in the middle
 * leaves them to the next. Two processes never take the same one.
 */
export async function leaseWebhooks(
  tx: PlatformTx,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<SimulatedWebhook[]> {
  return tx.query<SimulatedWebhook & Record<string, unknown>>(
    `with due as (
       select organization_id, id from simulated_webhooks where state = 'waiting' and due_at <= $1
       order by due_at limit $3 for update skip locked)
     update simulated_webhooks w set due_at = $2, attempts = attempts + 1
     from due where w.organization_id = due.organization_id and w.id = due.id
     returning w.organization_id as "organizationId", w.id, w.body, w.attempts`,
    [now, leaseUntil, limit],
  )
}

/** `dueAt`: when to try it again; for one that still waits. */
export async function noteDelivery(
  tx: PlatformTx,
  { organizationId, id }: Pick<SimulatedWebhook, 'organizationId' | 'id'>,
  note: { readonly state: 'waiting' | 'delivered' | 'given_up'; readonly dueAt: Date },
): Promise<void> {
  await tx.query(
    'update simulated_webhooks set state = $3, due_at = $4 where organization_id = $1 and id = $2',
    [organizationId, id, note.state, note.dueAt],
  )
}

/** Deletes old webhooks that are done with. Returns how many rows went. */
export async function sweepSimulatedWebhooks(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from simulated_webhooks where (organization_id, id) in (
       select organization_id, id from simulated_webhooks
       where state <> 'waiting' and created_at < now() - interval '7 days' order by created_at limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
