import type { RedisBus } from './lane/redis-bus.ts'
import type { MetricMakers } from './metric-makers.ts'
import type { LimitCounts } from './redis/limit-counts.ts'

export interface RedisBusSources {
  /** Null: nodes tell each other through Postgres. */
  readonly redisBus: Pick<RedisBus, 'isByRedis' | 'told' | 'dropped'> | null
  /** Null: each machine counts limits by itself. */
  readonly limitCounts: Pick<LimitCounts, 'counts'> | null
}

/** The metrics of what nodes tell each other by Redis, and count there together. */
export function createRedisBusMetrics(
  { gauge, total, totals }: MetricMakers,
  { redisBus, limitCounts }: RedisBusSources,
): void {
  if (redisBus) {
    gauge(
      'voelgoed_bus_by_redis',
      'Whether this node hears the other nodes by Redis (1) or by Postgres alone (0)',
      'min',
      () => Number(redisBus.isByRedis),
    )
    totals(
      'voelgoed_bus_told_total',
      'Times that this node told the others how far an event is, by way: redis, postgres',
      'way',
      () => redisBus.told,
    )
    total(
      'voelgoed_bus_dropped_total',
      'Times that this node did not tell the others how far an event is, because too many had moved on',
      () => redisBus.dropped,
    )
  }
  if (!limitCounts) return
  totals(
    'voelgoed_shared_limit_answers_total',
    'Questions to Redis about limits that hold over all nodes, by outcome: allowed, refused, unanswered',
    'outcome',
    () => limitCounts.counts,
  )
}
