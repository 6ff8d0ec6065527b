import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import { shownCode } from '@voelgoed/core/event/seat-bits'
import { createState, type EventPlan, type EventState, SEAT_STATUSES } from '@voelgoed/core/event/state'
import type { CommandId } from '@voelgoed/core/ids'
import type { KeptAnswer } from '@voelgoed/engine/batch/answers'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { EpochPoint, KnownPoint } from '@voelgoed/engine/tables/epochs'
import type { JournalPoint, Ledger } from '@voelgoed/engine/tables/ledger'
import type { StoredAnswer } from '@voelgoed/kit/postgres/idempotency-keys'
import { occupancyAnswer } from '../../server/modules/live/occupancy-answer.ts'
import { digestOf } from './image.ts'
import type { Scheduler } from './scheduler.ts'

/** The database's clock at the beginning of a run. */
export const BEGINNING = 1_800_000_000_000

export interface JournalEntry {
  readonly change: Change
  readonly command: CommandId
  readonly actor: string | null
}

/** An entry that was committed, and when, by the database's clock. */
interface CommittedEntry extends JournalEntry {
  readonly committedAt: number
}

/** A transaction has written this so far. */
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

/** Readers are shown each seat's word, and the counters as JSON. */
interface Shown {
  readonly seats: readonly string[]
  readonly occupancy: string
}

/** Each seat's word as any buyer is told: a companion seat that is kept is blocked. */
export function wordsOf(state: EventState): string[] {
  return Array.from(state.seatStatus, (_, ordinal) => SEAT_STATUSES[shownCode(state, ordinal)]!)
}

/** One event of the database: its ledger, its journal, its stored answers and its lock. */
export class SimulatedEvent {
  readonly address: EventAddress
  readonly plan: EventPlan
  journal: CommittedEntry[] = []
  readonly answers = new Map<string, StoredAnswer>()
  nextExpiry: number | null = null
  epoch = 1
  lostUpTo = 0
  /** The event was like this after each commit. A database that loses the last of them goes back to one. */
  readonly commits: {
    readonly entries: number
    readonly keys: readonly string[]
    readonly nextExpiry: number | null
    readonly epoch: number
    readonly lostUpTo: number
  }[] = []
  /** Every change that was ever committed, also those that are lost since. */
  readonly #everCommitted = new Set<Change>()
  readonly #scheduler: Scheduler
  #holder: Transaction | null = null
  #shown: { readonly state: EventState; readonly shown: Shown[] }
  #walked: { readonly state: EventState; readonly digests: number[] }
  #waiting: Waiting[] = []

  constructor(address: EventAddress, plan: EventPlan, scheduler: Scheduler) {
    this.address = address
    this.plan = plan
    this.status = plan.settings.status
    this.#walked = { state: createState(plan), digests: [] }
    this.#shown = { state: createState(plan), shown: [] }
    this.#scheduler = scheduler
  }

  /** Counts how often a transaction was given the event's lock. */
  turns = 0
  /** As the last change of the event's settings says. */
  status: EventStatus
  /** Counts the changes of the event's row. */
  #revision = 1

  get isLocked(): boolean {
    return this.#holder !== null
  }

  get point(): EpochPoint {
    return { seq: this.journal.length, tip: this.journal.at(-1)?.command ?? null, epoch: this.epoch }
  }

  ledger(policyRevision: number): Omit<Ledger, 'askedAt'> {
    return {
      ...this.point,
      lostUpTo: this.lostUpTo,
      now: Math.floor(BEGINNING + this.#scheduler.now),
      nextExpiry: this.nextExpiry,
      eventRevision: this.#revision,
      policyRevision,
    }
  }

  /** The state that the journal makes, up to a seq. */
  stateAt(seq: number): EventState {
    const state = createState(this.plan)
    for (const { change } of this.journal.slice(0, seq)) apply(state, change)
    return state
  }

  /** The digest of the same, kept. */
  digestAt(seq: number): number {
    const { state, digests } = this.#walked
    while (state.seq < seq) {
      apply(state, this.journal[state.seq]!.change)
      digests[state.seq] = digestOf(state)
    }
    return digests[seq]!
  }

  /** Returns what a reader of the feed knows after a seq. */
  shownAt(seq: number): Shown {
    const { state, shown } = this.#shown
    while (state.seq < seq) {
      apply(state, this.journal[state.seq]!.change)
      shown[state.seq] = { seats: wordsOf(state), occupancy: JSON.stringify(occupancyAnswer(state)) }
    }
    return shown[seq]!
  }

  wasEverCommitted(change: Change): boolean {
    if (this.#everCommitted.has(change)) return true
    const text = JSON.stringify(change)
    for (const known of this.#everCommitted) {
      if (known.seq === change.seq && JSON.stringify(known) === text) return true
    }
    return false
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
      this.turns += 1
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
    if (!next) return
    this.turns += 1
    next.callOff()
    next.granted()
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
      // As rows are: nothing that memory does later changes them.
      this.#everCommitted.add(frozen(entry.change))
      this.journal.push({ ...entry, committedAt: BEGINNING + this.#scheduler.now })
      if (entry.change.kind === 'event_changed') this.#changed(entry.change)
    }
    for (const { keyHash, ...stored } of answers) this.answers.set(keyHash.toString('latin1'), stored)
    this.nextExpiry = nextExpiry
    this.#noteCommit(answers.map(({ keyHash }) => keyHash.toString('latin1')))
  }

  #noteCommit(keys: readonly string[]): void {
    const { nextExpiry, epoch, lostUpTo } = this
    this.commits.push({ entries: this.journal.length, keys, nextExpiry, epoch, lostUpTo })
  }

  /** As in engine/tables/epochs.ts. */
  raiseEpochIfLost({ epoch, seq, tip, lostUpTo: known = 0 }: KnownPoint): 'raised' | 'noted' | 'nothing' {
    const command = this.journal[seq - 1]?.command
    const isHere = command !== undefined && (tip === null || command === tip)
    const isNew = this.epoch < epoch || (this.epoch === epoch && !isHere)
    const lostUpTo = Math.max(this.lostUpTo, known, isHere ? 0 : seq)
    if (!isNew && lostUpTo === this.lostUpTo) return 'nothing'
    const now = Math.floor(BEGINNING + this.#scheduler.now)
    if (isNew) this.epoch = Math.max(this.epoch, epoch, Math.floor(now / 1000) - 1) + 1
    this.lostUpTo = lostUpTo
    this.#noteCommit([])
    return isNew ? 'raised' : 'noted'
  }

  #changed({ status }: { readonly status?: EventStatus }): void {
    this.status = status ?? this.status
    this.#revision += 1
  }

  /** Loses its last commit, which is not the first. Returns the commands that are gone with it. */
  loseLast(): readonly CommandId[] {
    for (const key of this.commits.pop()!.keys) this.answers.delete(key)
    const kept = this.commits.at(-1)!
    const commands = this.journal.slice(kept.entries).map(({ command }) => command)
    this.journal = this.journal.slice(0, kept.entries)
    this.status = this.plan.settings.status
    this.#revision = 1
    for (const { change } of this.journal) if (change.kind === 'event_changed') this.#changed(change)
    this.#walked = { state: createState(this.plan), digests: [] }
    this.#shown = { state: createState(this.plan), shown: [] }
    this.nextExpiry = kept.nextExpiry
    this.epoch = kept.epoch
    this.lostUpTo = kept.lostUpTo
    return commands
  }
}

/** With all that is in it: code that would change it throws. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) frozen(part)
  }
  return Object.freeze(value)
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
