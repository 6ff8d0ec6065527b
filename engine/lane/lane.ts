import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import { nextExpiry } from '@voelgoed/core/event/view'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import type { FastifyBaseLogger } from 'fastify'
import type { RowRider } from '../ports/batch-table.ts'
import { type AskedUnderLock, type EventStore, NOTHING_ASKED, Stale } from '../ports/store.ts'
import { isProven, isRefusedInMemory, looksTaken, refusedWithProof } from '../proofs/certain-refusal.ts'
import { decideBatch } from '../round/decide-batch.ts'
import type { Rider } from '../round/rider.ts'
import { type Round, type RoundEnd, type RoundOptions, runRound } from '../round/round.ts'
import { alone, riderOf, type Step } from '../round/step.ts'
import { type Exclusive, underLock } from '../round/under-lock.ts'
import type { EpochPoint } from '../tables/epochs.ts'
import type { CommittedView } from '../view/committed-view.ts'
import { databaseNow, type HotEvent, pointOf, termsOf } from '../view/hot-event.ts'
import { type BatchFigures, figuresOf } from './batch-figures.ts'
import { KnownElsewhere } from './known-elsewhere.ts'
import {
  failureOf,
  type LaneAnswer,
  type LaneCommand,
  type Pending,
  refusalIn,
  type StoodAside,
} from './lane-answer.ts'
import { type Followers, LaneMemory, type News } from './lane-memory.ts'
import { type LaneTracer, leaving, type TracedWay } from './lane-tracer.ts'
import { LaterTelling } from './later-telling.ts'

export interface LaneDeps {
  readonly store: EventStore
  readonly time: Time
  readonly log: FastifyBaseLogger
  readonly watch: LaneWatch
  readonly tracer: LaneTracer | null
}

/** The lane reports this of itself, for metrics; and what it knows to be committed, for followers. */
export interface LaneWatch extends Followers {
  batch(figures: BatchFigures): void
  /** A caller has its answer, after so many milliseconds. */
  answered(command: LaneCommand, refusal: Refusal['kind'] | null, ms: number): void
  /** A command was decided, now and not before. */
  decided(command: Command, outcome: Outcome): void
  /** The rule about single seats tripped over a bug of ours, and let a command pass. */
  ruleFailed(fault: unknown): void
  /** Committed by this node: the others should hear of it. `expiresInMs`: the next hold that runs out. */
  committed(committed: {
    readonly seq: number
    readonly changes: readonly Change[]
    readonly expiresInMs: number | null
  }): void
  /** There is no such event, or it was never on sale: this lane ends, and the node forgets it. */
  ended(lane: Lane): void
}

/** Larger batches gain little, and each caller in them waits until the last command is decided. */
const MAX_BATCH = 256
/** More than this waiting: 503. About half a second of work. */
const MAX_QUEUE = 10_000
/** More exclusive work than this waiting: 503. Each piece is a request of staff. */
const MAX_EXCLUSIVES = 1_000

/**
 * All commands on one event, in single file and in batches (see ARCHITECTURE.md, "The lane"). While one batch
 * is being written the next one fills: batches grow with load by themselves, without a timer. One that waits
 * for another node fills until it has the lock.
 *
 * What it knows of the event, and the state that it decides on, are in lane-memory.ts. What is committed
 * becomes a fact: the view gets it first, then the other followers, then the callers their answers.
 */
export class Lane {
  readonly scope: TenantScope
  readonly eventId: EventId
  readonly #deps: LaneDeps
  readonly #memory: LaneMemory
  #queue: Pending[] = []
  #exclusives: (() => Promise<void>)[] = []
  /** Exclusive work and batches take turns. */
  #wasExclusive = false
  #running = false
  /** The outcome of the work of this turn. */
  #turn: Turn = 'again'
  /** Refusals that wait for the end of this turn. */
  #waiting: (() => void)[] = []
  /** These callers wait until nothing is left to do. */
  #untilQuiet: (() => void)[] = []
  #hasEnded = false
  /** One for all callers that wait for a reload that has not begun. */
  #reload: Promise<boolean | null> | null = null
  /** One for all callers that wait until the lane has caught up. */
  #sync: Sync | null = null
  /** The facts and the answers of the last batch. */
  readonly #later: LaterTelling
  readonly #elsewhere = new KnownElsewhere()
  lastUsedAt: number

