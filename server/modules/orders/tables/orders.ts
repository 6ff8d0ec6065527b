import type { EventId, PaymentId, RefundId, TicketId, UserId } from '@voelgoed/core/ids'
import { canonicalNumber } from '@voelgoed/core/layout/seat-number'
import type {
  OrderStatus,
  PaymentMethod,
  PaymentStatus,
  RefundCause,
  RefundStatus,
  SalesChannel,
} from '@voelgoed/core/orders/order'
import { eventOf, seatOfEvent } from '@voelgoed/engine/tables/by-key'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import {
  type DisputeRow,
  type GatewayRefundRow,
  listDisputes,
  listGatewayRefunds,
} from '../../payments/tables/gateway-events.ts'
import { entriesOfLine } from './moved-tickets.ts'

export interface OrderRow {
  readonly id: string
  readonly event_id: EventId
  readonly event_name: string
  readonly number: string
  readonly user_id: UserId
  /** The account that goes on with what this guest bought; null: there is none. */
  readonly account_id: UserId | null
  readonly status: OrderStatus
  readonly currency: string | null
  readonly total: number | null
  readonly reference: string | null
  readonly contact_name: string | null
  readonly contact_email: string | null
  readonly contact_phone: string | null
  readonly sold_by: UserId | null
  readonly channel: SalesChannel
  readonly created_at: Date
}

export interface NewOrder {
  readonly id: string
  readonly eventId: EventId
  readonly number: string
  readonly userId: UserId
  readonly status: OrderStatus
  readonly currency: string | null
  readonly total: number | null
  /** Parts of the total; null: not known. */
  readonly fees: number | null
  readonly tax: number | null
  readonly reference: string | null
  /** The seller asked for these. Holds that ran out were sold under other ids. */
  readonly holdIds: readonly string[]
  readonly contact: {
    readonly name: string | null
    readonly email: string | null
    readonly emailKey: string | null
    readonly phone: string | null
  }
  readonly secretHash: Buffer
  readonly soldBy: UserId | null
  readonly channel: SalesChannel
}

interface PaymentRow {
  readonly id: PaymentId
  readonly method: PaymentMethod
  readonly status: PaymentStatus
  readonly amount: number | null
  readonly refunded_amount: number
  readonly waits_for_buyer: boolean
}

export interface RefundRow {
  readonly id: RefundId
  readonly amount: number | null
  readonly status: RefundStatus
  /** Attempts that failed at the gateway. */
  readonly failures: number
  readonly cause: RefundCause
  /** By which the gateway knows it; null: staff give the money back. */
  readonly key: string | null
  /**
   * The gateway is asked for so much, or gave it if it is done; null: the amount. The rest went back on its
   * own pages.
   */
  readonly asked: number | null
  /** So much more than its tickets cost, or less: staff chose the amount. */
  readonly by_choice: number
  /** The gateway said this of it last. */
  readonly told: string | null
  /** When the gateway is asked next; null: no more. */
  readonly look_at: Date | null
  /** Staff gave it back, although the gateway was asked first. */
  readonly by_hand: boolean
  readonly reason: string
  readonly created_at: Date
}

/** A line is a place that was sold, and where it is. */
export interface LineRow {
  readonly ticket_id: TicketId
  readonly amount: number | null
  readonly ticket_type: string | null
  /** The price category; null: it was sold without a price list. */
  readonly category: string | null
  readonly attendee: string | null
  /** The version of the ticket: an older one that was printed opens no gate. */
  readonly version: number
  /** A gate has admitted it so often. */
  readonly entries: number
  readonly refund_id: RefundId | null
  readonly ordinal: number | null
  readonly zone_index: number
  readonly seat_id: string | null
  readonly row: string | null
  readonly seat_number: number | string | null
  readonly zone_id: string
  readonly zone_name: string
}

export interface WholeOrder {
  readonly order: OrderRow
  readonly lines: readonly LineRow[]
  readonly payments: readonly PaymentRow[]
  readonly refunds: readonly RefundRow[]
  /** The buyer's bank takes the payment back with these. */
  readonly disputes: readonly DisputeRow[]
  /** Money that went back on the gateway's own pages. */
  readonly gatewayRefunds: readonly GatewayRefundRow[]
}

export const ORDER_COLUMNS = `o.id, o.event_id, e.name as event_name, o.number, o.user_id, o.account_id, o.status, o.currency,
  o.total::float8 as total, o.reference, o.contact_name, o.contact_email, o.contact_phone, o.sold_by,
  o.channel, o.created_at`
export const FROM_ORDERS = `from orders o cross join ${eventOf('o.event_id', 'name')} e`

