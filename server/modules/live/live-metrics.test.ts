import { openMetrics } from '@voelgoed/kit/metrics/metric-makers'
import { metricLines } from '@voelgoed/testing/metric-lines'
import { expect, it } from 'vitest'
import { createLiveMetrics } from './live-metrics.ts'

it('what counts by itself stays a counter, however often it is read', async () => {
  const makers = openMetrics(null)
  createLiveMetrics(makers, {
    feed: { readers: 1, counts: { delivered: 7, shed: 2 } },
    streams: { counts: { ended: 0, refused: { total: 0, user: 0, address: 0 } } },
    snapshots: { counts: { packed: 0, json: 0, compressed: 0, marked: 0 } },
  })
  await makers.registry.metrics()
  expect(await metricLines(makers, 'voelgoed_feed_messages_total')).toEqual([
    'voelgoed_feed_messages_total 7',
  ])
})
