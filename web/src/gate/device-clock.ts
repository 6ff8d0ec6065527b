/** A device that is off by more is told of. */
const FAR_OFF_MS = 2 * 60_000

/** The server said this last of the time. */
export interface KnownTime {
  /** By the server's clock. */
  readonly readAt: number
  /** The server's clock minus the device's. */
  readonly clockOffset: number
}

/**
 * `off`: the device's clock is wrong, and corrected by what the server said. `lost`: it was set back since,
 * as by a battery that was empty: what time it is, is not known until the server is asked again.
 */
export type ClockTrouble = 'off' | 'lost'

/**
 * The server's time on a device whose own clock may be wrong. It goes on by the device's clock, which counts
 * also while a phone sleeps, and never back behind what the server has said.
 */
export class DeviceClock {
  readonly #wall: () => number
  readonly #elapsed: () => number
  /** When the clock was found to be behind what is known. */
  #lostAt: number | null = null

  constructor(wall: () => number = () => Date.now(), elapsed: () => number = () => performance.now()) {
    this.#wall = wall
    this.#elapsed = elapsed
  }

  now(known: KnownTime | null): number {
    if (!known) return this.#wall()
    const now = this.#wall() + known.clockOffset
    if (!this.#isLost(known)) return now
    this.#lostAt ??= this.#elapsed()
    return known.readAt + this.#elapsed() - this.#lostAt
  }

  trouble(known: KnownTime | null): ClockTrouble | null {
    if (!known) return null
    if (this.#isLost(known)) return 'lost'
    return Math.abs(known.clockOffset) > FAR_OFF_MS ? 'off' : null
  }

  #isLost({ readAt, clockOffset }: KnownTime): boolean {
    const isLost = this.#wall() + clockOffset < readAt - FAR_OFF_MS
    if (!isLost) this.#lostAt = null
    return isLost
  }
}
