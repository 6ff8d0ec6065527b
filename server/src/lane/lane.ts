import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import { nextExpiry } from '@voelgoed/core/event/view'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import { BatchBuilder, type KeptAnswer } from '../postgres/batch/batch-rows.ts'
import { writeLedger, writeRows } from '../postgres/batch/write-batch.ts'
import { CommitUnknown, type Database, type TenantTx } from '../postgres/database.ts'
import { outageKind } from '../postgres/outage.ts'
import { findAnswers, type StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import { continueJournal } from '../postgres/tables/journal.ts'
import { isSamePoint, type Ledger, lockLedger, readLedger } from '../postgres/tables/ledger.ts'
import { type EventTrace, hasTrace, tookEffect } from '../postgres/unknown-commit.ts'
import type { TenantScope } from '../tenant.ts'
import {
  Attempt,
  type BatchFigures,
  figuresOf,
  type KeyedRequest,
  type LaneAnswer,
  type Pending,
} from './batch.ts'
import { isRefusedInMemory, refusedWithProof, storedAnswer } from './certain-refusal.ts'
import { MAX_CATCH_UP, Telling } from './followers.ts'
import { type HotEvent, pointOf } from './hot-event.ts'
import { loadEvent, refreshPolicy } from './load-event.ts'
import type { RefusalProofs } from './refusal-proofs.ts'
import type { SeatMaps } from './seat-maps.ts'

export interface LaneDeps {
  readonly database: Pick<Database, 'tenant' | 'lanes'>
  readonly seatMaps: SeatMaps
  readonly log: FastifyBaseLogger
  readonly watch: LaneWatch
  readonly proofs: RefusalProofs
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
/** So many changes are sent as soon as they are decided: Postgres writes them while the next are decided. */
const SEND_AT = 64
/** The first of them sooner: until then Postgres has nothing to do. */
const FIRST_SEND_AT = 16
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
  lastUsedAt = performance.now()

  constructor(scope: TenantScope, eventId: EventId, deps: LaneDeps) {
    this.scope = scope
    this.eventId = eventId
    this.#deps = deps
    this.#telling = new Telling({
      advanced: (hot, changes) => deps.watch.advanced(this, hot, changes),
      lost: upTo => deps.watch.lost(this, upTo),
      readJournal: (from, count) =>
        deps.database
          .tenant(scope, tx => continueJournal(tx, eventId, from, count))
          .then(
            read => read?.changes ?? null,
            () => null,
          ),
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
    this.lastUsedAt = performance.now()
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
    this.#loading ??= loadEvent(this.#deps.database, this.#deps.seatMaps, this.scope, this.eventId).finally(
      () => {
        this.#loading = null
      },
    )
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

  submit(command: Command, key: KeyedRequest | null = null): Promise<LaneAnswer> {
    this.lastUsedAt = performance.now()
    if (this.#hot && !this.#unsettled && isRefusedInMemory(this.#hot, command)) {
      return this.#refuseOrDecide({ command, key, seq: this.#hot.state.seq })
    }
    return this.#enqueue(command, key)
  }

  /** Memory says no: if it proves to be exact, that is the answer, and the event's lock is not needed. */
  async #refuseOrDecide(asked: {
    readonly command: Command
    readonly key: KeyedRequest | null
    readonly seq: number
  }): Promise<LaneAnswer> {
    const { command, key } = asked
    const proof = await this.#deps.proofs
      .ask(this.scope, this.eventId, key?.keyHash ?? null)
      // The lane finds out what is wrong, and says so.
      .catch(() => null)
    const hot = this.#unsettled ? null : this.#hot
    return (hot && proof && refusedWithProof(hot, asked, proof)) ?? this.#enqueue(command, key)
  }

  #enqueue(command: Command, key: KeyedRequest | null): Promise<LaneAnswer> {
    if (this.#queue.length >= MAX_QUEUE) {
      return Promise.resolve({ kind: 'refused', refusal: { kind: 'busy', retryAfterSeconds: 1 } })
    }
    return new Promise(settle => {
      this.#queue.push({ command, key, since: performance.now(), settle })
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
    this.lastUsedAt = performance.now()
    if (this.#exclusives.length >= MAX_EXCLUSIVES) {
      return Promise.resolve(refuse({ kind: 'busy', retryAfterSeconds: 1 }))
    }
    return new Promise((resolve, reject) => {
      const run = () => this.#runExclusive(work)
      // Too far behind to catch up: the first try has thrown the state away, the second loads it again.
      const again = (error: unknown) => {
        if (error instanceof Stale) return run()
        throw error
      }
      this.#exclusives.push(() => run().catch(again).then(resolve, reject))
      this.#start()
    })
  }

  /**
   * Throws the state away and loads it again, in turn with everything else. Says whether memory had been
   * right; null when it was not in memory, or when the event moved on meanwhile,
   * so that nothing can be compared.
   */
  reload(): Promise<boolean | null> {
    this.lastUsedAt = performance.now()
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
    setImmediate(() => void this.#run())
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
    await new Promise(setImmediate)
  }

  async #runBatch(batch: readonly Pending[]): Promise<void> {
    const started = performance.now()
    const oldestWaitedMs = started - batch[0]!.since
    let attempt: Attempt | null = null
    try {
      const hot = await this.#readyInLine()
      if (!hot) {
        for (const pending of batch) pending.settle({ kind: 'refused', refusal: { kind: 'event_not_found' } })
        return
      }
      attempt = new Attempt(hot)
      await this.#deps.database.lanes.tenant(this.scope, tx => this.#decideAll(tx, attempt!, batch), {
        holdsLedger: true,
      })
    } catch (error) {
      const committed = error instanceof CommitUnknown && attempt ? await this.#wasCommitted(attempt) : false
      if (committed !== true) {
        this.#failed(batch, error, committed === null)
        this.#deps.watch.batch({ ...figuresOf(batch, attempt, oldestWaitedMs, started), outcome: 'failed' })
        return
      }
    }
    this.#unsettled = false
    const { hot, answers, changes } = attempt!
    this.#answerSoon(() => {
      for (const [index, pending] of batch.entries()) {
        pending.settle(answers[index] ?? { kind: 'refused', refusal: { kind: 'internal_error' } })
      }
    })
    this.#deps.watch.batch({
      ...figuresOf(batch, attempt, oldestWaitedMs, started),
      outcome: changes.length > 0 ? 'written' : 'nothing to write',
    })
    if (changes.length > 0) this.#deps.watch.committed(this, hot.state.seq, changes)
    // Also when it has only refused: what other nodes did was read under the lock,
    // and nothing else on this node will tell.
    await this.#telling.tell(hot, changes)
  }

  /** Null: can't be found out. */
  #wasCommitted({ firstCommand, firstKept, seqBefore }: Attempt): Promise<boolean | null> {
    const trace: EventTrace | null =
      firstCommand !== null
        ? { kind: 'journal', seq: seqBefore + 1, command: firstCommand }
        : firstKept && { kind: 'answer', ...firstKept }
    // It wrote at most when the next hold runs out. Its answers were right under the lock,
    // whatever became of that.
    if (trace === null) return Promise.resolve(true)
    return tookEffect(() => hasTrace(this.#deps.database.lanes, this, trace))
  }

  /**
   * While commands wait, the next batch is sent before the answers of this one: Postgres works while this
   * node answers. But no answer waits for a lock that another node may have.
   */
  #answerSoon(answer: () => void): void {
    if (this.#queue.length === 0) {
      answer()
      return
    }
    const atLast = setTimeout(() => {
      this.#onSent = null
      answer()
    }, LATEST_ANSWER_MS)
    this.#onSent = () => {
      this.#onSent = null
      clearTimeout(atLast)
      setImmediate(answer)
    }
  }

  async #decideAll(tx: TenantTx, attempt: Attempt, batch: readonly Pending[]): Promise<void> {
    const keys = batch.flatMap(pending => (pending.key ? [pending.key.keyHash] : []))
    const [ledger, stored] = await Promise.all([
      lockLedger(tx, this.eventId),
      keys.length > 0 ? findAnswers(tx, keys) : new Map<string, StoredAnswer>(),
    ])
    attempt.lockedAt = performance.now()
    if (!ledger) throw new Stale()
    await this.#catchUp(tx, attempt.hot, ledger)
    const { hot } = attempt
    const { state } = hot
    const { now } = ledger
    attempt.now = now
    attempt.seqBefore = state.seq
    const builder = new BatchBuilder(state)
    this.#unsettled = true

    let sendAt = FIRST_SEND_AT
    for (const pending of batch) {
      if (builder.unsent >= sendAt) {
        sendAt = SEND_AT
        writeRows(tx, this.eventId, builder.take())
        tx.flush()
      }
      const { command, key } = pending
      const known = key && stored.get(key.keyHash.toString('latin1'))
      if (key && known) {
        attempt.answers.push(storedAnswer(key, known))
        continue
      }
      const outcome = this.#decide(state, command, now)
      if (!outcome) {
        attempt.answers.push({ kind: 'refused', refusal: { kind: 'internal_error' } })
        continue
      }
      if (outcome.ok) {
        for (const change of outcome.value.changes) {
          builder.add(change, command)
          apply(state, change)
        }
        if (key) {
          const kept: KeptAnswer = { ...key, ...key.keep(outcome.value, hot, now) }
          builder.keep(kept)
          // The same key twice in one batch: the second is a repetition of the first.
          stored.set(key.keyHash.toString('latin1'), kept)
        }
      }
      attempt.answers.push({ kind: 'decided', outcome, now, hot })
    }

    attempt.changes = builder.changes
    attempt.firstCommand = builder.firstCommand
    attempt.firstKept = builder.firstKept
    hot.tip = builder.lastCommand ?? hot.tip
    const expiry = nextExpiry(state)
    if (builder.isEmpty && expiry === ledger.nextExpiry) tx.discard()
    else {
      writeRows(tx, this.eventId, builder.take())
      writeLedger(tx, this.eventId, builder.ledger(expiry))
    }
    attempt.decidedAt = performance.now()
    this.#onSent?.()
  }

  /**
   * Deciding changes nothing, so a command that trips over a bug of ours need
   * not take its batch down with it.
   */
  #decide(state: EventState, command: Command, now: number): Outcome | null {
    try {
      return decide(state, command, now)
    } catch (error) {
      this.#deps.log.error(
        { err: error, event_id: this.eventId, kind: command.kind },
        'a command could not be decided',
      )
      return null
    }
  }

  async #runExclusive<T>(
    work: (tx: TenantTx, give: (command: Command) => Outcome, hot: HotEvent) => Promise<Result<T, Refusal>>,
  ): Promise<Result<T, Refusal>> {
    let attempt: Attempt | null = null
    let result: Result<T, Refusal> | null = null
    try {
      const hot = await this.#readyInLine()
      if (!hot) return refuse({ kind: 'event_not_found' })
      attempt = new Attempt(hot)
      const mine = attempt
      await this.#deps.database.lanes.tenant(
        this.scope,
        async tx => {
          const ledger = await lockLedger(tx, this.eventId)
          if (!ledger) throw new Stale()
          await this.#catchUp(tx, hot, ledger)
          mine.seqBefore = hot.state.seq
          const builder = new BatchBuilder(hot.state)
          this.#unsettled = true
          const give = (command: Command): Outcome => {
            const outcome = decide(hot.state, command, ledger.now)
            if (!outcome.ok) return outcome
            for (const change of outcome.value.changes) {
              builder.add(change, command)
              apply(hot.state, change)
            }
            return outcome
          }
          result = await work(tx, give, hot)
          mine.changes = builder.changes
          mine.firstCommand = builder.firstCommand
          if (!result.ok) throw new Refused(result.problem)
          hot.tip = builder.lastCommand ?? hot.tip
          if (!builder.isEmpty) {
            writeRows(tx, this.eventId, builder.take())
            writeLedger(tx, this.eventId, builder.ledger(nextExpiry(hot.state)))
          }
        },
        { holdsLedger: true },
      )
    } catch (error) {
      // Work without an entry in the journal leaves no trace that only it can have left:
      // the outcome stays unknown.
      const hasTrace = attempt !== null && attempt.firstCommand !== null
      const committed =
        error instanceof CommitUnknown ? (hasTrace ? await this.#wasCommitted(attempt!) : null) : false
      if (committed !== true) {
        // Refused before anything was changed: what is in memory is still what is in the database.
        if (error instanceof Refused && attempt?.changes.length === 0) {
          this.#unsettled = false
          await this.#telling.tell(attempt.hot, [])
        } else {
          this.#drop()
        }
        if (error instanceof Refused) return refuse(error.refusal)
        if (committed === null) return refuse({ kind: 'outcome_unknown', retryAfterSeconds: 1 })
        throw error instanceof CommitUnknown ? error.cause : error
      }
    }
    this.#unsettled = false
    const { hot, changes } = attempt!
    if (changes.length > 0) this.#deps.watch.committed(this, hot.state.seq, changes)
    await this.#telling.tell(hot, changes)
    return result!
  }

  /** Under the lock: from here on the state is exact. */
  async #catchUp(tx: TenantTx, hot: HotEvent, ledger: Ledger): Promise<void> {
    const missing = ledger.seq - hot.state.seq
    // Ahead of the database (which has lost commits),
    // or so far behind that it is quicker to load the event again.
    if (missing < 0 || missing > MAX_CATCH_UP) throw new Stale()
    if (missing > 0) {
      const read = await continueJournal(tx, this.eventId, pointOf(hot), missing)
      // The journal has another entry where this state ends: Postgres has lost the one that is in it.
      if (read?.changes.length !== missing) throw new Stale()
      for (const change of read.changes) apply(hot.state, change)
      hot.tip = read.to.tip
      this.#telling.missed(read.changes)
    } else if (!isSamePoint(pointOf(hot), ledger)) {
      throw new Stale()
    }
    await refreshPolicy(tx, this.eventId, hot, ledger)
  }

  async #catchUpWithoutLock(): Promise<void> {
    await this.#telling.done
    const hot = this.#hot
    if (!hot) return
    await this.#deps.database
      .tenant(this.scope, async tx => {
        const ledger = await readLedger(tx, this.eventId)
        if (!ledger) throw new Stale()
        await this.#catchUp(tx, hot, ledger)
        tx.discard()
      })
      .catch(error => {
        this.#drop()
        if (!(error instanceof Stale)) throw error
      })
    if (this.#hot) await this.#telling.tell(this.#hot, [])
    else await this.ready()
  }

  #failed(batch: readonly Pending[], error: unknown, unknown: boolean): void {
    this.#drop()
    if (error instanceof Stale) {
      // Nothing was decided: load the event again and try once more, before the commands that came later.
      this.#queue.unshift(...batch)
      return
    }
    const cause = error instanceof CommitUnknown ? error.cause : error
    const outage = unknown ? 'outcome_unknown' : outageKind(cause)
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

class Stale extends Error {}

class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}
