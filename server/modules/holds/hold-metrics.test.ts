import { openMetrics } from '@voelgoed/kit/metrics/metric-makers'
import { metricLines } from '@voelgoed/testing/metric-lines'
import { expect, it } from 'vitest'
import { createHoldMetrics } from './hold-metrics.ts'
import type { EndedHold } from './tables/hold-history.ts'

it('a hold that runs out in payment is told from one that ran out before', async () => {
  const makers = openMetrics(null)
  const metrics = createHoldMetrics(makers)
  const expired = (checkoutId: string | null) =>
    ({
      end: { kind: 'seat_hold_expired', at: 61_000 },
      createdAt: 1_000,
      checkoutId,
    }) as unknown as EndedHold
  metrics.ended([expired(null), expired('c'), expired(null)])
  expect(await metricLines(makers, 'voelgoed_holds_expired_total')).toEqual([
    'voelgoed_holds_expired_total{stage="before_payment"} 2',
    'voelgoed_holds_expired_total{stage="in_payment"} 1',
  ])
  expect(await metricLines(makers, 'voelgoed_hold_duration_seconds')).toContain(
    'voelgoed_hold_duration_seconds_sum{end="expired"} 180',
  )
})

it('begins the series that alerts look at with zero', async () => {
  const makers = openMetrics(null)
  createHoldMetrics(makers)
  expect(await metricLines(makers, 'voelgoed_hold_conflicts_total')).toContain(
    'voelgoed_hold_conflicts_total{reason="busy"} 0',
  )
})
