import type { Change, CompanionsReleased } from '@voelgoed/core/event/change'
import { salesEnd } from '@voelgoed/core/event/sale-window'
import { isShut } from '@voelgoed/core/event/seat-bits'
import type { CommittedFact, Fact } from '@voelgoed/engine/facts/fact'
import type { Follower } from '@voelgoed/engine/lane/lanes'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import { occupancyAnswer } from './occupancy-answer.ts'

/**
 * A reader that missed more changes than this is told to take a new snapshot,
 * which is smaller and made once for all.
 */
export const MAX_MISSED = 2_000

/** The readers of an event's live feed (live/feed.ts), for the code that lets readers in. */
export interface LiveReaders {
  readonly readers: number
  /** From here on the feed of this event remembers every change, for as long as the door is open. */
  open(view: CommittedView): FeedDoor
}

/** Messages go into the answer to a request that does not end. */
export interface FeedReader {
  /** So many bytes wait because the reader does not read. */
  readonly writableLength: number
  write(message: Buffer): unknown
  end(): unknown
  destroy(): unknown
  on(close: 'close', closed: () => void): unknown
}

export interface FeedDoor {
  /** The feed remembers what came after this; what came before is in the journal. */
  readonly rememberedFrom: number
  /**
   * Adds a reader that knows everything up to `since` (null: starts now). `journal` has what happened between
   * `since` and `rememberedFrom`; null when that is too much to tell: the reader is to take a new snapshot.
   * `isPaused`: its organization is suspended. Its stream ends when that changes.
   */
  add(reader: FeedReader, known: Known): void
  close(): void
}

/** A reader knows this of an event, and of its organization. */
interface Known {
  readonly since: number | null
  readonly journal: readonly Change[] | null
  readonly isPaused: boolean
}

/** A seat's new status as buyers see it; -1 for a change that only moves counters. */
interface Delta {
  readonly seq: number
  readonly ordinal: number
  readonly status: string
  /** A hold of places in this zone ended, and neither by its buyer nor by time. Whose is not said. */
  readonly endedIn?: number
}

const COUNTERS_ONLY = -1
/** Changes kept in memory: what readers may have missed, and what waits to be sent. */
const REMEMBERED = 50_000
/** A reader that leaves more than this unread is let go, and resumes when it comes back. */
const MAX_UNREAD_BYTES = 512 * 1024
const HEARTBEAT_MS = 15_000
const HEARTBEAT = Buffer.from(': still here\n\n')

export interface FeedCounts {
  delivered: number
  shed: number
}

/**
 * The live feed of one event on this node. A message is encoded once and the same bytes go to every reader.
 * Under load messages wait for each other for a few milliseconds, the longer the more readers there are, so
 * that ten thousand readers cost ten writes a second each and not a thousand.
 */
class EventFeed {
  readonly readers = new Set<FeedReader>()
  /** Readers, and those who are about to let one in. */
  doors = 0
  readonly #counts: FeedCounts
  #deltas: Delta[] = []
  /** Everything after this seq is in #deltas. */
  rememberedFrom: number
  sentSeq: number
  /** As far as the last fact: the feed gets each one right after the view. */
  #view: CommittedView
  readonly #time: Time
  #callOffFlush: (() => void) | null = null

  constructor(view: CommittedView, counts: FeedCounts, time: Time) {
    this.#counts = counts
    this.#time = time
    this.#view = view
    this.sentSeq = view.seq
    this.rememberedFrom = view.seq
  }

  isOf(view: CommittedView): boolean {
    return this.#view === view
  }

