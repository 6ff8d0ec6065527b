import type { Change } from '@voelgoed/core/event/change'
import type { EventId } from '@voelgoed/core/ids'
import type { FastifyBaseLogger } from 'fastify'
import { isSamePoint } from '../postgres/tables/ledger.ts'
import type { TenantScope } from '../tenant.ts'
import type { Time } from '../time.ts'
import type { Bus } from './bus.ts'
import { databaseNow, type HotEvent, pointOf } from './hot-event.ts'
import { Lane } from './lane.ts'
import type { BatchFigures } from './lane-answer.ts'
import { LostHistory } from './lost-history.ts'
import type { EventStore } from './store.ts'

/** Hears what happens to the events on this node, after it is committed and in order. */
export interface Follower {
  /** `changes: null`: too many to tell, or what was told before is lost; start again from `hot`. */
  advanced(event: FollowedEvent, changes: readonly Change[] | null): void
  /** There is no such event any more. */
  gone?(event: Omit<FollowedEvent, 'hot'>): void
}

export interface FollowedEvent {
  readonly scope: TenantScope
  readonly eventId: EventId
  readonly hot: HotEvent
}

export interface LanesDeps {
  readonly store: EventStore
  readonly time: Time
  readonly bus: Bus
  readonly log: FastifyBaseLogger
  readonly followers: readonly Follower[]
  onBatch(figures: BatchFigures): void
  /** By this node: summed over all nodes, every change once. */
  onCommitted(changes: readonly Change[]): void
  /** A hold runs out in so many milliseconds: the reaper may want to wake earlier. */
  onExpiry(inMs: number): void
}

/** Lanes that did nothing for this long are dropped, and the oldest of them when memory gets short. */
const IDLE_MS = 10 * 60_000
const MAX_HOT_BYTES = 1024 * 1024 * 1024
const TIDY_EVERY_MS = 15_000
/** How long a change can stay unheard when the node that made it died before it could tell. */
const LOOK_EVERY_MS = 2_000

/** All lanes of this node. */
export class Lanes {
  readonly #deps: LanesDeps
  readonly #lanes = new Map<string, Lane>()
  readonly #lostHistory = new LostHistory()
  /** Events that a reader watches: never dropped. */
  readonly #watched = new Map<string, { scope: TenantScope; eventId: EventId; watchers: number }>()
  readonly #timers: (() => void)[]

