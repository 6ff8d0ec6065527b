import { Refused } from '@voelgoed/client'
import type { JobAccess, JobAnswer, JobResults, LayoutJob } from './layout-jobs.ts'

/** A job that a newer one replaced, or that was stopped. */
export class Replaced extends Error {
  override readonly name = 'Replaced'
}

/** The file can not be worked on: the message says why, in the words of the reader. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
}

interface Waiting {
  readonly id: number
  resolve(value: JobResults[keyof JobResults]): void
  reject(error: Error): void
}

/**
 * One thread for the layouts of one screen, one job at a time. A new job ends one that still runs: of what a
 * person types or drops, the last counts.
 */
export class LayoutThread {
  #worker: Worker | null = null
  #waiting: Waiting | null = null
  #count = 0

  run<Job extends LayoutJob>(job: Job): Promise<JobResults[Job['kind']]> {
    this.stop()
    this.#worker ??= this.#start()
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      this.#count += 1
      const done = resolve as (value: JobResults[keyof JobResults]) => void
      this.#waiting = { id: this.#count, resolve: done, reject }
      worker.postMessage({ id: this.#count, job })
    })
  }

  /** Ends the work that runs, and forgets what it kept. */
  stop(): void {
    if (!this.#waiting) return
    this.#waiting.reject(new Replaced())
    this.#waiting = null
    this.#worker?.terminate()
    this.#worker = null
  }

  close(): void {
    this.stop()
    this.#worker?.terminate()
    this.#worker = null
  }

  #start(): Worker {
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer: JobAnswer }>) => {
      const waiting = this.#waiting
      if (waiting?.id !== data.id) return
      this.#waiting = null
      const { answer } = data
      if ('value' in answer) waiting.resolve(answer.value)
      else if ('refused' in answer) waiting.reject(new Refused(answer.refused, answer.retryAfter))
      else waiting.reject(new JobFailed(answer.failed))
    }
    // Out of memory, or its script did not load.
    worker.onerror = event => {
      event.preventDefault()
      const waiting = this.#waiting
      this.#waiting = null
      worker.terminate()
      if (this.#worker === worker) this.#worker = null
      waiting?.reject(new JobFailed(event.message || 'The layout is too large for this browser.'))
    }
    return worker
  }
}

export function accessOf(session: { readonly member: { readonly token: string } | null }): JobAccess {
  return { baseUrl: location.origin, token: session.member?.token ?? '' }
}
