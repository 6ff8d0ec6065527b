import { openMetrics } from '@voelgoed/kit/metrics/metric-makers'
import { metricLines } from '@voelgoed/testing/metric-lines'
import { expect, it } from 'vitest'
import { createReaperMetrics } from './reaper-metrics.ts'

it('a run of the reaper that fails is timed as one that failed', async () => {
  const makers = openMetrics(null)
  createReaperMetrics(makers, () => 0).onFailedRun(20)
  const lines = await metricLines(makers, 'voelgoed_reaper_run_seconds')
  expect(lines).toContain('voelgoed_reaper_run_seconds_count{outcome="failed"} 1')
  expect(lines).toContain('voelgoed_reaper_run_seconds_count{outcome="ok"} 0')
})
