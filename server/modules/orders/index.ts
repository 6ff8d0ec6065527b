import type { Kit, Module } from '../module.ts'
import { createOrderMetrics } from './order-metrics.ts'
import { OrderSecrets } from './order-secrets.ts'
import { serveOrderNotes } from './routes/order-notes.ts'
import { type OrderNeeds, serveOrders } from './routes/orders.ts'
import { serveOrdersExport } from './routes/orders-export.ts'

export { orderLetters } from './order-letters.ts'
export { hasOrders } from './tables/event-orders.ts'
export { joinOrders } from './tables/orders.ts'

interface Needs extends Omit<OrderNeeds, 'metrics' | 'orderSecrets'> {
  readonly signingKey: Buffer
}

/**
 * An order says what was sold, to whom, for how much. The box office and platforms with a checkout of their
 * own sell holds here; buyers and staff read and list orders, and staff take them away as a file. How buyers
 * pay, and how staff change what was sold, is above this module.
 */
export function openOrders(kit: Kit, { signingKey, ...needs }: Needs): Module {
  const metrics = createOrderMetrics(kit.metrics)
  const orderSecrets = new OrderSecrets(signingKey)
  return {
    name: 'orders',
    routes(router) {
      serveOrders(router, kit, { ...needs, metrics, orderSecrets })
      serveOrdersExport(router, kit, metrics)
      serveOrderNotes(router, kit)
    },
  }
}
