import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

/** Counts a read of the seats of an event that this tier has answered. */
export type CountTierRead = (tier: 'hot' | 'redis' | 'postgres', ms: number) => void

/** The metrics of reads by the tier that answers: memory, Redis or Postgres. */
export function createTierMetrics({ counter, histogram }: MetricMakers): {
  readonly countRead: CountTierRead
  /** Redis could not answer a read. */
  missedInRedis(): void
} {
  const reads = counter(
    'voelgoed_tier_reads_total',
    'Reads of the seats of an event by the tier that answered',
    ['tier'],
  )
  const misses = counter(
    'voelgoed_tier_misses_total',
    'Reads of the seats of an event that a tier could not answer: hot, redis',
    ['tier'],
  )
  for (const tier of ['hot', 'redis']) misses.inc({ tier }, 0)
  const seconds = histogram(
    'voelgoed_tier_read_seconds',
    'Time until the seats of an event could be read, by the tier that answered',
    ['tier'],
  )
  return {
    countRead(tier, ms) {
      reads.inc({ tier })
      if (tier !== 'hot') misses.inc({ tier: 'hot' })
      seconds.observe({ tier }, ms / 1000)
    },
    missedInRedis: () => misses.inc({ tier: 'redis' }),
  }
}
