import type { Clock } from '../base/clock.ts'

/**
 * At most `count` in any `windowMs` per key, spread evenly after a first burst (GCRA: one number per key).
 * Bounded: when the table is full, the key that was used longest ago is dropped, which can only allow too
 * much. Counts in this process alone, in monotonic time; redis/scripts/count-limits.lua counts in the same
 * way for all nodes, and the limits that must be exact across nodes are in Postgres.
 */
export class RateLimit {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #intervalMs: number
  readonly #burstMs: number
  readonly #maxKeys: number
  /** For each key the moment at which its whole burst is available again; in the order of last use. */
  readonly #freeAt = new Map<string, number>()

  constructor(clock: Pick<Clock, 'elapsed'>, options: { count: number; windowMs: number; maxKeys?: number }) {
    this.#clock = clock
    this.#intervalMs = options.windowMs / options.count
    this.#burstMs = options.windowMs - this.#intervalMs
    this.#maxKeys = options.maxKeys ?? 100_000
  }

  /** Counts one; `null` when it is allowed, else the seconds to wait. */
  take(key: string): number | null {
    const now = this.#clock.elapsed()
    const freeAt = Math.max(this.#freeAt.get(key) ?? now, now)
    if (freeAt - now > this.#burstMs) return Math.ceil((freeAt - now - this.#burstMs) / 1000)
    this.#freeAt.delete(key)
    this.#freeAt.set(key, freeAt + this.#intervalMs)
    if (this.#freeAt.size > this.#maxKeys) this.#freeAt.delete(this.#freeAt.keys().next().value!)
    return null
  }

  /** Gives back what was taken and turned out not to count. */
  giveBack(key: string): void {
    const freeAt = this.#freeAt.get(key)
    if (freeAt !== undefined) this.#freeAt.set(key, freeAt - this.#intervalMs)
  }
}
