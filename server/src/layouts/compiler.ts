import { Worker } from 'node:worker_threads'
import type { LayoutId } from '@voelgoed/core/ids'
import type { LayoutFault } from '@voelgoed/core/layout/model'
import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import type { PreparedLayout } from '../postgres/layouts.ts'

export interface CompileJob {
  readonly layoutId: LayoutId
  /** A new layout must have a name; a new version may keep the one it has. */
  readonly kind: 'layout' | 'version'
  readonly body: Uint8Array
}

export type CompileOutcome = Result<
  {
    readonly name: string | undefined
    readonly description: string | null | undefined
    readonly warnings: readonly LayoutFault[]
    readonly prepared: PreparedLayout
  },
  Refusal
>

const MAX_WAITING = 8
const IDLE_MS = 60_000
const MAX_HEAP_MB = 1_536
/** A layout of 250,000 seats takes a few seconds; what takes longer than this was not made to be a layout. */
const MAX_JOB_MS = 60_000

/**
 * Reads and checks layouts in a thread of its own: an arena of 200,000 seats takes a second or two of
 * computing, in which the thread that serves buyers must not stand still. One job at a time, few waiting,
 * memory bounded; the thread ends when it has had nothing to do for a while.
 */
export class LayoutCompiler {
  readonly #waiting: { job: CompileJob; settle: (outcome: CompileOutcome) => void }[] = []
  #worker: Worker | null = null
  #running: { id: number; settle: (outcome: CompileOutcome) => void } | null = null
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #limit: NodeJS.Timeout | undefined
  readonly #log: FastifyBaseLogger

  constructor(log: FastifyBaseLogger) {
    this.#log = log
  }

  compile(job: CompileJob): Promise<CompileOutcome> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.resolve(refuse({ kind: 'busy', retryAfterSeconds: 5 }))
    }
    return new Promise(settle => {
      this.#waiting.push({ job, settle })
      this.#next()
    })
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
    this.#limit = setTimeout(() => void worker.terminate(), MAX_JOB_MS)
  }

  #finish(outcome: CompileOutcome): void {
    const running = this.#running
    this.#running = null
    clearTimeout(this.#limit)
    this.#worker?.unref()
    running?.settle(outcome)
    this.#next()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./compile-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker.on('message', ({ id, outcome }: { id: number; outcome: CompileOutcome }) => {
      if (this.#running?.id === id) this.#finish(outcome)
    })
    // Out of memory, or a fault of ours: the job is lost, the next one gets a new thread.
    // Too large for its memory or its time (then it was ended, without an error): the sender's fault,
    // not ours.
    let isOurFault = false
    worker.on('error', error => {
      isOurFault = (error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY'
      this.#log.error({ err: error }, 'the layout compiler failed')
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
      if (!this.#running) return
      const limitBytes = MAX_HEAP_MB * 1024 * 1024
      this.#finish(
        refuse(isOurFault ? { kind: 'internal_error' } : { kind: 'payload_too_large', limitBytes }),
      )
    })
    return worker
  }
}
