import type { OrderStatus } from '@voelgoed/core/orders/order'
import type { SearchTerm } from '@voelgoed/core/orders/order-words'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findByWords } from './order-words.ts'
import { FROM_ORDERS, ORDER_COLUMNS, type OrderRow } from './orders.ts'

export interface OrderSummaryRow extends OrderRow {
  readonly tickets: number
}

export interface OrderFilter {
  readonly userId?: string
  readonly eventId?: string
  readonly status?: OrderStatus
  /** An id of an order or of its buyer. */
  readonly anyId?: string
  /** An order number, a reference, or words of the order. */
  readonly text?: {
    readonly asGiven: string
    readonly number: string
    readonly terms: readonly SearchTerm[]
  }
  readonly after?: string
  readonly limit: number
}

export interface ListedOrders {
  readonly rows: OrderSummaryRow[]
  /** A search has looked at the orders down to this one, and found no page full. Null: it looked at all. */
  readonly lookedTo: string | null
}

/**
 * Newest first: ids begin with the time. `after` is the id of the last order already seen. An order number or
 * a reference finds its order alone; other texts are words.
 */
export async function listOrders(tx: TenantTx, filter: OrderFilter): Promise<ListedOrders> {
  const { text } = filter
  if (!text) return { rows: await readOrders(tx, filter, null), lookedTo: null }
  const named = await tx.query<{ id: string }>(
    `select id from orders where organization_id = $1 and number = $2
     union select id from orders where organization_id = $1 and reference = $3`,
    [text.number, text.asGiven],
  )
  if (named.length > 0) {
    const ids = named.map(({ id }) => id)
    return { rows: await readOrders(tx, filter, ids), lookedTo: null }
  }
  const { ids, lookedTo } = await findByWords(tx, text.terms, filter)
  return { rows: ids.length > 0 ? await readOrders(tx, filter, ids) : [], lookedTo }
}

function readOrders(
  tx: TenantTx,
  { userId, eventId, status, anyId, after, limit }: OrderFilter,
  ids: readonly string[] | null,
): Promise<OrderSummaryRow[]> {
  return tx.query<OrderSummaryRow & Record<string, unknown>>(
    `select ${ORDER_COLUMNS}, (select count(*)::int from order_lines l
         where l.organization_id = o.organization_id and l.order_id = o.id) as tickets
     ${FROM_ORDERS}
     where o.organization_id = $1 and ($2::uuid is null or o.user_id = $2) and ($3::uuid is null or o.event_id = $3)
       and ($4::order_status is null or o.status = $4) and ($5::uuid is null or $5 in (o.id, o.user_id))
       and ($6::uuid[] is null or o.id = any ($6)) and ($7::uuid is null or o.id < $7)
     order by o.id desc limit $8`,
    [userId ?? null, eventId ?? null, status ?? null, anyId ?? null, ids, after ?? null, limit],
  )
}
