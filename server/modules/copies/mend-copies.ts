import { isOnSale } from '@voelgoed/core/event/lifecycle'
import type { EventId } from '@voelgoed/core/ids'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventAddress, EventStore } from '@voelgoed/engine/ports/store'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import type { FastifyBaseLogger } from 'fastify'
import { copyPoint } from './copy-claim.ts'
import type { Registry } from './registry.ts'

const LOOK_EVERY_MS = 5_000
const SAMPLE_EVERY_MS = 60_000
/** A copy that lacks what Postgres had for so long does not catch up by itself. */
const STALE_MS = 30_000
/** Copies in Redis that one look asks about; the others follow. */
const COPIES_A_LOOK = 200
/** Events that are mended in one look; the others wait for the next. */
const MENDED_A_LOOK = 5

export const TIERS = ['memory', 'redis'] as const
export type TierName = (typeof TIERS)[number]
/** `stale`: it stayed behind for 30 s. `different`: at the same epoch and seq it is not what Postgres has. */
export const FAULTS = ['stale', 'different'] as const
type Fault = (typeof FAULTS)[number]
export const RESULTS = ['same', 'different', 'not_compared'] as const

export interface MendCopiesDeps {
  readonly lanes: Pick<Lanes, 'views' | 'lane'>
  readonly store: Pick<EventStore, 'pointsOf'>
  readonly registry: Pick<Registry, 'compare' | 'remakeCopy'>
  /** Null: there is no Redis. */
  readonly redis: RedisConnection | null
  readonly log: FastifyBaseLogger
  readonly time?: Time
  onCompared(tier: TierName, result: (typeof RESULTS)[number]): void
  onFound(tier: TierName, fault: Fault): void
  onMended(tier: TierName): void
}

/** The copy lacked this point when it was first seen to be behind. */
interface Lagging {
  readonly point: EpochPoint
  readonly since: number
}

/**
 * Finds copies of events that stay behind Postgres, or differ from it, and makes them again: the memory of
 * this node, and the copies in Redis of the events that are in it. Every node does so. Once a minute one
 * event is compared in full.
 */
export class MendCopies implements Job {
  readonly name = 'mend-copies'
  readonly on = 'node'
  readonly endsBeforeLanes = true
  readonly #deps: MendCopiesDeps
  readonly #time: Time
  readonly #looks: Repeat
  readonly #samples: Repeat
  readonly #lagging: Record<TierName, Map<string, Lagging>> = { memory: new Map(), redis: new Map() }
  /** When each event was last compared; only of those in memory. */
  readonly #sampledAt = new Map<string, number>()
  #nextCopy = 0

  constructor(deps: MendCopiesDeps) {
    this.#deps = deps
    this.#time = deps.time ?? processTime
    const repeat = (everyMs: number, run: () => Promise<void>) =>
      new Repeat({
        everyMs,
        run: async () => void (await run()),
        onFailure: error => deps.log.warn({ err: error }, 'copies of events could not be compared'),
        time: this.#time,
      })
    this.#looks = repeat(LOOK_EVERY_MS, () => this.look())
    this.#samples = repeat(SAMPLE_EVERY_MS, () => this.sample())
  }

  start(): void {
    this.#looks.start()
    this.#samples.start()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#looks.stop(), this.#samples.stop()])
  }

