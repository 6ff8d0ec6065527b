import { bytes } from './binary-arrays.ts'
import type { PlatformTx, TenantTx } from './database.ts'

export interface StoredAnswer {
  readonly fingerprint: Buffer
  readonly status: number
  /** Encrypted with the key and the body of the request, because the answer may carry a secret. */
  readonly isSealed: boolean
  readonly answer: Buffer
}

/** The platform's own answers stand under this organization, which never exists. */
const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000'

/**
 * A statement runner that is bound to an organization as $1: a tenant's transaction, or the platform's with
 * the nil organization.
 */
export type KeyedTx = Pick<TenantTx, 'query' | 'one'>

export function platformKeys(tx: PlatformTx): KeyedTx {
  return {
    query: (sql, values = []) => tx.query(sql, [NO_ORGANIZATION, ...values]),
    one: (sql, values = []) => tx.one(sql, [NO_ORGANIZATION, ...values]),
  }
}

/**
 * Takes the key for this transaction. A second request with the same key waits here until the first has
 * committed (and then finds its answer) or failed (and then does the work itself); the wait ends with
 * lock_timeout.
 */
export async function claimKey(tx: KeyedTx, keyHash: Buffer): Promise<StoredAnswer | null> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1::text || encode($2, $$hex$$), 0))', [
    keyHash,
  ])
  const row = await tx.one<StoredAnswer>(
    `select fingerprint, status, is_sealed as "isSealed", answer from idempotency_keys
     where organization_id = $1 and key_hash = $2 and created_at > now() - interval '24 hours'`,
    [keyHash],
  )
  return row ?? null
}

/** Those of the keys that have an answer. For the lane, which looks up all keys of a batch at once. */
export async function findAnswers(
  tx: TenantTx,
  keyHashes: readonly Buffer[],
): Promise<Map<string, StoredAnswer>> {
  const rows = await tx.prepared<StoredAnswer & { key_hash: Buffer }>(
    'find_answers',
    `select key_hash, fingerprint, status, is_sealed as "isSealed", answer from idempotency_keys
     where organization_id = $1 and key_hash = any ($2::bytea[]) and created_at > now() - interval '24 hours'`,
    [bytes(keyHashes, hash => hash)],
  )
  return new Map(rows.map(row => [row.key_hash.toString('latin1'), row]))
}

/**
 * Returns whether the answer is stored under its key. Sealed answers are unlike any other: each has a nonce
 * of its own.
 */
export async function hasAnswer(
  tx: KeyedTx,
  { keyHash, answer }: { readonly keyHash: Buffer; readonly answer: Buffer },
): Promise<boolean> {
  const stored = await claimKey(tx, keyHash)
  return stored?.answer.equals(answer) ?? false
}

export async function storeAnswer(tx: KeyedTx, keyHash: Buffer, stored: StoredAnswer): Promise<void> {
  await tx.query(
    `insert into idempotency_keys (organization_id, key_hash, fingerprint, status, is_sealed, answer)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, key_hash) do update set
       fingerprint = excluded.fingerprint, status = excluded.status,
       is_sealed = excluded.is_sealed, answer = excluded.answer, created_at = now()`,
    [keyHash, stored.fingerprint, stored.status, stored.isSealed, stored.answer],
  )
}

/** The age is asked of each row once more: a key may have been renewed while the sweep waited for it. */
export async function sweepKeys(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from idempotency_keys
     where created_at < now() - interval '24 hours' and (organization_id, key_hash) in (
       select organization_id, key_hash from idempotency_keys
       where created_at < now() - interval '24 hours' limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
