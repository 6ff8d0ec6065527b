import type { PackedRow } from '@voelgoed/core/event/packed-changes'
import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { BatchTable } from '../ports/batch-table.ts'
import { type KeptAnswer, writeAnswers } from './answers.ts'
import { type AuditRow, writeAudit } from './audit.ts'
import type { NewHoldRow } from './holds.ts'
import { writeJournal } from './journal.ts'
import { type LedgerRow, writeLedger } from './ledger.ts'
import { type PlacesRow, writeEndedPlaces, writeKeptPlaces, writeTakenPlaces } from './places.ts'
import { type ClaimedSeat, type FreeSeat, writeFreeSeats, writeKeptSeats, writeTakenSeats } from './seats.ts'
import { type TicketRow, type VoidRow, writeTickets, writeVoidedTickets } from './tickets.ts'
import {
  writeCapacities,
  writeReleased,
  writeZoneCounts,
  type ZoneCapacity,
  type ZoneCounts,
} from './zones.ts'

/** The rows of one batch, each with its net effect. Made by batch-rows.ts. */
export interface BatchRows {
  readonly freeSeats: readonly FreeSeat[]
  readonly takenSeats: readonly ClaimedSeat<NewHoldRow>[]
  readonly keptSeats: readonly ClaimedSeat[]
  readonly takenPlaces: readonly PlacesRow<NewHoldRow>[]
  readonly keptPlaces: readonly PlacesRow[]
  readonly endedPlaces: readonly HoldId[]
  readonly tickets: readonly TicketRow[]
  readonly voided: readonly VoidRow[]
  readonly audit: readonly AuditRow[]
  /** By the table of a module. */
  readonly riding: ReadonlyMap<BatchTable, readonly unknown[]>
  readonly answers: readonly KeptAnswer[]
}

/** These end a batch: the journal's row, the counters and the ledger, each written once for all changes. */
export interface BatchEnd {
  /** Null: nothing changed. */
  readonly journal: PackedRow | null
  readonly ledger: LedgerRow
  readonly zones: readonly ZoneCounts[]
  readonly capacities: readonly ZoneCapacity[]
  /** Zones whose companion seats are anyone's from now on. */
  readonly released: readonly number[]
}

/**
 * Sends all writes of a batch at once, to be followed by the commit in the same round trip. Each table has a
 * file with its rows, its columns and its SQL; columns are arrays in Postgres's binary format, so that the
 * driver has no work but to pass bytes on. Each statement divides by zero when it did not touch exactly the
 * rows it should have: then nothing of the batch happens.
 *
 * Rows that are there already are changed by way of ON CONFLICT, which looks in the primary key and nowhere
 * else; where the row has something that the batch does not know, it is first looked up through the same key
 * (`lateral … offset 0`). A plain UPDATE … FROM leaves the order to the planner, which has no statistics of
 * an event whose sale began this minute: it expects one seat, and compares all of them with all changes.
 */
export function writeRows(tx: TenantTx, eventId: EventId, rows: BatchRows): void {
  // Before the seats: a seat is not freed while its ticket is valid.
  writeVoidedTickets(tx, eventId, rows.voided)
  writeFreeSeats(tx, eventId, rows.freeSeats)
  writeKeptSeats(tx, eventId, rows.keptSeats)
  writeTakenSeats(tx, eventId, rows.takenSeats)
  writeEndedPlaces(tx, eventId, rows.endedPlaces)
  writeKeptPlaces(tx, eventId, rows.keptPlaces)
  writeTakenPlaces(tx, eventId, rows.takenPlaces)
  // After the seats and places: a ticket is refused whose hold is not sold.
  writeTickets(tx, eventId, rows.tickets)
  for (const [table, riding] of rows.riding) table.write(tx, riding)
  writeAudit(tx, eventId, rows.audit)
  writeAnswers(tx, rows.answers)
}

/** After all rows of the batch. */
export function writeEnd(tx: TenantTx, eventId: EventId, end: BatchEnd): void {
  const { journal, ledger, zones, capacities, released } = end
  if (journal) writeJournal(tx, eventId, journal)
  writeCapacities(tx, eventId, capacities)
  writeZoneCounts(tx, eventId, zones)
  writeReleased(tx, eventId, released)
  writeLedger(tx, eventId, ledger)
}
