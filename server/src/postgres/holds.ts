import type { EventId, UserId } from '@voelgoed/core/ids'
import type { TenantTx } from './database.ts'

export interface HoldRecord {
  readonly id: string
  readonly event_id: EventId
  readonly user_id: UserId
  readonly status: 'active' | 'converted' | 'expired' | 'cancelled'
}

export async function findHold(tx: TenantTx, holdId: string): Promise<HoldRecord | null> {
  return (
    (await tx.one<HoldRecord & Record<string, unknown>>(
      'select id, event_id, user_id, status from seat_holds where organization_id = $1 and id = $2',
      [holdId],
    )) ?? null
  )
}

export async function findHolds(tx: TenantTx, holdIds: readonly string[]): Promise<HoldRecord[]> {
  return tx.query(
    'select id, event_id, user_id, status from seat_holds where organization_id = $1 and id = any ($2::uuid[])',
    [holdIds],
  )
}

/** Events in which this person has live holds. */
export async function eventsHeldBy(tx: TenantTx, userId: string): Promise<EventId[]> {
  const rows = await tx.query<{ event_id: EventId }>(
    `select distinct event_id from seat_holds where organization_id = $1 and user_id = $2 and status = 'active'`,
    [userId],
  )
  return rows.map(row => row.event_id)
}

/** The living holds of a person, by event. */
export async function holdsOfUser(tx: TenantTx, userId: string): Promise<Map<EventId, string[]>> {
  const rows = await tx.query<{ event_id: EventId; ids: string[] }>(
    `select event_id, array_agg(id) as ids from seat_holds
     where organization_id = $1 and user_id = $2 and status = 'active' group by event_id`,
    [userId],
  )
  return new Map(rows.map(row => [row.event_id, row.ids]))
}

export interface EventHoldRow {
  id: string
  user_id: string
  seat_id: string | null
  zone_id: string
  quantity: number
  created_at: Date
  held_until: Date
  checkout_id: string | null
  cart_token: string | null
  source: string
}

/** Live holds of an event in the order of their ids, which is that of their making. */
export async function listEventHolds(
  tx: TenantTx,
  eventId: string,
  page: { after?: string; limit: number },
): Promise<EventHoldRow[]> {
  return tx.query(
    `select h.id, h.user_id, h.seat_id, z.zone_id, h.quantity, h.created_at, h.held_until, h.checkout_id, h.cart_token,
       h.source
     from seat_holds h
     join zone_counts z on z.organization_id = h.organization_id and z.event_id = h.event_id
       and z.zone_index = h.zone_index
     where h.organization_id = $1 and h.event_id = $2 and h.status = 'active' and h.held_until > clock_timestamp()
       and ($3::uuid is null or h.id > $3)
     order by h.id limit $4`,
    [eventId, page.after ?? null, page.limit],
  )
}

export async function countActiveHolds(tx: TenantTx, eventId: string): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from seat_holds
     where organization_id = $1 and event_id = $2 and status = 'active'`,
    [eventId],
  )
  return row!.count
}
