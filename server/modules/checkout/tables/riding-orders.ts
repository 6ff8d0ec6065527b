import type { PaymentId } from '@voelgoed/core/ids'
import type { OrderStatus, PaymentStatus } from '@voelgoed/core/orders/order'
import type { BatchTable } from '@voelgoed/engine/ports/batch-table'
import { type AuditEntry, subjectsOf } from '@voelgoed/kit/audit/audit-log'
import { bigints, ints, texts, timestamps, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { type NewMail, sendMails } from '../../mail/tables/mails.ts'
import type { LineRow } from '../../orders/tables/orders.ts'

/** Orders of checkouts: their rows commit with the commands on their places. */
export const RIDING_ORDERS: BatchTable<RidingOrder, OrderRow> = {
  lock: lockRidingOrders,
  isSame: isSameOrder,
  write: writeOrders,
}

/** These may have changed since the checkout was read. */
export interface RidingOrder {
  readonly id: string
  readonly status: OrderStatus
  readonly contactEmail: string | null
  /** Null: the buyer has not tried to pay. */
  readonly payment: { readonly id: PaymentId; readonly status: PaymentStatus } | null
}

function isSameOrder(one: RidingOrder, other: RidingOrder): boolean {
  return (
    one.status === other.status &&
    one.contactEmail === other.contactEmail &&
    one.payment?.id === other.payment?.id &&
    one.payment?.status === other.payment?.status
  )
}

/**
 * Locks these orders, their checkouts and their payments, and reads them. Those that another transaction has
 * locked are left out: a batch of many buyers does not wait for one of them.
 *
 * Each is found by its key, as in by-key.ts. In one round trip. The first statement locks the orders, so the
 * others see what that lock protects: the status of a payment, and whether there is one. Locks on checkouts
 * and payments keep out the jobs that note when they look at them again.
 */
async function lockRidingOrders(
  tx: TenantTx,
  orderIds: readonly string[],
): Promise<Map<string, RidingOrder>> {
  const [orders, checkouts, payments] = await Promise.all([
    tx.prepared<{ id: string; status: OrderStatus; contact_email: string | null }>(
      'ride_orders',
      `select o.* from unnest($2::uuid[]) as wanted (id) cross join lateral (
         select id, status, contact_email from orders where organization_id = $1 and id = wanted.id
         limit 1 for no key update skip locked) o`,
      [orderIds],
    ),
    tx.prepared<{ order_id: string; has_payment: boolean }>(
      'ride_checkouts',
      `select c.order_id, coalesce((select true from payments p
           where p.organization_id = $1 and p.order_id = c.order_id limit 1), false) as has_payment
       from unnest($2::uuid[]) as wanted (id) cross join lateral (
         select order_id from checkouts where organization_id = $1 and order_id = wanted.id
         limit 1 for no key update skip locked) c`,
      [orderIds],
    ),
    tx.prepared<{ order_id: string; id: PaymentId; status: PaymentStatus }>(
      'ride_payments',
      `select p.* from unnest($2::uuid[]) as wanted (id) cross join lateral (
         select order_id, id, status from payments where organization_id = $1 and order_id = wanted.id
         limit 1 for no key update skip locked) p`,
      [orderIds],
    ),
  ])
  const paymentOf = new Map(payments.map(({ order_id, id, status }) => [order_id, { id, status }]))
  const isPaymentLocked = new Map(
    checkouts.map(({ order_id, has_payment }) => [order_id, has_payment === paymentOf.has(order_id)]),
  )
  return new Map(
    orders.flatMap(({ id, status, contact_email: contactEmail }) =>
      isPaymentLocked.get(id)
        ? [[id, { id, status, contactEmail, payment: paymentOf.get(id) ?? null }] as const]
        : [],
    ),
  )
}

/** It commits with a command on the places of an order. */
export type OrderRow = BegunPayment | SoldOrder

/** The first payment of an order that was open. */
interface BegunPayment {
  readonly kind: 'begun'
  readonly orderId: string
  readonly paymentId: PaymentId
  readonly amount: number
  readonly gateway: string
  /** Its holds end then. */
  readonly expiresAt: number
  /** The gateway is asked after so long what became of it. */
  readonly lookInMs: number
}

/** The money is there, and the places became tickets. */
interface SoldOrder {
  readonly kind: 'sold'
  readonly orderId: string
  /** Null: what is known of it stays. */
  readonly intentId: string | null
  readonly lines: readonly Pick<LineRow, 'ticket_id' | 'amount' | 'ticket_type' | 'category' | 'attendee'>[]
  readonly audit: AuditEntry
  readonly mail: NewMail | null
}

/** After the tickets, which the lines name. */
function writeOrders(tx: TenantTx, rows: readonly OrderRow[]): void {
  writeBegun(
    tx,
    rows.filter(row => row.kind === 'begun'),
  )
  writeSold(
    tx,
    rows.filter(row => row.kind === 'sold'),
  )
}

function writeBegun(tx: TenantTx, rows: readonly BegunPayment[]): void {
  if (rows.length === 0) return
  const orderIds = uuids(rows, row => row.orderId)
  tx.send(
    'batch_payments',
    `insert into payments (organization_id, order_id, id, method, status, amount, gateway, account, sent_at, look_at)
     select $1, b.order_id, b.id, 'gateway', 'created', b.amount, b.gateway,
       case when b.gateway = 'stripe' then (select stripe_account from organizations where id = $1) end,
       clock_timestamp(), clock_timestamp() + b.look_in * interval '1 millisecond'
     from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::int[])
       as b (order_id, id, amount, gateway, look_in)`,
    [
      orderIds,
      uuids(rows, row => row.paymentId),
      bigints(rows, row => row.amount),
      texts(rows, row => row.gateway),
      ints(rows, row => row.lookInMs),
    ],
  )
  // `any` beside the join: the rows are found by their key, whatever the planner expects of a new table.
  tx.send(
    'batch_begun_checkouts',
    `with noted as (
       update checkouts c set expires_at = b.expires_at, due_at = null
       from unnest($2::uuid[], $3::timestamptz[]) as b (order_id, expires_at)
       where c.organization_id = $1 and c.order_id = any ($2::uuid[]) and c.order_id = b.order_id returning 1)
     select 1 / (count(*) = $4::int)::int from noted`,
    [orderIds, timestamps(rows, row => row.expiresAt), rows.length],
  )
  moveOrders(tx, orderIds, 'paying', rows.length)
}

function writeSold(tx: TenantTx, rows: readonly SoldOrder[]): void {
  if (rows.length === 0) return
  const orderIds = uuids(rows, row => row.orderId)
  tx.send(
    'batch_captured_payments',
    `with captured as (
       update payments p set status = 'captured', waits_for_buyer = false, decline_code = null, look_at = null,
         intent_id = coalesce(s.intent_id, p.intent_id)
       from unnest($2::uuid[], $3::text[]) as s (order_id, intent_id)
       where p.organization_id = $1 and p.order_id = any ($2::uuid[]) and p.order_id = s.order_id returning 1)
     select 1 / (count(*) = $4::int)::int from captured`,
    [orderIds, texts(rows, row => row.intentId), rows.length],
  )
  const lines = rows.flatMap(({ orderId, lines }) =>
    lines.map((line, position) => ({ ...line, orderId, position })),
  )
  tx.send(
    'batch_order_lines',
    `insert into order_lines (organization_id, order_id, position, ticket_id, amount, ticket_type, attendee,
       category)
     select $1, l.order_id, l.position, l.ticket_id, l.amount, l.ticket_type, l.attendee, l.category
     from unnest($2::uuid[], $3::int[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[])
       as l (order_id, position, ticket_id, amount, ticket_type, attendee, category)`,
    [
      uuids(lines, line => line.orderId),
      ints(lines, line => line.position),
      uuids(lines, line => line.ticket_id),
      bigints(lines, line => line.amount!),
      texts(lines, line => line.ticket_type),
      texts(lines, line => line.attendee),
      texts(lines, line => line.category),
    ],
  )
  tx.send(
    'batch_sold_checkouts',
    `with noted as (
       update checkouts set due_at = null where organization_id = $1 and order_id = any ($2::uuid[]) returning 1)
     select 1 / (count(*) = $3::int)::int from noted`,
    [orderIds, rows.length],
  )
  moveOrders(tx, orderIds, 'paid', rows.length)
  tx.send(
    'batch_order_audit',
    `insert into audit_log (organization_id, action, actor, entity_type, entity_id, changes, event_id, subjects)
     select $1, a.action, 'system', 'order', a.order_id, a.changes::jsonb, a.event_id,
       (select array_agg(subject::uuid) from jsonb_array_elements_text(a.subjects::jsonb) as s (subject))
     from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[])
       as a (order_id, action, changes, event_id, subjects)`,
    [
      orderIds,
      texts(rows, ({ audit }) => audit.action),
      texts(rows, ({ audit }) => JSON.stringify(audit.changes ?? {})),
      uuids(rows, ({ audit }) => audit.eventId ?? null),
      texts(rows, ({ audit }) => JSON.stringify(subjectsOf(audit) ?? [])),
    ],
  )
  sendMails(
    tx,
    rows.flatMap(({ mail }) => mail ?? []),
  )
}

function moveOrders(tx: TenantTx, orderIds: Buffer, to: 'paying' | 'paid', count: number): void {
  tx.send(
    'batch_orders',
    `with moved as (
       update orders set status = $3::order_status where organization_id = $1 and id = any ($2::uuid[]) returning 1)
     select 1 / (count(*) = $4::int)::int from moved`,
    [orderIds, to, count],
  )
}
