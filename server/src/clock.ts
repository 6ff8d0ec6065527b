/** Milliseconds since 1970. Injected, so that tests can move it. Holds are judged by the database's clock only. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: Date.now }
