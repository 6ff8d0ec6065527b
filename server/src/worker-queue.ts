import { Worker } from 'node:worker_threads'
import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'

export interface WorkerQueueOptions {
  /** The module that the thread runs: it answers every `{ id, job }` with one `{ id, outcome }`. */
  readonly module: URL
  /** What the log says when the thread fails. */
  readonly failed: string
  readonly maxWaiting: number
  readonly maxHeapMb: number
  /** A job that takes longer is ended, and refused as busy: with less to do it might end in time. */
  readonly maxJobMs: number
}

const IDLE_MS = 60_000

/**
 * Jobs for one thread: one at a time, few waiting, memory and time bounded. The thread starts with the first
 * job, and ends when it has had nothing to do for a while.
 */
export class WorkerQueue<Job, Value> {
  readonly #waiting: { job: Job; settle: (outcome: Result<Value, Refusal>) => void }[] = []
  readonly #options: WorkerQueueOptions
  readonly #log: FastifyBaseLogger
  #worker: Worker | null = null
  #running: { id: number; settle: (outcome: Result<Value, Refusal>) => void } | null = null
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #limit: NodeJS.Timeout | undefined
  /** The job that runs was ended because of its time. */
  #isTooLate = false

  constructor(log: FastifyBaseLogger, options: WorkerQueueOptions) {
    this.#log = log
    this.#options = options
  }

  run(job: Job): Promise<Result<Value, Refusal>> {
    if (this.#waiting.length >= this.#options.maxWaiting) {
      return Promise.resolve(refuse({ kind: 'busy', retryAfterSeconds: 5 }))
    }
    return new Promise(settle => {
      this.#waiting.push({ job, settle })
      this.#next()
    })
  }

  /** Jobs that wait, and the one that runs. */
  get pending(): number {
    return this.#waiting.length + (this.#running ? 1 : 0)
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
  }

  #next(): void {
    if (this.#running) return
    clearTimeout(this.#idle)
    const next = this.#waiting.shift()
    if (!next) {
      this.#idle = setTimeout(() => this.#worker?.terminate(), IDLE_MS).unref()
      return
    }
    this.#worker ??= this.#start()
    this.#lastId += 1
    this.#running = { id: this.#lastId, settle: next.settle }
    this.#worker.ref()
    this.#worker.postMessage({ id: this.#lastId, job: next.job })
    const worker = this.#worker
    this.#limit = setTimeout(() => {
      this.#log.warn({ within_ms: this.#options.maxJobMs }, 'a job in a thread took too long, and was ended')
      this.#isTooLate = true
      void worker.terminate()
    }, this.#options.maxJobMs)
  }

  #finish(outcome: Result<Value, Refusal>): void {
    const running = this.#running
    this.#running = null
    clearTimeout(this.#limit)
    this.#worker?.unref()
    running?.settle(outcome)
    this.#next()
  }

  #start(): Worker {
    const { module, failed, maxHeapMb } = this.#options
    const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } })
    worker.on('message', ({ id, outcome }: { id: number; outcome: Result<Value, Refusal> }) => {
      if (this.#running?.id === id) this.#finish(outcome)
    })
    // The job is lost, the next one gets a new thread.
    let refusal: Refusal = { kind: 'internal_error' }
    worker.on('error', error => {
      const isTooLarge = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      if (isTooLarge) refusal = { kind: 'payload_too_large', limitBytes: maxHeapMb * 1024 * 1024 }
      this.#log.error({ err: error }, failed)
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
      if (!this.#running) return
      if (this.#isTooLate) refusal = { kind: 'busy', retryAfterSeconds: 5 }
      this.#isTooLate = false
      this.#finish(refuse(refusal))
    })
    return worker
  }
}
