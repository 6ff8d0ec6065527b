import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import { createState, type EventPlan, type EventState } from '@voelgoed/core/event/state'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import type { EventAddress } from '../../../server/src/lane/store.ts'
import type { KeptAnswer } from '../../../server/src/postgres/batch/answers.ts'
import type { DueEvent } from '../../../server/src/postgres/tables/due-events.ts'
import type { EpochPoint } from '../../../server/src/postgres/tables/epochs.ts'
import type { StoredAnswer } from '../../../server/src/postgres/tables/idempotency-keys.ts'
import type { JournalPoint, Ledger } from '../../../server/src/postgres/tables/ledger.ts'
import { imageOf } from './image.ts'
import type { Scheduler } from './scheduler.ts'

/** As in server/src/postgres/tables/due-events.ts. */
const LOCKED_FOR_MS = 100
/** The database's clock at the beginning of a run. */
export const BEGINNING = 1_800_000_000_000

export interface JournalEntry {
  readonly change: Change
  readonly command: CommandId
  readonly actor: string | null
}

/** What a transaction has written so far. */
export interface Writes {
  readonly seqBefore: number
  readonly entries: readonly JournalEntry[]
  readonly answers: readonly KeptAnswer[]
  readonly nextExpiry: number | null
}

/** One transaction as the database knows it. */
export class Transaction {
  readonly process: string
  readonly event: SimulatedEvent | null
  /** The database has ended it: it was undone, and every later statement fails. */
  isEnded = false
  hasLock = false
  /** The node has sent the commit, which arrives before the end of the connection does. */
  isCommitSent = false
  /** The commit has arrived: nothing but the commit ends it now. */
  isCommitting = false
  /** Calls off the end that comes when the node says nothing. */
  notIdle = () => {}

  constructor(process: string, event: SimulatedEvent | null) {
    this.process = process
    this.event = event
  }
}

interface Waiting {
  readonly tx: Transaction
  granted(): void
  failed(error: Error): void
  callOff(): void
}

/** One event of the database: its ledger, its journal, its stored answers and its lock. */
export class SimulatedEvent {
  readonly address: EventAddress
  readonly plan: EventPlan
  journal: JournalEntry[] = []
  readonly answers = new Map<string, StoredAnswer>()
  nextExpiry: number | null = null
  epoch = 1
  /** How the event was after each commit, for a database that loses the last of them. */
  readonly commits: {
    readonly at: number
    readonly entries: number
    readonly keys: readonly string[]
    readonly nextExpiry: number | null
    readonly epoch: number
  }[] = []
  /** Every change that was ever committed, also those that are lost since, as text. */
  readonly everCommitted = new Set<string>()
  readonly #scheduler: Scheduler
  #holder: Transaction | null = null
  #imaged: { readonly state: EventState; readonly images: string[] }
  #waiting: Waiting[] = []

  constructor(address: EventAddress, plan: EventPlan, scheduler: Scheduler) {
    this.address = address
    this.plan = plan
    this.#imaged = { state: createState(plan), images: [] }
    this.#scheduler = scheduler
  }

  get isLocked(): boolean {
    return this.#holder !== null
  }

  /** As the last change of the event's settings says. */
  get status(): EventStatus {
    let { status } = this.plan.settings
    for (const { change } of this.journal) {
      if (change.kind === 'event_changed' && change.status !== undefined) status = change.status
    }
    return status
  }

