import type { PlatformTx } from './database.ts'

export interface RefusedAttempt {
  readonly organizationId: string
  readonly eventId: string
  readonly userId: string
  readonly ip: string
  readonly requestId: string
  readonly code: string
  readonly at: number
}

/** Attempts of many organizations in one statement; each row says whose it is. */
export async function appendRefusedAttempts(
  tx: PlatformTx,
  attempts: readonly RefusedAttempt[],
): Promise<void> {
  const column = <Key extends keyof RefusedAttempt>(key: Key) => attempts.map(attempt => attempt[key])
  await tx.query(
    `insert into audit_log (organization_id, action, actor, user_id, ip, request_id, entity_type, entity_id, changes, at)
     select a.organization_id, 'seat_reserve_failed', 'user', a.user_id, a.ip, a.request_id, 'event', a.event_id,
       jsonb_build_object('code', a.code), to_timestamp(a.at / 1000.0)
     from unnest($1::uuid[], $2::uuid[], $3::inet[], $4::text[], $5::uuid[], $6::text[], $7::float8[])
       as a (organization_id, user_id, ip, request_id, event_id, code, at)`,
    [
      column('organizationId'),
      column('userId'),
      column('ip'),
      column('requestId'),
      column('eventId'),
      column('code'),
      column('at'),
    ],
  )
}
