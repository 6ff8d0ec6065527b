import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface LedgerRow {
  readonly seqBefore: number
  readonly seqAfter: number
  readonly nextExpiry: number | null
  /** The last command of the batch. Null: nothing changed, and the tip stays. */
  readonly tip: CommandId | null
}

export function writeLedger(
  tx: TenantTx,
  eventId: EventId,
  { seqBefore, seqAfter, nextExpiry, tip }: LedgerRow,
): void {
  tx.send(
    'batch_ledger',
    `with moved as (
       update event_ledgers set seq = $4, next_expiry = to_timestamp($5::float8 / 1000.0), tip = coalesce($6, tip)
       where organization_id = $1 and event_id = $2 and seq = $3 returning 1)
     select 1 / count(*) from moved`,
    [eventId, seqBefore, seqAfter, nextExpiry, tip],
  )
}
