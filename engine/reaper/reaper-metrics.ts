import { type MetricMakers, RUNS } from '@voelgoed/kit/metrics/metric-makers'
import type { ReaperDeps } from './reaper.ts'

/** Measures the runs of the reaper. `passedOver`: the events that it leaves alone now. */
export function createReaperMetrics(
  { gauge, counter, histogram }: MetricMakers,
  passedOver: () => number,
): Pick<ReaperDeps, 'onRun' | 'onFailedRun'> {
  const lastRun = gauge(
    'voelgoed_reaper_run_timestamp_seconds',
    'When the reaper last completed a run, in seconds since 1970',
    'max',
  )
  const lag = gauge(
    'voelgoed_reaper_lag_seconds',
    'How long before the last run the oldest hold that it found had run out',
    'max',
  )
  const seconds = histogram(
    'voelgoed_reaper_run_seconds',
    'Time that one run of the reaper took, by outcome: ok, failed (it could not ask what is due)',
    ['outcome'],
    RUNS,
  )
  const failures = counter(
    'voelgoed_reaper_failures_total',
    'Times that the reaper could not tidy up an event',
    [],
  )
  gauge(
    'voelgoed_reaper_passed_over_events',
    'Events that the reaper leaves alone for a while because it could not tidy them up',
    'max',
    passedOver,
  )
  const expired = counter('voelgoed_reaper_expired_total', 'Holds that the reaper tidied up', [])

  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const outcome of ['ok', 'failed']) seconds.zero({ outcome })

  return {
    onRun({ lagMs, ms, expired: count, failures: failed }) {
      lastRun.set(Date.now() / 1000)
      lag.set(lagMs / 1000)
      seconds.observe({ outcome: 'ok' }, ms / 1000)
      expired.inc(count)
      failures.inc(failed)
    },
    onFailedRun(ms) {
      seconds.observe({ outcome: 'failed' }, ms / 1000)
    },
  }
}
