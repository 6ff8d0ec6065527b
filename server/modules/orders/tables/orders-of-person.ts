import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { PersonToFind } from '../../people/tables/personal-data.ts'

/**
 * The orders `o` that have something of a person: what they bought, also as the guest whom they were before,
 * and what went to their address. What a cashier sold is their customers', not theirs.
 */
const OF_PERSON = `o.organization_id = $1 and (
    o.user_id = $2 and o.sold_by is distinct from $2 or o.account_id = $2 or o.contact_email_key = $3)`

const parametersOf = ({ userId, provenEmail }: PersonToFind) => [userId, provenEmail]

/** Their ids, the newest first. */
export async function listOrderIdsOf(tx: TenantTx, person: PersonToFind, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select o.id from orders o where ${OF_PERSON} order by o.id desc limit $4`,
    [...parametersOf(person), limit],
  )
  return rows.map(({ id }) => id)
}

/** Orders that are being paid for. */
export async function listOpenOrdersOf(tx: TenantTx, person: PersonToFind): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select o.id from orders o where ${OF_PERSON} and o.status in ('open', 'paying') order by o.id limit 20`,
    parametersOf(person),
  )
  return rows.map(({ id }) => id)
}

/** A day after it has begun an event is over; one without a date is not until staff complete it. */
const IS_TO_COME = `e.status in ('draft', 'published', 'live') and coalesce(greatest(e.starts_at, (
    select max((d ->> 'date')::date)::timestamptz from jsonb_array_elements(e.days) as d)), 'infinity')
  > now() - interval '1 day'`

/** Counts the valid tickets for events that are not over. */
export async function countTicketsToCome(tx: TenantTx, person: PersonToFind): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from orders o
     join order_lines l on l.organization_id = $1 and l.order_id = o.id and l.refund_id is null
     join tickets t on t.organization_id = $1 and t.id = l.ticket_id and t.voided_at is null
     join events e on e.organization_id = $1 and e.id = o.event_id and ${IS_TO_COME}
     where ${OF_PERSON}`,
    parametersOf(person),
  )
  return row!.count
}

/** The orders stay for the books, without a name, an address and attendees. Returns their ids. */
export async function eraseContactsOf(tx: TenantTx, person: PersonToFind): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update orders o set contact_name = null, contact_email = null, contact_email_key = null
     where ${OF_PERSON} returning o.id`,
    parametersOf(person),
  )
  const ids = rows.map(({ id }) => id)
  await tx.query(
    `update order_lines set attendee = null
     where organization_id = $1 and order_id = any ($2::uuid[]) and attendee is not null`,
    [ids],
  )
  return ids
}

/** The tickets of these orders, those that were moved too. */
export async function ticketsOfOrders(tx: TenantTx, orderIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select l.ticket_id as id from order_lines l where l.organization_id = $1 and l.order_id = any ($2::uuid[])
     union select m.from_ticket_id from ticket_moves m
     where m.organization_id = $1 and m.order_id = any ($2::uuid[])`,
    [orderIds],
  )
  return rows.map(({ id }) => id)
}
