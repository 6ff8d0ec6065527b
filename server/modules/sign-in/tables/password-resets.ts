import type { UserId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/**
 * Writes the token that lets the reader of a mail choose a password, by the database's clock. A mail that is
 * tried again gets another one. False: the mail is too old, or the user has got a new password since it was
 * first tried.
 */
export async function writePasswordReset(
  tx: TenantTx,
  reset: {
    readonly mailId: string
    readonly userId: string
    readonly tokenHash: Buffer
    readonly lifeSeconds: number
  },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into password_resets (organization_id, mail_id, user_id, token_hash, expires_at)
     select $1, $2, $3, $4, now() + $5 * interval '1 second' from mails m
     -- After that its reader has stopped waiting, and a link to an account must not come out of the blue.
     where m.organization_id = $1 and m.id = $2 and m.created_at > now() - $5 * interval '1 second'
     on conflict (organization_id, mail_id) do update
       set token_hash = excluded.token_hash, expires_at = excluded.expires_at
       where password_resets.ended_at is null
     returning 1`,
    [reset.mailId, reset.userId, reset.tokenHash, reset.lifeSeconds],
  )
  return rows.length > 0
}

/**
 * Finds the user whose password a token may change. With `lock` only one of two requests with one token finds
 * it open.
 */
export async function findPasswordReset(
  tx: TenantTx,
  tokenHash: Buffer,
  { lock = false } = {},
): Promise<UserId | null> {
  const row = await tx.one<{ user_id: UserId }>(
    `select user_id from password_resets
     where organization_id = $1 and token_hash = $2 and ended_at is null and expires_at > now()
     ${lock ? 'for update' : ''}`,
    [tokenHash],
  )
  return row?.user_id ?? null
}

/** It has done what it was for. */
export async function endPasswordReset(tx: TenantTx, tokenHash: Buffer): Promise<void> {
  await tx.query(
    `update password_resets set ended_at = now()
     where organization_id = $1 and token_hash = $2 and ended_at is null`,
    [tokenHash],
  )
}

/** A new password ends all tokens for an older one. */
export async function endPasswordResets(tx: TenantTx, userId: string): Promise<void> {
  await tx.query(
    `update password_resets set ended_at = now()
     where organization_id = $1 and user_id = $2 and ended_at is null`,
    [userId],
  )
}

/** Deletes the tokens that have expired. Returns how many rows went. */
export async function sweepPasswordResets(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from password_resets where (organization_id, mail_id) in (
       select organization_id, mail_id from password_resets
       where expires_at < now() - interval '1 day' order by expires_at limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
