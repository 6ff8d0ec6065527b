import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { openMetrics } from '@voelgoed/kit/metrics/metric-makers'
import { metricLines } from '@voelgoed/testing/metric-lines'
import { afterEach, expect, it, vi } from 'vitest'
import type { CommittedFact } from '../facts/fact.ts'
import type { CommittedView } from '../view/committed-view.ts'
import { createFollowerMetrics } from './follower-metrics.ts'

const scope = TenantScope.of('o' as OrganizationId)

afterEach(() => {
  vi.useRealTimers()
})

/** `seqOf`: how far an event is in memory; null: it is not there. */
function metricsWith(seqOf: (eventId: EventId) => number | null) {
  const makers = openMetrics(null)
  const metrics = createFollowerMetrics(makers, {
    inMemory(_scope, eventId) {
      const seq = seqOf(eventId)
      return seq === null ? null : ({ seq } as CommittedView)
    },
  })
  return { ...metrics, read: (name: string) => metricLines(makers, name) }
}

const view = { clockOffset: 0 }

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
  const metrics = metricsWith(eventId => inMemory.get(eventId) ?? null)
  metrics.heard(fact('a', 5), view)
  metrics.heard(fact('b', 10), view)
  metrics.announced('o', 'a', 6)
  metrics.announced('o', 'b', 14)
  // This node does not follow it.
  metrics.announced('o', 'c', 1_000)
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
  const metrics = metricsWith(() => inMemory)
  const seconds = async () => (await metrics.read('voelgoed_follower_lag_seconds'))[0]!.split(' ')[1]
  metrics.heard(fact('a', 5), view)
  vi.advanceTimersByTime(60_000)
  expect(await seconds()).toBe('0')
  metrics.announced('o', 'a', 6)
  vi.advanceTimersByTime(1_000)
  metrics.announced('o', 'a', 8)
  vi.advanceTimersByTime(1_000)
  expect(await seconds()).toBe('2')
  // One of three has come.
  inMemory = 6
  metrics.heard(fact('a', 6), view)
  expect(await seconds()).toBe('2')
  inMemory = 8
  metrics.heard(fact('a', 8), view)
  expect(await seconds()).toBe('0')
})
