import type { EventState } from '@voelgoed/core/event/state'
import { occupancy, type ZoneOccupancy } from '@voelgoed/core/event/view'

/** The zones that are part of the event: a disabled one is not. */
export function openZones(state: EventState): ZoneOccupancy[] {
  return occupancy(state).filter((_, index) => !state.zones[index]!.settings.disabled)
}

/** One shape for everyone who asks how full an event is. Percentages to one decimal, 0 for an empty event. */
export function occupancyAnswer(zones: readonly ZoneOccupancy[]) {
  const sum = (pick: (zone: ZoneOccupancy) => number) => zones.reduce((total, zone) => total + pick(zone), 0)
  const total = sum(zone => zone.capacity)
  const available = sum(zone => zone.available)
  const held = sum(zone => zone.held)
  const sold = sum(zone => zone.sold)
  const percent = (count: number) => (total === 0 ? 0 : Math.round((count / total) * 1000) / 10)
  return {
    available,
    held,
    sold,
    blocked: sum(zone => zone.blocked),
    total,
    percent_available: percent(available),
    percent_held: percent(held),
    percent_sold: percent(sold),
    zones: zones.map(zoneCounts),
  }
}

export function zoneCounts(zone: ZoneOccupancy) {
  return {
    zone_id: zone.zoneId,
    capacity: zone.capacity,
    available: zone.available,
    held: zone.held,
    sold: zone.sold,
    blocked: zone.blocked,
  }
}
