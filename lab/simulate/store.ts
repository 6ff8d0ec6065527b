import type { EventId } from '@voelgoed/core/ids'
import {
  type AskedUnderLock,
  type EventAddress,
  type EventStore,
  type LockedEvent,
  type SeenEvent,
  Stale,
} from '@voelgoed/engine/ports/store'
import type { Work } from '@voelgoed/engine/reaper/work'
import type { KnownPoint } from '@voelgoed/engine/tables/epochs'
import type { Ledger, LedgerPoint } from '@voelgoed/engine/tables/ledger'
import { type HotEvent, offsetAfter } from '@voelgoed/engine/view/hot-event'
import type { Time } from '@voelgoed/kit/base/time'
import { CommitUnknown } from '@voelgoed/kit/postgres/database'
import type { SimulatedDatabase } from './database.ts'
import type { Network } from './network.ts'
import type { Process, Scheduler } from './scheduler.ts'
import { connectionLost, type SimulatedEvent, type Transaction, type Writes } from './simulated-event.ts'
import { SimulatedWriter } from './writer.ts'

/** As in kit/postgres/database.ts: of a lane's transaction, and of any other. */
const LANE_LOCK_MS = 1_000
const LOCK_MS = 2_000
const IDLE_MS = 1_000

export interface StoreDeps {
  readonly database: SimulatedDatabase
  readonly network: Network
  readonly process: Process
  readonly time: Time
}

/** One node asks the simulated database through this, behind a line that takes time and may break. */
export class SimulatedStore implements EventStore, Work {
  readonly #deps: StoreDeps
  readonly #scheduler: Scheduler

  constructor(deps: StoreDeps) {
    this.#deps = deps
    this.#scheduler = deps.database.scheduler
  }

