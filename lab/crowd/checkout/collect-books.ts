import type { Books } from '../../judge/books/books.ts'
import type { LabPostgres } from '../../nemesis/lab-postgres.ts'
import type { EventOnSale } from '../../nemesis/site.ts'

const ms = (column: string) => `extract(epoch from ${column})::float8 * 1000`

/** One query for each of the books, in the gateway's tables and in ours. */
const QUERIES: Readonly<Record<Exclude<keyof Books, 'zones'>, string>> = {
  intents: `select id, order_key as order, amount::float8 as amount, currency, status, refunded::float8 as refunded
    from simulated_intents`,
  gatewayRefunds: `select key, intent_id as intent, amount::float8 as amount from simulated_refunds`,
  news: `select id, event ->> 'eventId' as message, state from gateway_events`,
  orders: `select id, o.event_id as event, user_id as user, status, currency, total::float8 as total, reference,
      sold_by as "soldBy", c.late_step as "lateStep", c.order_id is not null as "isCheckout", o.hold_ids as holds
    from orders o left join checkouts c on c.organization_id = o.organization_id and c.order_id = o.id`,
  payments: `select id, order_id as order, method, status, amount::float8 as amount, refunded_amount::float8 as refunded,
      intent_id as intent, recorded_by as "recordedBy" from payments`,
  refunds: `select id, order_id as order, amount::float8 as amount, status, key,
      by_choice::float8 as "byChoice", key is not null and by_hand as "byHand" from refunds`,
  lines: `select order_id as order, ticket_id as ticket, amount::float8 as amount, refund_id as refund from order_lines`,
  tickets: `select id, event_id as event, user_id as user, hold_id as hold, checkout_id as order, ordinal,
      zone_index as zone, ${ms('created_at')} as "issuedAt", ${ms('voided_at')} as "voidedAt" from tickets
    where event_id = any ($1)`,
  moves: `select order_id as order, from_ticket_id as from, to_ticket_id as to, ${ms('moved_at')} as at from ticket_moves`,
  holds: `select id, event_id as event, user_id as user, ordinal, zone_index as zone, quantity, status,
      ${ms('held_until')} as "heldUntil", ${ms('ended_at')} as "endedAt"
    from hold_history where status = 'converted' and event_id = any ($1)`,
  entries: `select e.id, ticket_id as ticket, day::text as day, direction, ${ms('at')} as at,
      ${ms('recorded_at')} as "recordedAt", entries_per_day as "perDay", reentry, device_id as device, scan_id as scan,
      c.code as conflict
    from entries e left join entry_conflicts c on c.organization_id = e.organization_id and c.entry_id = e.id
      and c.code <> 'clock_wrong'`,
}

/** Reads what both sides have written down, all of it at one moment. */
export async function collectBooks(postgres: LabPostgres, events: readonly EventOnSale[]): Promise<Books> {
  const client = await postgres.connectSoon()
  try {
    await client.query('begin isolation level repeatable read read only')
    const found: Record<string, unknown> = {}
    for (const [name, text] of Object.entries(QUERIES)) {
      const values = text.includes('$1') ? [events.map(({ eventId }) => eventId)] : []
      found[name] = (await client.query(text, values)).rows
    }
    await client.query('commit')
    const zones = events.flatMap(({ eventId, plan }) =>
      plan.zones.map(({ capacity }, zone) => ({ event: eventId, zone, capacity })),
    )
    return { ...(found as unknown as Books), zones }
  } finally {
    await client.end()
  }
}

/** Nothing of this may be left at the end. */
const WAITING: Readonly<Record<string, string>> = {
  'orders that are open or in payment': `select count(*) from orders where status in ('open', 'paying')`,
  'payments that are not known': `select count(*) from payments where status in ('created', 'unknown')`,
  'refunds that are not done': `select count(*) from refunds where status <> 'done'`,
  'messages that were not taken': `select count(*) from gateway_events where state = 'waiting'`,
  'messages that the gateway has not delivered': `select count(*) from simulated_webhooks where state = 'waiting'`,
  'payments with which the gateway goes on': `select count(*) from simulated_intents where due_at is not null`,
  'holds that have not ended': `select (select count(*) from event_seats where status = 'held' and event_id = any ($1))
    + (select count(*) from place_holds where status = 'held' and event_id = any ($1))`,
  'events whose history is behind': `select count(*) from event_ledgers l
    left join history_cursors c using (organization_id, event_id) where l.seq > coalesce(c.seq, 0)`,
}

/** By what it is; empty: nothing waits. */
export async function countWaiting(
  postgres: LabPostgres,
  events: readonly EventOnSale[],
): Promise<Record<string, number>> {
  const names = Object.keys(WAITING)
  const columns = names.map((name, index) => `(${WAITING[name]})::float8 as "${index}"`)
  const [row] = await postgres.sql<Record<string, number>>(`select ${columns.join(', ')}`, [
    events.map(({ eventId }) => eventId),
  ])
  return Object.fromEntries(names.flatMap((name, index) => (row![index] ? [[name, row![index]!]] : [])))
}
