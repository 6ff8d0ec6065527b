import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { afterEach, expect, it, vi } from 'vitest'
import type { CommittedView } from './lane/committed-view.ts'
import type { CommittedFact } from './lane/fact.ts'
import { createMetrics, type MetricSources } from './metrics.ts'
import type { EndedHold } from './postgres/tables/hold-history.ts'
import { TenantScope } from './tenant.ts'

const scope = TenantScope.of('o' as OrganizationId)

afterEach(() => {
  vi.useRealTimers()
})

function metricsWith(sources: Partial<MetricSources>) {
  const metrics = createMetrics({
    worker: null,
    gateway: 'simulator',
    waitingPayments: () => ({ unknown: 0, refunds: 0, oldestSeconds: 0, givenUp: 0 }),
    refundRuns: () => ({ running: 0, stillSeconds: 0, givenUp: 0 }),
    pools: () => ({
      requests: { open: 3, idle: 1, waiting: 0 },
      lanes: { open: 1, idle: 1, waiting: 0 },
    }),
    ping: async () => 'ok',
    unproven: () => 0,
    uploadBytes: () => 0,
    pendingPdfs: () => 0,
    lostLogLines: () => 0,
    layoutCache: () => ({ hits: 0, misses: 0 }),
    lanes: () => ({ lanes: 0, hotBytes: 0, queued: 0 }),
    views: () => [],
    feed: () => ({ readers: 0, delivered: 0, shed: 0 }),
    streams: () => ({ ended: 0, refused: { total: 0, user: 0, address: 0 } }),
    snapshots: () => ({ packed: 0, json: 0, compressed: 0, marked: 0 }),
    verify: () => ({ succeededAt: null, findings: 0 }),
    refusedAttempts: () => ({ written: 0, counted: 0, dropped: 0 }),
    lastUses: () => ({ written: 0, dropped: 0 }),
    bus: () => ({ isListening: true, malformed: 0 }),
    reaper: () => ({ passedOver: 0 }),
    cancelledEvents: () => ({ ending: 0 }),
    mailQueue: () => ({ queued: 0, oldestSeconds: 0 }),
    seqInMemory: () => null,
    redis: null,
    redisBus: null,
    limitCounts: null,
    gate: null,
    warm: () => null,
    nodesAlive: () => 1,
    lagging: () => ({ memory: 0, redis: 0 }),
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

it('the lag in time begins when a change was announced, and ends when memory has all of them', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let inMemory = 5
  const metrics = metricsWith({ seqInMemory: () => inMemory })
  const seconds = async () => (await metrics.read('voelgoed_follower_lag_seconds'))[0]!.split(' ')[1]
  metrics.follower.heard(fact('a', 5), view)
  vi.advanceTimersByTime(60_000)
  expect(await seconds()).toBe('0')
  metrics.heard('o', 'a', 6)
  vi.advanceTimersByTime(1_000)
  metrics.heard('o', 'a', 8)
  vi.advanceTimersByTime(1_000)
  expect(await seconds()).toBe('2')
  // One of three has come.
  inMemory = 6
  metrics.follower.heard(fact('a', 6), view)
  expect(await seconds()).toBe('2')
  inMemory = 8
  metrics.follower.heard(fact('a', 8), view)
  expect(await seconds()).toBe('0')
})

it('zones of what can be bought are counted by their type, a disabled one is not', async () => {
  const zone = (zoneType: string, held: number, disabled = false) => ({
    settings: { zoneType, capacity: 10, disabled },
    held,
    sold: 2,
    blocked: 1,
  })
  const event = (status: string, ...zones: object[]) =>
    ({ state: { settings: { status }, zones } }) as unknown as CommittedView
  const metrics = metricsWith({
    views: () => [
      event('live', zone('vip_reserved', 3), zone('ga_standing', 0), zone('ga_standing', 1)),
      event('published', zone('vip_reserved', 0), zone('vip_reserved', 5, true)),
      event('completed', zone('vip_reserved', 7)),
    ],
  })
  const lines = await metrics.read('voelgoed_zone_places')
  expect(lines.filter(line => line.includes('vip_reserved') || line.includes('ga_standing'))).toEqual([
    'voelgoed_zone_places{zone_type="ga_standing",state="free"} 13',
    'voelgoed_zone_places{zone_type="ga_standing",state="held"} 1',
    'voelgoed_zone_places{zone_type="ga_standing",state="sold"} 4',
    'voelgoed_zone_places{zone_type="ga_standing",state="blocked"} 2',
    'voelgoed_zone_places{zone_type="vip_reserved",state="free"} 11',
    'voelgoed_zone_places{zone_type="vip_reserved",state="held"} 3',
    'voelgoed_zone_places{zone_type="vip_reserved",state="sold"} 4',
    'voelgoed_zone_places{zone_type="vip_reserved",state="blocked"} 2',
  ])
})

it('a hold that runs out in payment is told from one that ran out before', async () => {
  const metrics = metricsWith({})
  const expired = (checkoutId: string | null) =>
    ({
      end: { kind: 'seat_hold_expired', at: 61_000 },
      createdAt: 1_000,
      checkoutId,
    }) as unknown as EndedHold
  metrics.holds.ended([expired(null), expired('c'), expired(null)])
  expect(await metrics.read('voelgoed_holds_expired_total')).toEqual([
    'voelgoed_holds_expired_total{stage="before_payment"} 2',
    'voelgoed_holds_expired_total{stage="in_payment"} 1',
  ])
  expect(await metrics.read('voelgoed_hold_duration_seconds')).toContain(
    'voelgoed_hold_duration_seconds_sum{end="expired"} 180',
  )
})

it('a run of the reaper that fails is timed as one that failed', async () => {
  const metrics = metricsWith({})
  metrics.countFailedReaperRun(20)
  const lines = await metrics.read('voelgoed_reaper_run_seconds')
  expect(lines).toContain('voelgoed_reaper_run_seconds_count{outcome="failed"} 1')
  expect(lines).toContain('voelgoed_reaper_run_seconds_count{outcome="ok"} 0')
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
