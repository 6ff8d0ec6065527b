import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { EventState } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import { findAnswers, type StoredAnswer } from '@voelgoed/kit/postgres/idempotency-keys'
import type { KeptAnswer } from '../batch/answers.ts'
import { BatchBuilder } from '../batch/batch-rows.ts'
import { writeEnd, writeRows } from '../batch/write-batch.ts'
import { type BatchTable, type LockedRows, lockRows } from '../ports/batch-table.ts'
import type { EventSource } from '../ports/event-source.ts'
import {
  type AskedUnderLock,
  type BatchWriter,
  type EventStore,
  type SeenEvent,
  Stale,
} from '../ports/store.ts'
import { RefusalProofs } from '../proofs/refusal-proofs.ts'
import { raiseEpochIfLost } from '../tables/epochs.ts'
import { continueJournal } from '../tables/journal.ts'
import { type Ledger, lockLedger, pointsOf, readLedger } from '../tables/ledger.ts'
import { loadEvent, refreshTerms } from '../view/load-event.ts'
import type { SeatMaps } from '../view/seat-maps.ts'
import { hasTrace } from './event-trace.ts'

/** The event store of a node: Postgres. */
export function postgresStore(database: Pick<Database, 'tenant' | 'lanes'>, seatMaps: SeatMaps): EventStore {
  const { source } = seatMaps
  const proofs = new RefusalProofs(database)
  return {
    load: ({ scope, eventId }) => loadEvent(database, seatMaps, scope, eventId),
    locked: ({ scope, eventId }, asked, script) =>
      database.lanes.tenant(
        scope,
        async tx => {
          const stored = new Map<string, StoredAnswer>()
          const rows: LockedRows = new Map()
          const add = async ({ keys, riders }: AskedUnderLock) => {
            const [answers] = await Promise.all([
              keys.length > 0 ? findAnswers(tx, keys) : [],
              lockRows(tx, riders, rows),
            ])
            for (const [key, answer] of answers) stored.set(key, answer)
          }
          const [ledger] = await Promise.all([lockLedger(tx, eventId), add(asked)])
          if (!ledger) throw new Stale()
          return script({
            ...seen(tx, source, eventId, ledger),
            stored,
            rows,
            lookUp: async late => {
              const [later] = await Promise.all([readLedger(tx, eventId), add(late)])
              return seen(tx, source, eventId, later!)
            },
            tx,
            readTerms: async known =>
              refreshTerms(tx, source, eventId, { known, ledger: (await readLedger(tx, eventId))! }),
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
        await script(seen(tx, source, eventId, ledger))
        tx.discard()
      }),
    hasTrace: (event, trace) => hasTrace(database.lanes, event, trace),
    pointsOf: (scope, eventIds) => database.tenant(scope, tx => pointsOf(tx, eventIds)),
    raiseEpochIfLost: ({ scope, eventId }, known) =>
      database.lanes.tenant(scope, tx => raiseEpochIfLost(tx, eventId, known), { holdsLedger: true }),
    prove: ({ scope, eventId }, keyHash) => proofs.ask(scope, eventId, keyHash),
  }
}

function seen(tx: TenantTx, source: EventSource, eventId: EventId, ledger: Ledger): SeenEvent {
  return {
    ledger,
    continueJournal: (from, count) => continueJournal(tx, eventId, from, count),
    refresh: known => refreshTerms(tx, source, eventId, { known, ledger }),
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

  ride(table: BatchTable, row: unknown): void {
    this.#builder.ride(table, row)
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
