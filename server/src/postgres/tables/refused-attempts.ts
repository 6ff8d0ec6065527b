import type { PlatformTx } from '../database.ts'

/** A refused attempt as the audit log keeps it. */
export interface RefusedAttempt {
  readonly organizationId: string
  readonly eventId: string
  readonly userId: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly requestId: string
  readonly code: string
  readonly at: number
  /** At most 20 of those that were asked for. */
  readonly seatIds: readonly string[]
  readonly zoneId: string | null
  readonly quantity: number
  /** About a wheelchair or companion seat: has an entry of its own, which stays. */
  readonly isAccessible: boolean
}

/**
 * How often one buyer was refused with one code in one minute.
 * `ip` and `userAgent` are those of the last attempt.
 */
export interface RefusalCount {
  readonly organizationId: string
  readonly eventId: string
  readonly userId: string
  readonly code: string
  /** Milliseconds since 1970, at the full minute. */
  readonly minute: number
  readonly attempts: number
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Attempts of many organizations in one statement; each row says whose it is. */
export async function appendRefusedAttempts(
  tx: PlatformTx,
  attempts: readonly RefusedAttempt[],
): Promise<void> {
  const column = columnsOf(attempts)
  await tx.query(
    `insert into audit_log (organization_id, action, actor, user_id, ip, user_agent, request_id, entity_type, entity_id,
       event_id, subjects, changes, at)
     select a.organization_id, action, 'user', a.user_id, a.ip, a.user_agent, a.request_id, 'event', a.event_id, a.event_id,
       (select array_agg(value::uuid) from jsonb_array_elements_text(a.seat_ids || coalesce(to_jsonb(a.zone_id), '[]'))),
       jsonb_build_object('code', a.code, 'seat_ids', a.seat_ids, 'zone_id', a.zone_id, 'quantity', a.quantity),
       to_timestamp(a.at / 1000.0)
     from unnest($1::uuid[], $2::uuid[], $3::inet[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::float8[],
         $9::jsonb[], $10::uuid[], $11::int[], $12::boolean[])
       as a (organization_id, user_id, ip, user_agent, request_id, event_id, code, at, seat_ids, zone_id, quantity, is_accessible)
     cross join unnest(array['seat_reserve_failed', 'accessibility_seat_refused']) as action
     where a.is_accessible or action = 'seat_reserve_failed'`,
    [
      column('organizationId'),
      column('userId'),
      column('ip'),
      column('userAgent'),
      column('requestId'),
      column('eventId'),
      column('code'),
      column('at'),
      attempts.map(attempt => JSON.stringify(attempt.seatIds)),
      column('zoneId'),
      column('quantity'),
      column('isAccessible'),
    ],
  )
}

/**
 * Adds to the rows of other nodes. Sorted by key, so that two nodes never wait for each other in a circle.
 */
export async function addRefusalCounts(tx: PlatformTx, counts: readonly RefusalCount[]): Promise<void> {
  const column = columnsOf(counts)
  await tx.query(
    `insert into refused_attempt_counts as c (organization_id, user_id, minute, event_id, code, attempts, ip, user_agent)
     select a.organization_id, a.user_id, to_timestamp(a.minute / 1000.0), a.event_id, a.code, a.attempts, a.ip, a.user_agent
     from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::uuid[], $5::text[], $6::int[], $7::inet[], $8::text[])
       as a (organization_id, user_id, minute, event_id, code, attempts, ip, user_agent)
     order by 1, 2, 3, 4, 5
     on conflict (organization_id, user_id, minute, event_id, code) do update
     set attempts = c.attempts + excluded.attempts, ip = excluded.ip, user_agent = excluded.user_agent`,
    [
      column('organizationId'),
      column('userId'),
      column('minute'),
      column('eventId'),
      column('code'),
      column('attempts'),
      column('ip'),
      column('userAgent'),
    ],
  )
}

function columnsOf<Row>(rows: readonly Row[]) {
  return <Key extends keyof Row>(key: Key) => rows.map(row => row[key])
}

/** Refused attempts and refused sign-ins that are older than this, at most `limit`. Returns how many went. */
export async function sweepRefusedAttempts(tx: PlatformTx, keepDays: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from audit_log where (organization_id, id) in (
       select organization_id, id from audit_log
       where action in ('seat_reserve_failed', 'sign_in_refused') and at < now() - make_interval(days => $1)
       order by at limit $2)
     returning 1`,
    [keepDays, limit],
  )
  return rows.length
}

export async function sweepRefusalCounts(tx: PlatformTx, keepDays: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from refused_attempt_counts where (organization_id, user_id, minute, event_id, code) in (
       select organization_id, user_id, minute, event_id, code from refused_attempt_counts
       where minute < now() - make_interval(days => $1) order by minute limit $2)
     returning 1`,
    [keepDays, limit],
  )
  return rows.length
}
