import type { PlatformTx, TenantTx } from './database.ts'

export interface Attempts {
  readonly failures: number
  /** Until the window ends. */
  readonly secondsLeft: number
}

/** Counts one failure of this account and returns the number in the running window. */
export async function countFailure(
  tx: TenantTx,
  subjectHash: Buffer,
  windowSeconds: number,
): Promise<Attempts> {
  const row = await tx.one<{ failures: number; seconds_left: number }>(
    `insert into sign_in_failures as f (organization_id, subject_hash, failures, window_ends_at)
     values ($1, $2, 1, now() + make_interval(secs => $3))
     on conflict (organization_id, subject_hash) do update set
       failures = case when f.window_ends_at > now() then f.failures + 1 else 1 end,
       window_ends_at = case when f.window_ends_at > now() then f.window_ends_at else excluded.window_ends_at end
     returning failures, ceil(extract(epoch from window_ends_at - now()))::int as seconds_left`,
    [subjectHash, windowSeconds],
  )
  return { failures: row!.failures, secondsLeft: row!.seconds_left }
}

export async function clearFailures(tx: TenantTx, subjectHash: Buffer): Promise<void> {
  await tx.query('delete from sign_in_failures where organization_id = $1 and subject_hash = $2', [
    subjectHash,
  ])
}

export async function sweepFailures(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from sign_in_failures where (organization_id, subject_hash) in (
       select organization_id, subject_hash from sign_in_failures
       where window_ends_at < now() limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
