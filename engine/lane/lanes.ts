import type { Change } from '@voelgoed/core/event/change'
import { stateBytes } from '@voelgoed/core/event/copy-state'
import type { EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import type { Ask } from '@voelgoed/kit/postgres/announcement-messages'
import type { FastifyBaseLogger } from 'fastify'
import type { Fact } from '../facts/fact.ts'
import type { Bus } from '../ports/bus.ts'
import type { EventAddress, EventStore } from '../ports/store.ts'
import { isSamePoint } from '../tables/ledger.ts'
import type { CommittedView } from '../view/committed-view.ts'
import type { BatchFigures } from './batch-figures.ts'
import { Lane, type LaneWatch } from './lane.ts'
import type { LaneTracer } from './lane-tracer.ts'

/** Hears what happens to the events on this node. It must be quick: the event's next batch waits for it. */
export interface Follower {
  /** The view has the fact already, and nothing beyond it. */
  heard?(fact: Fact, view: CommittedView): void
  /**
   * This node has committed these changes, and the view may not have them yet. Summed over all nodes, every
   * change once. `expiresInMs`: a hold runs out in so many milliseconds.
   */
  committed?(changes: readonly Change[], expiresInMs: number | null): void
  /** The event was not in the memory of this node, and is now. */
  loaded?(view: CommittedView): void
  /** The event is in memory no more. It may be loaded again. */
  dropped?(event: EventAddress): void
  /** There is no such event any more. */
  gone?(event: EventAddress): void
  /** The lanes are closed: nothing may begin by itself from here on. */
  closed?(): void
  batch?(figures: BatchFigures): void
  decided?: LaneWatch['decided']
  /** A caller of a lane has its answer. */
  answered?: LaneWatch['answered']
  /** The rule about single seats tripped over a bug of ours, and said nothing. */
  ruleFailed?(): void
  /** Another node wants to know what this one has of an event. If it asked for that, it was loaded again. */
  asked?(ask: Ask): void
}

export interface LanesDeps {
  readonly store: EventStore
  readonly time: Time
  readonly bus: Bus
  readonly log: FastifyBaseLogger
  /** Null, or none: nothing is traced. */
  readonly tracer?: LaneTracer | null
}

/** Lanes that did nothing for this long are dropped, and the oldest of them when memory gets short. */
const IDLE_MS = 10 * 60_000
const MAX_HOT_BYTES = 1024 * 1024 * 1024
const TIDY_EVERY_MS = 15_000
/**
 * A person who reads what is theirs waits so long for this node to catch up. Most often that takes the rest
 * of a batch; another node that stands still with the event's lock could make it seconds.
 */
const OWN_READ_WAITS_MS = 250
/** A change can stay unheard for so long when the node that made it died before it could tell. */
const LOOK_EVERY_MS = 2_000

/** All lanes of this node. */
export class Lanes {
  readonly #deps: LanesDeps
  readonly #lanes = new Map<string, Lane>()
  readonly #followers: Follower[] = []
  /** Events that a reader watches: never dropped. */
  readonly #watched = new Map<string, { scope: TenantScope; eventId: EventId; watchers: number }>()
  readonly #timers: (() => void)[]
  #isClosed = false

  constructor(deps: LanesDeps) {
    this.#deps = deps
    this.#timers = [
      deps.time.every(TIDY_EVERY_MS, () => this.tidy()),
      deps.time.every(LOOK_EVERY_MS, () => void this.#look()),
    ]
    deps.bus.onHeard((organizationId, eventId, seq) => {
      if (!this.#isClosed) this.#lanes.get(`${organizationId}/${eventId}`)?.heard(seq)
    })
    deps.bus.onAsked(ask => void this.#asked(ask))
    // All that was said while this node did not listen is lost: every event in memory looks for itself.
    deps.bus.onListening(() => {
      if (this.#isClosed) return
      for (const lane of this.#lanes.values()) if (lane.view) void lane.sync()
    })
  }

  /** Tells this follower too, after those that came before it. */
  follow(follower: Follower): void {
    this.#followers.push(follower)
  }

  /** The rule about single seats tripped over a bug of ours, and said nothing. */
  ruleFailed(eventId: EventId, fault: unknown): void {
    this.#deps.log.error({ err: fault, event_id: eventId }, 'the rule about single seats could not be asked')
    for (const follower of this.#followers) follower.ruleFailed?.()
  }

  /** The view of an event, if it is in the memory of this node. Loads nothing. */
  inMemory(scope: TenantScope, eventId: EventId): CommittedView | null {
    return this.#lanes.get(`${scope.organizationId}/${eventId}`)?.view ?? null
  }

  /**
   * The lane of an event. One for an id without an event ends as soon as that is known: keep no reference to
   * a lane beyond the request.
   */
  lane(scope: TenantScope, eventId: EventId): Lane {
    const key = `${scope.organizationId}/${eventId}`
    let lane = this.#lanes.get(key)
    if (!lane) {
      lane = new Lane(scope, eventId, {
        store: this.#deps.store,
        time: this.#deps.time,
        log: this.#deps.log,
        tracer: this.#deps.tracer ?? null,
        watch: {
          batch: figures => {
            for (const follower of this.#followers) follower.batch?.(figures)
          },
          answered: (command, refusal, ms) => {
            for (const follower of this.#followers) follower.answered?.(command, refusal, ms)
          },
          decided: (command, outcome) => {
            for (const follower of this.#followers) follower.decided?.(command, outcome)
          },
          ruleFailed: fault => this.ruleFailed(eventId, fault),
          heard: (fact, view) => {
            for (const follower of this.#followers) follower.heard?.(fact, view)
          },
          loaded: view => {
            for (const follower of this.#followers) follower.loaded?.(view)
          },
          committed: ({ seq, changes, expiresInMs }) => {
            this.#deps.bus.tell(scope.organizationId, eventId, seq)
            for (const follower of this.#followers) follower.committed?.(changes, expiresInMs)
          },
          ended: ended => {
            if (this.#lanes.get(key) !== ended) return
            this.#lanes.delete(key)
            // Followers know nothing of an event that was never in memory: a draft, or an id without an
            // event.
            if (!ended.wasEverLoaded) return
            for (const follower of this.#followers) follower.gone?.({ scope, eventId })
          },
        },
      })
      this.#lanes.set(key, lane)
    }
    return lane
  }

  /**
   * The view of an event, loaded if need be. While this node can't hear the others, it looks for itself each
   * time; once after a commit whose outcome is unknown, when readers were told more by another tier, and when
   * the view is not as far as the reader knows the event to be (`atLeast`). What it can't find out then is an
   * outage for the reader.
   */
  async read(
    scope: TenantScope,
    eventId: EventId,
    atLeast = 0,
  ): Promise<{ view: CommittedView; tier: 'hot' | 'postgres' } | null> {
    const lane = this.lane(scope, eventId)
    const isLoaded = lane.view !== null
    if (!isLoaded && !(await lane.ready())) return null
    // The event that was just loaded may have been on its way when a reader was told more.
    const isAsNew = (lane.view?.seq ?? 0) >= atLeast
    const isCurrent = (!isLoaded || this.#deps.bus.isListening) && !lane.isUncertain && isAsNew
    if (lane.view && !isCurrent) {
      const error = await lane.sync()
      if (error !== null) throw error
    }
    const tier = isLoaded && isCurrent ? 'hot' : 'postgres'
    const view = lane.view ?? (await lane.ready())
    return view && { view, tier }
  }

  /**
   * As `read`, but with all that was committed before this call, by whichever node: what a person reads of
   * their own is never older than what they did last, wherever that was. False: this node could not get so
   * far in time.
   */
  async readOwn(
    scope: TenantScope,
    eventId: EventId,
  ): Promise<{ view: CommittedView; isCurrent: boolean } | null> {
    const lane = this.lane(scope, eventId)
    const isCurrent = await lane.isCurrent(OWN_READ_WAITS_MS)
    const view = lane.view ?? (await lane.ready())
    return view && { view, isCurrent }
  }

  /** The event of a hold, if it is alive in the memory of this node. */
  findHold(scope: TenantScope, holdId: string): Lane | null {
    for (const lane of this.#lanes.values()) {
      if (lane.scope.organizationId === scope.organizationId && lane.view?.state.holds.has(holdId as never))
        return lane
    }
    return null
  }

  /** Keeps an event in memory while a reader watches it. Returns how to stop. */
  watch(scope: TenantScope, eventId: EventId): () => void {
    const key = `${scope.organizationId}/${eventId}`
    const entry = this.#watched.get(key) ?? { scope, eventId, watchers: 0 }
    entry.watchers += 1
    this.#watched.set(key, entry)
    return () => {
      entry.watchers -= 1
      if (entry.watchers === 0) this.#watched.delete(key)
    }
  }

  /** The views of all events in the memory of this node. */
  *views(): Iterable<CommittedView> {
    for (const { view } of this.#lanes.values()) if (view) yield view
  }

  stats(): { lanes: number; hotBytes: number; queued: number } {
    let hotBytes = 0
    let queued = 0
    for (const lane of this.#lanes.values()) {
      hotBytes += bytesOf(lane)
      queued += lane.queued
    }
    return { lanes: this.#lanes.size, hotBytes, queued }
  }

  /** Nothing begins by itself from here on. What callers still ask for is done. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#timers) end()
    for (const follower of this.#followers) follower.closed?.()
  }

  /** Resolves when all that was begun has ended: then the connections to Postgres may be closed. */
  async quiet(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(lane => lane.quiet()))
  }

  /** Another node asks: what was loaded again is answered for. */
  async #asked(ask: Ask): Promise<void> {
    if (this.#isClosed) return
    const lane = this.#lanes.get(`${ask.organizationId}/${ask.eventId}`)
    if (ask.what === 'reload' && lane?.view) {
      await lane.reload().catch(error => {
        this.#deps.log.warn({ err: error, event_id: ask.eventId }, 'could not load an event again')
      })
    }
    for (const follower of this.#followers) follower.asked?.(ask)
  }

  /** The backstop of the bus: finds what was not heard, for every event in memory, and what was published. */
  async #look(): Promise<void> {
    for (const [key, { scope, eventId }] of this.#watched) {
      // A draft, which may be on sale by now; or it could not be loaded in an outage. Readers must not wait
      // for the next buyer.
      if (!this.#lanes.get(key)?.view)
        void this.lane(scope, eventId)
          .ready()
          .catch(() => {})
    }
    const byOrganization = new Map<string, { scope: TenantScope; eventIds: EventId[] }>()
    for (const { scope, eventId, view } of this.#lanes.values()) {
      if (!view) continue
      const entry = byOrganization.get(scope.organizationId) ?? { scope, eventIds: [] }
      entry.eventIds.push(eventId)
      byOrganization.set(scope.organizationId, entry)
    }
    for (const { scope, eventIds } of byOrganization.values()) {
      const points = await this.#deps.store.pointsOf(scope, eventIds).catch(() => null)
      if (this.#isClosed) return
      if (!points) continue
      for (const eventId of eventIds) {
        const lane = this.#lanes.get(`${scope.organizationId}/${eventId}`)
        if (!lane?.isIdle || !lane.view) continue
        const point = points.get(eventId)
        // Behind, or ahead of a Postgres that has lost its last commits, or another node has noticed that it
        // has; or the event itself is lost.
        const { epochPoint: known, lostUpTo } = lane.view
        const isKnown = point && known.epoch === point.epoch && lostUpTo >= point.lostUpTo
        if (!isKnown || !isSamePoint(known, point)) void lane.sync()
      }
    }
  }

  /** Drops what no request has used for long, and beyond so many bytes whatever is idle. */
  tidy(maxBytes = MAX_HOT_BYTES): void {
    let total = this.stats().hotBytes
    const idle = [...this.#lanes].filter(([key, lane]) => lane.isIdle && !this.#watched.has(key))
    idle.sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt)
    for (const [key, lane] of idle) {
      const tooOld = this.#deps.time.now() - lane.lastUsedAt > IDLE_MS
      if (!tooOld && total <= maxBytes) break
      total -= bytesOf(lane)
      this.#lanes.delete(key)
      for (const follower of this.#followers) follower.dropped?.(lane)
    }
  }
}

function bytesOf(lane: Lane): number {
  const state = lane.view?.state
  return state ? lane.states * stateBytes(state) : 0
}
