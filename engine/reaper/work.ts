import type { EventId } from '@voelgoed/core/ids'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { EventAddress } from '../ports/store.ts'
import { cancelledEventsWithHolds } from '../tables/cancelled-events.ts'
import { type DueEvent, nextExpiryIn, takeDueEvents } from '../tables/due-events.ts'

/** Where the jobs find the events that need them, of all organizations. Without the events in `except`. */
export interface Work {
  /** Events with holds that have run out. */
  takeDue(limit: number, except: readonly EventId[]): Promise<readonly DueEvent[]>
  /** Milliseconds until the next hold of any event runs out; null when there is none. */
  nextDueIn(except: readonly EventId[]): Promise<number | null>
  /** Cancelled events that still have holds. */
  cancelled(limit: number, except: readonly EventId[]): Promise<readonly EventAddress[]>
}

export function postgresWork(database: Pick<Database, 'platform'>): Work {
  return {
    takeDue: (limit, except) =>
      database.platform('find holds that have run out', tx => takeDueEvents(tx, limit, except)),
    nextDueIn: except => database.platform('find holds that have run out', tx => nextExpiryIn(tx, except)),
    cancelled: (limit, except) =>
      database.platform('find cancelled events with holds', tx =>
        cancelledEventsWithHolds(tx, limit, except),
      ),
  }
}
