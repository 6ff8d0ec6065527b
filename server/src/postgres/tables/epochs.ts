import type { EventId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '../database.ts'
import { entriesBetween } from './journal.ts'
import { type JournalPoint, type Ledger, lockLedger } from './ledger.ts'

/** A place in one history of an event. */
export interface EpochPoint extends JournalPoint {
  readonly epoch: number
}

/**
 * Higher than what is known, and than every epoch that was made before now: Postgres may have lost the last
 * of them together with the history. So it is the time in seconds, unless that is not enough.
 */
const NEXT = (known: string) =>
  `greatest(epoch, ${known}, floor(extract(epoch from clock_timestamp()))::bigint - 1) + 1`

/**
 * A copy of the event knows this point. If Postgres does not have it, history was lost: the event gets a new
 * epoch, under its lock. True: it has. False: nothing was lost, or it has a later epoch already.
 */
export async function raiseEpochIfLost(tx: TenantTx, eventId: EventId, known: EpochPoint): Promise<boolean> {
  const ledger = await lockLedger(tx, eventId)
  if (!ledger || !(await isLost(tx, eventId, ledger, known))) return false
  await tx.query(
    `update event_ledgers set epoch = ${NEXT('$3::bigint')} where organization_id = $1 and event_id = $2`,
    [eventId, known.epoch],
  )
  return true
}

async function isLost(
  tx: TenantTx,
  eventId: EventId,
  ledger: Ledger,
  { epoch, seq, tip }: EpochPoint,
): Promise<boolean> {
  if (ledger.epoch !== epoch) return ledger.epoch < epoch
  if (ledger.seq < seq) return true
  if (tip === null || seq === 0) return false
  const [entry] = await entriesBetween(tx, eventId, { from: seq, to: seq })
  return entry?.commandId !== tip
}

/** For every event, after a restore. Returns how many there are. */
export async function raiseAllEpochs(tx: PlatformTx): Promise<number> {
  const rows = await tx.query(`update event_ledgers set epoch = ${NEXT('0')} returning 1`)
  return rows.length
}
