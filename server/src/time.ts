/** The time by which a lane waits and measures. It never judges a hold: that is the database's clock. */
export interface Time {
  /** Milliseconds of a clock that does not jump. */
  now(): number
  /** Runs it in the next turn, after what has already arrived. */
  soon(run: () => void): void
  /** Runs it after so many milliseconds. Returns how to call that off. */
  after(ms: number, run: () => void): () => void
}

export const processTime: Time = {
  now: () => performance.now(),
  soon: run => void setImmediate(run),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
