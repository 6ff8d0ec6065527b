import type { Kit, Module } from '../module.ts'
import type { LayoutDocuments } from '../venues/layout-documents.ts'
import { PriceLists } from './price-lists.ts'
import { createPriceMetrics } from './price-metrics.ts'
import { type EventAdministrationNeeds, serveEventAdministration } from './routes/event-administration.ts'
import { serveEventLayouts } from './routes/event-layouts.ts'
import { type EventSetupNeeds, serveEventSetup } from './routes/event-setup.ts'
import { serveEvents } from './routes/events.ts'
import { servePolicy } from './routes/policy.ts'
import { type PriceNeeds, servePrices } from './routes/prices.ts'

export { refusalOfPicture } from './change-an-event.ts'
export { eventSource } from './event-source.ts'
export { openEventOnLayout } from './tables/events.ts'

interface Needs extends EventAdministrationNeeds, EventSetupNeeds, Omit<PriceNeeds, 'priceLists'> {
  readonly documents: LayoutDocuments
}

/**
 * Organizers write an event on a layout of a venue, give it prices and a policy, and put it on sale. From
 * then on its changes go through its lane. Buyers read it, and see its hall as its overlay makes it.
 */
export function openEvents(kit: Kit, needs: Needs): Module & { readonly priceLists: PriceLists } {
  const metrics = createPriceMetrics(kit.metrics)
  const priceLists = new PriceLists(kit.database, metrics.read)
  return {
    name: 'events',
    priceLists,
    routes(router) {
      servePolicy(router, kit)
      serveEvents(router, kit)
      serveEventAdministration(router, kit, needs)
      serveEventSetup(router, kit, needs)
      serveEventLayouts(router, kit, needs.documents)
      servePrices(router, kit, { ...needs, priceLists, onReplaced: metrics.replaced })
    },
  }
}
