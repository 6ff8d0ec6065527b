import type { PlatformTx } from '../postgres/database.ts'

export interface JobState {
  /** Milliseconds since 1970; null: never. */
  readonly succeededAt: number | null
  readonly findings: number
}

/**
 * Starts a run for this node, if the last one began longer than `everySeconds` ago. The row decides: one node
 * gets it. A run that was never finished (its node died) is in the way for `stuckSeconds`.
 */
export async function claimRun(
  tx: PlatformTx,
  name: string,
  { everySeconds, stuckSeconds }: { everySeconds: number; stuckSeconds: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into job_runs as r (name, started_at) values ($1, now())
     on conflict (name) do update set started_at = now(), finished_at = null
     where r.started_at < now() - make_interval(secs => case when r.finished_at is null then $3::float8 else $2::float8 end)
     returning 1`,
    [name, everySeconds, stuckSeconds],
  )
  return rows.length === 1
}

/** `findings: null`: the run failed, and what the last one found stays. */
export async function finishRun(tx: PlatformTx, name: string, findings: number | null): Promise<void> {
  await tx.query(
    `update job_runs set finished_at = now(), findings = coalesce($2, findings),
       succeeded_at = case when $2::int is null then succeeded_at else now() end
     where name = $1`,
    [name, findings],
  )
}

export async function readJob(tx: PlatformTx, name: string): Promise<JobState> {
  const row = await tx.one<{ succeeded_at: Date | null; findings: number }>(
    'select succeeded_at, findings from job_runs where name = $1',
    [name],
  )
  return { succeededAt: row?.succeeded_at?.getTime() ?? null, findings: row?.findings ?? 0 }
}
