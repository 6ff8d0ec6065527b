import { FINDS, KEEPS, type SharedDocumentsDeps } from './layouts/shared-documents.ts'
import type { MetricMakers } from './metric-makers.ts'

/** Documents of layouts that nodes share in Redis. */
export function createDocumentMetrics({ counter }: MetricMakers): {
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
