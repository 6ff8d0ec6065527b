import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { readOrder, type WholeOrder } from '../orders/tables/orders.ts'
import { type CheckoutRow, readCheckout } from './tables/checkouts.ts'

/** An order that a checkout of ours made. */
export interface FoundCheckout {
  readonly whole: WholeOrder
  readonly checkout: CheckoutRow
}

/** Null: there is no such order, or no checkout of ours made it. `lock`: until the transaction ends. */
export async function findCheckout(
  tx: TenantTx,
  orderId: string,
  options: { lock?: boolean } = {},
): Promise<FoundCheckout | null> {
  const [whole, checkout] = await Promise.all([readOrder(tx, orderId, options), readCheckout(tx, orderId)])
  return whole && checkout ? { whole, checkout } : null
}