/** Returns when it was made. A reference that is taken is a violation of `orders_reference`. */
export async function insertOrder(tx: TenantTx, order: NewOrder): Promise<Date> {
  const row = await tx.one<{ created_at: Date }>(
    `insert into orders (organization_id, id, event_id, number, user_id, status, currency, total, reference, hold_ids,
       contact_name, contact_email, contact_email_key, secret_hash, sold_by, channel, fees, tax, contact_phone)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) returning created_at`,
    [
      order.id,
      order.eventId,
      order.number,
      order.userId,
      order.status,
      order.currency,
      order.total,
      order.reference,
      order.holdIds,
      order.contact.name,
      order.contact.email,
      order.contact.emailKey,
      order.secretHash,
      order.soldBy,
      order.channel,
      order.fees,
      order.tax,
      order.contact.phone,
    ],
  )
  return row!.created_at
}

/** One for each ticket, in the order of the list. */
export async function insertLines(
  tx: TenantTx,
  orderId: string,
  lines: readonly Pick<LineRow, 'ticket_id' | 'amount' | 'ticket_type' | 'category' | 'attendee'>[],
): Promise<void> {
  await tx.prepared(
    'insert_order_lines',
    `insert into order_lines (organization_id, order_id, ticket_id, amount, ticket_type, attendee, category, position)
     select $1, $2, l.ticket_id, l.amount, l.ticket_type, l.attendee, l.category, l.number - 1
     from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[])
       with ordinality as l (ticket_id, amount, ticket_type, attendee, category, number)`,
    [
      orderId,
      lines.map(line => line.ticket_id),
      lines.map(line => line.amount),
      lines.map(line => line.ticket_type),
      lines.map(line => line.attendee),
      lines.map(line => line.category),
    ],
  )
}

