import type { Database } from '../postgres/database.ts'
import { countEntries, uncountedEvents } from '../postgres/tables/funnel.ts'
import { type FollowerDeps, JournalFollower } from './journal-follower.ts'

/** Counts the journals of all events into their funnels: see postgres/tables/funnel.ts. */
export function followFunnels(database: Database, deps: FollowerDeps): JournalFollower {
  return new JournalFollower(
    {
      eventFailed: 'the funnel could not be counted; the next run goes on',
      runFailed: 'the count of the funnel failed; it will run again',
      behind: (limit, except) =>
        database.platform('find journals to count', tx => uncountedEvents(tx, limit, except)),
      slice: (scope, eventId) => database.tenant(scope, tx => countEntries(tx, eventId)),
    },
    deps,
  )
}
