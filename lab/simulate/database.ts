import type { EventPlan } from '@voelgoed/core/event/state'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { PolicyFields } from '@voelgoed/core/policy'
import { assert } from '@voelgoed/core/result'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { DueEvent } from '@voelgoed/engine/tables/due-events'
import type { KnownPoint } from '@voelgoed/engine/tables/epochs'
import type { Scheduler } from './scheduler.ts'
import { BEGINNING, SimulatedEvent, Transaction, type Writes } from './simulated-event.ts'

/** As in engine/tables/due-events.ts. */
const LOCKED_FOR_MS = 100

/** The policy of the organization, from a moment of the database's clock on. */
export interface SetPolicy {
  readonly since: number
  readonly fields: PolicyFields
}

/** A database in memory, with a clock, locks and transactions; shared by the nodes of a run. */
export class SimulatedDatabase {
  readonly scheduler: Scheduler
  readonly #events = new Map<string, SimulatedEvent>()
  readonly #open = new Set<Transaction>()
  /** All that was written since the events went on sale, in its order. */
  readonly #commits: { readonly at: number; readonly event: SimulatedEvent }[] = []
  /** The policy of the organization; the last is that of now. */
  readonly policies: SetPolicy[] = []

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

  get policyRevision(): number {
    return this.policies.length
  }

  /** Null: that of each event's plan. */
  get policy(): PolicyFields | null {
    return this.policies.at(-1)?.fields ?? null
  }

  /** Takes no lock of any event, as in server/modules/events/tables/policies.ts. */
  setPolicy(fields: PolicyFields): void {
    this.policies.push({ since: BEGINNING + this.scheduler.now, fields })
  }

  get now(): number {
    return Math.floor(BEGINNING + this.scheduler.now)
  }

  /** A transaction by itself, under the event's lock. */
  raiseEpochIfLost(event: SimulatedEvent, known: KnownPoint): boolean {
    const done = event.raiseEpochIfLost(known)
    if (done !== 'nothing') this.#commits.push({ at: this.scheduler.now, event })
    return done === 'raised'
  }

  get written(): number {
    return this.#commits.length
  }

  /** Loses the last commits. Returns their commands, and the moment of the last commit that is left. */
  lose(count: number): { readonly since: number; readonly commands: ReadonlySet<CommandId> } | null {
    if (this.#commits.length <= count) return null
    const commands = new Set<CommandId>()
    for (const { event } of this.#commits.splice(-count)) {
      for (const command of event.loseLast()) commands.add(command)
    }
    return { since: this.#commits.at(-1)!.at, commands }
  }

  find({ scope, eventId }: EventAddress): SimulatedEvent | null {
    return this.#events.get(`${scope.organizationId}/${eventId}`) ?? null
  }

  /** As in engine/tables/due-events.ts: one whose lock is taken is left out for a moment. */
  takeDue(limit: number, except: readonly EventId[]): DueEvent[] {
    return [...this.#events.values()]
      .map(event => ({ event, lagMs: this.now - (event.nextExpiry ?? Number.POSITIVE_INFINITY) }))
      .filter(({ event, lagMs }) => lagMs >= (event.isLocked ? LOCKED_FOR_MS : 0))
      .filter(({ event }) => !except.includes(event.address.eventId))
      .sort((a, b) => b.lagMs - a.lagMs)
      .slice(0, limit)
      .map(({ event, lagMs }) => ({ ...event.address, lagMs }))
  }

  nextDueIn(except: readonly EventId[]): number | null {
    const due = [...this.#events.values()]
      .filter(event => event.nextExpiry !== null && !except.includes(event.address.eventId))
      .map(event => event.nextExpiry! - this.now)
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
    const { event } = tx
    event?.commit(tx, writes)
    if (event && writes) this.#commits.push({ at: this.scheduler.now, event })
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
