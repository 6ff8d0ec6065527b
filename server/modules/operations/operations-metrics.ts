import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { Heartbeat } from './heartbeat.ts'
import type { DailyVerify } from './verify-daily.ts'

/** Nodes that live, and the findings of the last verify, on whichever node it ran. */
export function createOperationsMetrics(
  { gauge }: MetricMakers,
  heartbeat: Pick<Heartbeat, 'alive'>,
  verifying: Pick<DailyVerify, 'state'>,
): void {
  gauge(
    'voelgoed_nodes',
    'Nodes of the installation that said within 10 s that they live',
    'max',
    () => heartbeat.alive,
  )
  gauge(
    'voelgoed_verify_success_timestamp_seconds',
    'When the database was last checked against the invariants, in seconds since 1970; 0: not known',
    'max',
    () => (verifying.state.succeededAt ?? 0) / 1000,
  )
  gauge(
    'voelgoed_verify_findings',
    'Violations of the invariants that the last verify found',
    'max',
    () => verifying.state.findings,
  )
}
