import type { Refusal } from '@voelgoed/core/refusal'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

/** Counts what staff take back, and what they move. */
export function createOrderChangeMetrics({ counter }: MetricMakers) {
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
  // A series that begins at 1 has, to Prometheus, never increased.
  refunds.inc({ outcome: 'refunded' }, 0)
  moves.inc({ outcome: 'moved' }, 0)

  return {
    moved: (refusal: Refusal['kind'] | null) => moves.inc({ outcome: refusal ?? 'moved' }),
    refunded: (refusal: Refusal['kind'] | null) => refunds.inc({ outcome: refusal ?? 'refunded' }),
  }
}

export type OrderChangeMetrics = ReturnType<typeof createOrderChangeMetrics>
