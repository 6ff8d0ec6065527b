import { Worker } from 'node:worker_threads'
import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import { FairLine } from './fair-line.ts'

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
 * Jobs for one thread: one at a time, few waiting, memory and time bounded; organizations take turns. The
 * thread starts with the first job, and ends when it has had nothing to do for a while.
 */
export class WorkerQueue<Job, Value> {
  readonly #waiting: FairLine<{ job: Job; settle: (outcome: Result<Value, Refusal>) => void }>
  readonly #options: WorkerQueueOptions
  readonly #log: FastifyBaseLogger
  /** Takes the next job. A thread that is being ended is none. */
  #worker: Worker | null = null
  #running: {
    readonly id: number
    readonly worker: Worker
    readonly settle: (outcome: Result<Value, Refusal>) => void
    /** It was ended because of its time. */
    isTooLate: boolean
  } | null = null
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #limit: NodeJS.Timeout | undefined

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
    return new Promise(settle => {
      this.#waiting.push(owner, { job, settle })
      this.#next()
    })
  }

  /** Jobs that wait, and the one that runs. */
  get pending(): number {
    return this.#waiting.size + (this.#running ? 1 : 0)
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#end()
  }

  #next(): void {
    if (this.#running) return
    clearTimeout(this.#idle)
    const next = this.#waiting.shift()
    if (!next) {
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref()
      return
    }
    this.#worker ??= this.#start()
    const worker = this.#worker
    this.#lastId += 1
    const running = { id: this.#lastId, worker, settle: next.settle, isTooLate: false }
    this.#running = running
    worker.ref()
    worker.postMessage({ id: running.id, job: next.job })
    this.#limit = setTimeout(() => {
      this.#log.warn({ within_ms: this.#options.maxJobMs }, 'a job in a thread took too long, and was ended')
      running.isTooLate = true
      void this.#end()
    }, this.#options.maxJobMs)
  }

  /** It takes a moment to end: what comes meanwhile gets a new thread. */
  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #finish(outcome: Result<Value, Refusal>): void {
    const running = this.#running
    this.#running = null
    clearTimeout(this.#limit)
    running?.worker.unref()
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
      if (this.#worker === worker) this.#worker = null
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
      if (this.#running?.worker !== worker) return
      if (this.#running.isTooLate) refusal = { kind: 'busy', retryAfterSeconds: 5 }
      this.#finish(refuse(refusal))
    })
    return worker
  }
}
