import type { PlatformTx } from './database.ts'

/** Stores the hash unless there is one already; returns the one that counts. Safe when nodes start at once. */
export async function rememberRootKeyHash(tx: PlatformTx, hash: Buffer): Promise<Buffer> {
  await tx.query('insert into installation (root_key_hash) values ($1) on conflict (singleton) do nothing', [
    hash,
  ])
  return (await tx.one<{ root_key_hash: Buffer }>('select root_key_hash from installation'))!.root_key_hash
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
