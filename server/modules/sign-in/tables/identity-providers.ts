import type { Role } from '@voelgoed/core/access'
import type { UserId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** The identity provider of an organization, by which its staff sign in. */
export interface IdentityProvider {
  readonly name: string
  readonly issuer: string
  readonly client_id: string
  readonly sealed_secret: Buffer
  readonly email_domains: readonly string[]
  /** A person without an account gets this role; null: they get none. */
  readonly role_for_new: Exclude<Role, 'customer' | 'admin'> | null
  /** Its sign-in counts as a second factor. */
  readonly is_strong: boolean
  /** Staff may sign in by password as well. */
  readonly password_sign_in: boolean
}

/** Locked until the end of the transaction, when it is about to be changed. */
export async function readIdentityProvider(
  tx: TenantTx,
  { forUpdate = false } = {},
): Promise<IdentityProvider | null> {
  const row = await tx.one<IdentityProvider & Record<string, unknown>>(
    `select name, issuer, client_id, sealed_secret, email_domains, role_for_new, is_strong, password_sign_in
     from identity_providers where organization_id = $1 ${forUpdate ? 'for update' : ''}`,
  )
  return row ?? null
}

export async function writeIdentityProvider(tx: TenantTx, provider: IdentityProvider): Promise<void> {
  await tx.query(
    `insert into identity_providers (organization_id, name, issuer, client_id, sealed_secret, email_domains,
       role_for_new, is_strong, password_sign_in) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (organization_id) do update set name = excluded.name, issuer = excluded.issuer,
       client_id = excluded.client_id, sealed_secret = excluded.sealed_secret,
       email_domains = excluded.email_domains, role_for_new = excluded.role_for_new,
       is_strong = excluded.is_strong, password_sign_in = excluded.password_sign_in, updated_at = now()`,
    [
      provider.name,
      provider.issuer,
      provider.client_id,
      provider.sealed_secret,
      provider.email_domains,
      provider.role_for_new,
      provider.is_strong,
      provider.password_sign_in,
    ],
  )
}

/** With the sign-ins that are under way there. False: there is none. */
export async function deleteIdentityProvider(tx: TenantTx): Promise<boolean> {
  await tx.query('delete from provider_sign_ins where organization_id = $1')
  const rows = await tx.query('delete from identity_providers where organization_id = $1 returning 1')
  return rows.length > 0
}

/** A sign-in that is under way at the provider. */
export interface ProviderSignIn {
  readonly issuer: string
  readonly client_id: string
  readonly nonce: string
  readonly code_verifier: string
  readonly redirect_uri: string
}

export async function insertProviderSignIn(
  tx: TenantTx,
  signIn: ProviderSignIn & {
    readonly stateHash: Buffer
    readonly browserHash: Buffer
    readonly lifeSeconds: number
  },
): Promise<void> {
  await tx.query(
    `insert into provider_sign_ins (organization_id, state_hash, browser_hash, issuer, client_id, nonce, code_verifier,
       redirect_uri, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))`,
    [
      signIn.stateHash,
      signIn.browserHash,
      signIn.issuer,
      signIn.client_id,
      signIn.nonce,
      signIn.code_verifier,
      signIn.redirect_uri,
      signIn.lifeSeconds,
    ],
  )
}

/** For its owner's browser, and for one of its requests: who comes later finds nothing. */
export async function takeProviderSignIn(
  tx: TenantTx,
  hashes: { readonly stateHash: Buffer; readonly browserHash: Buffer },
): Promise<ProviderSignIn | null> {
  const row = await tx.one<ProviderSignIn & Record<string, unknown>>(
    `update provider_sign_ins set taken_at = now()
     where organization_id = $1 and state_hash = $2 and browser_hash = $3 and taken_at is null and expires_at > now()
     returning issuer, client_id, nonce, code_verifier, redirect_uri`,
    [hashes.stateHash, hashes.browserHash],
  )
  return row ?? null
}

/** The provider has vouched for this user: their second factor is asked for. */
export async function noteVouchedFor(tx: TenantTx, stateHash: Buffer, userId: string): Promise<void> {
  await tx.query('update provider_sign_ins set user_id = $3 where organization_id = $1 and state_hash = $2', [
    stateHash,
    userId,
  ])
}

/**
 * Finds the user that the provider vouched for in a sign-in that waits for a second factor. Locks the row.
 */
export async function lockVouchedFor(
  tx: TenantTx,
  hashes: { readonly stateHash: Buffer; readonly browserHash: Buffer },
): Promise<UserId | null> {
  const row = await tx.one<{ user_id: UserId | null }>(
    `select user_id from provider_sign_ins
     where organization_id = $1 and state_hash = $2 and browser_hash = $3 and expires_at > now() for update`,
    [hashes.stateHash, hashes.browserHash],
  )
  return row?.user_id ?? null
}

export async function deleteProviderSignIn(tx: TenantTx, stateHash: Buffer): Promise<void> {
  await tx.query('delete from provider_sign_ins where organization_id = $1 and state_hash = $2', [stateHash])
}

export async function sweepProviderSignIns(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from provider_sign_ins where (organization_id, state_hash) in (
       select organization_id, state_hash from provider_sign_ins where expires_at < now() order by expires_at limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
