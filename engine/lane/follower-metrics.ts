import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { Fact } from '../facts/fact.ts'
import type { CommittedView } from '../view/committed-view.ts'
import { databaseNow } from '../view/hot-event.ts'
import { FollowerLag } from './follower-lag.ts'
import type { Lanes } from './lanes.ts'

/** Measures how late this node learns what happens. */
export function createFollowerMetrics(
  { histogram, counter, gauge }: MetricMakers,
  lanes: Pick<Lanes, 'inMemory'>,
) {
  const lag = new FollowerLag(
    (scope, eventId) => lanes.inMemory(scope, eventId)?.seq ?? null,
    () => performance.now(),
  )
  gauge(
    'voelgoed_follower_lag_changes',
    'How many announced changes the event furthest behind in memory still lacks',
    'max',
    () => lag.worst().changes,
  )
  gauge(
    'voelgoed_follower_lag_seconds',
    'Time since the oldest change was announced that memory still lacks',
    'max',
    () => lag.worst().ms / 1000,
  )
  const delay = histogram(
    'voelgoed_follower_delay_seconds',
    'Time from the moment a change was decided, on any node, until memory and live feed had it',
    [],
  )
  const restarts = counter(
    'voelgoed_follower_restarts_total',
    'Times that followers started again from a new snapshot, because they had missed too much',
    [],
  )
  return {
    heard(fact: Fact, view: Pick<CommittedView, 'clockOffset'>): void {
      lag.advanced(fact)
      if (fact.kind === 'start_again') restarts.inc()
      else delay.observe(Math.max(0, databaseNow(view) - fact.changes[0]!.at) / 1000)
    },
    /** Any node says that the event is that far. */
    announced(organizationId: string, eventId: string, seq: number): void {
      lag.heard(organizationId, eventId, seq)
    },
  }
}
