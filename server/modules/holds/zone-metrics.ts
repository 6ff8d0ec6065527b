import { ZONE_TYPES, type ZoneType } from '@voelgoed/core/layout/model'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { Gauge, type Registry } from 'prom-client'

type Places = Readonly<Record<'free' | 'held' | 'sold' | 'blocked', number>>

/**
 * Reads at each scrape how full the zones are of what can be bought, by their type. It takes a step for each
 * zone and none for its seats.
 */
export function createZoneMetrics(registry: Registry, views: () => Iterable<CommittedView>): void {
  new Gauge({
    name: 'voelgoed_zone_places',
    help: 'Places of zones of events that are published or live, in memory, by type of zone and state',
    labelNames: ['zone_type', 'state'],
    aggregator: 'sum',
    registers: [registry],
    collect() {
      for (const [zone_type, places] of placesByType(views())) {
        for (const [state, count] of Object.entries(places)) this.set({ zone_type, state }, count)
      }
    },
  })
}

function placesByType(views: Iterable<CommittedView>): ReadonlyMap<ZoneType, Places> {
  const sums = new Map(ZONE_TYPES.map(type => [type, { free: 0, held: 0, sold: 0, blocked: 0 }]))
  for (const { state } of views) {
    const { status } = state.settings
    if (status !== 'published' && status !== 'live') continue
    for (const { settings, held, sold, blocked } of state.zones) {
      if (settings.disabled) continue
      const sum = sums.get(settings.zoneType)!
      sum.held += held
      sum.sold += sold
      sum.blocked += blocked
      sum.free += settings.capacity - held - sold - blocked
    }
  }
  return sums
}
