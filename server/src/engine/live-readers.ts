import type { ServerResponse } from 'node:http'
import type { Change } from '@voelgoed/core/event/change'
import type { FollowedEvent } from './engine.ts'

/** Those who watch an event as it happens: live/feed.ts, for whoever lets readers in. */
export interface LiveReaders {
  readonly readers: number
  /** Whether a reader who knows everything up to `since` can be served without the journal. */
  remembers(event: Omit<FollowedEvent, 'hot'>, since: number): boolean
  /**
   * Adds a reader that knows everything up to `since` (null: starts now). `journal` has what is no longer
   * remembered, or null when that is too much: then the reader is told to take a new snapshot.
   */
  add(
    event: FollowedEvent,
    reader: ServerResponse,
    since: number | null,
    journal: readonly Change[] | null,
  ): void
}
