import type { PaymentId } from '@voelgoed/core/ids'
import type { OrderStatus, PaymentStatus } from '@voelgoed/core/orders/order'
import type { TenantTx } from '../database.ts'

/** What may have changed of a checkout since it was read. */
export interface RidingOrder {
  readonly orderId: string
  readonly status: OrderStatus
  readonly contactEmail: string | null
  /** Null: the buyer has not tried to pay. */
  readonly payment: { readonly id: PaymentId; readonly status: PaymentStatus } | null
}

export function isSameOrder(one: RidingOrder, other: RidingOrder): boolean {
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
export async function lockRidingOrders(
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
        ? [[id, { orderId: id, status, contactEmail, payment: paymentOf.get(id) ?? null }] as const]
        : [],
    ),
  )
}
