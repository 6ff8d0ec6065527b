import type { EventId } from '@voelgoed/core/ids'
import type { TenantDoor } from '../postgres/database.ts'
import { commandAt } from '../postgres/journal.ts'
import { lockLedger } from '../postgres/ledger.ts'
import type { TenantScope } from '../tenant.ts'
import type { Attempt } from './batch.ts'

/** For how long a lane tries to find out what became of a commit. */
const UNKNOWN_MS = 5_000
const AGAIN_MS = 50

/**
 * The connection broke after COMMIT had been sent. Takes the event's lock, which waits for the old backend to
 * end one way or the other, and looks whether the journal has our first change. Null: can't be found out.
 */
export async function wasCommitted(
  database: TenantDoor,
  { scope, eventId }: { readonly scope: TenantScope; readonly eventId: EventId },
  attempt: Attempt,
): Promise<boolean | null> {
  if (attempt.firstCommand === null) return true
  const until = performance.now() + UNKNOWN_MS
  while (performance.now() < until) {
    try {
      return await database.tenant(scope, async tx => {
        await lockLedger(tx, eventId)
        const command = await commandAt(tx, eventId, attempt.seqBefore + 1)
        tx.discard()
        return command === attempt.firstCommand
      })
    } catch {
      await new Promise(resolve => setTimeout(resolve, AGAIN_MS))
    }
  }
  return null
}