  /** Copies that are behind now and may yet catch up. */
  get lagging(): Readonly<Record<TierName, number>> {
    return { memory: this.#lagging.memory.size, redis: this.#lagging.redis.size }
  }

  /** Mends what has stayed behind for too long. */
  async look(): Promise<void> {
    const views = [...this.#deps.lanes.views()]
    const points = await this.#pointsOf(views)
    this.#forget(views)
    const stale: [TierName, CommittedView][] = []
    for (const view of views) {
      const wanted = points.get(keyOf(view))
      if (wanted && this.#staysBehind('memory', view, view.epochPoint, wanted)) stale.push(['memory', view])
    }
    for (const view of this.#nextCopies(views)) {
      const wanted = points.get(keyOf(view))
      const copy = wanted && (await copyPoint(this.#deps.redis!, view))
      // A copy that was begun and not ended is as good as none.
      const has = copy && copy !== 'being written' ? copy : NOTHING
      if (wanted && this.#staysBehind('redis', view, has, wanted)) stale.push(['redis', view])
    }
    for (const [tier, view] of stale.slice(0, MENDED_A_LOOK)) await this.#mend(tier, 'stale', view)
  }

  /** Compares the event that was compared longest ago. */
  async sample(): Promise<void> {
    const views = [...this.#deps.lanes.views()]
    this.#forget(views)
    const at = (view: CommittedView) => this.#sampledAt.get(keyOf(view)) ?? Number.NEGATIVE_INFINITY
    const [first, ...rest] = views
    if (!first) return
    const view = rest.reduce((oldest, other) => (at(other) < at(oldest) ? other : oldest), first)
    this.#sampledAt.set(keyOf(view), this.#time.now())
    const found = await this.#standings(view)
    for (const tier of TIERS) {
      const result = found?.[tier] ?? null
      if (result === null) continue
      this.#deps.onCompared(tier, result)
      if (result === 'different') await this.#mend(tier, 'different', view)
    }
  }

  /** Null: this node has no such copy. */
  async #standings(event: EventAddress): Promise<Record<TierName, (typeof RESULTS)[number] | null> | null> {
    const compared = await this.#deps.registry.compare(event, 'this node')
    if (!compared.ok) return null
    const { hot, redis, postgres } = compared.value
    const isExpected = redis !== null && postgres?.isOnSale === true
    return {
      memory: hot && resultOf(hot.standing),
      redis: !isExpected ? null : redis.kind === 'damaged' ? 'different' : resultOf(redis.tier?.standing),
    }
  }

  /** Tells if the copy still lacks what it lacked half a minute ago. */
  #staysBehind(tier: TierName, view: CommittedView, has: EpochPoint, wanted: EpochPoint): boolean {
    const lagging = this.#lagging[tier]
    const key = keyOf(view)
    const known = lagging.get(key)
    if (known && !isBehind(has, known.point)) lagging.delete(key)
    if (!isBehind(has, wanted)) {
      lagging.delete(key)
      return false
    }
    const entry = lagging.get(key) ?? { point: wanted, since: this.#time.now() }
    lagging.set(key, entry)
    return this.#time.now() - entry.since >= STALE_MS
  }

  async #mend(tier: TierName, fault: Fault, view: CommittedView): Promise<void> {
    const { lanes, registry, log, onFound, onMended } = this.#deps
    const { scope, eventId } = view
    const fields = { event_id: eventId, tier, fault, seq: view.seq }
    onFound(tier, fault)
    log.error(fields, 'a copy of an event was not what Postgres has')
    try {
      if (tier === 'memory') await lanes.lane(scope, eventId).reload()
      else await registry.remakeCopy({ scope, eventId })
      const after = await this.#standings({ scope, eventId })
      if (after?.[tier] === 'same') {
        this.#lagging[tier].delete(keyOf(view))
        onMended(tier)
        log.info(fields, 'a copy of an event was made again')
        return
      }
    } catch (error) {
      log.warn(
        { ...fields, err: error },
        'a copy of an event could not be made again; it will be tried again',
      )
      return
    }
    log.warn(fields, 'a copy of an event could not be made again; it will be tried again')
  }

  async #pointsOf(views: readonly CommittedView[]): Promise<ReadonlyMap<string, EpochPoint>> {
    const byOrganization = new Map<string, { scope: TenantScope; eventIds: EventId[] }>()
    for (const { scope, eventId } of views) {
      const entry = byOrganization.get(scope.organizationId) ?? { scope, eventIds: [] }
      entry.eventIds.push(eventId)
      byOrganization.set(scope.organizationId, entry)
    }
    const points = new Map<string, EpochPoint>()
    for (const { scope, eventIds } of byOrganization.values()) {
      const found = await this.#deps.store.pointsOf(scope, eventIds)
      for (const [eventId, point] of found) points.set(keyOf({ scope, eventId }), point)
    }
    return points
  }

  /** While Redis does not answer there is nothing to make again. */
  #nextCopies(views: readonly CommittedView[]): readonly CommittedView[] {
    if (this.#deps.redis?.state !== 'ok') {
      this.#lagging.redis.clear()
      return []
    }
    const sold = views.filter(view => isOnSale(view.state.settings.status))
    const from = this.#nextCopy < sold.length ? this.#nextCopy : 0
    this.#nextCopy = from + COPIES_A_LOOK
    return sold.slice(from, from + COPIES_A_LOOK)
  }

  /** Forgets the events that are in memory no more. */
  #forget(views: readonly CommittedView[]): void {
    const keys = new Set(views.map(keyOf))
    for (const map of [this.#lagging.memory, this.#lagging.redis, this.#sampledAt]) {
      for (const key of map.keys()) if (!keys.has(key)) map.delete(key)
    }
  }
}

const NOTHING: EpochPoint = { epoch: 0, seq: -1, tip: null }

function resultOf(standing: string | undefined): (typeof RESULTS)[number] {
  if (standing === 'same') return 'same'
  return standing === 'different' || standing === 'lost' ? 'different' : 'not_compared'
}

function isBehind(has: EpochPoint, wanted: EpochPoint): boolean {
  return has.epoch < wanted.epoch || (has.epoch === wanted.epoch && has.seq < wanted.seq)
}

function keyOf({ scope, eventId }: EventAddress): string {
  return `${scope.organizationId}/${eventId}`
}
