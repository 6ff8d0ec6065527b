import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx } from '@voelgoed/kit/postgres/database'

export interface DueEvent {
  readonly scope: TenantScope
  readonly eventId: EventId
  /** For how long its first hold has been over. */
  readonly lagMs: number
}

/**
 * Events with holds that have run out, without those in `except`. An event whose lock is taken is being
 * worked on, perhaps by another node's reaper: it is left out for a moment only, or an event that is always
 * busy would never be tidied up.
 */
export async function takeDueEvents(
  tx: PlatformTx,
  limit: number,
  except: readonly EventId[],
): Promise<DueEvent[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; event_id: EventId; lag: number }>(
    `with free as (
       select organization_id, event_id, next_expiry from event_ledgers
       where next_expiry <= clock_timestamp() and event_id <> all ($4::uuid[])
       order by next_expiry limit $1 for update skip locked),
     busy as (
       select organization_id, event_id, next_expiry from event_ledgers
       where next_expiry <= clock_timestamp() - $2 * interval '1 millisecond' and event_id <> all ($4::uuid[])
       order by next_expiry limit $3)
     select organization_id, event_id, (extract(epoch from clock_timestamp() - next_expiry) * 1000)::float8 as lag
     from (select * from free union select * from busy) as due`,
    [limit, LOCKED_FOR_MS, BUSY_AT_ONCE, except],
  )
  return rows.map(row => ({
    scope: TenantScope.of(row.organization_id),
    eventId: row.event_id,
    lagMs: row.lag,
  }))
}

const LOCKED_FOR_MS = 100
/** The reaper waits for their locks: few, so that the other events get their turn. */
const BUSY_AT_ONCE = 4

/**
 * Milliseconds until the next hold of any event but those in `except` runs out, by the database's clock; null
 * when there is none.
 */
export async function nextExpiryIn(tx: PlatformTx, except: readonly EventId[]): Promise<number | null> {
  const row = await tx.one<{ ms: number | null }>(
    `select (extract(epoch from min(next_expiry) - clock_timestamp()) * 1000)::float8 as ms
     from event_ledgers where next_expiry is not null and event_id <> all ($1::uuid[])`,
    [except],
  )
  return row?.ms ?? null
}
