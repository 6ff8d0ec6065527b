import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import { MISSES, type WarmReadsDeps } from './warm-reads.ts'
import type { WarmTier, WarmTierDeps } from './warm-tier.ts'

/** The metrics of an installation with Redis. */
export function createRedisMetrics(
  { gauge, total, totals, counter, histogram }: MetricMakers,
  {
    redis,
    warm,
    onMiss,
  }: {
    readonly redis: RedisConnection
    warm(): Pick<WarmTier, 'counts' | 'behind'>
    /** Redis could not answer a read. */
    onMiss(): void
  },
): Pick<WarmTierDeps, 'onWritten'> & Pick<WarmReadsDeps, 'onRead'> {
  gauge(
    'voelgoed_redis_up',
    'Whether Redis is connected and its breaker closed (1) or this node does without it (0)',
    'min',
    () => Number(redis.state === 'ok'),
  )
  gauge('voelgoed_redis_breaker_open', 'The breaker of Redis: 0 closed, 0.5 half open, 1 open', 'max', () => {
    const { state } = redis.breaker
    return state === 'closed' ? 0 : state === 'half_open' ? 0.5 : 1
  })
  totals(
    'voelgoed_redis_breaker_changes_total',
    'Times that the breaker of Redis changed, by the state it went into: closed, half_open, open',
    'to',
    () => redis.breaker.changes,
  )
  totals(
    'voelgoed_redis_calls_total',
    'Calls of Redis, by outcome: answered, failed, refused (not asked, because the breaker was open)',
    'outcome',
    () => redis.breaker.calls,
  )
  gauge(
    'voelgoed_warm_behind_events',
    'Events in memory whose copy in Redis lacks changes, or is being made again',
    'sum',
    () => warm().behind.events,
  )
  gauge(
    'voelgoed_warm_lag_seconds',
    'Age of the oldest change that this node knows of and Redis lacks',
    'max',
    () => warm().behind.forMs / 1000,
  )
  for (const [name, help, what] of COUNTED) total(name, help, () => warm().counts[what])
  const delay = histogram(
    'voelgoed_warm_delay_seconds',
    'Time from the moment a change was decided until Redis had it',
    [],
  )
  const misses = counter(
    'voelgoed_warm_misses_total',
    'Reads on a node without the event in memory that Redis could not answer, by reason',
    ['reason'],
  )
  for (const reason of MISSES) misses.inc({ reason }, 0)
  const reads = histogram(
    'voelgoed_warm_read_seconds',
    'Time that a read of the copy in Redis took, with the look at the ledger, answered or not',
    [],
  )
  return {
    onWritten: delayMs => delay.observe(delayMs / 1000),
    onRead: ({ ms, miss }) => {
      reads.observe(ms / 1000)
      if (miss === null) return
      misses.inc({ reason: miss })
      onMiss()
    },
  }
}

const COUNTED = [
  ['voelgoed_warm_writes_total', 'Writes to copies of events in Redis', 'written'],
  ['voelgoed_warm_newer_total', 'Writes that were not needed because the copy in Redis was newer', 'newer'],
  ['voelgoed_warm_failures_total', 'Times that work on a copy in Redis failed; it is tried again', 'failed'],
  [
    'voelgoed_warm_drops_total',
    'Times that so much waited for Redis that it was dropped, and the copy made again instead',
    'dropped',
  ],
  ['voelgoed_warm_rebuilds_total', 'Copies of events in Redis that were made again', 'rebuilt'],
  [
    'voelgoed_warm_removals_total',
    'Copies that were removed from Redis because their event was over',
    'removed',
  ],
] as const
