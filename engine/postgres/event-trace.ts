import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { findAnswers } from '@voelgoed/kit/postgres/idempotency-keys'
import { commandAt } from '../tables/journal.ts'
import { lockLedger } from '../tables/ledger.ts'

/** A transaction under an event's lock has written this, and nothing else can have written it. */
export type EventTrace =
  | { readonly kind: 'journal'; readonly seq: number; readonly command: CommandId }
  | { readonly kind: 'answer'; readonly keyHash: Buffer; readonly answer: Buffer }

/** Returns whether an event has the trace. */
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
