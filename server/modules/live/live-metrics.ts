import type { OpenStreams } from '@voelgoed/kit/http/open-streams'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { LiveFeed } from './feed.ts'
import type { Snapshots } from './snapshots.ts'

/** The feed counts itself, as its streams and snapshots do. They are read at each scrape. */
export function createLiveMetrics(
  { gauge, total, totals }: MetricMakers,
  {
    feed,
    streams,
    snapshots,
  }: {
    readonly feed: Pick<LiveFeed, 'readers' | 'counts'>
    readonly streams: Pick<OpenStreams, 'counts'>
    readonly snapshots: Pick<Snapshots, 'counts'>
  },
): void {
  gauge('voelgoed_feed_readers', 'Readers of the live feed', 'sum', () => feed.readers)
  total(
    'voelgoed_feed_messages_total',
    'Messages written to readers of the live feed, heartbeats included',
    () => feed.counts.delivered,
  )
  total(
    'voelgoed_feed_readers_shed_total',
    'Readers of the live feed that the node disconnected because they did not read',
    () => feed.counts.shed,
  )
  total(
    'voelgoed_feed_readers_ended_total',
    'Readers of the live feed whose stream the node ended because their session was over or their role had changed',
    () => streams.counts.ended,
  )
  totals(
    'voelgoed_feed_readers_refused_total',
    'Readers of the live feed that were refused, by the limit they reached (user, address, total)',
    'limit',
    () => streams.counts.refused,
  )
  totals(
    'voelgoed_availability_encodings_total',
    'Availability of an event that was encoded, by form: packed, json, compressed, or marked for one buyer',
    'form',
    () => snapshots.counts,
  )
}
