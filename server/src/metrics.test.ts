import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { afterEach, expect, it, vi } from 'vitest'
import type { CommittedView } from './lane/committed-view.ts'
import type { CommittedFact } from './lane/fact.ts'
import { createMetrics, type MetricSources } from './metrics.ts'
import { TenantScope } from './tenant.ts'

const scope = TenantScope.of('o' as OrganizationId)

afterEach(() => {
  vi.useRealTimers()
})

function metricsWith(sources: Partial<MetricSources>) {
  const metrics = createMetrics({
    worker: null,
    pools: () => ({
      requests: { open: 3, idle: 1, waiting: 0 },
      lanes: { open: 1, idle: 1, waiting: 0 },
    }),
    ping: async () => true,
    uploadBytes: () => 0,
    lostLogLines: () => 0,
    layoutCache: () => ({ hits: 0, misses: 0 }),
    lanes: () => ({ lanes: 0, hotBytes: 0, queued: 0 }),
    feed: () => ({ readers: 0, delivered: 0, shed: 0 }),
    streams: () => ({ ended: 0, refused: { total: 0, user: 0, address: 0 } }),
    snapshots: () => ({ packed: 0, json: 0, compressed: 0, marked: 0 }),
    verify: () => ({ succeededAt: null, findings: 0 }),
    refusedAttempts: () => ({ written: 0, counted: 0, dropped: 0 }),
    bus: () => ({ isListening: true, malformed: 0 }),
    reaper: () => ({ passedOver: 0 }),
    cancelledEvents: () => ({ ending: 0 }),
    seqInMemory: () => null,
    redis: null,
    redisBus: null,
    limitCounts: null,
    warm: () => null,
    ...sources,
  })
  const read = async (name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name)
    return text.split('\n').filter(line => !line.startsWith('#'))
  }
  return { ...metrics, read }
}

const view = { clockOffset: 0 } as CommittedView

function fact(eventId: string, seq: number): CommittedFact {
  const change = { kind: 'seat_blocked', seq, at: 0 } as CommittedFact['changes'][number]
  return {
    kind: 'committed',
    scope,
    eventId: eventId as EventId,
    seq,
    tip: null,
    changes: [change],
    isOwn: true,
  }
}

it('the lag is that of the event furthest behind what was announced of it', async () => {
  const inMemory = new Map([
    ['a', 5],
    ['b', 10],
  ])
  const metrics = metricsWith({ seqInMemory: (_scope, eventId) => inMemory.get(eventId) ?? null })
  metrics.follower.heard(fact('a', 5), view)
  metrics.follower.heard(fact('b', 10), view)
  metrics.heard('o', 'a', 6)
  metrics.heard('o', 'b', 14)
  // This node does not follow it.
  metrics.heard('o', 'c', 1_000)
  expect(await metrics.read('voelgoed_follower_lag_changes')).toEqual(['voelgoed_follower_lag_changes 4'])
  inMemory.set('b', 14)
  expect(await metrics.read('voelgoed_follower_lag_changes')).toEqual(['voelgoed_follower_lag_changes 1'])
  // Dropped from memory: there is nothing that could be behind.
  inMemory.delete('a')
  expect(await metrics.read('voelgoed_follower_lag_changes')).toEqual(['voelgoed_follower_lag_changes 0'])
})

it('a Postgres that neither answers nor refuses is down, within a bound', async () => {
  vi.useFakeTimers()
  const metrics = metricsWith({ ping: () => new Promise(() => {}) })
  const read = metrics.read('voelgoed_database_up')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await read).toEqual(['voelgoed_database_up 0'])
})

it('what counts by itself stays a counter, however often it is read', async () => {
  const metrics = metricsWith({ feed: () => ({ readers: 1, delivered: 7, shed: 2 }) })
  await metrics.registry.metrics()
  expect(await metrics.read('voelgoed_feed_messages_total')).toEqual(['voelgoed_feed_messages_total 7'])
  expect(await metrics.read('voelgoed_database_connections')).toEqual([
    'voelgoed_database_connections{pool="requests",state="busy"} 2',
    'voelgoed_database_connections{pool="requests",state="idle"} 1',
    'voelgoed_database_connections{pool="lanes",state="busy"} 0',
    'voelgoed_database_connections{pool="lanes",state="idle"} 1',
  ])
})

it('begins the series that alerts look at with zero', async () => {
  const metrics = metricsWith({})
  expect(await metrics.read('voelgoed_lane_batches_total')).toContain(
    'voelgoed_lane_batches_total{outcome="failed"} 0',
  )
  expect(await metrics.read('voelgoed_hold_conflicts_total')).toContain(
    'voelgoed_hold_conflicts_total{reason="busy"} 0',
  )
})