  ledger(): Omit<Ledger, 'askedAt'> {
    return {
      seq: this.journal.length,
      tip: this.journal.at(-1)?.command ?? null,
      now: Math.floor(BEGINNING + this.#scheduler.now),
      nextExpiry: this.nextExpiry,
      epoch: this.epoch,
      eventRevision: 1,
      policyRevision: 1,
    }
  }

  /** The state that the journal makes, up to a seq. */
  stateAt(seq: number): EventState {
    const state = createState(this.plan)
    for (const { change } of this.journal.slice(0, seq)) apply(state, change)
    return state
  }

  /** The same as text, kept. */
  imageAt(seq: number): string {
    const { state, images } = this.#imaged
    while (state.seq < seq) {
      apply(state, this.journal[state.seq]!.change)
      images[state.seq] = imageOf(state)
    }
    return images[seq]!
  }

  find(keys: readonly Buffer[]): Map<string, StoredAnswer> {
    const texts = keys.map(key => key.toString('latin1'))
    return new Map(texts.flatMap(text => (this.answers.has(text) ? [[text, this.answers.get(text)!]] : [])))
  }

  continueJournal(
    from: JournalPoint,
    count: number,
  ): { readonly changes: readonly Change[]; readonly to: JournalPoint } | null {
    const entry = this.journal[from.seq - 1]
    if (entry && from.tip !== null && entry.command !== from.tip) return null
    const after = this.journal.slice(from.seq, from.seq + count)
    const last = after.at(-1)
    return {
      changes: after.map(({ change }) => change),
      to: last ? { seq: last.change.seq, tip: last.command } : from,
    }
  }

  lock(tx: Transaction, withinMs: number, granted: () => void, failed: (error: Error) => void): void {
    if (!this.#holder) {
      this.#holder = tx
      granted()
      return
    }
    const callOff = this.#scheduler.schedule(
      withinMs,
      null,
      `${tx.process} waited too long for the lock`,
      () => {
        this.#waiting = this.#waiting.filter(waiting => waiting.tx !== tx)
        failed(databaseError('canceling statement due to lock timeout', '55P03'))
      },
    )
    this.#waiting.push({ tx, granted, failed, callOff })
  }

  /** Undoes the transaction, if it has not committed, and passes its lock on. */
  end(tx: Transaction): void {
    tx.isEnded = true
    tx.notIdle()
    this.#waiting = this.#waiting.filter(waiting => {
      if (waiting.tx !== tx) return true
      waiting.callOff()
      waiting.failed(connectionLost())
      return false
    })
    if (this.#holder !== tx) return
    const next = this.#waiting.shift()
    this.#holder = next?.tx ?? null
    next?.callOff()
    next?.granted()
  }

  /** Everything at once. Throws what Postgres would say when the ledger is not where it was read. */
  commit(tx: Transaction, writes: Writes | null): void {
    try {
      if (writes) this.#write(writes)
    } finally {
      this.end(tx)
    }
  }

  #write({ seqBefore, entries, answers, nextExpiry }: Writes): void {
    if (seqBefore !== this.journal.length) {
      throw databaseError('the ledger has moved on', 'P0001')
    }
    for (const entry of entries) {
      // A copy, as rows are: nothing that memory does later changes them.
      const text = JSON.stringify(entry.change)
      this.everCommitted.add(text)
      this.journal.push({ ...entry, change: JSON.parse(text) as Change })
    }
    for (const { keyHash, ...stored } of answers) this.answers.set(keyHash.toString('latin1'), stored)
    this.nextExpiry = nextExpiry
    this.#noteCommit(answers.map(({ keyHash }) => keyHash.toString('latin1')))
  }

  #noteCommit(keys: readonly string[]): void {
    const { nextExpiry, epoch } = this
    this.commits.push({ at: this.#scheduler.now, entries: this.journal.length, keys, nextExpiry, epoch })
  }

  /** As in server/src/postgres/tables/epochs.ts. */
  raiseEpochIfLost({ epoch, seq, tip }: EpochPoint): boolean {
    const command = this.journal[seq - 1]?.command
    const isHere = command !== undefined && (tip === null || command === tip)
    if (this.epoch > epoch || (this.epoch === epoch && isHere)) return false
    this.epoch = Math.max(this.epoch, epoch, Math.floor(this.ledger().now / 1000) - 1) + 1
    this.#noteCommit([])
    return true
  }

  /** Loses the last commits. Returns their commands, and the moment of the last commit that is left. */
  lose(count: number): { readonly since: number; readonly commands: ReadonlySet<CommandId> } | null {
    const kept = this.commits.at(-1 - count)
    if (!kept) return null
    for (const { keys } of this.commits.splice(-count)) for (const key of keys) this.answers.delete(key)
    const commands = new Set(this.journal.slice(kept.entries).map(({ command }) => command))
    this.journal = this.journal.slice(0, kept.entries)
    this.#imaged = { state: createState(this.plan), images: [] }
    this.nextExpiry = kept.nextExpiry
    this.epoch = kept.epoch
    return { since: kept.at, commands }
  }
}

