import { openMetrics } from '@voelgoed/kit/metrics/metric-makers'
import { metricLines } from '@voelgoed/testing/metric-lines'
import { expect, it } from 'vitest'
import { createLaneMetrics } from './lane-metrics.ts'

it('begins the series that alerts look at with zero', async () => {
  const makers = openMetrics(null)
  createLaneMetrics(makers, { stats: () => ({ lanes: 0, hotBytes: 0, queued: 0 }) })
  expect(await metricLines(makers, 'voelgoed_lane_batches_total')).toContain(
    'voelgoed_lane_batches_total{outcome="failed"} 0',
  )
})
