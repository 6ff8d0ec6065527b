import type { Kit, Module } from '../module.ts'
import { startLayoutCompiler } from './compiler.ts'
import { LayoutDocuments } from './layout-documents.ts'
import { type EventOnLayout, serveLayouts } from './routes/layouts.ts'
import { serveVenues } from './routes/venues.ts'
import { SharedDocuments } from './shared-documents.ts'
import { createSharingMetrics, createVenueMetrics, showLayoutCache } from './venue-metrics.ts'

/**
 * Venues and the versions of their layouts. A thread checks and compiles what organizers save. Documents of
 * layouts are made once, kept in memory, and shared by nodes in Redis.
 */
export function openVenues(
  kit: Kit,
  needs: { readonly eventOnLayout: EventOnLayout },
): Module & { readonly documents: LayoutDocuments } {
  const { database, log, redis } = kit
  const metrics = createVenueMetrics(kit.metrics)
  const compiler = startLayoutCompiler(log)
  const sharing = redis && createSharingMetrics(kit.metrics)
  const documents = new LayoutDocuments({
    database,
    shared: redis && new SharedDocuments({ redis, onFind: sharing!.found, onKeep: sharing!.kept }),
    onReady: metrics.ready,
  })
  showLayoutCache(kit.metrics, documents.counts)
  return {
    name: 'venues',
    documents,
    routes(router) {
      serveVenues(router, kit)
      serveLayouts(router, kit, { ...needs, compiler, documents, metrics })
    },
    async close() {
      await Promise.all([compiler.close(), documents.close()])
    },
  }
}
