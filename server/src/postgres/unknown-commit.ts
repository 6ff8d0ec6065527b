import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '../tenant.ts'
import { processTime, type Time } from '../time.ts'
import type { TenantDoor } from './database.ts'
import { claimKey, findAnswers, type KeyedTx } from './tables/idempotency-keys.ts'
import { commandAt } from './tables/journal.ts'
import { lockLedger } from './tables/ledger.ts'

/** For how long a node tries to find out what became of a commit. */
const UNKNOWN_MS = 5_000
const AGAIN_MS = 50

/**
 * The connection broke after COMMIT had been sent: has the transaction taken effect? `look` takes the lock
 * that the transaction held, which waits until the old backend has ended one way or the other, and then looks
 * for what only that transaction can have written. It is tried again while Postgres is out of reach.
 * Null: can't be found out.
 *
 * Every commit without an answer is looked up here, of a batch, of exclusive work and of administration.
 */
export async function tookEffect(
  look: () => Promise<boolean>,
  time: Pick<Time, 'now' | 'after'> = processTime,
): Promise<boolean | null> {
  const until = time.now() + UNKNOWN_MS
  while (time.now() < until) {
    try {
      return await look()
    } catch {
      await new Promise<void>(resolve => time.after(AGAIN_MS, resolve))
    }
  }
  return null
}

/** What a transaction under an event's lock has written that nothing else can have written. */
export type EventTrace =
  | { readonly kind: 'journal'; readonly seq: number; readonly command: CommandId }
  | { readonly kind: 'answer'; readonly keyHash: Buffer; readonly answer: Buffer }

/** Whether an event has the trace. */
export function hasTrace(
  door: TenantDoor,
  { scope, eventId }: { readonly scope: TenantScope; readonly eventId: EventId },
  trace: EventTrace,
): Promise<boolean> {
  return door.tenant(scope, async tx => {
    await lockLedger(tx, eventId)
    tx.discard()
    if (trace.kind === 'journal') return (await commandAt(tx, eventId, trace.seq)) === trace.command
    const stored = await findAnswers(tx, [trace.keyHash])
    return [...stored.values()].some(({ answer }) => answer.equals(trace.answer))
  })
}

/**
 * Whether the answer is stored under its key. Sealed answers are unlike any other:
 * each has a nonce of its own.
 */
export async function hasAnswer(
  tx: KeyedTx,
  { keyHash, answer }: { readonly keyHash: Buffer; readonly answer: Buffer },
): Promise<boolean> {
  const stored = await claimKey(tx, keyHash)
  return stored?.answer.equals(answer) ?? false
}
