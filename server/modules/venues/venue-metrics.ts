import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { LayoutDocumentsDeps } from './layout-documents.ts'
import { FINDS, KEEPS, type SharedDocumentsDeps } from './shared-documents.ts'

export type VenueMetrics = ReturnType<typeof createVenueMetrics>

/** Layouts that are saved, and their documents in memory. */
export function createVenueMetrics({ histogram }: MetricMakers) {
  const documents = histogram(
    'voelgoed_layout_document_seconds',
    'Time to get a document of a layout that was not in memory, by where it came from: redis, made',
    ['from'],
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  )
  const ready: LayoutDocumentsDeps['onReady'] = (from, ms) => documents.observe({ from }, ms / 1000)
  return {
    saved: histogram(
      'voelgoed_layout_save_seconds',
      'Time to check and save a layout version, by outcome',
      ['outcome'],
      [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
    ),
    ready,
  }
}

/** The registry reads the counts of the cache at each scrape. */
export function showLayoutCache(
  { total }: MetricMakers,
  counts: { readonly hits: number; readonly misses: number },
): void {
  total('voelgoed_layout_cache_hits_total', 'Layouts answered from memory', () => counts.hits)
  total('voelgoed_layout_cache_misses_total', 'Layouts that had to be made', () => counts.misses)
}

/** Documents of layouts that nodes share in Redis. */
export function createSharingMetrics({ counter }: MetricMakers): {
  readonly found: SharedDocumentsDeps['onFind']
  readonly kept: SharedDocumentsDeps['onKeep']
} {
  const finds = counter(
    'voelgoed_shared_document_finds_total',
    'Looks for a document of a layout in Redis, by outcome: found, absent, unreadable, unavailable',
    ['outcome'],
  )
  const keeps = counter(
    'voelgoed_shared_document_writes_total',
    'Documents of layouts for Redis, by outcome: written, too_large, dropped, failed',
    ['outcome'],
  )
  for (const outcome of FINDS) finds.inc({ outcome }, 0)
  for (const outcome of KEEPS) keeps.inc({ outcome }, 0)
  return { found: outcome => finds.inc({ outcome }), kept: outcome => keeps.inc({ outcome }) }
}
