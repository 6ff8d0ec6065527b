import type { EventId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'
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

/** A point that a copy of the event knows. */
export interface KnownPoint extends EpochPoint {
  /** The copy knows this to have been lost before; left out: nothing. */
  readonly lostUpTo?: number
}

/**
 * A copy of the event knows this point. If Postgres does not have it, history was lost: the event gets a new
 * epoch, under its lock, and notes how far the lost history went. True: it has a new epoch. False: nothing
 * was lost, or it has a later epoch already.
 */
export async function raiseEpochIfLost(tx: TenantTx, eventId: EventId, known: KnownPoint): Promise<boolean> {
  const ledger = await lockLedger(tx, eventId)
  if (!ledger) return false
  const isMissing = await lacks(tx, eventId, ledger, known)
  const isNew = ledger.epoch < known.epoch || (ledger.epoch === known.epoch && isMissing)
  // Another node has noticed the same loss; this one may have told of more.
  const lostUpTo = Math.max(known.lostUpTo ?? 0, isMissing ? known.seq : 0)
  if (!isNew && lostUpTo <= ledger.lostUpTo) return false
  const epoch = isNew ? NEXT('$4::bigint') : 'greatest(epoch, $4::bigint)'
  await tx.query(
    `update event_ledgers set epoch = ${epoch}, lost_up_to = greatest(lost_up_to, $3::bigint)
     where organization_id = $1 and event_id = $2`,
    [eventId, lostUpTo, isNew ? known.epoch : 0],
  )
  return isNew
}

/** Returns whether the journal is shorter than this point, or has another entry there. */
async function lacks(
  tx: TenantTx,
  eventId: EventId,
  ledger: Ledger,
  { seq, tip }: EpochPoint,
): Promise<boolean> {
  if (ledger.seq < seq) return true
  if (tip === null || seq === 0) return false
  const [entry] = await entriesBetween(tx, eventId, { from: seq, to: seq })
  return entry?.commandId !== tip
}

/**
 * A restore may have lost so many changes of one event. No copy tells how many it were, and readers may know
 * them.
 */
const MOST_LOST = 1_000_000

/** For every event, after a restore. Returns how many there are. */
export async function raiseAllEpochs(tx: PlatformTx): Promise<number> {
  const rows = await tx.query(
    `update event_ledgers set epoch = ${NEXT('0')}, lost_up_to = greatest(lost_up_to, seq + $1::bigint) returning 1`,
    [MOST_LOST],
  )
  return rows.length
}
