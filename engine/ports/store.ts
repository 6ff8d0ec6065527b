import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { EventState } from '@voelgoed/core/event/state'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { StoredAnswer } from '@voelgoed/kit/postgres/idempotency-keys'
import type { KeptAnswer } from '../batch/answers.ts'
import type { EventTrace } from '../postgres/event-trace.ts'
import type { RefusalProof } from '../proofs/refusal-proofs.ts'
import type { KnownPoint } from '../tables/epochs.ts'
import type { JournalPoint, Ledger, LedgerPoint } from '../tables/ledger.ts'
import type { EventTerms, HotEvent } from '../view/hot-event.ts'
import type { BatchTable, LockedRows, RowRider } from './batch-table.ts'

export interface EventAddress {
  readonly scope: TenantScope
  readonly eventId: EventId
}

/** A lane asks this of the database. */
export interface EventStore {
  /** Everything of one moment, without a lock. Null: no such event, or never on sale. */
  load(event: EventAddress): Promise<HotEvent | null>
  /**
   * One transaction under the event's lock, with what its commands ask for. It commits when the script ends,
   * and is undone when the script throws. Throws `Stale` when the event was never on sale, and
   * `CommitUnknown` when the commit got no answer.
   */
  locked<T>(
    event: EventAddress,
    asked: AskedUnderLock,
    script: (locked: LockedEvent) => Promise<T>,
  ): Promise<T>
  /** The ledger and the journal of one moment, without a lock. Throws `Stale` as well. */
  look(event: EventAddress, script: (seen: SeenEvent) => Promise<void>): Promise<void>
  /** Returns whether a transaction has left this trace. Waits for the event's lock first. */
  hasTrace(event: EventAddress, trace: EventTrace): Promise<boolean>
  /** Returns how far these events are; one that was never on sale has no entry. */
  pointsOf(scope: TenantScope, eventIds: readonly EventId[]): Promise<ReadonlyMap<EventId, LedgerPoint>>
  /**
   * Gives the event a new epoch if its history does not have a point that a copy of it knows, and notes how
   * far the lost history went (epochs.ts). True: it has a new one.
   */
  raiseEpochIfLost(event: EventAddress, known: KnownPoint): Promise<boolean>
  /** Reads what shows that memory is exact (refusal-proofs.ts). Null: the event was never on sale. */
  prove(event: EventAddress, keyHash: Buffer | null): Promise<RefusalProof | null>
}

/** The commands of a transaction need to know this besides the event. */
export interface AskedUnderLock {
  /** Hashes of idempotency keys. */
  readonly keys: readonly Buffer[]
  /** Rows of modules that commit with commands. */
  readonly riders: readonly RowRider[]
}

export const NOTHING_ASKED: AskedUnderLock = { keys: [], riders: [] }

/** An event as a transaction sees it. */
export interface SeenEvent {
  readonly ledger: Ledger
  /** Up to `count` changes after a point, and the point after them. Null: it has another entry there. */
  continueJournal(
    from: JournalPoint,
    count: number,
  ): Promise<{ readonly changes: readonly Change[]; readonly to: JournalPoint } | null>
  /**
   * Reads what is not in the journal: the policy, the names of zones, how far the database's clock is ahead.
   */
  refresh(known: EventTerms): Promise<EventTerms>
}

/** An event whose lock a transaction has. */
export interface LockedEvent extends SeenEvent {
  /** The stored answers, by the bytes of their key's hash as latin1. */
  readonly stored: Map<string, StoredAnswer>
  /** The rows that riders asked for, locked. Those that another transaction has are missing. */
  readonly rows: LockedRows
  /**
   * Adds to both what commands ask for that came while the transaction waited for the lock. Returns the event
   * as it is now: these commands may be younger than the lock, and so may the organization's policy.
   */
  lookUp(asked: AskedUnderLock): Promise<SeenEvent>
  /** For work that writes rows of its own. */
  readonly tx: TenantTx
  /** As `refresh`, with what this transaction has written itself. */
  readTerms(known: EventTerms): Promise<EventTerms>
  /** Nothing was written that should stay: ends without a commit, which would wait for the disk. */
  discard(): void
  /** Takes what is to be written. `state` must be the one before the first change. */
  write(state: EventState): BatchWriter
}

/** Collects the changes of a transaction and writes them. */
export interface BatchWriter {
  readonly changes: readonly Change[]
  readonly firstCommand: CommandId | null
  readonly lastCommand: CommandId | null
  /** The first answer that commits with the changes. */
  readonly firstKept: KeptAnswer | null
  /** Changes added since rows were last sent. */
  readonly unsent: number
  /** To be called before the change is applied: a hold that ends is still in the state then. */
  add(change: Change, command: Command): void
  /** An answer that commits with the changes it tells of. */
  keep(answer: KeptAnswer): void
  /** A row that commits with the changes of its command, of which there must be some. */
  ride(table: BatchTable, row: unknown): void
  /** Sends the rows of everything added so far. All of it must have been applied. */
  send(): void
  /**
   * Sends the rest of the rows, the journal's row, the counters and the ledger. `nextExpiry`: when the next
   * hold runs out. False: nothing has changed, and nothing was written.
   */
  finish(nextExpiry: number | null): boolean
}

/** Nothing was decided: the state in memory can't be brought up to the ledger, and must be loaded again. */
export class Stale extends Error {}
