import type { Clock } from '../base/clock.ts'

const EVERY_MS = 10_000

/** During an outage each request fails for the same reason: one line tells of all in ten seconds. */
export class OutageLine {
  readonly #clock: Pick<Clock, 'elapsed'>
  #next = Number.NEGATIVE_INFINITY
  #unsaid = 0

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Returns how many requests failed without a line since the last one; null: this one has none either. */
  take(): number | null {
    const now = this.#clock.elapsed()
    if (now < this.#next) {
      this.#unsaid += 1
      return null
    }
    this.#next = now + EVERY_MS
    const unsaid = this.#unsaid
    this.#unsaid = 0
    return unsaid
  }
}