/** A database in memory, with a clock, locks and transactions; shared by the nodes of a run. */
export class SimulatedDatabase {
  readonly scheduler: Scheduler
  readonly #events = new Map<string, SimulatedEvent>()
  readonly #open = new Set<Transaction>()

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler
  }

  /** The event goes on sale: its ledger, and the first entry of its journal. */
  open(address: EventAddress, plan: EventPlan): SimulatedEvent {
    const event = new SimulatedEvent(address, plan, this.scheduler)
    const change = { kind: 'event_changed', seq: 1, at: BEGINNING, status: 'published' } as const
    const tx = new Transaction('', event)
    event.commit(tx, {
      seqBefore: 0,
      entries: [{ change, command: 'opening' as CommandId, actor: null }],
      answers: [],
      nextExpiry: null,
    })
    this.#events.set(`${address.scope.organizationId}/${address.eventId}`, event)
    return event
  }

  find({ scope, eventId }: EventAddress): SimulatedEvent | null {
    return this.#events.get(`${scope.organizationId}/${eventId}`) ?? null
  }

  /** As in server/src/postgres/tables/due-events.ts: one whose lock is taken is left out for a moment. */
  takeDue(limit: number, except: readonly EventId[]): DueEvent[] {
    return [...this.#events.values()]
      .map(event => ({ event, lagMs: event.ledger().now - (event.nextExpiry ?? Number.POSITIVE_INFINITY) }))
      .filter(({ event, lagMs }) => lagMs >= (event.isLocked ? LOCKED_FOR_MS : 0))
      .filter(({ event }) => !except.includes(event.address.eventId))
      .sort((a, b) => b.lagMs - a.lagMs)
      .slice(0, limit)
      .map(({ event, lagMs }) => ({ ...event.address, lagMs }))
  }

  nextDueIn(except: readonly EventId[]): number | null {
    const due = [...this.#events.values()]
      .filter(event => event.nextExpiry !== null && !except.includes(event.address.eventId))
      .map(event => event.nextExpiry! - event.ledger().now)
    return due.length === 0 ? null : Math.min(...due)
  }

  cancelled(limit: number, except: readonly EventId[]): EventAddress[] {
    return [...this.#events.values()]
      .filter(event => event.nextExpiry !== null && event.status === 'cancelled')
      .map(event => event.address)
      .filter(({ eventId }) => !except.includes(eventId))
      .slice(0, limit)
  }

  begin(process: string, address: EventAddress | null): Transaction {
    const tx = new Transaction(process, address && this.find(address))
    this.#open.add(tx)
    return tx
  }

  end(tx: Transaction): void {
    this.#open.delete(tx)
    if (tx.event) tx.event.end(tx)
    else tx.isEnded = true
  }

  commit(tx: Transaction, writes: Writes | null): void {
    assert(!tx.isEnded, 'a commit of a transaction that has ended')
    this.#open.delete(tx)
    tx.event?.commit(tx, writes)
  }

  /** The process is gone: what it had not sent a commit for is undone. */
  endAllOf(process: string): void {
    for (const tx of this.#open) if (tx.process === process && !tx.isCommitSent) this.end(tx)
  }

  /** It fails over: all connections break. */
  endAll(): void {
    for (const tx of this.#open) this.end(tx)
  }
}

export function connectionLost(): Error {
  return databaseError('Connection terminated unexpectedly', 'ECONNRESET')
}

function databaseError(message: string, code: string): Error {
  // Where it was made says nothing, and takes longer than the error itself.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = Object.assign(new Error(message), { code })
  Error.stackTraceLimit = stackTraceLimit
  return error
}
