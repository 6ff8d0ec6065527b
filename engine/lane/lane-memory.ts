import type { Change } from '@voelgoed/core/event/change'
import type { EventState } from '@voelgoed/core/event/state'
import type { Time } from '@voelgoed/kit/base/time'
import type { FastifyBaseLogger } from 'fastify'
import type { Fact } from '../facts/fact.ts'
import { type EventAddress, type EventStore, Stale } from '../ports/store.ts'
import { type CaughtUp, catchUp, type RoundEnd, takeIn } from '../round/round.ts'
import type { EpochPoint, KnownPoint } from '../tables/epochs.ts'
import { isSamePoint, type JournalPoint } from '../tables/ledger.ts'
import { CommittedView } from '../view/committed-view.ts'
import { digestInSlices } from '../view/digest-in-slices.ts'
import { type EventTerms, type HotEvent, pointOf } from '../view/hot-event.ts'

/** These hear of the facts of an event. */
export interface Followers {
  /** The view has it already. */
  heard(fact: Fact, view: CommittedView): void
  /** The event was not in memory, and is now. */
  loaded(view: CommittedView): void
}

/** A round knows this to be committed: what it read under the lock, and what it did. */
export interface News {
  readonly caughtUp: CaughtUp
  readonly own: readonly Change[]
  /** The journal is here after both. */
  readonly point: JournalPoint
  /** This is what is not in the journal, after both. */
  readonly terms: EventTerms
}

interface MemoryDeps {
  readonly store: EventStore
  readonly time: Pick<Time, 'soon'>
  readonly log: FastifyBaseLogger
  readonly followers: Followers
  /** Memory has found itself wrong: the lane should catch up, which loads the event again. */
  foundWrong(): void
}

/** A reconciliation loads an event so often that another node keeps changing. */
const RELOADS = 3

/**
 * Holds what a lane has in memory of its event: the view, which has what is committed and which all readers
 * read, and the state that the lane decides on, which is ahead of the database between deciding a batch and
 * its commit. Only the lane calls it, one piece of work after the other; `load` alone may come at any time.
 */
export class LaneMemory {
  readonly #event: EventAddress
  readonly #deps: MemoryDeps
  #view: CommittedView | null = null
  /**
   * The lane decides on this state. Between two rounds it is as far as the view; null: the next one copies
   * it.
   */
  #working: HotEvent | null = null
  /** The event must be loaded again: Postgres has lost commits, or is too far ahead to catch up. */
  #isStale = false
  /** A commit may have taken effect that the view does not have: true until the lane has caught up. */
  #isUncertain = false
  /** The view could not take a fact: followers start again with what is loaded next. */
  #isBroken = false
  #loading: Promise<HotEvent | null> | null = null
  /** Calls of `load` that have no answer yet. */
  #asking = 0
  #wasLoaded = false
  #wasEverLoaded = false
  #isClosed = false

  constructor(event: EventAddress, deps: MemoryDeps) {
    this.#event = event
    this.#deps = deps
  }

  get view(): CommittedView | null {
    return this.#view
  }

  get isUncertain(): boolean {
    return this.#isUncertain
  }

