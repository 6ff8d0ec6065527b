import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

const SOURCES = ['memory', 'postgres'] as const

/** Price lists of events. */
export function createPriceMetrics({ counter }: MetricMakers) {
  const changes = counter(
    'voelgoed_price_list_changes_total',
    'Price lists of events that staff replaced',
    [],
  )
  const reads = counter(
    'voelgoed_price_list_reads_total',
    'Price lists that were needed for a buyer, by where they came from: memory, postgres',
    ['from'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const from of SOURCES) reads.inc({ from }, 0)

  return {
    replaced: () => changes.inc(),
    read: (from: (typeof SOURCES)[number]) => reads.inc({ from }),
  }
}
