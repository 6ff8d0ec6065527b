import type { Clock } from '../base/clock.ts'
import type { Database } from './database.ts'

const EVERY_MS = 30_000

/**
 * The database's clock, as well as this node knows it: one clock for all nodes, so a token that one of them
 * made is judged the same by the others. Between two looks it goes on in monotonic time; this node's wall
 * clock plays no part.
 */
export class DatabaseClock {
  readonly #clock: Pick<Clock, 'elapsed'>
  #offset: number
  #timer: NodeJS.Timeout | undefined

  private constructor(clock: Pick<Clock, 'elapsed'>, offset: number) {
    this.#clock = clock
    this.#offset = offset
  }

  /** Asks once, and again every half a minute: the database's clock can be set, or its place be taken. */
  static async start(database: Database, clock: Pick<Clock, 'elapsed'>): Promise<DatabaseClock> {
    const started = new DatabaseClock(clock, await offsetOf(database, clock))
    const again = async () => {
      // While Postgres is out of reach, what is known stays good enough.
      const offset = await offsetOf(database, clock).catch(() => null)
      if (offset !== null) started.#offset = offset
    }
    started.#timer = setInterval(() => void again(), EVERY_MS).unref()
    return started
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.elapsed() + this.#offset
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** The moment that Postgres names lies between question and answer: half-way is at most half a trip wrong. */
async function offsetOf(database: Database, clock: Pick<Clock, 'elapsed'>): Promise<number> {
  return database.platform('read the clock', async tx => {
    await tx.query('select 1')
    const askedAt = clock.elapsed()
    const row = await tx.one<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    return row!.now - (askedAt + clock.elapsed()) / 2
  })
}
