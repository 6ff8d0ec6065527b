import type { FollowerRun } from '@voelgoed/engine/postgres/journal-follower'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { SnapshotRun } from './take-snapshots.ts'

/** The metrics of the two jobs that write what reports read. */
export function createReportMetrics({ counter }: MetricMakers) {
  const counted = counter(
    'voelgoed_funnel_counted_total',
    'Entries of the journal that this node counted into funnels',
    [],
  )
  const notCounted = counter(
    'voelgoed_funnel_failures_total',
    'Events whose journal could not be counted into their funnel',
    [],
  )
  const taken = counter('voelgoed_occupancy_snapshots_total', 'Snapshots of the occupancy of events', [])
  const notTaken = counter(
    'voelgoed_occupancy_snapshot_failures_total',
    'Events of which no snapshot could be taken; it is tried again',
    [],
  )
  return {
    funnels(run: FollowerRun): void {
      counted.inc(run.entries)
      notCounted.inc(run.failed)
    },
    snapshots(run: SnapshotRun): void {
      taken.inc(run.taken)
      notTaken.inc(run.failed)
    },
  }
}
