import { randomUUID } from 'node:crypto'
import type { EventChanged } from '@voelgoed/core/event/change'
import { isOnSale } from '@voelgoed/core/event/lifecycle'
import type { Fact } from '@voelgoed/engine/facts/fact'
import type { Follower } from '@voelgoed/engine/lane/lanes'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import { isSamePoint } from '@voelgoed/engine/tables/ledger'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import type { Time } from '@voelgoed/kit/base/time'
import { RedisUnavailable } from '@voelgoed/kit/redis/breaker'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import type { FastifyBaseLogger } from 'fastify'
import { Copy, MOST_A_PART, type Written } from './copy.ts'
import { isOlder } from './made-under.ts'
import { Unwritten } from './unwritten.ts'

/** More than this waiting for a Redis that does not take it: it is dropped, and the copy made again. */
const MAX_UNWRITTEN = 20_000
/** A look finds copies that could not be written, or that another node wrote, this often. */
const LOOK_EVERY_MS = 1_000
/** Every so many looks, copies with nothing to write are looked at as well: Redis may have lost them. */
const IDLE_LOOKS = 2
/** One look checks at most this many idle copies. The rest wait for the next look. */
const MAX_IDLE_LOOKS = 500
/** Copies that are made again at the same time. */
const MAX_REBUILDS = 2

export interface WarmTierDeps {
  readonly redis: RedisConnection
  readonly time: Time
  readonly log: FastifyBaseLogger
  /** Asks Postgres if it has lost a point that the copy knows (`Lane.doubt`). */
  doubt(event: EventAddress, known: EpochPoint): Promise<boolean>
  /** Holds, and seats, that are written in one call. */
  readonly mostAPart?: number
  /** Redis has a change that was made so long ago. */
  onWritten(delayMs: number): void
}

class WarmEvent {
  readonly copy: Copy
  /** The copy was there once; everything that has changed since is in `unwritten`. Null: not known. */
  known: EpochPoint | null = null
  unwritten = new Unwritten()
  /** The tier does this besides writing what has changed. `over`: the copy was removed. */
  task: 'compare' | 'rebuild' | 'remove' | 'over' | null
  /** Counts what was planned: work that ends does not undo a later plan. */
  plans = 0
  /** Counts how often the copy was made again. */
  rebuilt = 0
  isRunning = false
  isDropped = false
  /** Once: what is there again since then is removed too. */
  wasRemoved = false
  /** The copy shows its seats under a policy that keeps companion seats. */
  keepsCompanions: boolean

  constructor(copy: Copy) {
    this.copy = copy
    this.keepsCompanions = keepsCompanions(copy.view)
    this.task = isOnSale(copy.view.state.settings.status) ? 'compare' : 'remove'
  }

  get isIdle(): boolean {
    return this.task === null && this.unwritten.isEmpty
  }

  /** The policy is not in the journal: no change of a seat tells whether it keeps companion seats. */
  get isOtherwiseShown(): boolean {
    return this.keepsCompanions !== keepsCompanions(this.copy.view)
  }

  /** All of the copy is written or removed: what has changed so far is part of that. */
  plan(task: 'rebuild' | 'remove'): void {
    this.task = task
    this.plans += 1
    this.unwritten = new Unwritten()
  }

  takeUnwritten(): Unwritten {
    const taken = this.unwritten
    this.unwritten = new Unwritten()
    return taken
  }

  /** For work that begins now. Null: a plan that was made since has thrown away what the work must write. */
  takeSincePlan(): () => Unwritten | null {
    const { plans } = this
    return () => (this.plans === plans && !this.isDropped ? this.takeUnwritten() : null)
  }
}

/**
 * Keeps a copy of each event of this node in Redis, for nodes that do not have it in memory and for other
 * programs. It follows the facts and never keeps a caller waiting: what Redis does not take stays to be
 * written, and when that is too much, or the copy is not what this node thinks, the copy is made again.
 *
 * The node that committed a change writes it, at once; the others look a second later whether it is there,
 * and write it themselves if that node could not. (epoch, seq) decides who is right (put-event.lua).
 */
export class WarmTier implements Follower {
  readonly counts = { written: 0, newer: 0, failed: 0, dropped: 0, rebuilt: 0, removed: 0 }
  readonly #deps: WarmTierDeps
  readonly #node = randomUUID()
  readonly #events = new Map<string, WarmEvent>()
  readonly #mostAPart: number
  readonly #endTimer: () => void
  #rebuilds = 0
  /** Events whose copy is to be made again once one of those is done. */
  readonly #waiting = new Set<WarmEvent>()
  #looks = 0

  constructor(deps: WarmTierDeps) {
    this.#deps = deps
    this.#mostAPart = deps.mostAPart ?? MOST_A_PART
    this.#endTimer = deps.time.every(LOOK_EVERY_MS, () => this.#look())
  }