  async load(address: EventAddress): Promise<HotEvent | null> {
    const askedAt = this.#deps.time.now()
    return this.#ask('load', address, event => {
      if (!event) return null
      const { now, tip, seq, epoch, lostUpTo, eventRevision, policyRevision } = this.#ledgerOf(event)
      const { plan } = event
      const state = event.stateAt(seq)
      state.settings = { ...state.settings, policy: this.#deps.database.policy ?? state.settings.policy }
      return {
        state,
        zones: [],
        seats: { map: plan.seats, rows: [], numbers: [], prices: [] },
        tip,
        epoch,
        lostUpTo,
        eventRevision,
        policyRevision,
        clockOffset: now - askedAt,
      }
    })
  }

  async locked<T>(
    address: EventAddress,
    { keys }: AskedUnderLock,
    script: (locked: LockedEvent) => Promise<T>,
  ): Promise<T> {
    const askedAt = this.#deps.time.now()
    const tx = this.#deps.database.begin(this.#deps.process.name, address)
    const isDiscarded = { value: false }
    const writer = { value: null as SimulatedWriter | null }
    let result: T
    try {
      const seen = await this.#lock(tx, LANE_LOCK_MS, event => ({
        ledger: { ...this.#ledgerOf(event), askedAt },
        stored: event.find(keys),
      }))
      if (!seen) throw new Stale()
      const { ledger, stored } = seen
      result = await script({
        ...this.#seen(tx, ledger),
        stored,
        rows: new Map(),
        lookUp: async ({ keys }) => {
          const askedAgainAt = this.#deps.time.now()
          const { found, later } = await this.#statement(tx, 'look up', () => {
            return { found: tx.event!.find(keys), later: this.#ledgerOf(tx.event!) }
          })
          for (const [key, answer] of found) stored.set(key, answer)
          return this.#seen(tx, { ...later, askedAt: askedAgainAt })
        },
        // Nothing that runs here writes rows of its own.
        tx: null as never,
        readTerms: async known => known,
        discard: () => {
          isDiscarded.value = true
        },
        write: () => {
          writer.value = new SimulatedWriter(ledger)
          return writer.value
        },
      })
    } catch (error) {
      await this.#statement(tx, 'rollback', () => this.#deps.database.end(tx)).catch(() => {})
      throw error
    }
    if (isDiscarded.value) await this.#statement(tx, 'rollback', () => this.#deps.database.end(tx))
    else await this.#commit(tx, writer.value?.writes ?? null)
    return result
  }

  async look(address: EventAddress, script: (seen: SeenEvent) => Promise<void>): Promise<void> {
    const askedAt = this.#deps.time.now()
    const tx = this.#deps.database.begin(this.#deps.process.name, address)
    try {
      const ledger = await this.#statement(tx, 'look', () => tx.event && this.#ledgerOf(tx.event))
      if (!ledger) throw new Stale()
      await script(this.#seen(tx, { ...ledger, askedAt }))
    } finally {
      this.#deps.database.end(tx)
    }
  }

  async hasTrace(address: EventAddress, trace: Parameters<EventStore['hasTrace']>[1]): Promise<boolean> {
    const tx = this.#deps.database.begin(this.#deps.process.name, address)
    const found = await this.#lock(tx, LOCK_MS, event => {
      this.#deps.database.end(tx)
      if (trace.kind === 'journal') return event.journal[trace.seq - 1]?.command === trace.command
      const stored = event.find([trace.keyHash])
      return [...stored.values()].some(({ answer }) => answer.equals(trace.answer))
    })
    return found ?? false
  }

  /** The whole transaction is one step of the database once it has the lock. */
  async raiseEpochIfLost(address: EventAddress, known: KnownPoint): Promise<boolean> {
    const { database, process } = this.#deps
    const tx = database.begin(process.name, address)
    const raised = await this.#lock(tx, LOCK_MS, event => {
      const isRaised = database.raiseEpochIfLost(event, known)
      database.end(tx)
      return isRaised
    })
    return raised ?? false
  }

  pointsOf(...[scope, eventIds]: Parameters<EventStore['pointsOf']>): ReturnType<EventStore['pointsOf']> {
    return this.#question('look for points', () => {
      const found = new Map<EventId, LedgerPoint>()
      for (const eventId of eventIds) {
        const event = this.#deps.database.find({ scope, eventId })
        if (event) found.set(eventId, { ...event.point, lostUpTo: event.lostUpTo })
      }
      return found
    })
  }

  takeDue(limit: number, except: readonly EventId[]): ReturnType<Work['takeDue']> {
    return this.#question('find due holds', () => this.#deps.database.takeDue(limit, except))
  }

  nextDueIn(except: readonly EventId[]): Promise<number | null> {
    return this.#question('find the next due hold', () => this.#deps.database.nextDueIn(except))
  }

  cancelled(limit: number, except: readonly EventId[]): ReturnType<Work['cancelled']> {
    return this.#question('find cancelled events', () => this.#deps.database.cancelled(limit, except))
  }

  /** Two statements without a lock: the ledger, and then the answer, which may be there by now. */
  async prove(address: EventAddress, keyHash: Buffer | null): ReturnType<EventStore['prove']> {
    const askedAt = this.#deps.time.now()
    const tx = this.#deps.database.begin(this.#deps.process.name, address)
    try {
      return await this.#call(tx, 'prove', ({ give }) => {
        const ledger = tx.event && this.#ledgerOf(tx.event)
        this.#scheduler.schedule(this.#deps.network.delay(), null, `${tx.process} find answer`, () => {
          const [stored = null] = keyHash && tx.event ? tx.event.find([keyHash]).values() : []
          give(ledger && { ledger: { ...ledger, askedAt }, stored })
        })
      })
    } finally {
      this.#deps.database.end(tx)
    }
  }

  #seen(tx: Transaction, ledger: Ledger): SeenEvent {
    return {
      ledger,
      continueJournal: (from, count) =>
        this.#statement(tx, 'continue journal', () => tx.event!.continueJournal(from, count)),
      refresh: async known => {
        const clockOffset = offsetAfter(known.clockOffset, ledger, this.#deps.time.now())
        const { epoch, lostUpTo, eventRevision, policyRevision } = ledger
        if (known.eventRevision === eventRevision && known.policyRevision === policyRevision) {
          return { ...known, epoch, lostUpTo, clockOffset }
        }
        // One more statement: the policy may have changed again since the ledger was read.
        const policy = await this.#statement(tx, 'read policy', () => this.#deps.database.policy)
        const terms = { epoch, lostUpTo, eventRevision, policyRevision, clockOffset }
        return { ...known, ...terms, policy: policy ?? known.policy }
      },
    }
  }

  #ledgerOf(event: SimulatedEvent): Omit<Ledger, 'askedAt'> {
    return event.ledger(this.#deps.database.policyRevision)
  }

  /** A question that is a transaction by itself. */
  #ask<T>(what: string, address: EventAddress, read: (event: SimulatedEvent | null) => T): Promise<T> {
    return this.#question(what, event => read(event), address)
  }

  async #question<T>(
    what: string,
    read: (event: SimulatedEvent | null) => T,
    address: EventAddress | null = null,
  ): Promise<T> {
    const tx = this.#deps.database.begin(this.#deps.process.name, address)
    try {
      return await this.#statement(tx, what, () => read(tx.event))
    } finally {
      this.#deps.database.end(tx)
    }
  }

  /** Null: there is no such event. What is read is read when the lock is there. */
  #lock<T>(tx: Transaction, withinMs: number, read: (event: SimulatedEvent) => T): Promise<T | null> {
    return this.#call(tx, 'lock', ({ give, fail }) => {
      const { event } = tx
      if (!event) {
        give(null)
        return
      }
      event.lock(
        tx,
        withinMs,
        () => {
          tx.hasLock = true
          give(read(event))
          this.#watchIdle(tx)
        },
        fail,
      )
    })
  }

  #statement<T>(tx: Transaction, what: string, run: () => T): Promise<T> {
    return this.#call(tx, what, ({ give }) => {
      give(run())
      if (tx.hasLock) this.#watchIdle(tx)
    })
  }

  /** A lane that has the lock and says nothing for a second loses it. */
  #watchIdle(tx: Transaction): void {
    if (tx.isEnded) return
    const end = () => {
      if (!tx.isCommitting) this.#deps.database.end(tx)
    }
    tx.notIdle = this.#scheduler.schedule(IDLE_MS, null, `${tx.process} was idle for too long`, end)
  }

  #call<T>(
    tx: Transaction,
    what: string,
    atDatabase: (answer: { give(value: T): void; fail(error: Error): void }) => void,
  ): Promise<T> {
    const { network, process, database } = this.#deps
    return new Promise((resolve, reject) => {
      const give = (value: T) =>
        void this.#scheduler.schedule(network.delay(), process, `hears: ${what}`, () => resolve(value))
      const fail = (error: Error) =>
        void this.#scheduler.schedule(network.delay(), process, `fails: ${what}`, () => reject(error))
      if (network.breaks()) {
        this.#scheduler.schedule(network.delay(), null, `${process.name} breaks off: ${what}`, () =>
          database.end(tx),
        )
        fail(connectionLost())
        return
      }
      this.#scheduler.schedule(network.delay(), null, `${process.name} ${what}`, () => {
        tx.notIdle()
        if (tx.isEnded) fail(connectionLost())
        else atDatabase({ give, fail })
      })
    })
  }

  #commit(tx: Transaction, writes: Writes | null): Promise<void> {
    const { network, process, database } = this.#deps
    const fate = network.commit()
    return new Promise((resolve, reject) => {
      const hear = (what: string, settle: () => void) =>
        void this.#scheduler.schedule(network.delay(), process, `hears: ${what}`, settle)
      const unknown = () => hear('commit unknown', () => reject(commitUnknown()))
      const commit = (answered: boolean) => {
        if (tx.isEnded) {
          if (answered) unknown()
          return
        }
        try {
          database.commit(tx, writes)
          if (answered) hear('commit', resolve)
        } catch (error) {
          if (answered) hear('commit refused', () => reject(error))
        }
      }
      const send = (run: () => void) =>
        void this.#scheduler.schedule(network.delay(), null, `${process.name} commit: ${fate.kind}`, () => {
          tx.notIdle()
          run()
        })
      switch (fate.kind) {
        case 'answered':
          tx.isCommitSent = true
          send(() => commit(true))
          break
        case 'lost':
          unknown()
          this.#scheduler.schedule(fate.endsAfterMs, null, `${process.name} commit lost`, () =>
            database.end(tx),
          )
          break
        case 'answer lost':
          tx.isCommitSent = true
          unknown()
          send(() => commit(false))
          break
        case 'late':
          tx.isCommitSent = true
          unknown()
          send(() => {
            tx.isCommitting = true
            this.#scheduler.schedule(fate.afterMs, null, `${process.name} late commit`, () => commit(false))
          })
          break
      }
    })
  }
}

function commitUnknown(): CommitUnknown {
  const cause = connectionLost()
  return new CommitUnknown(cause.message, { cause })
}
