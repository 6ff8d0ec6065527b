/**
 * The server's clock, seen from here. Each answer that carries a server time says: at some moment between
 * sending and receiving, the server's clock stood between `earliest` and `latest`. What all of them have in
 * common is narrow after a few answers. The wall clock of this machine is never asked:
 * people set it to anything.
 */
export class ServerClock {
  readonly #monotonic: () => number
  /** Server time minus ours lies in here. */
  #least = Number.NEGATIVE_INFINITY
  #most = Number.POSITIVE_INFINITY

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  /** A reading of our own clock: what `observe` wants for `sentAt`. */
  mark(): number {
    return this.#monotonic()
  }

  observe(seen: { sentAt: number; earliest: number; latest: number }): void {
    const least = seen.earliest - this.#monotonic()
    const most = seen.latest - seen.sentAt
    if (least > this.#most || most < this.#least) {
      // Nothing in common: one of the clocks was set, or stood still while the machine slept.
      // The new one counts.
      this.#least = least
      this.#most = most
      return
    }
    this.#least = Math.max(this.#least, least)
    this.#most = Math.min(this.#most, most)
  }

  /**
   * Milliseconds since 1970 by the server's clock; null before the first answer. Of all that is possible the
   * latest: a countdown may end a moment early, but never promises a second that is already gone.
   */
  now(): number | null {
    return Number.isFinite(this.#most) ? this.#monotonic() + this.#most : null
  }

  /**
   * The earliest of all that is possible: what begins at a moment has certainly begun once this reaches it.
   */
  earliest(): number | null {
    return Number.isFinite(this.#least) ? this.#monotonic() + this.#least : null
  }
}

/** Returns what an answer tells of the server's clock, if anything. */
export function timeIn(body: unknown): { earliest: number; latest: number } | null {
  const data = (body as { data?: unknown } | null)?.data
  const carrier = Array.isArray(data) ? data[0] : data
  if (typeof carrier !== 'object' || carrier === null) return null
  const { timestamp, held_until, expires_in_seconds } = carrier as Record<string, unknown>
  if (typeof timestamp === 'string') {
    const at = Date.parse(timestamp)
    return { earliest: at, latest: at }
  }
  // Whole seconds, rounded down.
  if (typeof held_until === 'string' && typeof expires_in_seconds === 'number' && expires_in_seconds > 0) {
    const until = Date.parse(held_until)
    return { earliest: until - (expires_in_seconds + 1) * 1000, latest: until - expires_in_seconds * 1000 }
  }
  return null
}
