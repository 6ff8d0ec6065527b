import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { PASSWORD_ISSUER } from '../../people/tables/users.ts'

export interface WayIn {
  readonly issuer: string
  readonly subject: string
  readonly created_at: Date
}

/** The password and the identities by which a person signs in. Secrets are not among what is read. */
export function listWaysIn(tx: TenantTx, userId: string): Promise<WayIn[]> {
  return tx.query<WayIn & Record<string, unknown>>(
    `select issuer, subject, created_at from credentials where organization_id = $1 and user_id = $2
     order by created_at, issuer`,
    [userId],
  )
}

/**
 * No way in is left, and none of the rows names the person. A password is never deleted, only replaced: its
 * row has the id where the address was, and no secret.
 */
export async function eraseWaysIn(tx: TenantTx, userId: string, subjectHash: Buffer | null): Promise<void> {
  const own = 'organization_id = $1 and user_id = $2'
  await tx.query(`delete from credentials where ${own} and issuer <> '${PASSWORD_ISSUER}'`, [userId])
  await tx.query(
    `update credentials set subject = user_id::text, secret_hash = null where ${own} and issuer = '${PASSWORD_ISSUER}'`,
    [userId],
  )
  await tx.query(`delete from second_factors where ${own}`, [userId])
  await tx.query(`delete from provider_sign_ins where ${own}`, [userId])
  if (subjectHash === null) return
  for (const table of ['sign_in_failures', 'sign_in_address_failures', 'sign_in_addresses']) {
    await tx.query(`delete from ${table} where organization_id = $1 and subject_hash = $2`, [subjectHash])
  }
}
