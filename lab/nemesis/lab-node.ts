import { once } from 'node:events'
import { PostgresProxy } from '@voelgoed/testing/postgres-proxy'
import type { EngineHold } from '../judge/answers.ts'
import type { LabPostgres } from './lab-postgres.ts'
import { type LabProcess, startLabProcess } from './lab-process.ts'
import type { RedisLine } from './lab-redis.ts'

export const ROOT_KEY = 'root-key-of-the-fault-lab'

export interface Payment {
  readonly kind: 'start_payment' | 'sell'
  readonly organizationId: string
  readonly eventId: string
  readonly userId: string
  readonly holdIds: readonly string[]
  readonly checkoutId: string
  readonly ticketIds: readonly string[]
  /** A sale gives it to the holds that it takes again. */
  readonly cartToken: string | null
}

export type PaymentAnswer =
  | { readonly kind: 'ok'; readonly holds: readonly EngineHold[] }
  | { readonly kind: 'refused'; readonly code: string; readonly detail?: string }
  | { readonly kind: 'failed'; readonly message: string }

export interface NodeOptions {
  /** The server runs from this tree: the original, or a copy with a fault in it. */
  readonly root?: string
  readonly reaper?: boolean
  /** None: the node has no Redis. */
  readonly redis?: RedisLine
  /** No buyer asks it: only readers do, and it is made to forget its events. */
  readonly isForReaders?: true
  /** Its payment gateway is a bad one, as follows from this number. */
  readonly simulatorSeed?: number
}

/** One node of the system in a process of its own, its proxy, and what can be done to both. */
export class LabNode {
  readonly index: number
  readonly proxy: PostgresProxy
  readonly #postgres: LabPostgres
  readonly #options: NodeOptions
  #process: LabProcess | null = null
  #url: string | null = null
  #payments = 0
  #starts = 0
  readonly #paying = new Map<number, (answer: PaymentAnswer | null) => void>()
  /** The process ended in this way, and the lab had not ended it. */
  accident: string | null = null
  #isWanted = false

  private constructor(index: number, proxy: PostgresProxy, postgres: LabPostgres, options: NodeOptions) {
    this.index = index
    this.proxy = proxy
    this.#postgres = postgres
    this.#options = options
  }

  static async create(index: number, postgres: LabPostgres, options: NodeOptions): Promise<LabNode> {
    return new LabNode(index, await PostgresProxy.start(postgres.url), postgres, options)
  }

  get redis(): RedisLine | null {
    return this.#options.redis ?? null
  }

  get isForReaders(): boolean {
    return this.#options.isForReaders === true
  }

  /** Null while it is down. */
  get url(): string | null {
    return this.#url
  }

  get errors(): string {
    return this.#process?.errors ?? ''
  }

  async start(): Promise<void> {
    this.#isWanted = false
    this.#starts += 1
    const started = startLabProcess('lab-node', {
      ...(this.#options.root !== undefined && { root: this.#options.root }),
      env: {
        DATABASE_URL: this.proxy.urlOf(this.#postgres.url),
        VOELGOED_ROOT_KEY: ROOT_KEY,
        VOELGOED_LIMITS: 'off',
        VOELGOED_DEMO: '0',
        VOELGOED_PAYMENTS: 'simulator',
        VOELGOED_WORKERS: '1',
        VOELGOED_LOG_LEVEL: 'warn',
        VOELGOED_REAPER: this.#options.reaper === false ? 'off' : 'on',
        PORT: '0',
        ...(this.#options.simulatorSeed !== undefined && {
          // Another number after each start: else a node that is killed often meets the same few faults.
          VOELGOED_SIMULATOR_SEED: String(this.#options.simulatorSeed + 1_000 * this.#starts),
        }),
        ...(this.#options.redis !== undefined && { REDIS_URL: this.#options.redis.url }),
      },
    })
    this.#process = started
    started.child.on('exit', (code, signal) => {
      if (this.#process !== started) return
      this.#url = null
      for (const settle of this.#paying.values()) settle(null)
      this.#paying.clear()
      if (this.#isWanted) this.accident = `it ended with ${signal ?? code}: ${started.errors.slice(-2_000)}`
    })
    started.child.on('message', (message: { id?: number; answer?: PaymentAnswer }) => {
      if (message.id === undefined) return
      this.#paying.get(message.id)?.(message.answer ?? null)
      this.#paying.delete(message.id)
    })
    this.#url = await started.next(message => (message as { ready?: string }).ready ?? null)
    this.#isWanted = true
  }

  /** Starts it again until it stands: while Postgres is out of reach it can't. */
  async revive(withinMs = 60_000): Promise<void> {
    const until = performance.now() + withinMs
    for (;;) {
      try {
        await this.start()
        return
      } catch (error) {
        if (performance.now() > until) throw error
      }
    }
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.child.kill(signal)
  }

  async kill(): Promise<void> {
    const { child } = this.#process!
    this.#isWanted = false
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  setClock(offsetMs: number): void {
    if (this.#process?.child.connected) this.#process.child.send({ kind: 'clock', offsetMs }, () => {})
  }

  /** Every event that is idle and that no reader of the feed watches is dropped from memory. */
  forget(): void {
    // It may be killed at this moment.
    if (this.#process?.child.connected) this.#process.child.send({ kind: 'forget' }, () => {})
  }

  /** Null: no answer within the bound, or the node is gone. */
  pay(payment: Payment, withinMs: number): Promise<PaymentAnswer | null> {
    const { child } = this.#process!
    if (this.#url === null || !child.connected) return Promise.resolve({ kind: 'refused', code: 'not_sent' })
    this.#payments += 1
    const id = this.#payments
    return new Promise(resolve => {
      const bound = setTimeout(() => settle(null), withinMs)
      const settle = (answer: PaymentAnswer | null) => {
        clearTimeout(bound)
        this.#paying.delete(id)
        resolve(answer)
      }
      this.#paying.set(id, settle)
      child.send({ ...payment, id }, error => error && settle(null))
    })
  }

  async stop(): Promise<void> {
    this.#isWanted = false
    this.proxy.trap = null
    this.proxy.delayMs = 0
    await this.#process?.stop()
    await this.proxy.close()
  }
}
