import type { EventState } from '@voelgoed/core/event/state'
import { occupancy, type ZoneOccupancy } from '@voelgoed/core/event/view'

/**
 * Tells every reader in one shape how full an event is. Percentages have one decimal, and are 0 for an empty
 * event. A zone that is disabled is part of it, as closed: what was sold in it stays sold, and the rest
 * counts as blocked.
 */
export function occupancyAnswer(state: EventState) {
  const zones = occupancy(state)
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

export function zoneAnswers(state: EventState) {
  return occupancy(state).map(zoneCounts)
}

export function zoneCounts(zone: ZoneOccupancy) {
  return {
    zone_id: zone.zoneId,
    capacity: zone.capacity,
    available: zone.available,
    held: zone.held,
    sold: zone.sold,
    blocked: zone.blocked,
    closed: zone.closed,
  }
}
