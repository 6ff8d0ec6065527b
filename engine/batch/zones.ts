import type { EventId } from '@voelgoed/core/ids'
import { ints } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** By how much a zone's counters move. */
export interface ZoneCounts {
  readonly zoneIndex: number
  held: number
  sold: number
  blocked: number
}

export interface ZoneCapacity {
  readonly zoneIndex: number
  readonly capacity: number
}

export function writeCapacities(tx: TenantTx, eventId: EventId, rows: readonly ZoneCapacity[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_capacities',
    `with changed as (
       update zone_counts z set capacity = c.capacity from unnest($3::int[], $4::int[]) as c (zone_index, capacity)
       where z.organization_id = $1 and z.event_id = $2 and z.zone_index = c.zone_index returning 1)
     select 1 / (count(*) = $5::int)::int from changed`,
    [eventId, ints(rows, zone => zone.zoneIndex), ints(rows, zone => zone.capacity), rows.length],
  )
}

export function writeZoneCounts(tx: TenantTx, eventId: EventId, rows: readonly ZoneCounts[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_zones',
    `with changed as (
       update zone_counts z set held = z.held + c.held, sold = z.sold + c.sold, blocked = z.blocked + c.blocked
       from unnest($3::int[], $4::int[], $5::int[], $6::int[]) as c (zone_index, held, sold, blocked)
       where z.organization_id = $1 and z.event_id = $2 and z.zone_index = c.zone_index returning 1)
     select 1 / (count(*) = $7::int)::int from changed`,
    [
      eventId,
      ints(rows, zone => zone.zoneIndex),
      ints(rows, zone => zone.held),
      ints(rows, zone => zone.sold),
      ints(rows, zone => zone.blocked),
      rows.length,
    ],
  )
}

/** Once only: a zone whose companion seats are released already is a mistake of ours. */
export function writeReleased(tx: TenantTx, eventId: EventId, zones: readonly number[]): void {
  if (zones.length === 0) return
  tx.send(
    'batch_released',
    `with changed as (
       update zone_counts set companions_released = true
       where organization_id = $1 and event_id = $2 and zone_index = any ($3::int[]) and not companions_released
       returning 1)
     select 1 / (count(*) = $4::int)::int from changed`,
    [eventId, ints(zones, zone => zone), zones.length],
  )
}