  loaded(view: CommittedView): void {
    this.dropped(view)
    const event = new WarmEvent(new Copy(this.#deps.redis, view, this.#node, this.#mostAPart))
    this.#events.set(keyOf(view), event)
    this.#start(event)
  }

  heard(fact: Fact, view: CommittedView): void {
    const event = this.#events.get(keyOf(fact))
    if (!event || event.task === 'over') return
    if (!isOnSale(view.state.settings.status)) event.plan('remove')
    else if (fact.kind === 'start_again') event.plan('rebuild')
    else this.#note(event, fact)
    if (event.unwritten.hasOwn || event.task !== null) this.#start(event)
  }

  #note(event: WarmEvent, { changes, isOwn }: Extract<Fact, { kind: 'committed' }>): void {
    // All of it will be written.
    if (event.task === 'rebuild' && !event.isRunning) return
    const { unwritten } = event
    let isNewPlan = false
    for (const change of changes) {
      unwritten.note(change)
      // All free seats of a zone may look different now.
      isNewPlan ||= change.kind === 'event_changed' && isOtherwiseShown(change)
    }
    unwritten.hasOwn ||= isOwn
    const isTooMuch = unwritten.size > MAX_UNWRITTEN
    if (isTooMuch) this.counts.dropped += 1
    if (isNewPlan || isTooMuch || event.isOtherwiseShown) event.plan('rebuild')
  }

  dropped(address: EventAddress): void {
    const event = this.#events.get(keyOf(address))
    if (!event) return
    event.isDropped = true
    this.#events.delete(keyOf(address))
  }

  gone(address: EventAddress): void {
    this.dropped(address)
  }

  /** Makes the copy of an event again. What is returned says whether that is done; also if there is none. */
  makeAgain(address: EventAddress): () => boolean {
    const event = this.#events.get(keyOf(address))
    if (!event || event.task === 'remove' || event.task === 'over') return () => true
    const { rebuilt } = event
    event.plan('rebuild')
    this.#start(event)
    return () => event.rebuilt > rebuilt || event.isDropped || event.task === 'over'
  }

  /** Events whose copy lacks something, and for how long the oldest change has been missing there. */
  get behind(): { readonly events: number; readonly forMs: number } {
    let events = 0
    let forMs = 0
    for (const { isIdle, task, wasRemoved, unwritten, copy } of this.#events.values()) {
      if (isIdle || task === 'over' || task === 'compare' || wasRemoved) continue
      events += 1
      if (unwritten.oldestAt !== null) forMs = Math.max(forMs, databaseNow(copy.view) - unwritten.oldestAt)
    }
    return { events, forMs }
  }

  closed(): void {
    this.#endTimer()
    for (const event of this.#events.values()) event.isDropped = true
    this.#events.clear()
    this.#waiting.clear()
  }

  #look(): void {
    this.#looks += 1
    let idle = this.#looks % IDLE_LOOKS === 0 ? MAX_IDLE_LOOKS : 0
    for (const [key, event] of [...this.#events]) {
      if (event.isRunning) continue
      const isOver = event.task === 'over'
      if (event.isIdle || isOver) {
        if (idle === 0) continue
        idle -= 1
        // A copy that was removed may be there again, when Redis was restored to an earlier moment.
        event.task = isOver ? 'remove' : 'compare'
        // Those that were looked at go to the end: the next look begins with others.
        this.#events.delete(key)
        this.#events.set(key, event)
      }
      void this.#run(event)
    }
  }

  /** While Redis does not answer, only the looks try. */
  #start(event: WarmEvent): void {
    if (!event.isRunning && this.#deps.redis.breaker.state === 'closed') void this.#run(event)
  }

  /** One at a time for each event, until nothing is left to do, or Redis does not take it. */
  async #run(event: WarmEvent): Promise<void> {
    event.isRunning = true
    try {
      while (!event.isDropped && event.task !== 'over' && !event.isIdle) {
        if (!(await this.#step(event))) break
      }
    } catch (error) {
      this.counts.failed += 1
      // The write may have arrived without its answer. A look is small, so it comes first.
      event.task ??= 'compare'
      this.#failed(event, error)
    } finally {
      event.isRunning = false
    }
  }

  #failed(event: WarmEvent, error: unknown): void {
    if (error instanceof RedisUnavailable) return
    const fields = { err: error, event_id: event.copy.view.eventId }
    if ((error as Error).name === 'ReplyError') {
      // A key has another type, or a script has stopped in the middle.
      if (event.task !== 'remove') event.plan('rebuild')
      this.#deps.log.warn(fields, 'the copy of an event in Redis is made again')
    } else this.#deps.log.warn(fields, 'the copy of an event in Redis could not be looked after')
  }

  /** False: the rest waits for the next look. */
  #step(event: WarmEvent): Promise<boolean> {
    if (event.task === 'remove') return this.#remove(event)
    if (event.isOtherwiseShown && event.task === null) event.plan('rebuild')
    if (event.task === 'rebuild') return this.#rebuild(event)
    const isSure = event.task === null && event.known !== null
    return isSure && event.unwritten.hasOwn ? this.#write(event) : this.#compare(event)
  }

  async #remove(event: WarmEvent): Promise<boolean> {
    const { plans } = event
    const removed = await event.copy.remove()
    if (removed === 'again') return false
    if (removed === 'removed') this.counts.removed += 1
    event.wasRemoved = true
    if (event.plans === plans) event.task = 'over'
    return true
  }

