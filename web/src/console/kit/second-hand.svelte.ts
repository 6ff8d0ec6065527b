import { createSubscriber } from 'svelte/reactivity'

/** Time that passes while it is on the screen, by a clock that people can't set. */
export class SecondHand {
  readonly #subscribe = createSubscriber(update => {
    const timer = setInterval(update, 1_000)
    return () => clearInterval(timer)
  })

  /** `at`: of `performance.now()`. */
  secondsSince(at: number): number {
    this.#subscribe()
    return Math.max(0, Math.floor((performance.now() - at) / 1_000))
  }

  /** Milliseconds since 1970, as this browser thinks; for ages that are shown, never for what is decided. */
  now(): number {
    this.#subscribe()
    return Date.now()
  }
}
