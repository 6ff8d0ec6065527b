import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../postgres/database.ts'
import { noteKeyUses } from '../postgres/tables/api-keys.ts'
import { Repeat } from '../repeat.ts'

/** A use is written so long after it, together with all others of that time. */
const EVERY_MS = 60_000
/** Keys whose use waits to be written. The use of any other is left out, and the next one of it counts. */
const MAX_WAITING = 5_000

/** When each API key was last used: gathered in memory, written once a minute in one statement. */
export class KeyUses {
  readonly #database: Pick<Database, 'platform'>
  readonly counts = { written: 0, dropped: 0 }
  #waiting = new Map<string, { organizationId: OrganizationId; keyId: UserId }>()
  /** Runs only while something waits. */
  readonly #writing: Repeat

  constructor(database: Pick<Database, 'platform'>, log: FastifyBaseLogger) {
    this.#database = database
    this.#writing = new Repeat({
      everyMs: Number.POSITIVE_INFINITY,
      run: async () => void (await this.#write()),
      onFailure: error => log.warn({ err: error }, 'the last use of API keys was not written'),
    })
    this.#writing.start()
  }

  used(organizationId: OrganizationId, keyId: UserId): void {
    const key = `${organizationId}/${keyId}`
    if (!this.#waiting.has(key) && this.#waiting.size >= MAX_WAITING) {
      this.counts.dropped += 1
      return
    }
    this.#waiting.set(key, { organizationId, keyId })
    this.#writing.wakeIn(EVERY_MS)
  }

  /** Resolves when every use so far has been written or given up. */
  flush(): Promise<void> {
    return this.#writing.runNow()
  }

  async #write(): Promise<void> {
    const uses = [...this.#waiting.values()]
    this.#waiting = new Map()
    if (uses.length === 0) return
    await this.#database.platform('note the use of API keys', tx => noteKeyUses(tx, uses))
    this.counts.written += uses.length
  }
}
