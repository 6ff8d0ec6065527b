import { OpenStreams } from '@voelgoed/kit/http/open-streams'
import type { Principals } from '@voelgoed/kit/http/principals'
import type { Kit, Module } from '../module.ts'
import { LiveFeed } from './feed.ts'
import { createLiveMetrics } from './live-metrics.ts'
import { type AvailabilityNeeds, serveAvailability } from './routes/availability.ts'
import { Snapshots } from './snapshots.ts'

interface Needs extends Omit<AvailabilityNeeds, 'feed' | 'snapshots' | 'streams'> {
  readonly principals: Principals
  /** Streams that one network address may have open on this node; null: no limit. */
  readonly streamsPerAddress: number | null
}

/**
 * Buyers read which seats are free, and follow the event live. What is sent is made once and shared by all
 * who ask: snapshots at one seq of the event, messages of the feed for everything after it.
 */
export function openLive(kit: Kit, needs: Needs): Module {
  const feed = new LiveFeed(kit.time)
  const snapshots = new Snapshots()
  const streams = new OpenStreams(needs.principals, {
    total: 50_000,
    perUser: 10,
    perAddress: needs.streamsPerAddress,
  })
  createLiveMetrics(kit.metrics, { feed, streams, snapshots })
  return {
    name: 'live',
    routes: router => serveAvailability(router, kit, { ...needs, feed, snapshots, streams }),
    follows: feed,
    leave() {
      feed.close()
      streams.close()
    },
    close: () => snapshots.close(),
  }
}
