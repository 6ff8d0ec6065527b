import type { PackedRow } from '@voelgoed/core/event/packed-changes'
import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** All changes of the batch are one row. */
export function writeJournal(tx: TenantTx, eventId: EventId, row: PackedRow): void {
  tx.send(
    'batch_journal',
    `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff,
       encoding, packed)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000.0), $6, $7, $8, $9, $10)`,
    [
      eventId,
      row.firstSeq,
      row.lastSeq,
      row.at,
      row.firstCommand,
      row.lastCommand,
      row.byStaff,
      row.encoding,
      row.packed,
    ],
  )
}
