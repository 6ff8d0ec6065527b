import type { LayoutConfig, SeatConfig, SeatGroupConfig } from './model.ts'
import { defaultLabel } from './seat-number.ts'

/**
 * The same hall for another layout, which gets ids of its own. Groups name their seats by zone and label; a
 * group of seats that are not there is left out.
 */
export function withoutIds(config: LayoutConfig): LayoutConfig {
  const names = new Map<string, { zone: string; label: string }>()
  const zones = config.zones.map(({ zone_id: _, ...zone }) => {
    if (!zone.seats) return zone
    const seats = zone.seats.map(({ seat_id, ...seat }): SeatConfig => {
      if (seat_id !== undefined) {
        names.set(seat_id.toLowerCase(), {
          zone: zone.name,
          label: seat.label ?? defaultLabel(seat.row, seat.number),
        })
      }
      return seat
    })
    return { ...zone, seats }
  })
  const groups = config.seat_groups?.flatMap(({ group_id: _, seat_ids, ...group }): SeatGroupConfig[] => {
    if (!seat_ids) return [group]
    const seats = seat_ids.flatMap(id => names.get(id.toLowerCase()) ?? [])
    return seats.length === seat_ids.length ? [{ ...group, seats }] : []
  })
  return { ...config, zones, ...(groups && { seat_groups: groups }) }
}
