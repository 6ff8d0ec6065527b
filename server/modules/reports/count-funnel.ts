import { type FollowerDeps, JournalFollower } from '@voelgoed/engine/postgres/journal-follower'
import type { Database } from '@voelgoed/kit/postgres/database'
import { countEntries, uncountedEvents } from './tables/funnel.ts'

/** Counts the journals of all events into their funnels: see tables/funnel.ts. */
export function followFunnels(database: Database, deps: FollowerDeps): JournalFollower {
  return new JournalFollower(
    {
      name: 'funnels',
      on: 'machine',
      eventFailed: 'the funnel could not be counted; the next run goes on',
      runFailed: 'the count of the funnel failed; it will run again',
      behind: (limit, except) =>
        database.platform('find journals to count', tx => uncountedEvents(tx, limit, except)),
      slice: (scope, eventId) => database.tenant(scope, tx => countEntries(tx, eventId)),
    },
    deps,
  )
}
