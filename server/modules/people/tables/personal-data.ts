import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** A person as what is kept of them is found: by id, and by an address that is known to be theirs. */
export interface PersonToFind {
  readonly userId: string
  /** In its one spelling. Null: there is none, or its reader has not confirmed it, so it may be another's. */
  readonly provenEmail: string | null
}

export async function readName(tx: TenantTx, userId: string): Promise<string | null> {
  const row = await tx.one<{ name: string | null }>(
    'select name from users where organization_id = $1 and id = $2',
    [userId],
  )
  return row?.name ?? null
}

export async function writeName(tx: TenantTx, userId: string, name: string | null): Promise<void> {
  await tx.query(
    'update users set name = $3, updated_at = now() where organization_id = $1 and id = $2 and erased_at is null',
    [userId, name],
  )
}

/**
 * Nothing of the row says any more who it was. It stays, because orders and the journal name its id:
 * `held_before` keeps it from the sweep of guests who never held anything.
 */
export async function eraseUser(tx: TenantTx, userId: string): Promise<void> {
  await tx.query(
    `update users set email = null, name = null, role = 'customer', membership_tier = null, membership_status = null,
       email_proven_at = null, held_before = true, disabled_at = coalesce(disabled_at, now()), erased_at = now(),
       updated_at = now()
     where organization_id = $1 and id = $2`,
    [userId],
  )
}
