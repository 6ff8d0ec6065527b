import { STAFF_METHODS, type StaffMethod } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import type { MetricMakers } from './metric-makers.ts'

const OUTCOMES = ['sold', 'sold_late', 'repeated', 'refused', 'failed'] as const

/** Orders of the box office and of platforms, and what is taken back. */
export function createOrderMetrics({ counter }: MetricMakers) {
  const orders = counter(
    'voelgoed_orders_total',
    'Requests of staff and platforms to sell holds, by method and outcome: sold, sold_late after they had run out, repeated with a reference that was known, refused, failed',
    ['method', 'outcome'],
  )
  const refunds = counter(
    'voelgoed_order_refunds_total',
    'Requests to take tickets back, by outcome: refunded, or the reason of the refusal',
    ['outcome'],
  )
  const moves = counter(
    'voelgoed_order_moves_total',
    'Requests to move tickets to other seats, by outcome: moved, or the reason of the refusal',
    ['outcome'],
  )
  const exported = counter('voelgoed_orders_exported_total', 'Orders that staff took away as CSV', [])
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const method of STAFF_METHODS) for (const outcome of OUTCOMES) orders.inc({ method, outcome }, 0)
  refunds.inc({ outcome: 'refunded' }, 0)
  moves.inc({ outcome: 'moved' }, 0)
  exported.inc({}, 0)

  return {
    sold: (method: StaffMethod, outcome: (typeof OUTCOMES)[number]) => orders.inc({ method, outcome }),
    moved: (refusal: Refusal['kind'] | null) => moves.inc({ outcome: refusal ?? 'moved' }),
    exported: (orders: number) => exported.inc({}, orders),
    refunded: (refusal: Refusal['kind'] | null) => refunds.inc({ outcome: refusal ?? 'refunded' }),
  }
}
