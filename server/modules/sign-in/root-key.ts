import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { Database } from '@voelgoed/kit/postgres/database'
import { rememberRootKeyHash, replaceRootKeyHash, storedRootKeyHash } from './tables/installation.ts'

/** Recognizes the platform's bearer key. */
interface RootKey {
  matches(bearer: string): boolean | Promise<boolean>
}

/**
 * The platform's key: the configured one, or else the one whose hash is in the database. At the first start
 * without either, a key is made, stored and told at once: only its hash is kept.
 */
export async function settleRootKey(
  database: Database,
  configured: string | null,
  tell: (fresh: string) => void,
): Promise<RootKey> {
  if (configured !== null) {
    const right = hashSecret(configured)
    return { matches: bearer => timingSafeEqual(hashSecret(bearer), right) }
  }
  const fresh = makeRootKey()
  const kept = await database.platform('read and write the installation', tx =>
    rememberRootKeyHash(tx, hashSecret(fresh)),
  )
  if (kept.equals(hashSecret(fresh))) tell(fresh)
  return new StoredRootKey(database)
}

/**
 * A new key, in place of the one in the database. Every node that knows no key from its settings refuses the
 * old one from now on. Null: the database has no key, so a new one would open nothing.
 */
export async function replaceRootKey(database: Database): Promise<string | null> {
  const fresh = makeRootKey()
  const isReplaced = await database.platform('read and write the installation', tx =>
    replaceRootKeyHash(tx, hashSecret(fresh)),
  )
  return isReplaced ? fresh : null
}

function makeRootKey(): string {
  return `vgroot_${randomBytes(24).toString('base64url')}`
}

const MADE_BY_US = /^vgroot_[A-Za-z0-9_-]{32}$/

/**
 * Asks Postgres each time, so that a key that was replaced is dead on all nodes at once. The platform's owner
 * asks rarely; strangers who guess share one question at a time, and what is no key at all asks nothing.
 */
class StoredRootKey implements RootKey {
  readonly #database: Database
  #running: Promise<Buffer | null> | null = null
  #next: Promise<Buffer | null> | null = null

  constructor(database: Database) {
    this.#database = database
  }

  matches(bearer: string): boolean | Promise<boolean> {
    if (!MADE_BY_US.test(bearer)) return false
    return this.#stored().then(stored => stored !== null && timingSafeEqual(hashSecret(bearer), stored))
  }

  /** A question that is under way may be older than a replacement: who comes later waits for the next one. */
  #stored(): Promise<Buffer | null> {
    if (this.#running === null) return this.#ask()
    this.#next ??= this.#running
      .catch(() => null)
      .then(() => {
        this.#next = null
        return this.#ask()
      })
    return this.#next
  }

  #ask(): Promise<Buffer | null> {
    const asking = this.#database
      .platform('read and write the installation', storedRootKeyHash)
      .finally(() => {
        if (this.#running === asking) this.#running = null
      })
    this.#running = asking
    return asking
  }
}
