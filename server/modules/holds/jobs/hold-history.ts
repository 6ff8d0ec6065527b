import { type FollowerDeps, JournalFollower } from '@voelgoed/engine/postgres/journal-follower'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { HoldHistory } from '../hold-history.ts'
import { eventsBehind } from '../tables/hold-history.ts'

/** Entries of one slice. Smaller than what a request catches up with: a slice is short for the thread. */
const SLICE = 500

/**
 * Writes the holds that have ended into hold_history. What must be exact catches up first
 * (events/hold-history.ts).
 */
export function followHoldHistory(
  database: Pick<Database, 'platform'>,
  history: HoldHistory,
  deps: FollowerDeps,
): JournalFollower {
  return new JournalFollower(
    {
      name: 'hold-history',
      on: 'node',
      firstInMs: 0,
      eventFailed: 'the history of holds could not be written; the next run goes on',
      runFailed: 'the history of holds failed; it will run again',
      behind: (limit, except) =>
        database.platform('find journals without history', tx => eventsBehind(tx, limit, except)),
      slice: (scope, eventId) => history.writeNext(scope, eventId, SLICE),
    },
    deps,
  )
}
