import type { Worker } from 'node:cluster'
import type { DrainReason } from '../node.ts'
import type { Served } from '../serving.ts'
import { StartupError } from '../startup-error.ts'
import type { Figures, OfItself, OfTheServer, ToKeeper, ToWorker } from './messages.ts'
import type { Counted } from './metrics-of-all.ts'

/** After its time to drain a node has 17 s for requests; then it closes its connections to Postgres. */
const LEFT_WITHIN_MS = 22_000

type ServedByOne = Omit<Served, 'metricsAddress'>

/** One worker, as its keeper sees it. */
export class Member implements Counted {
  readonly number: number
  /** Resolves with a word on how. */
  readonly ended: Promise<string>
  /** It listens to what it is told. Rejects when it never will. */
  readonly loaded: Promise<void>
  /** It has a node that could listen. Rejects when there will be none. */
  readonly started: Promise<void>
  /** It accepts connections. Rejects when it never will. */
  readonly served: Promise<ServedByOne>
  stage: 'starting' | 'started' | 'serving' | 'leaving' = 'starting'
  /** It has accepted connections. */
  hasServed = false
  hasJobs = false
  /** What it said when it could not start. */
  failure: string | null = null
  readonly #worker: Worker
  readonly #asked = new Map<number, (figures: Figures | null) => void>()
  #lastAsked = 0
  #onLoaded = () => {}
  #onStarted = () => {}
  #onServed: (served: ServedByOne) => void = () => {}
  #onLost: (error: Error) => void = () => {}

  constructor(number: number, worker: Worker, onMessage: (message: OfTheServer) => void) {
    this.number = number
    this.#worker = worker
    const lost = new Promise<never>((_, reject) => {
      this.#onLost = reject
    })
    const loaded = new Promise<void>(resolve => {
      this.#onLoaded = resolve
    })
    const started = new Promise<void>(resolve => {
      this.#onStarted = resolve
    })
    const served = new Promise<ServedByOne>(resolve => {
      this.#onServed = resolve
    })
    this.loaded = Promise.race([lost, loaded])
    this.started = Promise.race([lost, started])
    this.served = Promise.race([lost, served])
    for (const promise of [lost, this.loaded, this.started, this.served]) promise.catch(() => {})
    this.ended = new Promise(resolve => {
      worker.once('exit', (code, signal) => {
        const how = signal ?? `exit code ${code}`
        this.#onLost(new StartupError(`could not start: worker ${number} ended with ${how}`))
        for (const settle of this.#asked.values()) settle(null)
        resolve(how)
      })
    })
    // It ended while it was being written to: 'exit' tells.
    worker.on('error', () => {})
    worker.on('message', (message: ToKeeper) => {
      if (isOfItself(message)) this.#told(message)
      else onMessage(message)
    })
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isLeaving(): boolean {
    return this.stage === 'leaving'
  }

  tell(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message, undefined, () => {})
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  figures(withinMs: number): Promise<Figures | null> {
    this.#lastAsked += 1
    const id = this.#lastAsked
    return new Promise(resolve => {
      const settle = (figures: Figures | null) => {
        clearTimeout(bound)
        this.#asked.delete(id)
        resolve(figures)
      }
      const bound = setTimeout(settle, withinMs, null)
      this.#asked.set(id, settle)
      this.tell({ kind: 'tell_figures', id })
    })
  }

  /** Resolves when it has ended, which it does within a bound. */
  async leave(why: DrainReason, drainSeconds = 0): Promise<void> {
    const { stage } = this
    this.stage = 'leaving'
    if (stage === 'starting') this.kill()
    else if (stage !== 'leaving') this.tell({ kind: 'leave', why, drainSeconds })
    const bound = setTimeout(() => this.kill(), LEFT_WITHIN_MS + drainSeconds * 1_000)
    await this.ended
    clearTimeout(bound)
  }

  #told(message: OfItself): void {
    switch (message.kind) {
      case 'loaded':
        this.#onLoaded()
        break
      case 'started':
        if (this.stage === 'starting') this.stage = 'started'
        this.#onStarted()
        break
      case 'serving':
        if (this.stage === 'started') this.stage = 'serving'
        this.hasServed = true
        this.#onServed(message)
        break
      case 'failed':
        this.failure = message.text
        this.#onLost(new StartupError(message.text))
        this.kill()
        break
      case 'figures':
        this.#asked.get(message.id)?.(message.figures)
        break
    }
  }
}

const OF_ITSELF: ReadonlySet<string> = new Set<OfItself['kind']>([
  'loaded',
  'started',
  'serving',
  'failed',
  'figures',
])

function isOfItself(message: ToKeeper): message is OfItself {
  return OF_ITSELF.has(message.kind)
}
