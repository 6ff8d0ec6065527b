import type { HoldHistory } from '../events/hold-history.ts'
import type { Database } from '../postgres/database.ts'
import { eventsBehind } from '../postgres/tables/hold-history.ts'
import { type FollowerDeps, JournalFollower } from './journal-follower.ts'

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
      eventFailed: 'the history of holds could not be written; the next run goes on',
      runFailed: 'the history of holds failed; it will run again',
      behind: (limit, except) =>
        database.platform('find journals without history', tx => eventsBehind(tx, limit, except)),
      slice: (scope, eventId) => history.writeNext(scope, eventId, SLICE),
    },
    deps,
  )
}
