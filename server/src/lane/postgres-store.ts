import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { EventState } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import type { KeptAnswer } from '../postgres/batch/answers.ts'
import { BatchBuilder } from '../postgres/batch/batch-rows.ts'
import type { OrderRows } from '../postgres/batch/orders.ts'
import { writeEnd, writeRows } from '../postgres/batch/write-batch.ts'
import type { Database, TenantTx } from '../postgres/database.ts'
import { raiseEpochIfLost } from '../postgres/tables/epochs.ts'
import { findAnswers, type StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import { continueJournal } from '../postgres/tables/journal.ts'
import { type Ledger, lockLedger, pointsOf, readLedger } from '../postgres/tables/ledger.ts'
import { lockRidingOrders, type RidingOrder } from '../postgres/tables/riding-orders.ts'
import { hasTrace } from '../postgres/unknown-commit.ts'
import { loadEvent, refreshTerms } from './load-event.ts'
import { RefusalProofs } from './refusal-proofs.ts'
import type { SeatMaps } from './seat-maps.ts'
import { type AskedUnderLock, type BatchWriter, type EventStore, type SeenEvent, Stale } from './store.ts'

/** The event store of a node: Postgres. */
export function postgresStore(database: Pick<Database, 'tenant' | 'lanes'>, seatMaps: SeatMaps): EventStore {
  const proofs = new RefusalProofs(database)
  return {
    load: ({ scope, eventId }) => loadEvent(database, seatMaps, scope, eventId),
    locked: ({ scope, eventId }, asked, script) =>
      database.lanes.tenant(
        scope,
        async tx => {
          const stored = new Map<string, StoredAnswer>()
          const orders = new Map<string, RidingOrder>()
          const add = async ({ keys, orders: orderIds }: AskedUnderLock) => {
            const [answers, locked] = await Promise.all([
              keys.length > 0 ? findAnswers(tx, keys) : [],
              orderIds.length > 0 ? lockRidingOrders(tx, orderIds) : [],
            ])
            for (const [key, answer] of answers) stored.set(key, answer)
            for (const [id, order] of locked) orders.set(id, order)
          }
          const [ledger] = await Promise.all([lockLedger(tx, eventId), add(asked)])
          if (!ledger) throw new Stale()
          return script({
            ...seen(tx, eventId, ledger),
            stored,
            orders,
            lookUp: async late => {
              const [later] = await Promise.all([readLedger(tx, eventId), add(late)])
              return seen(tx, eventId, later!)
            },
            tx,
            readTerms: async known => refreshTerms(tx, eventId, known, (await readLedger(tx, eventId))!),
            discard: () => tx.discard(),
            write: state => new PostgresWriter(tx, eventId, state, ledger),
          })
        },
        { holdsLedger: true },
      ),
    look: ({ scope, eventId }, script) =>
      database.tenant(scope, async tx => {
        const ledger = await readLedger(tx, eventId)
        if (!ledger) throw new Stale()
        await script(seen(tx, eventId, ledger))
        tx.discard()
      }),
    hasTrace: (event, trace) => hasTrace(database.lanes, event, trace),
    pointsOf: (scope, eventIds) => database.tenant(scope, tx => pointsOf(tx, eventIds)),
    raiseEpochIfLost: ({ scope, eventId }, known) =>
      database.lanes.tenant(scope, tx => raiseEpochIfLost(tx, eventId, known), { holdsLedger: true }),
    prove: ({ scope, eventId }, keyHash) => proofs.ask(scope, eventId, keyHash),
  }
}

function seen(tx: TenantTx, eventId: EventId, ledger: Ledger): SeenEvent {
  return {
    ledger,
    continueJournal: (from, count) => continueJournal(tx, eventId, from, count),
    refresh: known => refreshTerms(tx, eventId, known, ledger),
  }
}

/** Rows go out in chunks while the rest is decided, the commit right behind the last. */
export class PostgresWriter implements BatchWriter {
  readonly #tx: TenantTx
  readonly #eventId: EventId
  readonly #ledger: Pick<Ledger, 'nextExpiry'>
  readonly #builder: BatchBuilder

  constructor(tx: TenantTx, eventId: EventId, state: EventState, ledger: Pick<Ledger, 'nextExpiry'>) {
    this.#tx = tx
    this.#eventId = eventId
    this.#ledger = ledger
    this.#builder = new BatchBuilder(state)
  }

  get changes() {
    return this.#builder.changes
  }

  get firstCommand() {
    return this.#builder.firstCommand
  }

  get lastCommand() {
    return this.#builder.lastCommand
  }

  get firstKept() {
    return this.#builder.firstKept
  }

  get unsent() {
    return this.#builder.unsent
  }

  add(change: Change, command: Command): void {
    this.#builder.add(change, command)
  }

  keep(answer: KeptAnswer): void {
    this.#builder.keep(answer)
  }

  ride(rows: OrderRows): void {
    this.#builder.ride(rows)
  }

  send(): void {
    writeRows(this.#tx, this.#eventId, this.#builder.take())
    this.#tx.flush()
  }

  finish(nextExpiry: number | null): boolean {
    if (this.#builder.isEmpty && nextExpiry === this.#ledger.nextExpiry) return false
    writeRows(this.#tx, this.#eventId, this.#builder.take())
    writeEnd(this.#tx, this.#eventId, this.#builder.end(nextExpiry))
    return true
  }
}
