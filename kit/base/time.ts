/**
 * The time by which lanes and jobs wait and measure. It never judges a hold: that is the database's clock.
 */
export interface Time {
  /** Milliseconds of a clock that does not jump. */
  now(): number
  /** Runs it in the next turn, after what has already arrived. */
  soon(run: () => void): void
  /** Runs it after so many milliseconds. Returns how to call that off. */
  after(ms: number, run: () => void): () => void
  /** Runs it again and again, so many milliseconds apart. Returns how to end that. */
  every(ms: number, run: () => void): () => void
}

/** Its timers do not keep the process alive. */
export const processTime: Time = {
  now: () => performance.now(),
  soon: run => void setImmediate(run),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref()
    return () => clearInterval(timer)
  },
}
