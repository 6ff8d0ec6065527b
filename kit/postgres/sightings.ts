import type pg from 'pg'

const NEW_ERA_MS = 1_000

/** The connections of this process have met with this lately. */
export class Sightings {
  /** Connections that arrived without the settings they were opened with. */
  unproven = 0
  /** The last write failed for want of room. */
  isDiskFull = false
  readonly #now: () => number
  readonly #bornIn = new WeakMap<pg.PoolClient, number>()
  #era = 0
  #eraBeganAt = Number.NEGATIVE_INFINITY

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  born(client: pg.PoolClient): void {
    this.#bornIn.set(client, this.#era)
  }

  /**
   * A connection leads to a Postgres that takes no writes: a primary that is one no more, perhaps, while the
   * address leads to another by now. So no older connection is used again.
   */
  readOnly(): void {
    const now = this.#now()
    // While it stays so, new connections are no better: they are not replaced at every request.
    if (now - this.#eraBeganAt < NEW_ERA_MS) return
    this.#eraBeganAt = now
    this.#era += 1
  }

  isFromBefore(client: pg.PoolClient): boolean {
    return (this.#bornIn.get(client) ?? 0) < this.#era
  }

  wrote(): void {
    this.isDiskFull = false
  }
}
