import type { PaymentMethod } from '@voelgoed/core/orders/order'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { listOrders, type OrderFilter, type OrderSummaryRow } from './list-orders.ts'

export interface ExportedOrder extends OrderSummaryRow {
  /** Null: the buyer has not tried to pay. */
  readonly method: PaymentMethod | null
  readonly fees: number | null
  readonly tax: number | null
  readonly refunds: number
}

/** The orders of a filter with their money, newest first. */
export async function listExportedOrders(
  tx: TenantTx,
  filter: OrderFilter,
): Promise<{ readonly rows: ExportedOrder[]; readonly lookedTo: string | null }> {
  const { rows: orders, lookedTo } = await listOrders(tx, filter)
  const rows = await tx.query<Pick<ExportedOrder, 'id' | 'method' | 'fees' | 'tax' | 'refunds'>>(
    `select o.id, p.method, o.fees::float8 as fees, o.tax::float8 as tax, (select coalesce(sum(r.amount), 0) from refunds r
         where r.organization_id = $1 and r.order_id = o.id)::float8 as refunds
     from orders o left join payments p on p.organization_id = $1 and p.order_id = o.id
     where o.organization_id = $1 and o.id = any ($2::uuid[])`,
    [orders.map(({ id }) => id)],
  )
  const moneyOf = new Map(rows.map(row => [row.id, row]))
  return { rows: orders.map(order => ({ ...order, ...moneyOf.get(order.id)! })), lookedTo }
}
