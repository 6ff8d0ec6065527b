import type { Data } from '@voelgoed/client'
import type { KeptOrder } from '../checkout/kept.ts'

type Order = Data<'GET /api/orders'>[number]
type Event = Data<'GET /api/events/:event'>

/** An order, and its event where that is known. */
export interface BoughtOrder {
  readonly order: Order
  readonly event: Event | null
}

/** The server's word counts before what the device keeps. Each order stands there once, the newest first. */
export function ordersOfAccount(
  told: readonly Order[] | null,
  events: Readonly<Record<string, Event>>,
  kept: readonly KeptOrder[],
): BoughtOrder[] {
  const keptEvents = new Map(kept.map(({ order, event }) => [order.event.id, event]))
  const orders = new Map(kept.map(({ order }): [string, Order] => [order.order_id, order]))
  for (const order of told ?? []) orders.set(order.order_id, order)
  return [...orders.values()]
    .map(order => ({ order, event: events[order.event.id] ?? keptEvents.get(order.event.id) ?? null }))
    .sort((a, b) => (a.order.created_at < b.order.created_at ? 1 : -1))
}
