import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import { FairLine } from './fair-line.ts'
import { Thread, ThreadEnded, type ThreadOptions } from './thread.ts'

export interface WorkerQueueOptions extends Pick<ThreadOptions, 'task' | 'maxHeapMb' | 'program'> {
  /** The log says this when the thread fails. */
  readonly failed: string
  readonly maxWaiting: number
  /** A job that takes longer is ended, and refused as busy: with less to do it might end in time. */
  readonly maxJobMs: number
}

interface Waiting<Job, Value> {
  readonly job: Job
  readonly resolve: (outcome: Promise<Result<Value, Refusal>>) => void
}

const IDLE_MS = 60_000

/**
 * Jobs for one thread: one at a time, few waiting, memory and time bounded; organizations take turns. The
 * thread starts with the first job, and ends when it has had nothing to do for a while.
 */
export class WorkerQueue<Job, Value> {
  readonly #waiting: FairLine<Waiting<Job, Value>>
  readonly #options: WorkerQueueOptions
  readonly #log: FastifyBaseLogger
  #thread: Thread<Job, Result<Value, Refusal>> | null = null
  #isRunning = false

  constructor(log: FastifyBaseLogger, options: WorkerQueueOptions) {
    this.#log = log
    this.#options = options
    this.#waiting = new FairLine(options.maxWaiting)
  }

  /** `owner`: the organization. The next job is another one's, if another one has any. */
  run(job: Job, owner: string): Promise<Result<Value, Refusal>> {
    if (!this.#waiting.hasRoomFor(owner)) {
      return Promise.resolve(refuse({ kind: 'busy', retryAfterSeconds: 5 }))
    }
    return new Promise(resolve => {
      this.#waiting.push(owner, { job, resolve })
      if (!this.#isRunning) void this.#runAll()
    })
  }

  /** Jobs that wait, and the one that runs. */
  get pending(): number {
    return this.#waiting.size + (this.#isRunning ? 1 : 0)
  }

  async close(): Promise<void> {
    await this.#thread?.end()
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const outcome = this.#outcomeOf(next.job)
      next.resolve(outcome)
      await outcome.catch(() => {})
    }
    this.#isRunning = false
  }

  /** When the thread ends its job is lost, and the next one gets a new thread. */
  async #outcomeOf(job: Job): Promise<Result<Value, Refusal>> {
    const { maxJobMs, maxHeapMb } = this.#options
    if (!this.#thread || this.#thread.hasEnded) this.#thread = this.#start()
    try {
      return await this.#thread.ask(job, { withinMs: maxJobMs })
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      if (error.why === 'too large') {
        return refuse({ kind: 'payload_too_large', limitBytes: maxHeapMb * 1024 * 1024 })
      }
      if (error.why === 'failed') return refuse({ kind: 'internal_error' })
      this.#log.warn({ within_ms: maxJobMs }, 'a job in a thread took too long, and was ended')
      return refuse({ kind: 'busy', retryAfterSeconds: 5 })
    }
  }

  #start(): Thread<Job, Result<Value, Refusal>> {
    const onFault = (error: Error) => this.#log.error({ err: error }, this.#options.failed)
    return new Thread({ ...this.#options, idleMs: IDLE_MS, onFault })
  }
}
