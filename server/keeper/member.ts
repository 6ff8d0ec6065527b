import type { Worker } from 'node:cluster'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import type { DrainReason } from '../node/node-deps.ts'
import type { Beginning, Figures, KeeperCalls, ServedByOne, WorkerCalls } from './calls.ts'
import { CallFailed, Channel, type Message } from './channel.ts'
import type { Counted } from './metrics-of-all.ts'

/** After its time to drain a node has 17 s for requests; then it closes its connections to Postgres. */
const LEFT_WITHIN_MS = 22_000

/** One worker, as its keeper sees it. */
export class Member implements Counted {
  readonly number: number
  /** Resolves with a word on how. */
  readonly ended: Promise<string>
  /** It listens to what it is told. Rejects when it never will. */
  readonly loaded: Promise<void>
  stage: 'starting' | 'started' | 'serving' | 'leaving' = 'starting'
  /** It has accepted connections. */
  hasServed = false
  hasJobs = false
  /** It said this when it could not start. */
  failure: string | null = null
  readonly #worker: Worker
  readonly #channel: Channel<KeeperCalls, WorkerCalls>

  constructor(number: number, worker: Worker, mine: Omit<KeeperCalls, 'loaded'>) {
    this.number = number
    this.#worker = worker
    let loaded = () => {}
    let lost: (error: Error) => void = () => {}
    this.loaded = new Promise((resolve, reject) => {
      loaded = resolve
      lost = reject
    })
    this.loaded.catch(() => {})
    const send = (message: Message) => {
      if (worker.isConnected()) worker.send(message, undefined, () => {})
    }
    this.#channel = new Channel<KeeperCalls, WorkerCalls>(send, { ...mine, loaded: () => loaded() })
    this.ended = new Promise(resolve => {
      worker.once('exit', (code, signal) => {
        const how = signal ?? `exit code ${code}`
        const error = new StartupError(`could not start: worker ${number} ended with ${how}`)
        lost(error)
        this.#channel.end(error)
        resolve(how)
      })
    })
    // It ended while it was being written to: 'exit' tells.
    worker.on('error', () => {})
    worker.on('message', (message: Message) => this.#channel.heard(message))
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isLeaving(): boolean {
    return this.stage === 'leaving'
  }

  /** Resolves when it has a node that could listen. */
  async begin(beginning: Beginning): Promise<void> {
    await this.loaded
    await this.#started(this.#channel.ask('begin', beginning))
    if (this.stage === 'starting') this.stage = 'started'
  }

  /** Resolves when it accepts connections. */
  async listen(): Promise<ServedByOne> {
    const served = await this.#started(this.#channel.ask('listen'))
    if (this.stage === 'started') this.stage = 'serving'
    this.hasServed = true
    return served
  }

  takeJobs(): void {
    this.hasJobs = true
    this.#channel.tell('takeJobs')
  }

  hurry(): void {
    this.#channel.tell('hurry')
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  figures(withinMs: number): Promise<Figures | null> {
    return this.#channel.askWithin(withinMs, 'figures')
  }

  /** Resolves when it has ended, which it does within a bound. */
  async leave(why: DrainReason, drainSeconds = 0): Promise<void> {
    const { stage } = this
    this.stage = 'leaving'
    if (stage === 'starting') this.kill()
    else if (stage !== 'leaving') this.#channel.tell('leave', why, drainSeconds)
    const bound = setTimeout(() => this.kill(), LEFT_WITHIN_MS + drainSeconds * 1_000)
    await this.ended
    clearTimeout(bound)
  }

  /** A worker that says why it could not start is of no more use. */
  async #started<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      this.failure = error.message
      this.kill()
      throw new StartupError(error.message)
    }
  }
}
