/** Time that moves when a test moves it. */
export class HandTime {
  #now = 0
  readonly #waiting = new Map<object, { at: number; run: () => void }>()

  get waiting(): number {
    return this.#waiting.size
  }

  now(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = {}
    this.#waiting.set(timer, { at: this.#now + ms, run })
    return () => void this.#waiting.delete(timer)
  }

  /** Moves the time on, runs what is due, and lets the work go on as far as it can. */
  async pass(ms: number): Promise<void> {
    this.#now += ms
    for (const [timer, { at, run }] of this.#waiting) {
      if (at > this.#now) continue
      this.#waiting.delete(timer)
      run()
    }
    await new Promise(setImmediate)
  }
}
