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
    const { least, most } = await offsetOf(database, clock)
    const started = new DatabaseClock(clock, (least + most) / 2)
    const again = async () => {
      // While Postgres is out of reach, what is known stays good enough.
      const seen = await offsetOf(database, clock).catch(() => null)
      if (seen) started.#learn(seen)
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

  /** An answer that was long on its way says little: what is known stays while it agrees with that. */
  #learn({ least, most }: Offsets): void {
    if (this.#offset < least || this.#offset > most) this.#offset = (least + most) / 2
  }
}

/** The offset lies between these. */
interface Offsets {
  readonly least: number
  readonly most: number
}

/** The moment that Postgres names lies between question and answer: half-way is at most half a trip wrong. */
async function offsetOf(database: Database, clock: Pick<Clock, 'elapsed'>): Promise<Offsets> {
  return database.platform('read the clock', async tx => {
    await tx.query('select 1')
    const askedAt = clock.elapsed()
    const row = await tx.one<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    return { least: row!.now - clock.elapsed(), most: row!.now - askedAt }
  })
}
