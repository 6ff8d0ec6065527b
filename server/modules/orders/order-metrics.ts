import { STAFF_METHODS, type StaffMethod } from '@voelgoed/core/orders/order'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

const OUTCOMES = ['sold', 'sold_late', 'repeated', 'refused', 'failed'] as const

/** Counts orders of the box office and of platforms. */
export function createOrderMetrics({ counter }: MetricMakers) {
  const orders = counter(
    'voelgoed_orders_total',
    'Requests of staff and platforms to sell holds, by method and outcome: sold, sold_late after they had run out, repeated with a reference that was known, refused, failed',
    ['method', 'outcome'],
  )
  const exported = counter('voelgoed_orders_exported_total', 'Orders that staff took away as CSV', [])
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const method of STAFF_METHODS) for (const outcome of OUTCOMES) orders.inc({ method, outcome }, 0)
  exported.inc({}, 0)

  return {
    sold: (method: StaffMethod, outcome: (typeof OUTCOMES)[number]) => orders.inc({ method, outcome }),
    exported: (orders: number) => exported.inc({}, orders),
  }
}

export type OrderMetrics = ReturnType<typeof createOrderMetrics>