  constructor(deps: LanesDeps) {
    this.#deps = deps
    this.#timers = [
      deps.time.every(TIDY_EVERY_MS, () => this.#tidy()),
      deps.time.every(LOOK_EVERY_MS, () => void this.#look()),
    ]
    deps.bus.onHeard((organizationId, eventId, seq) => {
      const lane = this.#lanes.get(`${organizationId}/${eventId}`)
      if (lane?.hot && lane.hot.state.seq < seq) void lane.sync()
    })
    deps.bus.onReload((organizationId, eventId) => {
      const lane = this.#lanes.get(`${organizationId}/${eventId}`)
      if (!lane?.hot) return
      void lane
        .reload()
        .catch(error => deps.log.warn({ err: error, event_id: eventId }, 'could not load an event again'))
    })
    // What was said while this node did not listen is lost: every event in memory looks for itself.
    deps.bus.onListening(() => {
      for (const lane of this.#lanes.values()) if (lane.hot) void lane.sync()
    })
  }

  /** The event as it is in the memory of this node; null when it is not there. Loads nothing. */
  inMemory(scope: TenantScope, eventId: EventId): HotEvent | null {
    return this.#lanes.get(`${scope.organizationId}/${eventId}`)?.hot ?? null
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
        watch: {
          batch: figures => this.#deps.onBatch(figures),
          advanced: (_lane, hot, changes) => {
            for (const follower of this.#deps.followers) follower.advanced({ scope, eventId, hot }, changes)
          },
          lost: (_lane, upTo) => this.#lostHistory.lost(scope, eventId, upTo),
          committed: ({ hot }, seq, changes) => {
            this.#deps.onCommitted(changes)
            this.#deps.bus.tell(scope.organizationId, eventId, seq)
            const first = hot?.state.queue.first
            if (hot && first) this.#deps.onExpiry(first.heldUntil - databaseNow(hot, this.#deps.time))
          },
          ended: ended => {
            if (this.#lanes.get(key) !== ended) return
            this.#lanes.delete(key)
            for (const follower of this.#deps.followers) follower.gone?.({ scope, eventId })
          },
        },
      })
      this.#lanes.set(key, lane)
    }
    return lane
  }

  /**
   * The event in memory, everything in it committed. To be read before anything else is waited for. While
   * this node can't hear the others, it looks for itself each time.
   */
  async read(
    scope: TenantScope,
    eventId: EventId,
  ): Promise<{ hot: HotEvent; tier: 'hot' | 'postgres' } | null> {
    const lane = this.lane(scope, eventId)
    const tier = lane.hot && this.#deps.bus.isListening ? 'hot' : 'postgres'
    if (lane.hot && !this.#deps.bus.isListening) await lane.sync()
    const hot = await lane.settled()
    return hot ? { hot, tier } : null
  }

  /**
   * Every node throws its copy of an event away and loads it again: this one before the answer, the others
   * when they hear of it. `othersAsked` is false when they could not be told.
   */
  async reconcile(
    scope: TenantScope,
    eventId: EventId,
  ): Promise<{ readonly wasRight: boolean | null; readonly othersAsked: boolean }> {
    const wasRight = await this.lane(scope, eventId).reload()
    const othersAsked = await this.#deps.bus.askToReload(scope.organizationId, eventId)
    return { wasRight, othersAsked }
  }

  /** A reader that knows changes up to this seq may know some that Postgres has lost. 0: none is known. */
  lostUpTo(scope: TenantScope, eventId: EventId): number {
    return this.#lostHistory.upTo(scope, eventId)
  }

  /** The event of a hold, if it is alive in the memory of this node. */
  findHold(scope: TenantScope, holdId: string): Lane | null {
    for (const lane of this.#lanes.values()) {
      if (lane.scope.organizationId === scope.organizationId && lane.hot?.state.holds.has(holdId as never))
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

  stats(): { lanes: number; hotBytes: number; queued: number } {
    let hotBytes = 0
    let queued = 0
    for (const lane of this.#lanes.values()) {
      hotBytes += bytesOf(lane)
      queued += lane.queued
    }
    return { lanes: this.#lanes.size, hotBytes, queued }
  }

  close(): void {
    for (const end of this.#timers) end()
  }

  /** The backstop of the bus: finds what was not heard, for every event in memory. */
  async #look(): Promise<void> {
    const byOrganization = new Map<string, { scope: TenantScope; eventIds: EventId[] }>()
    for (const [key, lane] of this.#lanes) {
      const { scope, eventId, hot } = lane
      if (!hot) {
        // Thrown away in an outage: readers must not wait for the next buyer.
        if (this.#watched.has(key)) void lane.ready().catch(() => {})
        continue
      }
      const entry = byOrganization.get(scope.organizationId) ?? { scope, eventIds: [] }
      entry.eventIds.push(eventId)
      byOrganization.set(scope.organizationId, entry)
    }
    for (const { scope, eventIds } of byOrganization.values()) {
      const points = await this.#deps.store.pointsOf(scope, eventIds).catch(() => null)
      if (!points) continue
      for (const eventId of eventIds) {
        const lane = this.#lanes.get(`${scope.organizationId}/${eventId}`)
        if (!lane?.isIdle || !lane.hot) continue
        const point = points.get(eventId)
        // Behind, or ahead of a Postgres that has lost its last commits; or the event itself is lost.
        if (!point || !isSamePoint(pointOf(lane.hot), point)) void lane.sync()
      }
    }
  }

  #tidy(): void {
    let total = this.stats().hotBytes
    const idle = [...this.#lanes].filter(([key, lane]) => lane.isIdle && !this.#watched.has(key))
    idle.sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt)
    for (const [key, lane] of idle) {
      const tooOld = this.#deps.time.now() - lane.lastUsedAt > IDLE_MS
      if (!tooOld && total <= MAX_HOT_BYTES) break
      total -= bytesOf(lane)
      this.#lanes.delete(key)
    }
  }
}

/** Measured: 14 bytes a seat beside what the layout version shares, about 500 a hold. */
function bytesOf(lane: Lane): number {
  const state = lane.hot?.state
  return state ? state.seats.count * 14 + state.holds.size * 500 : 0
}
