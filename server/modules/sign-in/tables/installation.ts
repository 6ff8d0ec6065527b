import type { PlatformTx } from '@voelgoed/kit/postgres/database'

/**
 * Stores the hash unless there is one already; returns the one that counts. Safe when nodes start at once.
 * The row may be there without a hash:
 * nodes that are given a key in their settings make the row for its signing key.
 */
export async function rememberRootKeyHash(tx: PlatformTx, hash: Buffer): Promise<Buffer> {
  const row = await tx.one<{ root_key_hash: Buffer }>(
    `insert into installation (root_key_hash) values ($1)
     on conflict (singleton) do update
       set root_key_hash = coalesce(installation.root_key_hash, excluded.root_key_hash)
     returning root_key_hash`,
    [hash],
  )
  return row!.root_key_hash
}

/**
 * Every organization sees in its own audit log that the platform's key was replaced. False: there is none to
 * replace, because no node was ever started without a key in its settings.
 */
export async function replaceRootKeyHash(tx: PlatformTx, hash: Buffer): Promise<boolean> {
  const replaced = await tx.query(
    'update installation set root_key_hash = $1 where root_key_hash is not null returning 1',
    [hash],
  )
  if (replaced.length === 0) return false
  await tx.query(
    `insert into audit_log (organization_id, action, actor)
     select id, 'platform_key_replaced', 'system' from organizations`,
  )
  return true
}

export async function storedRootKeyHash(tx: PlatformTx): Promise<Buffer | null> {
  return (
    (await tx.one<{ root_key_hash: Buffer | null }>('select root_key_hash from installation'))
      ?.root_key_hash ?? null
  )
}

/** Makes the installation's row if there is none yet: it carries the signing key. */
export async function readSigningKey(tx: PlatformTx): Promise<Buffer> {
  await tx.query('insert into installation default values on conflict (singleton) do nothing')
  return (await tx.one<{ signing_key: Buffer }>('select signing_key from installation'))!.signing_key
}