export async function insertPayment(
  tx: TenantTx,
  orderId: string,
  payment: {
    id: PaymentId
    method: PaymentMethod
    status: PaymentStatus
    amount: number | null
    recordedBy: UserId | null
  },
): Promise<void> {
  await tx.query(
    `insert into payments (organization_id, order_id, id, method, status, amount, recorded_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [orderId, payment.id, payment.method, payment.status, payment.amount, payment.recordedBy],
  )
}

/** The order of a reference, and the holds that it was made of. */
export async function findReference(
  tx: TenantTx,
  reference: string,
): Promise<{ id: string; eventId: EventId; holdIds: readonly string[] } | null> {
  const row = await tx.one<{ id: string; event_id: EventId; hold_ids: string[] }>(
    'select id, event_id, hold_ids from orders where organization_id = $1 and reference = $2',
    [reference],
  )
  return row ? { id: row.id, eventId: row.event_id, holdIds: row.hold_ids } : null
}

/** With `lock` no other transaction changes it until this one ends. */
export async function readOrder(
  tx: TenantTx,
  id: string,
  options: { lock?: boolean } = {},
): Promise<WholeOrder | null> {
  // In one round trip. The first waits for the lock, so the others see what it protects.
  const [[order], lines, payments, refunds, disputes, gatewayRefunds] = await Promise.all([
    tx.prepared<OrderRow & Record<string, unknown>>(
      options.lock ? 'lock_order' : 'read_order',
      `select ${ORDER_COLUMNS} ${FROM_ORDERS} where o.organization_id = $1 and o.id = $2
       ${options.lock ? 'for update of o' : ''}`,
      [id],
    ),
    readLines(tx, id),
    // An order has one payment.
    tx.prepared<PaymentRow & Record<string, unknown>>(
      'payments_of_order',
      `select id, method, status, amount::float8 as amount, refunded_amount::float8 as refunded_amount,
         waits_for_buyer from payments where organization_id = $1 and order_id = $2`,
      [id],
    ),
    tx.prepared<RefundRow & Record<string, unknown>>(
      'refunds_of_order',
      `select id, amount::float8 as amount, status, failures, cause, key, asked::float8 as asked, told, look_at, by_hand,
         by_choice::float8 as by_choice, reason, created_at from refunds
       where organization_id = $1 and order_id = $2`,
      [id],
    ),
    listDisputes(tx, id),
    listGatewayRefunds(tx, id),
  ])
  if (!order) return null
  // Sorted by Postgres, they are found by the order of ids of the whole organization in a young table.
  refunds.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { order, lines, payments, refunds, disputes, gatewayRefunds }
}

async function readLines(tx: TenantTx, orderId: string): Promise<LineRow[]> {
  const rows = await tx.prepared<LineRow & Record<string, unknown>>(
    'lines_of_order',
    `select l.ticket_id, l.amount::float8 as amount, l.ticket_type, l.category, l.attendee, l.refund_id, t.version, t.ordinal,
       t.zone_index, t.seat_id, s.row_label as row, s.number as seat_number, z.zone_id,
       coalesce(e.overlay -> 'zone_overrides' -> z.zone_id::text ->> 'name', n.name) as zone_name,
       (select count(*)::int from ${entriesOfLine('t.id')} i where i.direction = 'in') as entries
     from order_lines l
     cross join lateral (select id, event_id, version, ordinal, zone_index, seat_id from tickets
       where organization_id = $1 and id = l.ticket_id limit 1) t
     cross join ${eventOf('t.event_id', 'layout_id, layout_version, overlay')} e
     cross join lateral (select zone_id from zone_counts
       where organization_id = $1 and event_id = t.event_id and zone_index = t.zone_index limit 1) z
     cross join lateral (select name from zones where organization_id = $1 and layout_id = e.layout_id
       and version = e.layout_version and zone_id = z.zone_id limit 1) n
     left join ${seatOfEvent('t.ordinal', 'row_label, number')} s on true
     where l.organization_id = $1 and l.order_id = $2 order by l.position`,
    [orderId],
  )
  return rows.map(row => ({
    ...row,
    seat_number: row.seat_number === null ? null : canonicalNumber(row.seat_number),
  }))
}

/** An order of the event that has one of these holds; null: none has. */
export async function orderOfHolds(
  tx: TenantTx,
  eventId: string,
  holdIds: readonly string[],
): Promise<string | null> {
  const row = await tx.one<{ id: string }>(
    `select id from orders where organization_id = $1 and event_id = $2 and hold_ids && $3::uuid[]
       and status not in ('open', 'paying', 'expired', 'cancelled') order by id limit 1`,
    [eventId, holdIds],
  )
  return row?.id ?? null
}

/** Tells if the secret of the link is that of the order, or of a mail about it. */
export async function hasSecret(tx: TenantTx, id: string, secretHash: Buffer): Promise<boolean> {
  const row = await tx.one(
    `select 1 from orders where organization_id = $1 and id = $2 and secret_hash = $3
     union all
     select 1 from order_links where organization_id = $1 and order_id = $2 and secret_hash = $3`,
    [id, secretHash],
  )
  return row !== undefined
}

/**
 * An order `o` that was sold without an account to the address of `me`, who has proven that it is theirs. Its
 * mail has gone there with a link that opens it.
 */
const WENT_TO_MY_ADDRESS = `o.contact_email_key = me.email_key and (o.sold_by is not null or exists (
    select from users b where b.organization_id = $1 and b.id = o.user_id and b.email is null))`

/** True: an order is this account's, though a guest bought it, or staff sold it. */
export async function hasJoined(tx: TenantTx, orderId: string, userId: string): Promise<boolean> {
  const row = await tx.one(
    `select 1 from orders o join users me on me.organization_id = $1 and me.id = $3
     where o.organization_id = $1 and o.id = $2
       and (o.account_id = me.id or (me.email_proven_at is not null and ${WENT_TO_MY_ADDRESS}))`,
    [orderId, userId],
  )
  return row !== undefined
}

/** The account has what the guest bought as well, if no other account has. Returns how many orders. */
export async function joinOrders(tx: TenantTx, guestId: string, accountId: string): Promise<number> {
  const rows = await tx.query(
    `update orders set account_id = $3 where organization_id = $1 and user_id = $2 and account_id is null returning 1`,
    [guestId, accountId],
  )
  return rows.length
}

/** The ids of what a buyer bought, also as a guest, newest first. `after` as in `listOrders`. */
export async function listOrdersOf(
  tx: TenantTx,
  userId: string,
  { after, limit }: { readonly after?: string; readonly limit: number },
): Promise<string[]> {
  const page = '($3::uuid is null or o.id < $3) order by o.id desc limit $4'
  const rows = await tx.query<{ id: string }>(
    `(select o.id from orders o where o.organization_id = $1 and o.user_id = $2 and ${page})
     union (select o.id from orders o where o.organization_id = $1 and o.account_id = $2 and ${page})
     union (select o.id from users me cross join lateral (
         select o.id from orders o where o.organization_id = $1 and ${WENT_TO_MY_ADDRESS} and ${page}) o
       where me.organization_id = $1 and me.id = $2 and me.email_proven_at is not null)
     order by id desc limit $4`,
    [userId, after ?? null, limit],
  )
  return rows.map(({ id }) => id)
}
