import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import type { TenantTx } from '../postgres/database.ts'
import { outageKind } from '../postgres/outage.ts'
import { isSamePoint } from '../postgres/tables/ledger.ts'
import type { TenantScope } from '../tenant.ts'
import type { Time } from '../time.ts'
import { isRefusedInMemory, refusedWithProof } from './certain-refusal.ts'
import { decideBatch } from './decide-batch.ts'
import { Telling } from './followers.ts'
import { type HotEvent, pointOf } from './hot-event.ts'
import { type BatchFigures, figuresOf, type LaneAnswer, type Pending } from './lane-answer.ts'
import type { Rider } from './rider.ts'
import { catchUp, type Round, type RoundEnd, runRound } from './round.ts'
import { type EventStore, Stale } from './store.ts'

export interface LaneDeps {
  readonly store: EventStore
  readonly time: Time
  readonly log: FastifyBaseLogger
  readonly watch: LaneWatch
}

/**
 * What the lane reports of itself, for metrics; and the changes it has committed or heard of, for followers.
 */
export interface LaneWatch {
  batch(figures: BatchFigures): void
  /** In order and without a gap; `null`: followers must start again. */
  advanced(lane: Lane, hot: HotEvent, changes: readonly Change[] | null): void
  /** Followers that know changes up to this seq may know some that Postgres has lost. */
  lost(lane: Lane, upTo: number): void
  /** Committed by this node: the others should hear of it. */
  committed(lane: Lane, seq: number, changes: readonly Change[]): void
  /** There is no such event, or it was never on sale: this lane ends, and the node forgets it. */
  ended(lane: Lane): void
}

/** Larger batches gain little and make everyone in them wait for the last. */
const MAX_BATCH = 256
/** More than this waiting: 503. About half a second of work. */
const MAX_QUEUE = 10_000
/** More exclusive work than this waiting: 503. Each piece is a request of staff. */
const MAX_EXCLUSIVES = 1_000
/** How long the answers of a batch may wait for the next one to be sent. */
const LATEST_ANSWER_MS = 3

/**
 * All commands on one event, in single file and in batches (see ARCHITECTURE.md, "The lane"). While one batch
 * is being written the next one fills: batches grow with load by themselves, without a timer.
 *
 * The state in memory is ahead of the database between deciding a batch and its commit. No caller and no
 * follower is told of it before the commit, and when the commit fails it is thrown away.
 */
export class Lane {
  readonly scope: TenantScope
  readonly eventId: EventId
  readonly #deps: LaneDeps
  #hot: HotEvent | null = null
  #loading: Promise<HotEvent | null> | null = null
  #queue: Pending[] = []
  #exclusives: (() => Promise<void>)[] = []
  /** Exclusive work and batches take turns. */
  #wasExclusive = false
  #running = false
  /** Calls of `ready` that have no answer yet. */
  #asking = 0
  #wasLoaded = false
  #hasEnded = false
  /** Set while a batch is decided but not committed. */
  #unsettled = false
  /** One for all callers that wait for a reload that has not begun. */
  #reload: Promise<boolean | null> | null = null
  /** One for all callers that wait until the lane has caught up. */
  #sync: { readonly promise: Promise<void>; resolve(): void } | null = null
  #readers: ((hot: HotEvent | null) => void)[] = []
  /** Answers of the last batch that wait for this one to be sent. */
  #onSent: (() => void) | null = null
  readonly #telling: Telling
  lastUsedAt: number