  /** The number of states of the event in memory. */
  get states(): number {
    return (this.#view ? 1 : 0) + (this.#working ? 1 : 0)
  }

  /**
   * Callers wait for it. A lane that was dropped then would have a second one beside it, whose load may be
   * the older of the two: a reader of both would be told less than before.
   */
  get isLoading(): boolean {
    return this.#asking > 0
  }

  /** The event was not there when it was looked for, and no caller waits for another look. */
  get isAbsent(): boolean {
    return !this.#view && !this.#wasLoaded && this.#asking === 0
  }

  /** The event was in memory, now or before. */
  get wasEverLoaded(): boolean {
    return this.#wasEverLoaded
  }

  /** From here on nothing is loaded. */
  close(): void {
    this.#isClosed = true
  }

  /** The view, loaded if need be. Null: the event does not exist, or was never on sale. */
  async load(): Promise<CommittedView | null> {
    if (this.#view || this.#isClosed) return this.#view
    this.#asking += 1
    try {
      // A load that began before this question may have looked before the event went on sale:
      // then look again.
      const isOlder = this.#loading !== null
      const loaded = (await this.#read()) ?? (isOlder ? await this.#read() : null)
      // Another caller may have put a view in place while this one waited, and it may have moved on.
      // Keep that one.
      if (!this.#view) this.#begin(loaded)
      return this.#view
    } finally {
      this.#asking -= 1
    }
  }

  #read(): Promise<HotEvent | null> {
    this.#loading ??= this.#deps.store.load(this.#event).finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  #begin(loaded: HotEvent | null): void {
    this.#view = loaded && new CommittedView(this.#event, loaded)
    this.#wasLoaded = loaded !== null
    this.#wasEverLoaded ||= this.#wasLoaded
    this.#trust()
    if (this.#view) this.#deps.followers.loaded(this.#view)
  }

  /** Takes what is in memory now as just loaded. */
  #trust(): void {
    this.#working = null
    this.#isStale = false
    this.#isUncertain = false
    this.#isBroken = false
  }

  /** The state that a round decides on: as far as the view, or loaded again. */
  async prepare(): Promise<HotEvent | null> {
    if (this.#isStale) {
      if (this.#view) await this.#raiseEpochIfLost(knownTo(this.#view))
      this.#adopt(await this.#deps.store.load(this.#event))
    }
    const view = await this.load()
    if (!view) return null
    this.#working ??= view.copy()
    return this.#working
  }

  /** A copy elsewhere knows this point. True: Postgres has lost it, and all followers have started again. */
  async doubt(known: EpochPoint): Promise<boolean> {
    // Most often another node was quicker, and this one has not heard of it yet.
    await this.catchUp()
    const mine = this.#view?.epochPoint
    if (mine && mine.epoch === known.epoch && isSamePoint(mine, known)) return false
    if (!(await this.#raiseEpochIfLost(known))) return false
    if (this.#view) this.#isStale = true
    await this.prepare()
    return true
  }

  /** Before what was lost is forgotten here: every copy of the event must learn that it was lost. */
  async #raiseEpochIfLost(known: KnownPoint): Promise<boolean> {
    if (!(await this.#deps.store.raiseEpochIfLost(this.#event, known))) return false
    const { seq, epoch } = known
    this.#deps.log.warn({ event_id: this.#event.eventId, seq, epoch }, 'history was lost: a new epoch begins')
    return true
  }

  /** A round on that state has ended: only what is committed may stay in it for the next one. */
  ended(end: RoundEnd<unknown>): void {
    const isAsCommitted =
      end.kind === 'committed' || (end.kind === 'refused' && end.round.changes.length === 0)
    if (!isAsCommitted) this.#working = null
    if (end.kind === 'stale') this.#isStale = true
    if (end.kind === 'unknown') this.#isUncertain = true
  }

  /**
   * To the view first, then to the other followers. Also when a round has only refused: what other nodes did
   * was read under the lock, and nothing else on this node will tell it.
   */
  publish({ caughtUp, own, point, terms }: News): void {
    const view = this.#view
    if (!view || this.#isBroken) return
    try {
      this.#tell(view, caughtUp.changes, caughtUp.point, false)
      view.refresh(terms)
      this.#tell(view, own, point, true)
      this.#isUncertain = false
    } catch (error) {
      // The state that the lane decided on had the same changes: one of the two is wrong.
      const { eventId } = this.#event
      this.#deps.log.error({ err: error, event_id: eventId }, 'a fact does not fit what readers see')
      this.#isBroken = true
      this.#isStale = true
      this.#deps.foundWrong()
    }
  }

  #tell(view: CommittedView, changes: readonly Change[], { seq, tip }: JournalPoint, isOwn: boolean): void {
    if (changes.length === 0) return
    const { scope, eventId } = this.#event
    const fact = { kind: 'committed', scope, eventId, seq, tip, changes, isOwn } as const
    view.apply(fact)
    this.#deps.followers.heard(fact, view)
  }

  /** Takes in what other nodes have committed, without the event's lock. */
  async catchUp(): Promise<void> {
    const view = this.#view
    let found: CaughtUp | null = null as CaughtUp | null
    if (view && !this.#isStale) {
      try {
        await this.#deps.store.look(this.#event, async seen => {
          found = await catchUp(seen, view)
        })
      } catch (error) {
        if (!(error instanceof Stale)) throw error
        this.#isStale = true
      }
    }
    if (found) {
      if (this.#working) takeIn(this.#working, found)
      this.publish({ caughtUp: found, own: [], ...found })
    }
    if (this.#isStale) await this.prepare()
  }

  /**
   * Throws everything away and loads it again. Says whether memory had been right; null when the event was
   * not in memory, or when it moved on meanwhile, so that nothing can be compared.
   */
  async reload(): Promise<boolean | null> {
    if (!this.#view) {
      await this.prepare()
      return null
    }
    for (let left = RELOADS; ; left -= 1) {
      await this.catchUp()
      const view = this.#view
      const loaded = await this.#deps.store.load(this.#event)
      const isSame = view && loaded && isSamePoint(view.point, pointOf(loaded))
      if (view && loaded && !isSame) {
        // Another node wrote in between: once more, or followers would have to start again.
        if (left > 1) continue
        // The history in memory may be lost: that is noted before it is forgotten.
        this.#isStale = true
        await this.prepare()
        return null
      }
      const before = [view, this.#working].flatMap(known => known?.state ?? [])
      const wasRight = isSame ? await this.#areAlike(before, loaded.state) : null
      // All that followers made of it is wrong as well.
      if (wasRight === false) this.#isBroken = true
      this.#adopt(loaded)
      return wasRight
    }
  }

  async #areAlike(states: readonly EventState[], loaded: EventState): Promise<boolean> {
    const right = await digestInSlices(loaded, this.#deps.time)
    for (const state of states) {
      const found = await digestInSlices(state, this.#deps.time)
      if (found.digest !== right.digest) return false
    }
    return true
  }

  /**
   * Puts what was loaded in the place of everything in memory. Unless it is as far as the view, followers
   * start again: Postgres has lost what they know, or there is too much to tell.
   */
  #adopt(loaded: HotEvent | null): void {
    const view = this.#view
    if (!view || !loaded) {
      this.#begin(loaded)
      return
    }
    const from = view.epochPoint
    const to = pointOf(loaded)
    const isKnown = isSamePoint(from, to) && from.epoch === loaded.epoch && !this.#isBroken
    // Readers may have taken wrong seats from this node as well: those that come back take a new snapshot.
    // What this node knew to be lost stays so, also if Postgres has lost it.
    const doubted = this.#isBroken ? from.seq : 0
    loaded.lostUpTo = Math.max(loaded.lostUpTo, view.lostUpTo, doubted)
    this.#trust()
    view.replace(loaded)
    if (isKnown) return
    const { scope, eventId } = this.#event
    this.#deps.followers.heard({ kind: 'start_again', scope, eventId, ...to }, view)
  }
}

function knownTo({ epochPoint, lostUpTo }: CommittedView): KnownPoint {
  return { ...epochPoint, lostUpTo }
}
