import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import type { ZoneOccupancy } from '@voelgoed/core/event/view'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** Any number that no other advisory lock of the database has. */
const LOCK = 7_304_981

/** For as long as the transaction lives, one node takes snapshots. False: another node does. */
export async function lockSnapshots(tx: PlatformTx): Promise<boolean> {
  const row = await tx.one<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [LOCK])
  return row!.taken
}

/**
 * Events on sale without a snapshot of this minute, and events whose status is another than in their last
 * one: also those that are over, for an hour.
 */
export async function eventsWithoutSnapshot(
  tx: PlatformTx,
  limit: number,
  except: readonly EventId[],
): Promise<{ scope: TenantScope; eventId: EventId }[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; id: EventId }>(
    `select e.organization_id, e.id from events e
     join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
     left join lateral (
       select s.at, s.status from occupancy_snapshots s
       where s.organization_id = e.organization_id and s.event_id = e.id order by s.at desc limit 1) as last on true
     where e.id <> all ($2::uuid[]) and (
       (e.status in ('published', 'live')
         and (last.at is null or last.at < date_trunc('minute', now()) or last.status <> e.status))
       or (e.status in ('completed', 'cancelled', 'archived')
         and e.updated_at > now() - interval '1 hour' and last.status <> e.status))
     order by last.at nulls first limit $1`,
    [limit, except],
  )
  return rows.map(row => ({ scope: TenantScope.of(row.organization_id), eventId: row.id }))
}

/** The minute's snapshot is of its beginning; one of a change of status is of the moment. Once each. */
export async function addSnapshot(
  tx: TenantTx,
  eventId: EventId,
  status: EventStatus,
  zones: readonly ZoneOccupancy[],
): Promise<void> {
  const sum = (pick: (zone: ZoneOccupancy) => number) => zones.reduce((total, zone) => total + pick(zone), 0)
  await tx.query(
    `insert into occupancy_snapshots (organization_id, event_id, at, status, available, held, sold, blocked, zones)
     select $1, $2, case when last.status <> $3::event_status then now() else date_trunc('minute', now()) end,
       $3::event_status, $4, $5, $6, $7, $8
     from (select (select s.status from occupancy_snapshots s
       where s.organization_id = $1 and s.event_id = $2 order by s.at desc limit 1) as status) as last
     on conflict do nothing`,
    [
      eventId,
      status,
      sum(zone => zone.available),
      sum(zone => zone.held),
      sum(zone => zone.sold),
      sum(zone => zone.blocked),
      JSON.stringify(zones.map(zone => [zone.zoneId, zone.available, zone.held, zone.sold, zone.blocked])),
    ],
  )
}

export interface OccupancyPoint {
  readonly at: Date
  readonly status: EventStatus
  readonly available: number
  readonly held: number
  readonly sold: number
  readonly blocked: number
  readonly zones: readonly (readonly [string, number, number, number, number])[] | null
}

/** The last snapshot of each step, from one moment up to another. Steps are counted from 1970 on. */
export async function occupancyPoints(
  tx: TenantTx,
  eventId: EventId,
  range: {
    readonly from: Date
    readonly to: Date
    readonly stepSeconds: number
    readonly withZones: boolean
  },
): Promise<OccupancyPoint[]> {
  return tx.query<OccupancyPoint & Record<string, unknown>>(
    `select distinct on (floor(extract(epoch from at) / $5::float8))
       at, status, available, held, sold, blocked, ${range.withZones ? 'zones' : 'null as zones'}
     from occupancy_snapshots
     where organization_id = $1 and event_id = $2 and at >= $3 and at < $4
     order by floor(extract(epoch from at) / $5::float8), at desc`,
    [eventId, range.from, range.to, range.stepSeconds],
  )
}

/** Returns how many rows went. */
export async function sweepSnapshots(tx: PlatformTx, keepDays: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from occupancy_snapshots where (organization_id, event_id, at) in (
       select organization_id, event_id, at from occupancy_snapshots
       where at < now() - make_interval(days => $1) order by at limit $2)
     returning 1`,
    [keepDays, limit],
  )
  return rows.length
}
