import type { FollowerRun } from '@voelgoed/engine/postgres/journal-follower'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

/** Measures how the history of holds is written. Returns how to count a run. */
export function createHistoryMetrics({ gauge, counter }: MetricMakers): (run: FollowerRun) => void {
  const entries = counter(
    'voelgoed_history_entries_total',
    'Entries of the journal that this node read to write the history of holds',
    [],
  )
  const failures = counter(
    'voelgoed_history_failures_total',
    'Events whose history of holds could not be written',
    [],
  )
  let lagMs = 0
  gauge(
    'voelgoed_history_lag_seconds',
    'Age of the oldest entry of the journal that was not in the history of holds, in the last run of this node',
    'max',
    () => lagMs / 1000,
  )
  return run => {
    entries.inc(run.entries)
    failures.inc(run.failed)
    lagMs = run.lagMs
  }
}
