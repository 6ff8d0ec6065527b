import { assert } from '@voelgoed/core/result'

/** Work that a process does by itself. `Jobs` starts and stops all of it. */
export interface Job {
  readonly name: string
  /** `node`: every node runs it. `machine`: one process of a machine runs it for all of them. */
  readonly on: 'node' | 'machine'
  /** It commands events, or the other nodes count on it, so it ends while lanes and bus still work. */
  readonly endsBeforeLanes?: boolean
  start(): void
  /** Resolves when the run under way has ended. */
  stop(): Promise<void>
}

/** All jobs of a process. */
export class Jobs {
  readonly #jobs: readonly Job[]
  readonly #running = new Set<Job>()

  constructor(jobs: readonly Job[]) {
    const names = jobs.map(({ name }) => name)
    assert(new Set(names).size === names.length, `two jobs have one name: ${names.join(', ')}`)
    this.#jobs = jobs
  }

  start(on: Job['on']): void {
    for (const each of this.#jobs) {
      if (each.on !== on) continue
      this.#running.add(each)
      each.start()
    }
  }

  async stopBeforeLanes(): Promise<void> {
    await this.#stop(each => each.endsBeforeLanes === true)
  }

  /** Stops the jobs that have not been stopped before. */
  async stop(): Promise<void> {
    await this.#stop(() => true)
  }

  async #stop(which: (each: Job) => boolean): Promise<void> {
    const ending = [...this.#running].filter(which)
    for (const each of ending) this.#running.delete(each)
    await Promise.all(ending.map(each => each.stop()))
  }
}
