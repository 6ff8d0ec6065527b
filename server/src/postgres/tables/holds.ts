import { normaliseEmail } from '@voelgoed/core/email'
import type { EventId, HoldId, UserId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'

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
export async function holdsOfUser(tx: TenantTx, userId: string): Promise<Map<EventId, HoldId[]>> {
  const rows = await tx.query<{ event_id: EventId; ids: HoldId[] }>(
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
  filter: {
    userId: string | undefined
    seatId: string | undefined
    zoneId: string | undefined
    after: string | undefined
    limit: number
  },
): Promise<EventHoldRow[]> {
  return tx.query(
    `select h.id, h.user_id, h.seat_id, z.zone_id, h.quantity, h.created_at, h.held_until, h.checkout_id, h.cart_token,
       h.source
     from seat_holds h
     join zone_counts z on z.organization_id = h.organization_id and z.event_id = h.event_id
       and z.zone_index = h.zone_index
     where h.organization_id = $1 and h.event_id = $2 and h.status = 'active' and h.held_until > clock_timestamp()
       and ($3::uuid is null or h.id > $3)
       and ($5::uuid is null or h.user_id = $5)
       and ($6::uuid is null or h.seat_id = $6)
       and ($7::uuid is null or z.zone_id = $7)
     order by h.id limit $4`,
    [
      eventId,
      filter.after ?? null,
      filter.limit,
      filter.userId ?? null,
      filter.seatId ?? null,
      filter.zoneId ?? null,
    ],
  )
}

export interface PersonsHoldRow extends EventHoldRow {
  event_id: EventId
  event_name: string
  seat_label: string | null
  status: HoldRecord['status']
  ended_at: Date | null
  end_reason: string | null
  address: string | null
}

export type Person = { readonly userId: string } | { readonly email: string }

/**
 * A person's holds over all events, newest first: those that live and those that have ended, each from an
 * index of its own. `after` is the id of the last hold already seen.
 */
export async function listHoldsOf(
  tx: TenantTx,
  person: Person,
  page: { after: string | undefined; limit: number },
): Promise<PersonsHoldRow[]> {
  const user =
    'userId' in person
      ? '$2::uuid'
      : '(select u.id from users u where u.organization_id = $1 and u.email_key = $2)'
  const some = (status: string) =>
    `(select * from seat_holds where organization_id = $1 and user_id = ${user} and ${status}
       and ($3::uuid is null or id < $3) order by id desc limit $4)`
  return tx.query<PersonsHoldRow & Record<string, unknown>>(
    `select h.id, h.event_id, e.name as event_name, h.user_id, h.seat_id, s.label as seat_label, z.zone_id, h.quantity,
       h.status, h.created_at, h.held_until, h.ended_at, h.end_reason, h.checkout_id, h.cart_token, h.source, h.ip as address
     from (${some(`status = 'active'`)} union all ${some(`status <> 'active'`)}) h
     join events e on e.organization_id = h.organization_id and e.id = h.event_id
     join zone_counts z on z.organization_id = h.organization_id and z.event_id = h.event_id
       and z.zone_index = h.zone_index
     left join seats s on s.organization_id = h.organization_id and s.layout_id = e.layout_id
       and s.version = e.layout_version and s.ordinal = h.ordinal
     order by h.id desc limit $4`,
    ['userId' in person ? person.userId : normaliseEmail(person.email), page.after ?? null, page.limit],
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