  /** Where is the copy? It may be ahead by another node's work, behind, or of a history that is lost. */
  async #compare(event: WarmEvent): Promise<boolean> {
    const { copy, plans } = event
    if (event.isOtherwiseShown) {
      event.plan('rebuild')
      return true
    }
    const found = await copy.look()
    const point = found?.point
    const isHere = point && isSame(point, copy.view.epochPoint)
    const isDamaged = isHere && found.holds !== copy.view.state.holds.size
    // The policy has changed since, which no change of a seat tells: it may show them otherwise.
    const isOfOldTerms = isHere && isOlder(found.under, copy.view)
    if (!point || isDamaged || isOfOldTerms) {
      event.plan('rebuild')
      return true
    }
    const isNew = event.known === null
    // Before anything is written over it: it may know what Postgres has lost.
    if (isAhead(point, copy.view.epochPoint) || (isNew && !isSame(point, copy.view.epochPoint))) {
      await this.#deps.doubt(copy.view, point)
    }
    if (event.plans !== plans) return true
    event.task = null
    const mine = copy.view.epochPoint
    if (isSame(point, mine) || isAhead(point, mine)) {
      // The copy has what this node knows, and perhaps more from another node, of which this one hears in a
      // moment.
      event.known = point
      event.unwritten = new Unwritten()
      return false
    }
    const isSure = event.known !== null && point.epoch === mine.epoch && point.seq >= event.known.seq
    if (!isSure || event.unwritten.isEmpty) event.plan('rebuild')
    else event.unwritten.hasOwn = true
    return true
  }

  async #write(event: WarmEvent): Promise<boolean> {
    const unwritten = event.takeUnwritten()
    const from = event.known!
    // In several parts, what was taken later is gone if one of them fails: then the copy is made again.
    if (unwritten.parts(this.#mostAPart) > 1) event.known = null
    try {
      const written = await event.copy.write(from, unwritten, event.takeSincePlan())
      return this.#after(event, written, unwritten)
    } catch (error) {
      event.unwritten.putBack(unwritten)
      throw error
    }
  }

  async #rebuild(event: WarmEvent): Promise<boolean> {
    if (this.#rebuilds >= MAX_REBUILDS) {
      this.#waiting.add(event)
      return false
    }
    this.#waiting.delete(event)
    this.#rebuilds += 1
    const { plans } = event
    event.unwritten = new Unwritten()
    const isKeeping = keepsCompanions(event.copy.view)
    try {
      const written = await event.copy.rebuild(event.takeSincePlan())
      if (event.plans !== plans) return true
      if (written.status === 'applied') {
        this.counts.rebuilt += 1
        event.rebuilt += 1
        event.keepsCompanions = isKeeping
        event.task = null
      }
      this.#after(event, written, null)
      // A rebuild that fails now is tried again at the next look, not at once.
      return written.status === 'applied'
    } finally {
      this.#rebuilds -= 1
      this.#startNext()
    }
  }

  /** After a loss of all keys there may be thousands to be made again: they do not wait for the next look. */
  #startNext(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      if (next.isDropped || next.isRunning || next.task !== 'rebuild') continue
      this.#start(next)
      return
    }
  }

  #after(event: WarmEvent, { status, point }: Written, unwritten: Unwritten | null): boolean {
    switch (status) {
      case 'applied':
        this.counts.written += 1
        event.known = point
        if (unwritten && unwritten.oldestAt !== null) {
          this.#deps.onWritten(Math.max(0, databaseNow(event.copy.view) - unwritten.oldestAt))
        }
        return true
      case 'newer':
        // The next look finds out whether Postgres has it too.
        this.counts.newer += 1
        event.task = null
        event.known = point
        return false
      case 'missing':
      case 'gap':
        event.plan('rebuild')
        return true
      case 'other':
        event.known = null
        event.task = 'compare'
        return true
      case 'busy':
      case 'taken':
        if (unwritten) event.unwritten.putBack(unwritten)
        return false
    }
  }
}

function keyOf({ scope, eventId }: EventAddress): string {
  return `${scope.organizationId}/${eventId}`
}

function isSame(a: EpochPoint, b: EpochPoint): boolean {
  return a.epoch === b.epoch && isSamePoint(a, b)
}

function isAhead(a: EpochPoint, b: EpochPoint): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq)
}

function keepsCompanions({ state }: CommittedView): boolean {
  return state.settings.policy.enforce_accessibility_rules
}

/** A zone was opened or closed, or the policy may keep companion seats, or keep them no more. */
function isOtherwiseShown({ zones, policy }: EventChanged): boolean {
  return policy !== undefined || (zones?.length ?? 0) > 0
}