  push({ seq, changes }: CommittedFact, view: CommittedView): void {
    this.#view = view
    for (const change of changes) {
      for (const delta of this.#deltasOf(change)) this.#deltas.push(delta)
    }
    if (this.#deltas.length > 2 * REMEMBERED) {
      const forgotten = this.#deltas.splice(0, this.#deltas.length - REMEMBERED)
      this.rememberedFrom = forgotten.at(-1)!.seq
    }
    if (this.readers.size === 0) {
      this.sentSeq = seq
      return
    }
    if (changes.some(isNewStatus)) {
      this.flush()
      this.#broadcast(statusMessage(view))
      return
    }
    this.#callOffFlush ??= this.#time.after(Math.min(100, this.readers.size / 50), () => this.flush())
  }

  /** Sends what has gathered. */
  flush(): void {
    this.#callOffFlush?.()
    this.#callOffFlush = null
    const deltas = this.#after(this.sentSeq)
    this.sentSeq = this.#view.seq
    if (deltas.length > 0) this.#broadcast(this.encode(deltas))
  }

  /** Tells a reader in one message what it missed since `seq`: from the journal first, then from memory. */
  missed(seq: number, journal: readonly Change[], isPaused: boolean): Buffer {
    const before = journal.flatMap(change => this.#deltasOf(change))
    return this.first([...before, ...this.#after(Math.max(seq, this.rememberedFrom))], isPaused)
  }

  /**
   * The first message to a reader also says whether the event is on sale, and whether its organization is
   * suspended: that may have changed while they were away.
   */
  first(deltas: readonly Delta[], isPaused: boolean): Buffer {
    return this.encode(deltas, { ...saleOf(this.#view), sales_paused: isPaused })
  }

  reset(view: CommittedView): void {
    this.#view = view
    this.#deltas = []
    this.rememberedFrom = view.seq
    this.sentSeq = view.seq
    this.#broadcast(resetMessage(view.seq))
  }

  encode(deltas: readonly Delta[], sale: object = {}): Buffer {
    const { seq, state } = this.#view
    const seats = deltas
      .filter(delta => delta.ordinal !== COUNTERS_ONLY)
      .map(delta => [delta.ordinal, delta.status])
    const zones = new Set(deltas.flatMap(({ endedIn }) => endedIn ?? []))
    const released = Array.from(zones, zone => state.zones[zone]!.settings.zoneId)
    const data = {
      ...{ seq, seats, occupancy: occupancyAnswer(state), ...sale },
      ...(released.length > 0 && { released }),
    }
    return Buffer.from(`id: ${seq}\nevent: seats\ndata: ${JSON.stringify(data)}\n\n`)
  }

  heartbeat(): void {
    this.#broadcast(HEARTBEAT)
  }

  close(): void {
    this.#callOffFlush?.()
    for (const reader of this.readers) reader.end()
  }

  /**
   * A seat that is free again is not to be had where its zone is closed, or where it is kept for a wheelchair
   * place: it is blocked, as in every other answer.
   */
  #deltasOf(change: Change): Delta[] {
    return deltasOf(change).map(delta => {
      const isFree = delta.status === 'available' && delta.ordinal !== COUNTERS_ONLY
      return isFree && isShut(this.#view.state, delta.ordinal) ? { ...delta, status: 'blocked' } : delta
    })
  }

  #after(seq: number): Delta[] {
    let low = 0
    let high = this.#deltas.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#deltas[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    return this.#deltas.slice(low)
  }

  #broadcast(message: Buffer): void {
    for (const reader of this.readers) {
      if (reader.writableLength > MAX_UNREAD_BYTES) {
        this.readers.delete(reader)
        this.#counts.shed += 1
        reader.destroy()
        continue
      }
      reader.write(message)
      this.#counts.delivered += 1
    }
  }
}

/** The feeds of all events on this node. */
export class LiveFeed implements Follower, LiveReaders {
  readonly counts: FeedCounts = { delivered: 0, shed: 0 }
  readonly #feeds = new Map<string, EventFeed>()
  readonly #time: Time
  readonly #endHeartbeat: () => void

  constructor(time: Time = processTime) {
    this.#time = time
    this.#endHeartbeat = time.every(HEARTBEAT_MS, () => {
      for (const feed of this.#feeds.values()) feed.heartbeat()
    })
  }

  get readers(): number {
    let readers = 0
    for (const feed of this.#feeds.values()) readers += feed.readers.size
    return readers
  }

  heard(fact: Fact, view: CommittedView): void {
    const feed = this.#feeds.get(`${fact.scope.organizationId}/${fact.eventId}`)
    if (!feed) return
    if (fact.kind === 'start_again' || fact.changes.some(isNewPlan)) feed.reset(view)
    else feed.push(fact, view)
  }

  /** The feed of a draft goes on with the event that the draft has become: its readers start again. */
  loaded(view: CommittedView): void {
    const feed = this.#feeds.get(`${view.scope.organizationId}/${view.eventId}`)
    if (feed && !feed.isOf(view)) feed.reset(view)
  }

  gone({ scope, eventId }: EventAddress): void {
    this.#feeds.get(`${scope.organizationId}/${eventId}`)?.close()
  }

  open(view: CommittedView): FeedDoor {
    const key = `${view.scope.organizationId}/${view.eventId}`
    const feed = this.#feeds.get(key) ?? new EventFeed(view, this.counts, this.#time)
    this.#feeds.set(key, feed)
    feed.doors += 1
    const { rememberedFrom } = feed
    let isOpen = true
    const close = () => {
      if (!isOpen) return
      isOpen = false
      feed.doors -= 1
      if (feed.doors === 0) this.#feeds.delete(key)
    }
    return {
      rememberedFrom,
      close,
      add(reader, known) {
        reader.on('close', () => {
          feed.readers.delete(reader)
          close()
        })
        reader.write(firstMessage(feed, { ...known, rememberedFrom }))
        feed.readers.add(reader)
      },
    }
  }

  close(): void {
    this.#endHeartbeat()
    for (const feed of this.#feeds.values()) feed.close()
  }
}

function firstMessage(feed: EventFeed, known: Known & { readonly rememberedFrom: number }): Buffer {
  const { since, journal, isPaused, rememberedFrom } = known
  // The changes that were gathered for the others go out first: then this reader can begin at the same place.
  feed.flush()
  if (since === null) return feed.first([], isPaused)
  if (feed.sentSeq - since > MAX_MISSED) return resetMessage(feed.sentSeq)
  // A new plan, or so much happened meanwhile that some of it is forgotten: only a snapshot helps.
  const isPlanOld = journal?.some(isNewPlan) ?? true
  if (isPlanOld || feed.rememberedFrom > rememberedFrom || since > feed.sentSeq) {
    return resetMessage(feed.sentSeq)
  }
  return feed.missed(since, journal!, isPaused)
}

function saleOf({ state }: CommittedView): object {
  const { settings } = state
  const { status, saleStart, saleEnd } = settings
  const sales_end_at = iso(salesEnd(settings))
  return { status, sale_start: iso(saleStart), sale_end: iso(saleEnd), sales_end_at }
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** Readers learn the event's status and sale window from one small message; their seats stay as they are. */
function isNewStatus(change: Change): boolean {
  if (change.kind !== 'event_changed') return false
  const { status, saleStart, saleEnd, policy, zones } = change
  if (policy !== undefined || zones !== undefined) return false
  return status !== undefined || saleStart !== undefined || saleEnd !== undefined
}

/**
 * Any other change of the event: what readers know of its zones or its name is out of date,
 * so they start again.
 */
function isNewPlan(change: Change): boolean {
  return change.kind === 'event_changed' && !isNewStatus(change)
}

function statusMessage(view: CommittedView): Buffer {
  const { seq } = view
  return Buffer.from(`id: ${seq}\nevent: status\ndata: ${JSON.stringify({ seq, ...saleOf(view) })}\n\n`)
}

function resetMessage(seq: number): Buffer {
  return Buffer.from(`event: reset\nid: ${seq}\ndata: {"seq":${seq}}\n\n`)
}

function deltasOf(change: Change): Delta[] {
  if (change.kind === 'companions_released') {
    return change.ordinals.map(ordinal => ({ seq: change.seq, ordinal, status: 'available' }))
  }
  const delta = deltaOf(change)
  if (!delta) return []
  const isOfOthers = change.kind === 'seat_released' && change.reason !== 'user_cancelled'
  return [isOfOthers && change.ordinal === null ? { ...delta, endedIn: change.zoneIndex } : delta]
}

function deltaOf(change: Exclude<Change, CompanionsReleased>): Delta | null {
  switch (change.kind) {
    case 'seat_reserved':
      return { seq: change.seq, ordinal: change.ordinal ?? COUNTERS_ONLY, status: 'held' }
    case 'seat_hold_expired':
    case 'seat_released':
      return { seq: change.seq, ordinal: change.ordinal ?? COUNTERS_ONLY, status: 'available' }
    case 'seat_converted':
      return { seq: change.seq, ordinal: change.ordinal ?? COUNTERS_ONLY, status: 'sold' }
    case 'seat_blocked':
      return { seq: change.seq, ordinal: change.ordinal, status: 'blocked' }
    case 'seat_unblocked':
      return { seq: change.seq, ordinal: change.ordinal, status: 'available' }
    case 'ticket_voided':
      return { seq: change.seq, ordinal: change.ordinal ?? COUNTERS_ONLY, status: 'available' }
    case 'hold_reduced':
      return { seq: change.seq, ordinal: COUNTERS_ONLY, status: 'available' }
    case 'seat_hold_extended':
    case 'hold_transferred':
    case 'payment_started':
    case 'payment_ended':
    case 'event_changed':
      return null
  }
}
