import type { FollowerRun } from './jobs/journal-follower.ts'
import type { ReaperRun } from './jobs/reaper.ts'
import { SWEPT, type SweepRun } from './jobs/sweep.ts'
import type { MetricMakers } from './metric-makers.ts'

export interface JobSources {
  reaper(): { readonly passedOver: number }
  cancelledEvents(): { readonly ending: number }
  /** What the last verify of the database found, on whichever node it ran. */
  verify(): { readonly succeededAt: number | null; readonly findings: number }
}

const RUNS = [0.001, 0.005, 0.01, 0.05, 0.25, 1, 5, 30, 120]

/** What the node does by itself. */
export function createJobMetrics({ gauge, counter, histogram }: MetricMakers, sources: JobSources) {
  const reaperRun = gauge(
    'voelgoed_reaper_run_timestamp_seconds',
    'When the reaper last completed a run, in seconds since 1970',
    'max',
  )
  const reaperLag = gauge(
    'voelgoed_reaper_lag_seconds',
    'How long before the last run the oldest hold that it found had run out',
    'max',
  )
  const reaperSeconds = histogram(
    'voelgoed_reaper_run_seconds',
    'Time that one run of the reaper took, by outcome: ok, failed (it could not ask what is due)',
    ['outcome'],
    RUNS,
  )
  const reaperFailures = counter(
    'voelgoed_reaper_failures_total',
    'Times that the reaper could not tidy up an event',
    [],
  )
  gauge(
    'voelgoed_reaper_passed_over_events',
    'Events that the reaper leaves alone for a while because it could not tidy them up',
    'max',
    () => sources.reaper().passedOver,
  )
  gauge(
    'voelgoed_cancelled_events_ending',
    'Cancelled events whose holds this node is ending',
    'sum',
    () => sources.cancelledEvents().ending,
  )
  const reaperExpired = counter('voelgoed_reaper_expired_total', 'Holds that the reaper tidied up', [])

  const historyEntries = counter(
    'voelgoed_history_entries_total',
    'Entries of the journal that this node read to write the history of holds',
    [],
  )
  const historyFailures = counter(
    'voelgoed_history_failures_total',
    'Events whose history of holds could not be written',
    [],
  )
  let historyLagMs = 0
  gauge(
    'voelgoed_history_lag_seconds',
    'Age of the oldest entry of the journal that was not in the history of holds, in the last run of this node',
    'max',
    () => historyLagMs / 1000,
  )

  const funnelCounted = counter(
    'voelgoed_funnel_counted_total',
    'Entries of the journal that this node counted into funnels',
    [],
  )
  const funnelFailures = counter(
    'voelgoed_funnel_failures_total',
    'Events whose journal could not be counted into their funnel',
    [],
  )
  gauge(
    'voelgoed_verify_success_timestamp_seconds',
    'When the database was last checked against the invariants, in seconds since 1970; 0: not known',
    'max',
    () => (sources.verify().succeededAt ?? 0) / 1000,
  )
  gauge(
    'voelgoed_verify_findings',
    'Violations of the invariants that the last verify found',
    'max',
    () => sources.verify().findings,
  )
  const sweepDeleted = counter('voelgoed_sweep_deleted_total', 'Rows that the sweep deleted, by kind', [
    'what',
  ])
  const sweepFailures = counter('voelgoed_sweep_failures_total', 'Sweeps that failed, by kind', ['what'])
  const sweepSeconds = histogram('voelgoed_sweep_seconds', 'Time that one run of the sweep took', [], RUNS)

  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const what of SWEPT) {
    sweepDeleted.inc({ what }, 0)
    sweepFailures.inc({ what }, 0)
  }
  for (const outcome of ['ok', 'failed']) reaperSeconds.zero({ outcome })

  return {
    countHistory(run: FollowerRun): void {
      historyEntries.inc(run.entries)
      historyFailures.inc(run.failed)
      historyLagMs = run.lagMs
    },
    countFunnel(run: FollowerRun): void {
      funnelCounted.inc(run.entries)
      funnelFailures.inc(run.failed)
    },
    countSweep(run: SweepRun): void {
      for (const what of SWEPT) sweepDeleted.inc({ what }, run.deleted[what])
      for (const what of run.failed) sweepFailures.inc({ what })
      sweepSeconds.observe(run.ms / 1000)
    },
    countReaperRun(run: ReaperRun): void {
      reaperRun.set(Date.now() / 1000)
      reaperLag.set(run.lagMs / 1000)
      reaperSeconds.observe({ outcome: 'ok' }, run.ms / 1000)
      reaperExpired.inc(run.expired)
      reaperFailures.inc(run.failures)
    },
    countFailedReaperRun(ms: number): void {
      reaperSeconds.observe({ outcome: 'failed' }, ms / 1000)
    },
  }
}
