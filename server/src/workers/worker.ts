import type { Logger } from 'pino'
import { OwnAddressLimits } from '../accounts/address-limits.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type Demo, demoGuide } from '../demo/seed.ts'
import { seedQuietly } from '../demo/seed-quietly.ts'
import { firstSteps } from '../first-steps.ts'
import { openLog } from '../log.ts'
import { type Node, startNode } from '../node.ts'
import { explain } from '../terminal.ts'
import type { Figures, ToKeeper, ToWorker } from './messages.ts'
import { SharedAddressLimits } from './shared-address-limits.ts'

/** More than the keeper waits for the workers. */
const METRICS_MS = 7_000

/** One of several processes behind one port: a node that does what its keeper says (see keeper.ts). */
export function runWorker(config: Config): void {
  // The keeper is gone: nothing would look after this process.
  process.once('disconnect', () => process.exit(1))
  // A terminal sends these to the keeper and to its workers; the keeper then says what is to be done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  let worker: Worker | null = null
  process.on('message', (message: ToWorker) => {
    if (message.kind !== 'begin') return worker?.told(message)
    worker = new Worker(config, openLog(config, message.number))
    void worker.start(message)
  })
  tell({ kind: 'loaded' })
}

type Begin = Extract<ToWorker, { kind: 'begin' }>

class Worker {
  readonly #config: Config
  readonly #log: Logger
  readonly #limits = new SharedAddressLimits(new OwnAddressLimits(systemClock), tell)
  readonly #scrapes = new Map<number, (text: string | null) => void>()
  #lastScrape = 0
  #starting: Promise<Node> | null = null
  #demo: Demo | null = null

  constructor(config: Config, log: Logger) {
    this.#config = config
    this.#log = log
  }

  async start({ number, count, seedsDemo, database }: Begin): Promise<void> {
    const { url, isEmbedded, requestLogin } = database
    await this.#orFail(async () => {
      this.#starting = startNode(this.#config, url, {
        log: this.#log,
        clock: systemClock,
        requestLogin,
        worker: { number, count, addressLimits: this.#limits, readMetrics: () => this.#readMetrics() },
      })
      const node = await this.#starting
      if (seedsDemo) {
        const say = (line: string) => tell({ kind: 'say', line })
        this.#demo = await seedQuietly(this.#config, this.#log, { ...node, embedded: isEmbedded, say })
      }
      tell({ kind: 'started' })
    })
  }

  told(message: Exclude<ToWorker, Begin>): void {
    switch (message.kind) {
      case 'listen':
        void this.#orFail(() => this.#listen())
        break
      case 'take_jobs':
        void this.#starting?.then(node => node.takeJobs())
        break
      case 'leave':
        void this.#leave(message)
        break
      case 'hurry':
        void this.#starting?.then(node => node.hurry())
        break
      case 'tell_figures':
        void this.#figures().then(figures => tell({ kind: 'figures', id: message.id, figures }))
        break
      case 'metrics':
        this.#scrapes.get(message.id)?.(message.text)
        break
      case 'waits':
        this.#limits.answered(message.id, message.waits)
        break
    }
  }

  async #listen(): Promise<void> {
    const node = await this.#starting!
    const address = await node.listen()
    const guide = this.#demo ? demoGuide(address, this.#demo) : await firstSteps(node.database)
    tell({ kind: 'serving', address, guide })
  }

  async #leave({ why, drainSeconds }: Extract<ToWorker, { kind: 'leave' }>): Promise<void> {
    try {
      const node = await this.#starting
      await node?.drain(why, drainSeconds)
      tell({ kind: 'last_figures', figures: await this.#figures() })
      process.disconnect()
      process.exit(0)
    } catch (error) {
      this.#log.fatal({ err: error }, 'stopping failed')
      process.exit(1)
    }
  }

  async #figures(): Promise<Figures> {
    const node = await this.#starting
    const figures = (await node?.metrics.registry.getMetricsAsJSON()) ?? []
    // JSON has no NaN: Node says it of delays when it has seen none yet.
    return figures.map(figure => ({
      ...figure,
      values: figure.values.map(value => (Number.isFinite(value.value) ? value : { ...value, value: 0 })),
    }))
  }

  #readMetrics(): Promise<string | null> {
    this.#lastScrape += 1
    const id = this.#lastScrape
    return new Promise(resolve => {
      const settle = (text: string | null) => {
        clearTimeout(bound)
        this.#scrapes.delete(id)
        resolve(text)
      }
      const bound = setTimeout(settle, METRICS_MS, null).unref()
      this.#scrapes.set(id, settle)
      tell({ kind: 'read_metrics', id })
    })
  }

  async #orFail(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      tell({ kind: 'failed', text: explain(error) })
    }
  }
}

function tell(message: ToKeeper): void {
  // The keeper may be gone; then this process ends by itself.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
