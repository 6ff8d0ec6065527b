import type { EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { TenantDoor, TenantTx } from '@voelgoed/kit/postgres/database'
import { findAnswers, type StoredAnswer } from '@voelgoed/kit/postgres/idempotency-keys'
import { type Ledger, readLedgers } from '../tables/ledger.ts'

/**
 * Says how far an event was at a moment after the question, and what is stored under the key of the question.
 */
export interface RefusalProof {
  readonly ledger: Ledger
  readonly stored: StoredAnswer | null
}

/**
 * Gives a lane what it needs to refuse from memory: another node may have released the seat a moment ago, so
 * memory alone proves nothing. One statement without a lock tells how far the event is; memory that is at
 * least as far was exact at a moment between the question and its answer. Thousands of such questions share
 * one transaction.
 */
export class RefusalProofs {
  readonly #asked: AskTogether<RefusalProof>

  constructor(database: TenantDoor) {
    this.#asked = new AskTogether(database, findProofs)
  }

  /** Null: the event was never on sale. */
  ask(scope: TenantScope, eventId: EventId, keyHash: Buffer | null): Promise<RefusalProof | null> {
    return this.#asked.ask(scope, keyHash ? `${eventId}${keyHash.toString('latin1')}` : eventId)
  }
}

/** A question is the id of an event, and after it the bytes of the key's hash, if there is a key. */
const ID_LENGTH = 36

async function findProofs(
  tx: TenantTx,
  questions: readonly string[],
): Promise<ReadonlyMap<string, RefusalProof>> {
  const eventIds = new Set<EventId>()
  const keys: Buffer[] = []
  for (const question of questions) {
    eventIds.add(question.slice(0, ID_LENGTH) as EventId)
    if (question.length > ID_LENGTH) keys.push(Buffer.from(question.slice(ID_LENGTH), 'latin1'))
  }
  const [ledgers, answers] = await Promise.all([
    readLedgers(tx, [...eventIds]),
    keys.length > 0 ? findAnswers(tx, keys) : new Map<string, StoredAnswer>(),
  ])
  const proofs = new Map<string, RefusalProof>()
  for (const question of questions) {
    const ledger = ledgers.get(question.slice(0, ID_LENGTH) as EventId)
    if (ledger) proofs.set(question, { ledger, stored: answers.get(question.slice(ID_LENGTH)) ?? null })
  }
  return proofs
}
