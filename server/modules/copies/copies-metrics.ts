import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import { FAULTS, type MendCopiesDeps, RESULTS, TIERS, type TierName } from './mend-copies.ts'

type CopiesMetrics = Pick<MendCopiesDeps, 'onCompared' | 'onFound' | 'onMended'>

/** The metrics of the copies of events. `lagging`: copies that are behind Postgres and may yet catch up. */
export function createCopiesMetrics(
  { gauge, counter }: MetricMakers,
  lagging: () => Readonly<Record<TierName, number>>,
): CopiesMetrics {
  gauge(
    'voelgoed_copies_behind',
    'Events whose memory on this node, or copy in Redis, lacked what Postgres had at the last look',
    'sum',
    () => lagging().memory + lagging().redis,
  )
  const compared = counter(
    'voelgoed_copies_compared_total',
    'Copies of events that were compared with Postgres by their digest, by tier and result',
    ['tier', 'result'],
  )
  const found = counter(
    'voelgoed_copies_found_total',
    'Copies of events that stayed behind Postgres for 30 s, or differed from it, by tier and fault',
    ['tier', 'fault'],
  )
  const mended = counter(
    'voelgoed_copies_mended_total',
    'Copies of events that were made again for that reason, and are right since, by tier',
    ['tier'],
  )
  for (const tier of TIERS) {
    for (const result of RESULTS) compared.inc({ tier, result }, 0)
    for (const fault of FAULTS) found.inc({ tier, fault }, 0)
    mended.inc({ tier }, 0)
  }
  return {
    onCompared: (tier, result) => compared.inc({ tier, result }),
    onFound: (tier, fault) => found.inc({ tier, fault }),
    onMended: tier => mended.inc({ tier }),
  }
}
