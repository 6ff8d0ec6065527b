/**
 * Injected, so that tests can move it. Holds, sessions and tokens are judged by the database's clock only.
 */
export interface Clock {
  /** The wall clock, in milliseconds since 1970: for ids and for what people read. It can jump. */
  now(): number
  /** Monotonic milliseconds since some moment: for limits and lifetimes inside this process. */
  elapsed(): number
}

export const systemClock: Clock = { now: Date.now, elapsed: () => performance.now() }
