import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import { REFUND_RUN_OUTCOMES, type RefundRunOutcome, type RunsInProgress } from './jobs/refund-runs.ts'

/** Shows what this node ends of cancelled events, and what the last look left to refund. */
export function showCancelledEvents(
  { gauge }: MetricMakers,
  events: { readonly ending: number },
  runs: { readonly inProgress: RunsInProgress },
): void {
  gauge(
    'voelgoed_cancelled_events_ending',
    'Cancelled events whose holds this node is ending',
    'sum',
    () => events.ending,
  )
  gauge(
    'voelgoed_refund_runs',
    'Cancelled events whose orders are being refunded, of all organizations, as this machine last saw it',
    'max',
    () => runs.inProgress.running,
  )
  gauge(
    'voelgoed_refund_run_still_seconds',
    'Since a run that goes on has refunded an order: of the run that stands still for longest',
    'max',
    () => runs.inProgress.stillSeconds,
  )
  gauge(
    'voelgoed_refund_run_orders_given_up',
    'Orders of cancelled events that the job could not refund and does not try again before staff resume it, of all organizations, as this machine last saw it',
    'max',
    () => runs.inProgress.givenUp,
  )
}

/** Counts refunds of cancelled events, by the job. */
export function createCancelledEventMetrics({ counter }: MetricMakers) {
  const orders = counter(
    'voelgoed_refund_run_orders_total',
    'Orders of cancelled events that the job of this node took up, by outcome: refunded, known (refunded meanwhile), stopped by staff, failed, busy (tried again)',
    ['outcome'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of REFUND_RUN_OUTCOMES) orders.inc({ outcome }, 0)
  return { order: (outcome: RefundRunOutcome) => orders.inc({ outcome }) }
}