  constructor(scope: TenantScope, eventId: EventId, deps: LaneDeps) {
    this.scope = scope
    this.eventId = eventId
    this.#deps = deps
    const { store, log, watch: followers } = deps
    this.#memory = new LaneMemory(this, {
      store,
      time: deps.time,
      log,
      followers,
      foundWrong: () => void this.sync(),
    })
    this.#later = new LaterTelling(deps.time)
    this.lastUsedAt = deps.time.now()
  }

  get isIdle(): boolean {
    return !this.#running && this.#queue.length === 0 && !this.#memory.isLoading
  }

  get queued(): number {
    return this.#queue.length
  }

  /** The event was in the memory of this lane, now or before. */
  get wasEverLoaded(): boolean {
    return this.#memory.wasEverLoaded
  }

  /** Returns what is known to be committed; null: the event is not in memory. Loads nothing. */
  get view(): CommittedView | null {
    return this.#memory.view
  }

  /** The last change that this lane knows of; the view may get it in a moment. */
  get knownSeq(): number {
    return Math.max(this.view?.seq ?? 0, this.#later.seq)
  }

  /** Another node says that the event is that far. */
  heard(seq: number): void {
    if (this.view && this.knownSeq < seq) void this.sync()
  }

  /**
   * The outcome of a commit is unknown, or readers were told more by another tier than the view has: a caller
   * that needs to know it waits for `sync`.
   */
  get isUncertain(): boolean {
    const { view, isUncertain } = this.#memory
    return isUncertain || (view !== null && this.#elsewhere.isAhead(view.epochPoint))
  }

  /** Readers of this node were told this by another tier, while the event was not in memory. */
  toldElsewhere(point: EpochPoint): void {
    this.#elsewhere.told(point)
  }

  /** The number of states of the event in memory. */
  get states(): number {
    return this.#memory.states
  }

  /** The view, loaded if need be. Null: the event does not exist, or was never on sale. */
  async ready(): Promise<CommittedView | null> {
    this.lastUsedAt = this.#deps.time.now()
    try {
      return await this.#memory.load()
    } finally {
      this.#endIfAbsent()
    }
  }

  /** A lane for an id without an event must not last: a caller can ask for any id. */
  #endIfAbsent(): void {
    if (this.#hasEnded || this.#running || !this.#memory.isAbsent) return
    this.#hasEnded = true
    this.#memory.close()
    this.#deps.watch.ended(this)
  }

  submit(command: Command, key: Rider | null = null): Promise<LaneAnswer> {
    const answer = this.#ask(command, key, null)
    // Only a rider stands aside.
    return answer as Promise<LaneAnswer>
  }

  /**
   * A step of a module, with a batch of other commands, or alone: `how` is told. A batch decides nothing that
   * is unusual, and no refusal of the rules.
   */
  async carry<Known, Row, Done>(
    step: Step<Known, Row, Done>,
    how: (how: 'in_batch' | 'alone') => void,
  ): Promise<Result<Done, Refusal>> {
    const { rides } = step
    const command = rides && step.command(rides.known)
    if (command) {
      let done = null as Done | null
      const rider = riderOf(step, rides, command, planned => {
        done = planned
      })
      const answer = await this.#ask(command, null, rider)
      const hasRidden = answer.kind === 'decided' && answer.outcome.ok
      if (hasRidden || answer.kind === 'refused') {
        how('in_batch')
        return answer.kind === 'refused' ? refuse(answer.refusal) : ok(done!)
      }
    }
    how('alone')
    return this.exclusive(alone(step))
  }

  #ask(command: Command, key: Rider | null, rider: RowRider | null): Promise<LaneAnswer | StoodAside> {
    const way = this.#deps.tracer?.came(command.kind) ?? null
    const asked = { command, key, rider, way }
    const askedAt = this.#deps.time.now()
    const answer = way ? leaving(way, this.#answer(asked)) : this.#answer(asked)
    void answer.then(
      given => {
        if (given.kind === 'decided') {
          this.#deps.watch.decided(command, given.outcome)
          this.#noteFault(given.outcome)
        }
        this.#answered(command.kind, refusalIn(given), askedAt)
      },
      error => this.#answered(command.kind, failureOf(error), askedAt),
    )
    return answer
  }

  /** The rule about single seats could not judge this and allowed it; that is not to go unseen. */
  #noteFault(outcome: Outcome): void {
    if (!outcome.ok || outcome.value.stranding?.excuse !== 'fault') return
    this.#deps.watch.ruleFailed(outcome.value.stranding.fault)
  }

  #answered(command: LaneCommand, refusal: Refusal | null, askedAt: number): void {
    this.#deps.watch.answered(command, refusal?.kind ?? null, this.#deps.time.now() - askedAt)
  }

  #answer(asked: Asked): Promise<LaneAnswer | StoodAside> {
    const { command } = asked
    this.lastUsedAt = this.#deps.time.now()
    const { view } = this
    const isWorthALook = view && (!this.#running || looksTaken(view, command))
    if (isWorthALook && isRefusedInMemory(view, command, this.#deps.time)) {
      return this.#refuseOrDecide(asked, view.seq)
    }
    return this.#enqueue(asked)
  }

  /** The view says no: if it proves to be exact, that is the answer, and the event's lock is not needed. */
  async #refuseOrDecide(asked: Asked, seq: number): Promise<LaneAnswer | StoodAside> {
    const { command, key } = asked
    const proof = await this.#deps.store
      .prove(this, key?.keyHash ?? null)
      // The lane finds out what is wrong, and says so.
      .catch(() => null)
    const isBehind = () => proof !== null && this.view !== null && this.view.seq < proof.ledger.seq
    // All that this node has committed may be told a moment later: in this turn, or at its end.
    if (isBehind()) this.#later.now()
    if (isBehind() && this.#running && this.#waiting.length < MAX_QUEUE) await this.#endOfTurn()
    const { view } = this
    const refused = view && proof && refusedWithProof(view, { command, key, seq }, proof, this.#deps.time)
    return refused ?? this.#enqueue(asked)
  }

  #endOfTurn(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #enqueue(asked: Asked): Promise<LaneAnswer | StoodAside> {
    if (this.#queue.length >= MAX_QUEUE) {
      return Promise.resolve({ kind: 'refused', refusal: { kind: 'busy', retryAfterSeconds: 1 } })
    }
    return new Promise(settle => {
      this.#queue.push({ ...asked, since: this.#deps.time.now(), settle })
      this.#start()
    })
  }

  /**
   * Work that changes the event's own row as well: alone, under the event's lock, in the same transaction as
   * the commands it gives. A refusal undoes all of it.
   */
  exclusive<T>(work: Exclusive<T>): Promise<Result<T, Refusal>> {
    const way = this.#deps.tracer?.came('exclusive') ?? null
    const askedAt = this.#deps.time.now()
    const result = way ? leaving(way, this.#takeExclusive(work, way)) : this.#takeExclusive(work, null)
    void result.then(
      given => this.#answered('exclusive', given.ok ? null : given.problem, askedAt),
      error => this.#answered('exclusive', failureOf(error), askedAt),
    )
    return result
  }

  #takeExclusive<T>(work: Exclusive<T>, way: TracedWay | null): Promise<Result<T, Refusal>> {
    this.lastUsedAt = this.#deps.time.now()
    if (this.#exclusives.length >= MAX_EXCLUSIVES) {
      return Promise.resolve(refuse({ kind: 'busy', retryAfterSeconds: 1 }))
    }
    return new Promise((resolve, reject) => {
      this.#exclusives.push(() => {
        way?.began()
        return this.#runExclusive(work).then(resolve, reject)
      })
      this.#start()
    })
  }

  /**
   * Throws everything away and loads it again, in turn with everything else. Says whether memory had been
   * right; null when the event was not in memory, or moved on meanwhile, so that nothing can be compared.
   */
  reload(): Promise<boolean | null> {
    this.lastUsedAt = this.#deps.time.now()
    this.#reload ??= new Promise((resolve, reject) => {
      this.#exclusives.push(() => {
        this.#reload = null
        return this.#reloadNow().then(resolve, reject)
      })
      this.#start()
    })
    return this.#reload
  }

  async #reloadNow(): Promise<boolean | null> {
    this.#later.now()
    const wasRight = await this.#memory.reload()
    this.#turn = 'caught up'
    return wasRight
  }

  /**
   * A copy of the event outside Postgres knows this point. True: Postgres has lost it; the event has a new
   * epoch, and this node's followers have started again.
   */
  doubt(known: EpochPoint): Promise<boolean> {
    if (this.#exclusives.length >= MAX_EXCLUSIVES) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      this.#exclusives.push(() => this.#doubtNow(known).then(resolve, reject))
      this.#start()
    })
  }

  async #doubtNow(known: EpochPoint): Promise<boolean> {
    this.#later.now()
    const isLost = await this.#memory.doubt(known)
    this.#turn = 'caught up'
    return isLost
  }

  /**
   * Resolves when the lane has caught up with what other nodes wrote before this call: with null, or with the
   * error that kept it from doing so.
   */
  sync(): Promise<unknown> {
    this.#sync ??= newSync()
    this.#start()
    return this.#sync.promise
  }

  /**
   * True: the view has all that was committed before this call, by whichever node. A read of the ledger
   * without a lock, shared by all who ask, tells how far that is; what the view lacks is waited for, but not
   * longer than the bound. False: it lacks it still, and Postgres has to be asked.
   */
  async isCurrent(withinMs: number): Promise<boolean> {
    const seq = this.view?.seq ?? null
    const [proof] = await Promise.all([this.#deps.store.prove(this, null), this.ready()])
    const isProved = () =>
      this.view !== null && proof !== null && isProven(this.view, { seq, ledger: proof.ledger })
    // This node may tell a moment later what it has committed.
    if (!isProved()) this.#later.now()
    if (isProved() || !this.view) return true
    const catchUp = async () => {
      if (this.#running && this.#waiting.length < MAX_QUEUE) await this.#endOfTurn()
      return isProved() || (await this.sync()) === null
    }
    return new Promise(resolve => {
      const callOff = this.#deps.time.after(withinMs, () => resolve(false))
      void catchUp().then(isHere => {
        callOff()
        resolve(isHere)
      })
    })
  }

  #start(): void {
    if (this.#running) return
    this.#running = true
    const { time, tracer } = this.#deps
    // Whatever else arrives in this turn of the event loop joins the first batch.
    const run = () => time.soon(() => void this.#run())
    if (tracer) tracer.apart(run)
    else run()
  }

  async #run(): Promise<void> {
    for (;;) {
      // Every kind of work catches up first: that is what these callers wait for.
      const sync = this.#sync
      this.#sync = null
      const work = this.#next() ?? (sync && (() => this.#syncNow()))
      if (!work) break
      this.#turn = 'again'
      await work()
      if (sync) this.#endSync(sync)
      for (const resume of this.#waiting.splice(0)) resume()
    }
    this.#later.now()
    this.#running = false
    this.#endIfAbsent()
    for (const resume of this.#untilQuiet.splice(0)) resume()
  }

  /** Resolves when this lane has done what was begun, and its connection to Postgres is given back. */
  quiet(): Promise<void> {
    return this.#running ? new Promise(resolve => this.#untilQuiet.push(resolve)) : Promise.resolve()
  }

  #endSync(sync: Sync): void {
    this.#later.now()
    const turn = this.#turn
    if (turn !== 'again') sync.resolve(turn === 'caught up' ? null : turn.error)
    else if (this.#sync) void this.#sync.promise.then(sync.resolve)
    else this.#sync = sync
  }

  /**
   * Batches and exclusive work take turns. Null: nothing waits but callers of `sync`, who must not go before
   * commands: on a busy event another node's next change is announced before this node has caught up with
   * the last one.
   */
  #next(): (() => Promise<void>) | null {
    const isExclusive = this.#exclusives.length > 0 && (this.#queue.length === 0 || !this.#wasExclusive)
    this.#wasExclusive = isExclusive
    if (isExclusive) return this.#exclusives.shift()!
    if (this.#queue.length === 0) return null
    const batch = this.#queue.splice(0, MAX_BATCH)
    return () => this.#runBatch(batch)
  }

  async #syncNow(): Promise<void> {
    this.#later.now()
    try {
      await this.#memory.catchUp()
      this.#turn = 'caught up'
    } catch (error) {
      this.#turn = { error }
      this.#deps.log.warn({ err: error, event_id: this.eventId }, 'could not catch up')
    }
  }

  async #runBatch(first: readonly Pending[]): Promise<void> {
    const { time, tracer } = this.#deps
    const started = time.now()
    const batch: Pending[] = []
    const take = (commands: readonly Pending[]): AskedUnderLock => {
      if (tracer) for (const { way } of commands) way?.began()
      batch.push(...commands)
      return {
        keys: commands.flatMap(({ key }) => (key ? [key.keyHash] : [])),
        riders: commands.flatMap(({ rider }) => rider ?? []),
      }
    }
    const asked = take(first)
    const late = () => {
      const room = MAX_BATCH - batch.length
      return this.#queue.length > 0 && room > 0 ? take(this.#queue.splice(0, room)) : null
    }
    const figures = (round: Round | null) => {
      const waited = { commands: batch.length, oldestWaitedMs: started - batch[0]!.since }
      return figuresOf(round, waited, { started, ended: time.now() })
    }
    // A bug of ours stays one, whatever then becomes of the batch: a caller must not take it for an outage.
    const faulty = new Set<Command>()
    const undecided = (error: unknown, command: Command) => {
      faulty.add(command)
      this.#undecided(error, command)
    }
    let end: RoundEnd<readonly (LaneAnswer | StoodAside)[]>
    try {
      const working = await this.#prepare()
      if (!working) {
        for (const pending of batch) pending.settle({ kind: 'refused', refusal: { kind: 'event_not_found' } })
        return
      }
      end = await this.#round(working, asked, round => ok(decideBatch(round, batch, undecided)), {
        writesRows: false,
        late,
      })
    } catch (error) {
      end = { kind: 'failed', round: null, error }
    }
    if (end.kind !== 'committed') {
      for (const { command, settle } of batch) if (faulty.has(command)) settle(OUR_FAULT)
      const others = batch.filter(({ command }) => !faulty.has(command))
      if (others.length > 0) this.#failed(others, end)
      this.#report(batch, { ...figures(end.kind === 'stale' ? null : end.round), outcome: 'failed' })
      return
    }
    const { round, value: answers } = end
    const { changes } = round
    this.#report(batch, { ...figures(round), outcome: changes.length > 0 ? 'written' : 'nothing to write' })
    this.#tellSoon(this.#committed(round), () => {
      for (const [index, pending] of batch.entries()) {
        pending.settle(answers[index] ?? OUR_FAULT)
      }
    })
  }

  #report(batch: readonly Pending[], figures: BatchFigures): void {
    this.#deps.watch.batch(figures)
    if (this.#deps.tracer) for (const { way } of batch) way?.ended(figures)
  }

  readonly #undecided = (error: unknown, { kind }: Command): void =>
    this.#deps.log.error({ err: error, event_id: this.eventId, kind }, 'a command could not be decided')

  async #prepare(): Promise<HotEvent | null> {
    try {
      const working = await this.#memory.prepare()
      this.#turn = 'caught up'
      return working
    } catch (error) {
      this.#turn = { error }
      throw error
    }
  }

  async #round<T>(
    working: HotEvent,
    asked: AskedUnderLock,
    script: (round: Round) => Promise<Result<T, Refusal>> | Result<T, Refusal>,
    options: RoundOptions,
  ): Promise<RoundEnd<T>> {
    const { store, time } = this.#deps
    const written = () => this.#later.sent()
    const end = await runRound({ store, time, written }, this, working, asked, script, options)
    // All that was committed before this round is told before what this round has to tell.
    this.#later.now()
    const isCaughtUp = end.kind === 'committed' || end.kind === 'refused'
    this.#turn = isCaughtUp ? 'caught up' : end.kind === 'failed' ? { error: end.error } : 'again'
    this.#memory.ended(end)
    if (end.kind === 'unknown') void this.sync()
    return end
  }

  /** Tells the other nodes; returns what there is to tell on this one. */
  #committed({ hot, caughtUp, changes }: Round): News {
    if (changes.length > 0) {
      const next = nextExpiry(hot.state)
      const expiresInMs = next === null ? null : next - databaseNow(hot, this.#deps.time)
      this.#deps.watch.committed({ seq: hot.state.seq, changes, expiresInMs })
    }
    return { caughtUp, own: changes, point: pointOf(hot), terms: termsOf(hot) }
  }

  /** While commands wait, the next batch is sent before the facts and the answers of this one. */
  #tellSoon(news: News, answer: () => void): void {
    const tell = () => {
      this.#memory.publish(news)
      answer()
    }
    if (this.#queue.length === 0) tell()
    else this.#later.soon(news.point.seq, tell)
  }

  async #runExclusive<T>(work: Exclusive<T>, isSecondTry = false): Promise<Result<T, Refusal>> {
    const working = await this.#prepare()
    if (!working) return refuse({ kind: 'event_not_found' })
    const script = (round: Round) => {
      const give = (command: Command) => {
        const { outcome } = round.give(command)
        this.#noteFault(outcome)
        return outcome
      }
      return work(round.locked.tx, give, underLock(round, this.#deps.time))
    }
    const end = await this.#round(working, NOTHING_ASKED, script, { writesRows: true })
    switch (end.kind) {
      case 'committed':
        this.#memory.publish(this.#committed(end.round))
        return ok(end.value)
      case 'refused': {
        const { caughtUp } = end.round
        this.#memory.publish({ caughtUp, own: [], ...caughtUp })
        return refuse(end.refusal)
      }
      case 'stale':
        // Too far behind to catch up: the second try loads the event again.
        if (isSecondTry) throw new Stale()
        return this.#runExclusive(work, true)
      case 'unknown':
        return refuse({ kind: 'outcome_unknown', retryAfterSeconds: 1 })
      case 'failed':
        throw end.error
    }
  }

  #failed(batch: readonly Pending[], end: Exclude<RoundEnd<unknown>, { kind: 'committed' }>): void {
    if (end.kind === 'stale') {
      // Nothing was decided: load the event again and try once more, before the commands that came later.
      this.#queue.unshift(...batch)
      return
    }
    const error = end.kind === 'failed' ? end.error : null
    const refusal: Refusal =
      end.kind === 'unknown' ? { kind: 'outcome_unknown', retryAfterSeconds: 1 } : failureOf(error)
    if (refusal.kind === 'internal_error') {
      this.#deps.log.error({ err: error, event_id: this.eventId }, 'a batch failed')
      const riders = batch.filter(({ rider }) => rider !== null)
      // The row of one of them may be what failed: each goes alone, and the others once more without them.
      if (riders.length > 0) {
        for (const pending of riders) pending.settle({ kind: 'stood_aside' })
        this.#queue.unshift(...batch.filter(({ rider }) => rider === null))
        return
      }
    }
    for (const pending of batch) pending.settle({ kind: 'refused', refusal })
  }
}

const OUR_FAULT: LaneAnswer = { kind: 'refused', refusal: { kind: 'internal_error' } }

/** A command as it came. */
type Asked = Pick<Pending, 'command' | 'key' | 'rider' | 'way'>

/** Says whether the work of a turn has caught up with the database; `again`: that is still to be done. */
type Turn = 'caught up' | 'again' | { readonly error: unknown }

interface Sync {
  readonly promise: Promise<unknown>
  resolve(error: unknown): void
}

function newSync(): Sync {
  let resolve: Sync['resolve'] = () => {}
  const promise = new Promise<unknown>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
