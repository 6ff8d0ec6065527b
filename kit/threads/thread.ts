import { type Transferable, Worker } from 'node:worker_threads'
import { PROGRAMS } from '../base/root.ts'

export interface ThreadOptions {
  /** The name of what it does in server/tasks.ts. */
  readonly task: string
  readonly maxHeapMb: number
  /** It ends when it has had nothing to do for this long. */
  readonly idleMs?: number
  /** Is told the error that the thread did not catch, and that ends it. */
  readonly onFault?: (error: Error) => void
  /** Tests have their own. */
  readonly program?: URL
}

interface Question<Answer> {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: ThreadEnded) => void
}

/** The thread ended before it answered. */
export class ThreadEnded extends Error {
  readonly why: 'failed' | 'too large' | 'too late'

  constructor(task: string, why: ThreadEnded['why']) {
    super(`the thread for ${task} ended: ${why}`)
    this.why = why
  }
}

/**
 * A thread with a bound for its memory, which answers one question at a time. It keeps the process alive only
 * while it has one.
 */
export class Thread<Message, Answer> {
  /** It answers nothing more: for the next question its owner starts another one. */
  hasEnded = false
  readonly #worker: Worker
  readonly #options: ThreadOptions
  #question: Question<Answer> | null = null
  #why: ThreadEnded['why'] = 'failed'
  #timer: NodeJS.Timeout | undefined

  constructor(options: ThreadOptions) {
    this.#options = options
    const { task, maxHeapMb, program = new URL('thread.js', PROGRAMS) } = options
    this.#worker = new Worker(program, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer) => this.#take()?.resolve(answer))
    this.#worker.on('error', error => {
      this.hasEnded = true
      if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') this.#why = 'too large'
      options.onFault?.(error)
    })
    this.#worker.on('exit', () => {
      this.hasEnded = true
      this.#take()?.reject(new ThreadEnded(task, this.#why))
    })
  }

  /** Says something that has no answer of its own. */
  tell(message: Message, transfer: readonly Transferable[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  /** Resolves with the next thing that the thread says. One that takes longer than `withinMs` is ended. */
  ask(
    message: Message,
    { withinMs, transfer }: { readonly withinMs?: number; readonly transfer?: readonly Transferable[] } = {},
  ): Promise<Answer> {
    clearTimeout(this.#timer)
    this.#worker.ref()
    if (withinMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.#why = 'too late'
        void this.end()
      }, withinMs)
    }
    return new Promise((resolve, reject) => {
      this.#question = { resolve, reject }
      this.tell(message, transfer)
    })
  }

  /** It takes a moment to end. */
  async end(): Promise<void> {
    this.hasEnded = true
    clearTimeout(this.#timer)
    await this.#worker.terminate()
  }

  #take(): Question<Answer> | null {
    const question = this.#question
    this.#question = null
    clearTimeout(this.#timer)
    this.#worker.unref()
    const { idleMs } = this.#options
    if (idleMs !== undefined && !this.hasEnded)
      this.#timer = setTimeout(() => void this.end(), idleMs).unref()
    return question
  }
}
