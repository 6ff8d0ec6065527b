import type { ServerClock } from '@voelgoed/client'
import { createSubscriber } from 'svelte/reactivity'

/** Often enough that a countdown changes with the second. */
const TICK_MS = 200

/** The server's clock stands somewhere in between. */
export interface ServerNow {
  readonly earliest: number
  readonly latest: number
}

/** The server's time as something that can be shown: while it is on the screen it is read again and again. */
export class ServerTime {
  readonly #clock: ServerClock
  readonly #subscribe = createSubscriber(update => {
    const timer = setInterval(update, TICK_MS)
    return () => clearInterval(timer)
  })

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  /** Null before the server's first answer with a time in it. */
  get now(): ServerNow | null {
    this.#subscribe()
    const latest = this.#clock.now()
    return latest === null ? null : { earliest: this.#clock.earliest()!, latest }
  }
}
