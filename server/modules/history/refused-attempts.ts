import { isIP } from 'node:net'
import type { Refusal } from '@voelgoed/core/refusal'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database, PlatformTx } from '@voelgoed/kit/postgres/database'
import { isBadRow } from '@voelgoed/kit/postgres/violations'
import type { FastifyBaseLogger } from 'fastify'
import { ALWAYS_COUNTED, type RefusedAttempt } from '../holds/refused-attempt.ts'
import { addRefusedSteps, type RefusedStep } from '../reports/tables/funnel.ts'
import { addRefusalCounts, appendRefusedAttempts, type RefusalCount } from './tables/refused-attempts.ts'

const MAX_WAITING = 5_000
const EVERY_MS = 1_000
const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS
/** One buyer gets so many rows for one code in a minute. The attempts after them are counted. */
const ROWS_A_MINUTE = 20
/** Buyers whose rows of this minute are remembered. Attempts of the others are counted. */
const MAX_REMEMBERED = 50_000
/** So many statements look for bad rows in one go. What is left then is dropped. */
const MAX_STATEMENTS = 200

/**
 * The audit of refused attempts, gathered in memory and written in bulk about once a second: a stampede of
 * losers costs the winners nothing. An attempt becomes a row of the audit log, or is counted in the row of
 * its buyer, code and minute: refusals by rate always, any other refusal after ROWS_A_MINUTE of its kind.
 *
 * Rows and counts that wait are bounded. What does not fit is dropped, and the metric says so.
 */
export class RefusedAttempts {
  readonly #database: Database
  readonly #log: FastifyBaseLogger
  #rows: RefusedAttempt[] = []
  #counts = new Map<string, RefusalCount>()
  /** By event and code: for the funnel, which counts what is dropped as well. */
  #steps = new Map<string, Counted<RefusedStep>>()
  /** Rows of the current minute by buyer, event and code. */
  #written = new Map<string, number>()
  #minute = 0
  /** Runs only while something waits. */
  readonly #writing = new Repeat({
    everyMs: Number.POSITIVE_INFINITY,
    run: async () => void (await this.#write()),
    onFailure: error => this.#log.error({ err: error }, 'refused attempts were lost'),
  })
  readonly counts = { written: 0, counted: 0, dropped: 0 }

  constructor(database: Database, log: FastifyBaseLogger) {
    this.#database = database
    this.#log = log
    this.#writing.start()
  }

  record(given: RefusedAttempt): void {
    const attempt = withAddressForPostgres(given)
    this.#step(attempt)
    const minute = attempt.at - (attempt.at % MINUTE_MS)
    const key = `${attempt.organizationId}/${attempt.userId}/${attempt.eventId}/${attempt.code}/${minute}`
    if (this.#isCounted(attempt.code, key, minute)) this.#count(attempt, key, minute)
    else if (this.#rows.length < MAX_WAITING) this.#rows.push(attempt)
    else this.counts.dropped += 1
    this.#writing.wakeIn(EVERY_MS)
  }

  /** Resolves when everything recorded so far has been written or dropped. */
  flush(): Promise<void> {
    return this.#writing.runNow()
  }

  #isCounted(code: Refusal['kind'], key: string, minute: number): boolean {
    if (ALWAYS_COUNTED.has(code)) return true
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#written.clear()
    }
    const rows = this.#written.get(key) ?? 0
    if (rows >= ROWS_A_MINUTE) return true
    if (rows === 0 && this.#written.size >= MAX_REMEMBERED) return true
    this.#written.set(key, rows + 1)
    return false
  }

  #count(
    { organizationId, eventId, userId, code, ip, userAgent }: RefusedAttempt,
    key: string,
    minute: number,
  ): void {
    const known = this.#counts.get(key)
    if (!known && this.#counts.size >= MAX_WAITING) {
      this.counts.dropped += 1
      return
    }
    const attempts = (known?.attempts ?? 0) + 1
    this.#counts.set(key, { organizationId, eventId, userId, code, minute, attempts, ip, userAgent })
  }

  #step({ organizationId, eventId, code, at }: RefusedAttempt): void {
    const quarter = at - (at % QUARTER_MS)
    const key = `${organizationId}/${eventId}/${code}/${quarter}`
    const known = this.#steps.get(key)
    if (known) known.attempts += 1
    else if (this.#steps.size < MAX_WAITING) {
      this.#steps.set(key, { organizationId, eventId, quarter, code, attempts: 1 })
    }
  }

  async #write(): Promise<void> {
    const rows = this.#rows
    const counts = [...this.#counts.values()]
    this.#rows = []
    const steps = [...this.#steps.values()]
    this.#counts = new Map()
    this.#steps = new Map()
    await this.#writeAll(steps, addRefusedSteps, () => 0)
    this.counts.written += await this.#writeAll(rows, appendRefusedAttempts, () => 1)
    this.counts.counted += await this.#writeAll(counts, addRefusalCounts, count => count.attempts)
  }

  /**
   * Writes all rows in one statement. If Postgres finds a bad row in it, the halves are tried by themselves,
   * so that a bad row takes no other with it. Returns how many attempts are in the database.
   */
  async #writeAll<Row>(
    all: readonly Row[],
    append: (tx: PlatformTx, rows: readonly Row[]) => Promise<void>,
    attemptsIn: (row: Row) => number,
  ): Promise<number> {
    let written = 0
    const parts = [all]
    for (let statements = 1; parts.length > 0; statements += 1) {
      const rows = parts.pop()!
      if (rows.length === 0) continue
      const attempts = rows.reduce((sum, row) => sum + attemptsIn(row), 0)
      try {
        await this.#database.platform('write the audit of refused attempts', tx => append(tx, rows))
        written += attempts
      } catch (error) {
        if (isBadRow(error) && rows.length > 1 && statements < MAX_STATEMENTS) {
          parts.push(rows.slice(rows.length >> 1), rows.slice(0, rows.length >> 1))
          continue
        }
        this.counts.dropped += attempts
        this.#log.warn(
          { err: error, dropped: attempts },
          'refused attempts could not be written to the audit log',
        )
      }
    }
    return written
  }
}

/** A row that goes on counting until it is written. */
type Counted<Row extends { readonly attempts: number }> = Omit<Row, 'attempts'> & { attempts: number }

/** An address with a zone (fe80::1%eth0) is none to Postgres. */
function withAddressForPostgres(attempt: RefusedAttempt): RefusedAttempt {
  if (attempt.ip === null) return attempt
  const ip = attempt.ip.split('%', 1)[0]!
  if (!isIP(ip)) return { ...attempt, ip: null }
  return ip === attempt.ip ? attempt : { ...attempt, ip }
}
