import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { Figures } from './calls.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

/** More than a worker waits when it asks Postgres whether it is up, and well below the time of a scrape. */
const ANSWER_MS = 5_000

/** A worker as its figures see it. */
export interface Counted {
  readonly number: number
  /** Asks for its figures; null when it does not answer in time. */
  figures(withinMs: number): Promise<Figures | null>
}

/**
 * The metrics of all workers as one. Counters and histograms are sums that never go back, whichever worker
 * ends or does not answer: what a worker had counted when it last told its figures stays in the sum. Gauges
 * are of the workers that answer, each put together as metrics.ts says. Metrics of a process carry its
 * number.
 */
export class MetricsOfAll {
  readonly deaths: ReturnType<typeof createWorkerMetrics>['deaths']
  readonly #registry = new Registry()
  readonly #serving: () => readonly Counted[]
  /** Each worker that still runs told these last; gauges are left out. */
  readonly #last = new Map<Counted, Figures>()
  /** Workers that have ended had counted these. */
  #ended: Figures = []
  #silent: (readonly [number, boolean])[] = []
  #running: Promise<string> | null = null
  #next: Promise<string> | null = null

  /** `serving`: the workers that take in connections. */
  constructor(serving: () => readonly Counted[]) {
    this.#serving = serving
    collectDefaultMetrics({ register: this.#registry, labels: { worker: 'keeper' } })
    const read = () => ({ serving: serving().length, silent: this.#silent })
    this.deaths = createWorkerMetrics(this.#registry, read).deaths
  }

  /** In the form of Prometheus. Scrapes that come while one is made share the one after it. */
  read(): Promise<string> {
    if (this.#running === null) return this.#make()
    this.#next ??= this.#running
      .catch(() => null)
      .then(() => {
        this.#next = null
        return this.#make()
      })
    return this.#next
  }

  /** Its last figures, told while it stopped. */
  lastFigures(worker: Counted, figures: Figures): void {
    this.#last.set(worker, figures.filter(isKept))
  }

  ended(worker: Counted): void {
    const last = this.#last.get(worker)
    this.#last.delete(worker)
    // At once: a scrape that waits for a worker at this moment must find it in one place or the other.
    if (last) this.#ended = AggregatorRegistry.aggregate([this.#ended, last]).getMetricsAsArray() as never
  }

  #make(): Promise<string> {
    const making = this.#collect().finally(() => {
      if (this.#running === making) this.#running = null
    })
    this.#running = making
    return making
  }

  async #collect(): Promise<string> {
    const workers = this.#serving()
    const told = await Promise.all(workers.map(worker => worker.figures(ANSWER_MS)))
    const now: Figures[] = []
    this.#silent = workers.map(({ number }, index) => [number, told[index] === null])
    for (const [index, worker] of workers.entries()) {
      const figures = told[index]
      if (!figures) continue
      now.push(figures)
      this.#last.set(worker, figures.filter(isKept))
    }
    const answered = new Set(workers.filter((_, index) => told[index] !== null))
    const before = [...this.#last].filter(([worker]) => !answered.has(worker)).map(([, figures]) => figures)
    const own = await this.#registry.getMetricsAsJSON()
    const all = [...now, own].map(figures => figures.map(asItIs))
    return AggregatorRegistry.aggregate([...all, ...before, this.#ended]).metrics()
  }
}

type Figure = Figures[number]

function isOfProcess({ name }: Figure): boolean {
  return /^(?:process|nodejs)_/.test(name)
}

/** Each process has series of its own, so nothing is added up or left out. */
function asItIs(figure: Figure): Figure {
  return isOfProcess(figure) ? { ...figure, aggregator: 'sum' } : figure
}

/** True: the figure must not go back when the worker is gone. */
function isKept(figure: Figure): boolean {
  return !isOfProcess(figure) && ['counter', 'histogram'].includes(String(figure.type))
}
