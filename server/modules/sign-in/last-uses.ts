import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { noteKeyUses } from '../people/tables/api-keys.ts'
import { noteSessionsSeen } from './tables/sessions.ts'

/** A use is written so long after it, together with all others of that time. */
const EVERY_MS = 60_000
/** Uses that wait to be written. Any other is left out, and the next one of the same key counts. */
const MAX_WAITING = 5_000

/**
 * When each API key and each session of staff was last used: gathered in memory, written once a minute in one
 * statement each. Sessions of buyers are not: there may be a hundred thousand of them at once.
 */
export class LastUses {
  readonly #database: Pick<Database, 'platform'>
  readonly counts = { written: 0, dropped: 0 }
  #keys = new Map<string, { organizationId: OrganizationId; keyId: UserId }>()
  #sessions = new Map<string, { organizationId: OrganizationId; tokenHash: Buffer }>()
  /** Runs only while something waits. */
  readonly #writing: Repeat

  constructor(database: Pick<Database, 'platform'>, log: FastifyBaseLogger) {
    this.#database = database
    this.#writing = new Repeat({
      everyMs: Number.POSITIVE_INFINITY,
      run: async () => void (await this.#write()),
      onFailure: error => log.warn({ err: error }, 'the last use of API keys and sessions was not written'),
    })
    this.#writing.start()
  }

  keyUsed(organizationId: OrganizationId, keyId: UserId): void {
    this.#note(this.#keys, `${organizationId}/${keyId}`, { organizationId, keyId })
  }

  sessionUsed(organizationId: OrganizationId, tokenHash: Buffer): void {
    this.#note(this.#sessions, tokenHash.toString('latin1'), { organizationId, tokenHash })
  }

  /** Resolves when every use so far has been written or given up. */
  flush(): Promise<void> {
    return this.#writing.runNow()
  }

  #note<T>(waiting: Map<string, T>, key: string, use: T): void {
    if (!waiting.has(key) && waiting.size >= MAX_WAITING) {
      this.counts.dropped += 1
      return
    }
    waiting.set(key, use)
    this.#writing.wakeIn(EVERY_MS)
  }

  async #write(): Promise<void> {
    const keys = [...this.#keys.values()]
    const sessions = [...this.#sessions.values()]
    this.#keys = new Map()
    this.#sessions = new Map()
    if (keys.length + sessions.length === 0) return
    await this.#database.platform('note the use of API keys and sessions', async tx => {
      if (keys.length > 0) await noteKeyUses(tx, keys)
      if (sessions.length > 0) await noteSessionsSeen(tx, sessions)
    })
    this.counts.written += keys.length + sessions.length
  }
}
