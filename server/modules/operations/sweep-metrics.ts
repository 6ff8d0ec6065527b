import { type MetricMakers, RUNS } from '@voelgoed/kit/metrics/metric-makers'
import type { Sweep } from '../module.ts'
import type { SweepRun } from './sweep.ts'

/** Returns what counts a run. */
export function createSweepMetrics(
  { counter, histogram }: MetricMakers,
  sweeps: readonly Sweep[],
): (run: SweepRun) => void {
  const rows = counter('voelgoed_sweep_deleted_total', 'Rows that the sweep deleted, by kind', ['what'])
  const failures = counter('voelgoed_sweep_failures_total', 'Sweeps that failed, by kind', ['what'])
  const seconds = histogram('voelgoed_sweep_seconds', 'Time that one run of the sweep took', [], RUNS)
  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const { name: what } of sweeps) {
    rows.inc({ what }, 0)
    failures.inc({ what }, 0)
  }
  return ({ deleted, failed, ms }) => {
    for (const [what, count] of Object.entries(deleted)) rows.inc({ what }, count)
    for (const what of failed) failures.inc({ what })
    seconds.observe(ms / 1000)
  }
}
