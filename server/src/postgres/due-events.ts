import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '../tenant.ts'
import type { PlatformTx } from './database.ts'

export interface DueEvent {
  readonly scope: TenantScope
  readonly eventId: EventId
  /** For how long its first hold has been over. */
  readonly lagMs: number
}

/**
 * Events with holds that have run out. Those whose lock is taken are being worked on, perhaps by another node's reaper:
 * they are passed over, but not for ever, or an event that is always busy would never be tidied up.
 */
export async function takeDueEvents(tx: PlatformTx, limit: number): Promise<DueEvent[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; event_id: EventId; lag: number }>(
    `with free as (
       select organization_id, event_id, next_expiry from event_ledgers where next_expiry <= clock_timestamp()
       order by next_expiry limit $1 for update skip locked),
     busy as (
       select organization_id, event_id, next_expiry from event_ledgers
       where next_expiry <= clock_timestamp() - $2 * interval '1 millisecond'
       order by next_expiry limit $3)
     select organization_id, event_id, (extract(epoch from clock_timestamp() - next_expiry) * 1000)::float8 as lag
     from (select * from free union select * from busy) as due`,
    [limit, PASSED_OVER_MS, BUSY_AT_ONCE],
  )
  return rows.map(row => ({
    scope: TenantScope.of(row.organization_id),
    eventId: row.event_id,
    lagMs: row.lag,
  }))
}

const PASSED_OVER_MS = 100
/** They keep whoever tidies up waiting: few, so that the others get their turn. */
const BUSY_AT_ONCE = 4

/** Milliseconds until the next hold of any event runs out, by the database's clock; null when there is none. */
export async function nextExpiryIn(tx: PlatformTx): Promise<number | null> {
  const row = await tx.one<{ ms: number | null }>(
    `select (extract(epoch from min(next_expiry) - clock_timestamp()) * 1000)::float8 as ms
     from event_ledgers where next_expiry is not null`,
  )
  return row?.ms ?? null
}
