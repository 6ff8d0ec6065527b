import type { PlatformTx } from '@voelgoed/kit/postgres/database'

/*
 * News of the gateway that is not done, for the staff of the organization that it names. The table belongs to
 * no tenant: each statement here names the organization.
 */

const OF_ORGANIZATION = `state <> 'done' and event ->> 'organizationId' = $1`

export async function countGatewayEvents(
  tx: PlatformTx,
  organizationId: string,
  most: number,
): Promise<{ waiting: number; given_up: number; oldest_seconds: number }> {
  const row = await tx.one<{ waiting: number; given_up: number; oldest: number }>(
    `select count(*) filter (where state = 'waiting')::int as waiting,
       count(*) filter (where state = 'given_up')::int as given_up,
       coalesce(max(extract(epoch from now() - received_at)) filter (where state = 'waiting'), 0)::int as oldest
     from (select state, received_at from gateway_events where ${OF_ORGANIZATION}
       order by received_at limit $2) open`,
    [organizationId, most],
  )
  return { waiting: row!.waiting, given_up: row!.given_up, oldest_seconds: Math.max(0, row!.oldest) }
}

export interface OpenGatewayEvent {
  readonly id: string
  readonly gateway: string
  readonly kind: string
  readonly order_id: string | null
  readonly state: 'waiting' | 'given_up'
  readonly attempts: number
  readonly received_at: Date
  readonly due_at: Date
}

/** Newest first. */
export function listOpenGatewayEvents(
  tx: PlatformTx,
  organizationId: string,
  { state, limit }: { readonly state: string | null; readonly limit: number },
): Promise<OpenGatewayEvent[]> {
  return tx.query<OpenGatewayEvent & Record<string, unknown>>(
    `select id, gateway, event ->> 'kind' as kind, event ->> 'orderId' as order_id, state, attempts, received_at, due_at
     from gateway_events where ${OF_ORGANIZATION} and ($2::text is null or state = $2)
     order by received_at desc limit $3`,
    [organizationId, state, limit],
  )
}

/**
 * Lets an event that was given up wait again, with all its attempts. False: the organization has no such
 * event.
 */
export async function retryGatewayEvent(
  tx: PlatformTx,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await tx.query(
    `update gateway_events set state = 'waiting', attempts = 0, due_at = now()
     where ${OF_ORGANIZATION} and id = $2 and state = 'given_up' returning 1`,
    [organizationId, id],
  )
  return rows.length > 0
}
