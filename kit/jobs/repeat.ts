import { processTime, type Time } from '../base/time.ts'

export interface RepeatOptions {
  /** Milliseconds from the end of a run to the next one. Infinity: only `wakeIn` and `runNow` start a run. */
  readonly everyMs: number
  /** Returns the milliseconds until the next run, where that is not `everyMs`. */
  run(): Promise<number | undefined>
  /** A run that throws does not end the repetition. */
  onFailure(error: unknown): void
  readonly time?: Pick<Time, 'now' | 'after'>
}

/** Runs the same work again and again, one run at a time. `stop` waits for the run that is under way. */
export class Repeat {
  readonly #options: RepeatOptions
  readonly #time: Pick<Time, 'now' | 'after'>
  #state: 'new' | 'started' | 'stopped' = 'new'
  #callOff = () => {}
  #wakeAt = Number.POSITIVE_INFINITY
  #running: Promise<void> = Promise.resolve()

  constructor(options: RepeatOptions) {
    this.#options = options
    this.#time = options.time ?? processTime
  }

  /** Long work looks at this between two steps. */
  get isStopped(): boolean {
    return this.#state === 'stopped'
  }

  start(firstInMs: number = this.#options.everyMs): void {
    this.#state = 'started'
    this.wakeIn(firstInMs)
  }

  /** The next run starts in so many milliseconds, or sooner. Does nothing before `start`. */
  wakeIn(ms: number): void {
    const wakeAt = this.#time.now() + Math.max(0, ms)
    if (this.#state !== 'started' || wakeAt >= this.#wakeAt) return
    this.#callOff()
    this.#wakeAt = wakeAt
    this.#callOff = this.#time.after(Math.max(0, ms), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      void this.runNow()
    })
  }

  /** Resolves after a run that started after this call. */
  runNow(): Promise<void> {
    this.#running = this.#running.then(() => this.#run())
    return this.#running
  }

  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#callOff()
    await this.#running
  }

  async #run(): Promise<void> {
    if (this.isStopped) return
    const { everyMs, run, onFailure } = this.#options
    let nextInMs: number | undefined
    try {
      nextInMs = await run()
    } catch (error) {
      onFailure(error)
    }
    this.wakeIn(nextInMs ?? everyMs)
  }
}
