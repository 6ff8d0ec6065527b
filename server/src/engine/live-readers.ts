import type { ServerResponse } from 'node:http'
import type { Change } from '@voelgoed/core/event/change'
import type { FollowedEvent } from './engine.ts'

/**
 * A reader that missed more changes than this is told to take a new snapshot,
 * which is smaller and made once for all.
 */
export const MAX_MISSED = 2_000

/** The readers of an event's live feed (live/feed.ts), for the code that lets readers in. */
export interface LiveReaders {
  readonly readers: number
  /** From here on the feed of this event remembers every change, for as long as the door is open. */
  open(event: FollowedEvent): FeedDoor
}

export interface FeedDoor {
  /** The feed remembers what came after this; what came before is in the journal. */
  readonly rememberedFrom: number
  /**
   * Adds a reader that knows everything up to `since` (null: starts now). `journal` has what happened between
   * `since` and `rememberedFrom`; null when that is too much to tell: the reader is to take a new snapshot.
   */
  add(reader: ServerResponse, since: number | null, journal: readonly Change[] | null): void
  close(): void
}
