import { ints, texts, timestamps, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { PlatformTx } from '@voelgoed/kit/postgres/database'
import type { RefusedAttempt } from '../../holds/refused-attempt.ts'

/**
 * One buyer was refused with one code so often in one minute.
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
  await tx.query(
    `insert into audit_log (organization_id, action, actor, user_id, ip, user_agent, request_id, entity_type, entity_id,
       event_id, subjects, changes, at)
     select a.organization_id, action, 'user', a.user_id, a.ip::inet, a.user_agent, a.request_id, 'event', a.event_id, a.event_id,
       a.subjects::uuid[], a.changes::jsonb, a.at
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[],
         $9::timestamptz[], $10::int[])
       as a (organization_id, user_id, ip, user_agent, request_id, event_id, subjects, changes, at, is_accessible)
     cross join unnest(array['seat_reserve_failed', 'accessibility_seat_refused']) as action
     where a.is_accessible = 1 or action = 'seat_reserve_failed'`,
    [
      uuids(attempts, attempt => attempt.organizationId),
      uuids(attempts, attempt => attempt.userId),
      texts(attempts, attempt => attempt.ip),
      texts(attempts, attempt => attempt.userAgent),
      texts(attempts, attempt => attempt.requestId),
      uuids(attempts, attempt => attempt.eventId),
      texts(attempts, subjectsOf),
      texts(attempts, changesOf),
      timestamps(attempts, attempt => attempt.at),
      ints(attempts, attempt => Number(attempt.isAccessible)),
    ],
  )
}

/** Returns the ids that the entry is about, as an array of Postgres; null: it is about nothing with an id. */
function subjectsOf({ seatIds, zoneId }: RefusedAttempt): string | null {
  const subjects = zoneId === null ? seatIds : [...seatIds, zoneId]
  return subjects.length === 0 ? null : `{${subjects.join()}}`
}

function changesOf({ code, seatIds, zoneId, quantity }: RefusedAttempt): string {
  return JSON.stringify({ code, seat_ids: seatIds, zone_id: zoneId, quantity })
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
