import { metricLines } from '@voelgoed/testing/metric-lines'
import { afterEach, expect, it, vi } from 'vitest'
import { openMetrics } from '../metrics/metric-makers.ts'
import type { DatabaseHealth } from './database.ts'
import { createDatabaseMetrics } from './database-metrics.ts'

afterEach(() => {
  vi.useRealTimers()
})

function metricsOf(ping: () => Promise<DatabaseHealth>) {
  const metrics = openMetrics(null)
  const stats = () => ({
    requests: { open: 3, idle: 1, waiting: 0 },
    lanes: { open: 1, idle: 1, waiting: 0 },
  })
  createDatabaseMetrics(metrics, { stats, unproven: () => 0, ping })
  return (name: string) => metricLines(metrics, name)
}

it('a Postgres that neither answers nor refuses is down, within a bound', async () => {
  vi.useFakeTimers()
  const reading = metricsOf(() => new Promise(() => {}))('voelgoed_database_up')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await reading).toEqual(['voelgoed_database_up 0'])
})

it('connections are counted by whether they are in use', async () => {
  const read = metricsOf(async () => 'ok')
  expect(await read('voelgoed_database_connections')).toEqual([
    'voelgoed_database_connections{pool="requests",state="busy"} 2',
    'voelgoed_database_connections{pool="requests",state="idle"} 1',
    'voelgoed_database_connections{pool="lanes",state="busy"} 0',
    'voelgoed_database_connections{pool="lanes",state="idle"} 1',
  ])
})
