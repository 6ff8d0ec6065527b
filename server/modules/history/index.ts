import type { HoldHistory } from '../holds/hold-history.ts'
import { type Kit, type Module, sweepOf } from '../module.ts'
import { RefusedAttempts } from './refused-attempts.ts'
import { serveAudit } from './routes/audit.ts'
import { sweepRefusalCounts, sweepRefusedAttempts } from './tables/refused-attempts.ts'

/** Modules below note the attempts that they refuse. They are gathered in memory and written in bulk. */
export function openRefusedAttempts(
  { database, log, metrics }: Kit,
  keepDays: number,
): Module & { readonly refusedAttempts: RefusedAttempts } {
  const refusedAttempts = new RefusedAttempts(database, log)
  const { counts } = refusedAttempts
  metrics.total(
    'voelgoed_refused_attempts_written_total',
    'Refused attempts written to the audit log',
    () => counts.written,
  )
  metrics.total(
    'voelgoed_refused_attempts_counted_total',
    'Refused attempts that were added to the count of their buyer, code and minute',
    () => counts.counted,
  )
  metrics.total(
    'voelgoed_refused_attempts_dropped_total',
    'Refused attempts that are missing from the audit log',
    () => counts.dropped,
  )
  return {
    name: 'refused attempts',
    refusedAttempts,
    flush: () => refusedAttempts.flush(),
    sweeps: [
      sweepOf(database, 'refused_attempts', (tx, limit) => sweepRefusedAttempts(tx, keepDays, limit)),
      sweepOf(database, 'refused_attempt_counts', (tx, limit) => sweepRefusalCounts(tx, keepDays, limit)),
    ],
  }
}

/** Tells those who have to find out what happened: the audit log, the journals, and the holds of a person. */
export function openHistory(kit: Kit, { holds }: { readonly holds: HoldHistory }): Module {
  return { name: 'history', routes: router => serveAudit(router, kit, holds) }
}
