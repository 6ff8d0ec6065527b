import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { HeadSource } from './page-documents.ts'

const SOURCES: readonly HeadSource[] = ['memory', 'postgres', 'not_public', 'late']

/** Pages as search engines and shared links see them. */
export function createShareMetrics({ counter }: MetricMakers) {
  const heads = counter(
    'voelgoed_page_heads_total',
    'Storefronts and events that were opened, by where their title and description came from: memory, postgres, not_public (none), late (Postgres did not answer in time: none, or the last known)',
    ['from'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const from of SOURCES) heads.inc({ from }, 0)
  return { onHead: (from: HeadSource) => heads.inc({ from }) }
}
