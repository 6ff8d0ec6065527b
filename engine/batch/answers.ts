import { bytes, ints } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { StoredAnswer } from '@voelgoed/kit/postgres/idempotency-keys'

/** An answer to be stored under its idempotency key, with the changes it tells of. */
export interface KeptAnswer extends StoredAnswer {
  readonly keyHash: Buffer
}

export function writeAnswers(tx: TenantTx, rows: readonly KeptAnswer[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_answers',
    `insert into idempotency_keys (organization_id, key_hash, fingerprint, status, is_sealed, answer)
     select $1, a.key_hash, a.fingerprint, a.status, false, a.answer
     from unnest($2::bytea[], $3::bytea[], $4::int[], $5::bytea[]) as a (key_hash, fingerprint, status, answer)
     on conflict (organization_id, key_hash) do update set fingerprint = excluded.fingerprint,
       status = excluded.status, is_sealed = excluded.is_sealed, answer = excluded.answer, created_at = now()`,
    [
      bytes(rows, answer => answer.keyHash),
      bytes(rows, answer => answer.fingerprint),
      ints(rows, answer => answer.status),
      bytes(rows, answer => answer.answer),
    ],
  )
}
