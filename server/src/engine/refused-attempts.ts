import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../postgres/database.ts'
import { appendRefusedAttempts, type RefusedAttempt } from '../postgres/refused-attempts.ts'

const MAX_WAITING = 5_000
const EVERY_MS = 1_000

/**
 * The audit of attempts that were refused: gathered and written in bulk, about once a second, so that a stampede
 * of losers costs the winners nothing. Bounded: beyond that they are counted but not written.
 */
export class RefusedAttempts {
  readonly #database: Database
  readonly #log: FastifyBaseLogger
  #waiting: RefusedAttempt[] = []
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()
  readonly counts = { written: 0, dropped: 0 }

  constructor(database: Database, log: FastifyBaseLogger) {
    this.#database = database
    this.#log = log
  }

  record(attempt: RefusedAttempt): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.counts.dropped += 1
      return
    }
    this.#waiting.push(attempt)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#writing = this.#writing.then(() => this.#write())
    }, EVERY_MS).unref()
  }

  /** Writes what is waiting. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  async #write(): Promise<void> {
    const attempts = this.#waiting
    if (attempts.length === 0) return
    this.#waiting = []
    try {
      await this.#database.platform('write the audit of refused attempts', tx =>
        appendRefusedAttempts(tx, attempts),
      )
      this.counts.written += attempts.length
    } catch (error) {
      this.counts.dropped += attempts.length
      this.#log.warn(
        { err: error, dropped: attempts.length },
        'refused attempts could not be written to the audit log',
      )
    }
  }
}
