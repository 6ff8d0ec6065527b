import type { PackedRow } from '@voelgoed/core/event/packed-changes'
import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
import { type KeptAnswer, writeAnswers } from './answers.ts'
import { type AuditRow, writeAudit } from './audit.ts'
import { type HoldFields, type NewHold, writeChangedHolds, writeNewHolds } from './holds.ts'
import { writeJournal } from './journal.ts'
import { type LedgerRow, writeLedger } from './ledger.ts'
import { type SeatRow, writeChangedSeats, writeNewSeats } from './seats.ts'
import { type TicketRow, writeTickets } from './tickets.ts'
import { writeCapacities, writeZoneCounts, type ZoneCapacity, type ZoneCounts } from './zones.ts'

/** The rows of one batch, each with its net effect. Made by batch-rows.ts. */
export interface BatchRows {
  readonly newHolds: readonly NewHold[]
  readonly changedHolds: readonly HoldFields[]
  /** Seats that were never touched before, and those that were. */
  readonly newSeats: readonly SeatRow[]
  readonly changedSeats: readonly SeatRow[]
  readonly tickets: readonly TicketRow[]
  readonly audit: readonly AuditRow[]
  readonly answers: readonly KeptAnswer[]
}

/** What ends a batch: the journal's row, the counters and the ledger, each written once for all changes. */
export interface BatchEnd {
  /** Null: nothing changed. */
  readonly journal: PackedRow | null
  readonly ledger: LedgerRow
  readonly zones: readonly ZoneCounts[]
  readonly capacities: readonly ZoneCapacity[]
}

/**
 * Sends all writes of a batch at once, to be followed by the commit in the same round trip. Each table has a
 * file with its rows, its columns and its SQL; columns are arrays in Postgres's binary format, so that the
 * driver has no work but to pass bytes on. Each statement divides by zero when it did not touch exactly the
 * rows it should have: then nothing of the batch happens.
 *
 * Rows that are there already are looked up one by one through the primary key (`lateral … offset 0`) and
 * changed by way of ON CONFLICT, which looks nowhere else. A plain UPDATE … FROM leaves the order to the
 * planner, and that knows nothing of an event whose sale began this minute: it expects one seat, and compares
 * all of them with all changes.
 */
export function writeRows(tx: TenantTx, eventId: EventId, rows: BatchRows): void {
  // Ends before it begins: a seat's old hold must leave the unique index before its new one enters.
  writeChangedHolds(tx, eventId, rows.changedHolds)
  writeNewHolds(tx, eventId, rows.newHolds)
  writeNewSeats(tx, eventId, rows.newSeats)
  writeChangedSeats(tx, eventId, rows.changedSeats)
  writeTickets(tx, eventId, rows.tickets)
  writeAudit(tx, eventId, rows.audit)
  writeAnswers(tx, rows.answers)
}

/** After all rows of the batch. */
export function writeEnd(tx: TenantTx, eventId: EventId, end: BatchEnd): void {
  const { journal, ledger, zones, capacities } = end
  if (journal) writeJournal(tx, eventId, journal)
  writeCapacities(tx, eventId, capacities)
  writeZoneCounts(tx, eventId, zones)
  writeLedger(tx, eventId, ledger)
}
