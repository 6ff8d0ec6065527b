import type { EventId } from '@voelgoed/core/ids'
import { AskTogether } from '../postgres/ask-together.ts'
import type { TenantDoor, TenantTx } from '../postgres/database.ts'
import { findAnswers, type StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import { type Ledger, readLedgers } from '../postgres/tables/ledger.ts'
import type { TenantScope } from '../tenant.ts'

/** How far an event was at a moment after the question, and what is stored under the key of the question. */
export interface RefusalProof {
  readonly ledger: Ledger
  readonly stored: StoredAnswer | null
}

/**
 * What a lane needs to refuse from memory: another node may have released the seat a moment ago, so memory
 * alone proves nothing. One statement without a lock tells how far the event is; memory that is at least as
 * far was exact at a moment between the question and its answer.
 * Thousands of such questions share one transaction.
 */
export class RefusalProofs {
  readonly #asked: AskTogether<RefusalProof>

  constructor(database: TenantDoor) {
    this.#asked = new AskTogether(database, findProofs)
  }

  /** Null: the event was never on sale. */
  ask(scope: TenantScope, eventId: EventId, keyHash: Buffer | null): Promise<RefusalProof | null> {
    return this.#asked.ask(scope, keyHash ? `${eventId}/${keyHash.toString('hex')}` : eventId)
  }
}

async function findProofs(
  tx: TenantTx,
  questions: readonly string[],
): Promise<ReadonlyMap<string, RefusalProof>> {
  const parts = questions.map(question => question.split('/') as [EventId, string?])
  const keys = parts.flatMap(([, key]) => (key === undefined ? [] : [Buffer.from(key, 'hex')]))
  const [ledgers, answers] = await Promise.all([
    readLedgers(tx, [...new Set(parts.map(([eventId]) => eventId))]),
    keys.length > 0 ? findAnswers(tx, keys) : new Map<string, StoredAnswer>(),
  ])
  const proofs = new Map<string, RefusalProof>()
  for (const [index, [eventId, key]] of parts.entries()) {
    const ledger = ledgers.get(eventId)
    const stored = key === undefined ? undefined : answers.get(Buffer.from(key, 'hex').toString('latin1'))
    if (ledger) proofs.set(questions[index]!, { ledger, stored: stored ?? null })
  }
  return proofs
}
