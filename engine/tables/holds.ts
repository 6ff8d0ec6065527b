import { normaliseEmail } from '@voelgoed/core/email'
import type { CheckoutId, EventId, HoldId, UserId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { eventOf, seatOfEvent } from './by-key.ts'

export interface HoldRecord {
  readonly id: string
  readonly event_id: EventId
  readonly user_id: UserId
  readonly status: 'active' | 'converted' | 'expired' | 'cancelled'
}

/** Holds by their ids: those that live, that were sold, and that are in the history of ended holds. */
export async function findHolds(tx: TenantTx, holdIds: readonly string[]): Promise<HoldRecord[]> {
  const claims = (table: string) =>
    `select hold_id as id, event_id, user_id, case status when 'held' then 'active' else 'converted' end as status
     from ${table} where organization_id = $1 and hold_id = any ($2::uuid[])`
  return tx.query(
    `select distinct on (id) id, event_id, user_id, status from (
       ${claims('event_seats')} union all ${claims('place_holds')} union all
       select id, event_id, user_id, status::text from hold_history where organization_id = $1 and id = any ($2::uuid[])
     ) holds order by id`,
    [holdIds],
  )
}

/** Events in which this person has live holds. */
export async function eventsHeldBy(tx: TenantTx, userId: string): Promise<EventId[]> {
  const rows = await tx.query<{ event_id: EventId }>(
    `select event_id from event_seats where organization_id = $1 and user_id = $2 and status = 'held'
     union select event_id from place_holds where organization_id = $1 and user_id = $2 and status = 'held'`,
    [userId],
  )
  return rows.map(row => row.event_id)
}

/** The living holds of a person, by event. */
export async function holdsOfUser(tx: TenantTx, userId: string): Promise<Map<EventId, HoldId[]>> {
  const rows = await tx.query<{ event_id: EventId; ids: HoldId[] }>(
    `select event_id, array_agg(hold_id) as ids from (
       select event_id, hold_id from event_seats where organization_id = $1 and user_id = $2 and status = 'held'
       union all
       select event_id, hold_id from place_holds where organization_id = $1 and user_id = $2 and status = 'held') holds
     group by event_id`,
    [userId],
  )
  return new Map(rows.map(row => [row.event_id, row.ids]))
}

/** A seat has an ordinal, places have a zone. */
export interface LivingHoldRow {
  readonly holdId: HoldId
  readonly ordinal: number | null
  readonly zoneIndex: number | null
  readonly quantity: number
  readonly heldUntil: number
  readonly checkoutId: CheckoutId | null
}

/** Asks what a person holds in an event, as a question that many ask together. */
export function questionOf(eventId: EventId, userId: string): string {
  return `${eventId} ${userId}`
}

/** The holds that live, of each person in each event that is asked for. */
export async function findLivingHolds(
  tx: TenantTx,
  questions: readonly string[],
): Promise<ReadonlyMap<string, readonly LivingHoldRow[]>> {
  const asked = questions.map(question => question.split(' '))
  const some = (table: string, place: string) =>
    `select q.event_id, q.user_id, h.hold_id, ${place}, h.held_until, h.checkout_id
     from unnest($2::uuid[], $3::uuid[]) as q (event_id, user_id)
     join ${table} h on h.organization_id = $1 and h.event_id = q.event_id and h.user_id = q.user_id
       and h.status = 'held' and h.held_until > clock_timestamp()`
  const rows = await tx.prepared<LivingHoldRow & { question: string }>(
    'find_living_holds',
    `select event_id || ' ' || user_id as question, hold_id as "holdId", ordinal, zone_index as "zoneIndex", quantity,
       floor(extract(epoch from held_until) * 1000)::float8 as "heldUntil",
       checkout_id as "checkoutId"
     from (${some('event_seats', 'h.ordinal, null::int as zone_index, 1 as quantity')}
       union all ${some('place_holds', 'null, h.zone_index, h.quantity')}) holds
     order by hold_id`,
    [asked.map(([eventId]) => eventId), asked.map(([, userId]) => userId)],
  )
  const found = new Map<string, LivingHoldRow[]>()
  for (const { question, ...hold } of rows) {
    const holds = found.get(question)
    if (holds) holds.push(hold)
    else found.set(question, [hold])
  }
  return found
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
    source: string | undefined
    after: string | undefined
    limit: number
  },
): Promise<EventHoldRow[]> {
  return tx.query(
    `select id, user_id, seat_id, zone_id, quantity, created_at, held_until, checkout_id, cart_token, source from (
       select h.hold_id as id, h.user_id, s.seat_id, s.zone_id, 1 as quantity, h.created_at, h.held_until, h.checkout_id,
         h.cart_token, h.source
       from events e
       join event_seats h on h.organization_id = $1 and h.event_id = $2 and h.status = 'held'
       cross join ${seatOfEvent('h.ordinal', 'seat_id, zone_id')} s
       where e.organization_id = $1 and e.id = $2
       union all
       select h.hold_id, h.user_id, null, z.zone_id, h.quantity, h.created_at, h.held_until, h.checkout_id, h.cart_token,
         h.source
       from place_holds h
       join zone_counts z on z.organization_id = $1 and z.event_id = $2 and z.zone_index = h.zone_index
       where h.organization_id = $1 and h.event_id = $2 and h.status = 'held') holds
     where held_until > clock_timestamp()
       and ($3::uuid is null or id > $3)
       and ($5::uuid is null or user_id = $5)
       and ($6::uuid is null or seat_id = $6)
       and ($7::uuid is null or zone_id = $7)
       and ($8::text is null or source::text = $8)
     order by id limit $4`,
    [
      eventId,
      filter.after ?? null,
      filter.limit,
      filter.userId ?? null,
      filter.seatId ?? null,
      filter.zoneId ?? null,
      filter.source ?? null,
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
 * index of its own. `after` is the id of the last hold already seen. The history must be caught up.
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
  const some = (columns: string, table: string, id: string, status: string) =>
    `(select ${id} as id, event_id, user_id, created_at, held_until, checkout_id, cart_token, source, ip, ${columns}
      from ${table} where organization_id = $1 and user_id = ${user} and ${status}
       and ($3::uuid is null or ${id} < $3) order by ${id} desc limit $4)`
  const living = `'active' as status, null::timestamptz as ended_at, null::text as end_reason`
  const holds = [
    some(
      `ordinal, null::int as zone_index, 1 as quantity, ${living}`,
      'event_seats',
      'hold_id',
      `status = 'held'`,
    ),
    some(`null, zone_index, quantity, ${living}`, 'place_holds', 'hold_id', `status = 'held'`),
    some(
      'ordinal, zone_index, quantity, status::text, ended_at, end_reason::text',
      'hold_history',
      'id',
      'true',
    ),
  ]
  return tx.query<PersonsHoldRow & Record<string, unknown>>(
    `select h.id, h.event_id, e.name as event_name, h.user_id, s.seat_id, s.label as seat_label,
       coalesce(s.zone_id, z.zone_id) as zone_id, h.quantity,
       h.status, h.created_at, h.held_until, h.ended_at, h.end_reason, h.checkout_id, h.cart_token, h.source, h.ip as address
     from (${holds.join(' union all ')}) h
     cross join ${eventOf('h.event_id', 'name, layout_id, layout_version')} e
     left join zone_counts z on z.organization_id = $1 and z.event_id = h.event_id and z.zone_index = h.zone_index
     left join ${seatOfEvent('h.ordinal', 'seat_id, label, zone_id')} s on true
     order by h.id desc limit $4`,
    ['userId' in person ? person.userId : normaliseEmail(person.email), page.after ?? null, page.limit],
  )
}