  constructor(scope: TenantScope, eventId: EventId, deps: LaneDeps) {
    this.scope = scope
    this.eventId = eventId
    this.#deps = deps
    this.lastUsedAt = deps.time.now()
    this.#telling = new Telling({
      advanced: (hot, changes) => deps.watch.advanced(this, hot, changes),
      lost: upTo => deps.watch.lost(this, upTo),
      readJournal: (from, count) => deps.store.readJournal(this, from, count),
    })
  }

  get isIdle(): boolean {
    return !this.#running && this.#queue.length === 0
  }

  get queued(): number {
    return this.#queue.length
  }

  /**
   * What is in memory now; may be a few milliseconds old, or ahead of its commit: `settled` waits for that.
   */
  get hot(): HotEvent | null {
    return this.#hot
  }

  /**
   * The state at a moment at which all of it is committed and told to followers. To be read before anything
   * else is waited for: the next batch begins right after.
   */
  async settled(): Promise<HotEvent | null> {
    const hot = await this.ready()
    if (!hot || !this.#unsettled) return hot
    return new Promise(resolve => this.#readers.push(resolve))
  }

  /** The event in memory, loaded if need be. Null: it does not exist, or was never on sale. */
  async ready(): Promise<HotEvent | null> {
    this.lastUsedAt = this.#deps.time.now()
    if (this.#hot) return this.#hot
    if (this.#hasEnded) return null
    this.#asking += 1
    try {
      // A load that began before this question may have looked before the event went on sale:
      // then look again.
      const isOlder = this.#loading !== null
      const loaded = (await this.#load()) ?? (isOlder ? await this.#load() : null)
      // Another caller may have put a state in place while this one waited, and it may have moved on.
      // Keep that one.
      if (loaded && !this.#hot) {
        this.#hot = loaded
        this.#wasLoaded = true
        this.#telling.begin(loaded)
        await this.#telling.tell(loaded, [])
      }
      if (!loaded && !this.#hot) this.#wasLoaded = false
      return this.#hot
    } finally {
      this.#asking -= 1
      this.#endIfAbsent()
    }
  }

  #load(): Promise<HotEvent | null> {
    this.#loading ??= this.#deps.store.load(this).finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  /** A lane for an id that was never loaded must not last: anyone can ask for any id. */
  #endIfAbsent(): void {
    if (this.#hot || this.#wasLoaded || this.#hasEnded || this.#asking > 0 || this.#running) return
    this.#hasEnded = true
    this.#deps.watch.ended(this)
  }

  /**
   * The state, for a caller that will change it: another caller may have loaded it just now, and may still be
   * telling followers of it as it is.
   */
  async #readyInLine(): Promise<HotEvent | null> {
    const hot = await this.ready()
    await this.#telling.done
    return hot
  }

  submit(command: Command, key: Rider | null = null): Promise<LaneAnswer> {
    this.lastUsedAt = this.#deps.time.now()
    if (this.#hot && !this.#unsettled && isRefusedInMemory(this.#hot, command, this.#deps.time)) {
      return this.#refuseOrDecide({ command, key, seq: this.#hot.state.seq })
    }
    return this.#enqueue(command, key)
  }

  /** Memory says no: if it proves to be exact, that is the answer, and the event's lock is not needed. */
  async #refuseOrDecide(asked: {
    readonly command: Command
    readonly key: Rider | null
    readonly seq: number
  }): Promise<LaneAnswer> {
    const { command, key } = asked
    const proof = await this.#deps.store
      .prove(this, key?.keyHash ?? null)
      // The lane finds out what is wrong, and says so.
      .catch(() => null)
    const hot = this.#unsettled ? null : this.#hot
    return (
      (hot && proof && refusedWithProof(hot, asked, proof, this.#deps.time)) ?? this.#enqueue(command, key)
    )
  }

  #enqueue(command: Command, key: Rider | null): Promise<LaneAnswer> {
    if (this.#queue.length >= MAX_QUEUE) {
      return Promise.resolve({ kind: 'refused', refusal: { kind: 'busy', retryAfterSeconds: 1 } })
    }
    return new Promise(settle => {
      this.#queue.push({ command, key, since: this.#deps.time.now(), settle })
      this.#start()
    })
  }

  /**
   * Work that changes the event's own row as well: alone, under the event's lock, in the same transaction as
   * the commands it gives. A refusal undoes all of it.
   */
  exclusive<T>(
    work: (tx: TenantTx, give: (command: Command) => Outcome, hot: HotEvent) => Promise<Result<T, Refusal>>,
  ): Promise<Result<T, Refusal>> {
    this.lastUsedAt = this.#deps.time.now()
    if (this.#exclusives.length >= MAX_EXCLUSIVES) {
      return Promise.resolve(refuse({ kind: 'busy', retryAfterSeconds: 1 }))
    }
    return new Promise((resolve, reject) => {
      this.#exclusives.push(() => this.#runExclusive(work).then(resolve, reject))
      this.#start()
    })
  }

  /**
   * Throws the state away and loads it again, in turn with everything else. Says whether memory had been
   * right; null when it was not in memory, or when the event moved on meanwhile,
   * so that nothing can be compared.
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
    if (this.#hot) await this.#catchUpWithoutLock()
    const before = this.#hot
    this.#drop()
    const after = await this.#readyInLine()
    if (!before || !after || !isSamePoint(pointOf(before), pointOf(after))) return null
    const { holds, seatStatus } = before.state
    const isAlike = Buffer.compare(seatStatus, after.state.seatStatus) === 0
    return isAlike && holds.size === after.state.holds.size
  }

  /**
   * Resolves when the lane has caught up with what other nodes wrote before this call,
   * or has forgotten its state.
   */
  sync(): Promise<void> {
    this.#sync ??= promised()
    this.#start()
    return this.#sync.promise
  }

  #start(): void {
    if (this.#running) return
    this.#running = true
    // Whatever else arrives in this turn of the event loop joins the first batch.
    this.#deps.time.soon(() => void this.#run())
  }

  async #run(): Promise<void> {
    for (;;) {
      // Every kind of work catches up first, or forgets the state. Either is what these callers wait for.
      const sync = this.#sync
      this.#sync = null
      const work = this.#next() ?? (sync && (() => this.#syncNow()))
      if (!work) break
      await work()
      sync?.resolve()
      await this.#serveReaders()
    }
    this.#running = false
    this.#endIfAbsent()
  }

  /**
   * Batches and exclusive work take turns. Null: nothing waits but callers of `sync`, who must not go before
   * commands: on a busy event another node's next change is announced before
   * this node has caught up with the last one.
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
    await this.#catchUpWithoutLock().catch(error =>
      this.#deps.log.warn({ err: error, event_id: this.eventId }, 'could not catch up'),
    )
  }

  async #serveReaders(): Promise<void> {
    if (this.#readers.length === 0) return
    const readers = this.#readers.splice(0)
    const hot = await this.ready().catch(() => null)
    for (const read of readers) read(hot)
    // Lets them read before the next batch moves on.
    await new Promise<void>(resume => this.#deps.time.soon(resume))
  }

  async #runBatch(batch: readonly Pending[]): Promise<void> {
    const { time, watch } = this.#deps
    const started = time.now()
    const oldestWaitedMs = started - batch[0]!.since
    const figures = (round: Round | null) => figuresOf(batch, round, oldestWaitedMs, started, time.now())
    let end: RoundEnd<readonly LaneAnswer[]>
    try {
      const hot = await this.#readyInLine()
      if (!hot) {
        for (const pending of batch) pending.settle({ kind: 'refused', refusal: { kind: 'event_not_found' } })
        return
      }
      const keys = batch.flatMap(pending => (pending.key ? [pending.key.keyHash] : []))
      end = await this.#round(hot, keys, round => ok(decideBatch(round, batch, this.#undecided)), {
        writesRows: false,
      })
    } catch (error) {
      end = { kind: 'failed', round: null, error }
    }
    if (end.kind !== 'committed') {
      this.#failed(batch, end)
      watch.batch({ ...figures(end.kind === 'stale' ? null : end.round), outcome: 'failed' })
      return
    }
    const { round, value: answers } = end
    this.#unsettled = false
    this.#answerSoon(() => {
      for (const [index, pending] of batch.entries()) {
        pending.settle(answers[index] ?? { kind: 'refused', refusal: { kind: 'internal_error' } })
      }
    })
    const { hot, changes } = round
    watch.batch({ ...figures(round), outcome: changes.length > 0 ? 'written' : 'nothing to write' })
    if (changes.length > 0) watch.committed(this, hot.state.seq, changes)
    // Also when it has only refused: what other nodes did was read under the lock,
    // and nothing else on this node will tell it.
    await this.#telling.tell(hot, changes)
  }

  readonly #undecided = (error: unknown, { kind }: Command): void =>
    this.#deps.log.error({ err: error, event_id: this.eventId, kind }, 'a command could not be decided')

  #round<T>(
    hot: HotEvent,
    keys: readonly Buffer[],
    script: (round: Round) => Promise<Result<T, Refusal>> | Result<T, Refusal>,
    options: { readonly writesRows: boolean },
  ): Promise<RoundEnd<T>> {
    const { store, time } = this.#deps
    const missed = (changes: readonly Change[]) => this.#telling.missed(changes)
    const run = (round: Round) => {
      this.#unsettled = true
      return script(round)
    }
    const written = () => this.#onSent?.()
    return runRound({ store, time, missed, written }, this, hot, keys, run, options)
  }

  /**
   * While commands wait, the next batch is sent before the answers of this one:
   * Postgres works while this node answers. But no answer waits for a lock that another node may have.
   */
  #answerSoon(answer: () => void): void {
    if (this.#queue.length === 0) {
      answer()
      return
    }
    const { time } = this.#deps
    const callOff = time.after(LATEST_ANSWER_MS, () => {
      this.#onSent = null
      answer()
    })
    this.#onSent = () => {
      this.#onSent = null
      callOff()
      time.soon(answer)
    }
  }

  async #runExclusive<T>(
    work: (tx: TenantTx, give: (command: Command) => Outcome, hot: HotEvent) => Promise<Result<T, Refusal>>,
    isSecondTry = false,
  ): Promise<Result<T, Refusal>> {
    const hot = await this.#readyInLine().catch(error => {
      this.#drop()
      throw error
    })
    if (!hot) return refuse({ kind: 'event_not_found' })
    const script = (round: Round) => work(round.locked.tx, command => round.give(command).outcome, hot)
    const end = await this.#round(hot, [], script, { writesRows: true })
    switch (end.kind) {
      case 'committed': {
        this.#unsettled = false
        const { changes } = end.round
        if (changes.length > 0) this.#deps.watch.committed(this, hot.state.seq, changes)
        await this.#telling.tell(hot, changes)
        return ok(end.value)
      }
      case 'refused':
        // Refused before anything was changed: what is in memory is still what is in the database.
        if (end.round.changes.length === 0) {
          this.#unsettled = false
          await this.#telling.tell(hot, [])
        } else {
          this.#drop()
        }
        return refuse(end.refusal)
      case 'stale':
        // Too far behind to catch up: the second try loads the event again.
        this.#drop()
        if (isSecondTry) throw new Stale()
        return this.#runExclusive(work, true)
      case 'unknown':
        this.#drop()
        return refuse({ kind: 'outcome_unknown', retryAfterSeconds: 1 })
      case 'failed':
        this.#drop()
        throw end.error
    }
  }

  async #catchUpWithoutLock(): Promise<void> {
    await this.#telling.done
    const hot = this.#hot
    if (!hot) return
    await this.#deps.store
      .look(this, seen => catchUp(seen, hot, changes => this.#telling.missed(changes)))
      .catch(error => {
        this.#drop()
        if (!(error instanceof Stale)) throw error
      })
    if (this.#hot) await this.#telling.tell(this.#hot, [])
    else await this.ready()
  }

  #failed(batch: readonly Pending[], end: Exclude<RoundEnd<unknown>, { kind: 'committed' }>): void {
    this.#drop()
    if (end.kind === 'stale') {
      // Nothing was decided: load the event again and try once more, before the commands that came later.
      this.#queue.unshift(...batch)
      return
    }
    const error = end.kind === 'failed' ? end.error : null
    const outage = end.kind === 'unknown' ? 'outcome_unknown' : outageKind(error)
    if (outage === null) this.#deps.log.error({ err: error, event_id: this.eventId }, 'a batch failed')
    const refusal: Refusal =
      outage === null ? { kind: 'internal_error' } : { kind: outage, retryAfterSeconds: 1 }
    for (const pending of batch) pending.settle({ kind: 'refused', refusal })
  }

  /** Forgets everything: the next command loads the event again. */
  #drop(): void {
    this.#hot = null
    this.#telling.forgetMissed()
    this.#unsettled = false
  }
}

function promised(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
