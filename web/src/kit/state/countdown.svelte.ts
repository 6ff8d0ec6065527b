import { createSubscriber } from 'svelte/reactivity'

/** Often enough that it changes with the second. */
const TICK_MS = 200

/**
 * Seconds that the server said are left, counted down by a clock that people can't set. The server's number
 * is older than its answer, so it starts when the question was sent.
 */
export class Countdown {
  #end: number | null = $state(null)
  readonly #subscribe = createSubscriber(update => {
    const timer = setInterval(update, TICK_MS)
    return () => clearInterval(timer)
  })

  start(seconds: number, askedAt: number): void {
    this.#end = askedAt + seconds * 1000
  }

  /** Null: not known. Where it is shown it goes on by itself. */
  get left(): number | null {
    if (this.#end === null) return null
    this.#subscribe()
    return Math.max(0, Math.ceil((this.#end - performance.now()) / 1000))
  }
}
