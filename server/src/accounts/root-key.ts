import { randomBytes } from 'node:crypto'
import type { Database } from '../postgres/database.ts'
import { rememberRootKeyHash, storedRootKeyHash } from '../postgres/installation.ts'
import { hashSecret } from './tokens.ts'

/**
 * The platform's bearer key: the configured one, or else one made at the first start. Only its hash is kept,
 * so `fresh` is the one chance to show it.
 */
export async function settleRootKey(
  database: Database,
  configured: string | null,
): Promise<{ hash: Buffer; fresh: string | null }> {
  if (configured !== null) return { hash: hashSecret(configured), fresh: null }
  return database.platform('read and write the installation', async tx => {
    const stored = await storedRootKeyHash(tx)
    if (stored) return { hash: stored, fresh: null }
    const key = `vgroot_${randomBytes(24).toString('base64url')}`
    const hash = await rememberRootKeyHash(tx, hashSecret(key))
    // Another node may have been quicker: then its key counts, and it printed it.
    return { hash, fresh: hash.equals(hashSecret(key)) ? key : null }
  })
}
