import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Figures } from './calls.ts'
import { type Counted, MetricsOfAll } from './metrics-of-all.ts'

/** A worker with one metric of each kind. */
class FakeWorker implements Counted {
  readonly number: number
  isSilent = false
  readonly registry = new Registry()
  readonly #registers = [this.registry]
  readonly sold = new Counter({ name: 'sold_total', help: 'Sold', registers: this.#registers })
  readonly took = new Histogram({ name: 'took', help: 'Took', buckets: [1], registers: this.#registers })
  readonly readers = new Gauge({ name: 'readers', help: 'Readers', registers: this.#registers })
  readonly lag = new Gauge({ name: 'lag', help: 'Lag', aggregator: 'max', registers: this.#registers })
  readonly start = new Gauge({
    name: 'process_start',
    help: 'Start',
    labelNames: ['worker'],
    aggregator: 'omit',
    registers: this.#registers,
  })

  constructor(number: number, { sold, lag }: { sold: number; lag: number }) {
    this.number = number
    this.sold.inc(sold)
    this.took.observe(0.5)
    this.readers.set(10)
    this.lag.set(lag)
    this.start.set({ worker: String(number) }, 100 + number)
  }

  async figures(): Promise<Figures | null> {
    // As a message to the keeper, which is a copy.
    return this.isSilent ? null : JSON.parse(JSON.stringify(await this.registry.getMetricsAsJSON()))
  }
}

async function read(all: MetricsOfAll, names: RegExp): Promise<string[]> {
  const lines = (await all.read()).split('\n')
  return lines.filter(line => !line.startsWith('#') && names.test(line))
}

it('counters and histograms are added, gauges as each says, and a process keeps series of its own', async () => {
  const workers = [new FakeWorker(1, { sold: 3, lag: 5 }), new FakeWorker(2, { sold: 4, lag: 2 })]
  const all = new MetricsOfAll(() => workers)
  expect(await read(all, /^(sold|took|readers|lag|process_start\{)/)).toEqual([
    'sold_total 7',
    'took_bucket{le="1"} 2',
    'took_bucket{le="+Inf"} 2',
    'took_sum 1',
    'took_count 2',
    'readers 20',
    'lag 5',
    'process_start{worker="1"} 101',
    'process_start{worker="2"} 102',
  ])
})

it('a worker that does not answer is named, and what it had counted stays in the sum', async () => {
  const [one, two] = [new FakeWorker(1, { sold: 3, lag: 5 }), new FakeWorker(2, { sold: 4, lag: 2 })]
  const all = new MetricsOfAll(() => [one, two])
  await all.read()
  one.isSilent = true
  two.sold.inc(1)
  expect(await read(all, /^(sold|readers|lag|voelgoed_worker_silent)/)).toEqual([
    'sold_total 8',
    'readers 10',
    'lag 2',
    'voelgoed_worker_silent{worker="1"} 1',
    'voelgoed_worker_silent{worker="2"} 0',
  ])
})

it('a sum does not go back when workers end and others take their place', async () => {
  const serving = [new FakeWorker(1, { sold: 3, lag: 5 }), new FakeWorker(2, { sold: 4, lag: 2 })]
  const [one, two] = serving as [FakeWorker, FakeWorker]
  const all = new MetricsOfAll(() => serving)
  await all.read()
  // One is killed. The other is replaced, and tells what it counted while it stopped.
  all.ended(one)
  two.sold.inc(2)
  serving.splice(0, 2, new FakeWorker(1, { sold: 1, lag: 0 }))
  expect(await read(all, /^sold/)).toEqual(['sold_total 8'])
  all.lastFigures(two, (await two.figures())!)
  all.ended(two)
  expect(await read(all, /^(sold|took_count|readers)/)).toEqual([
    'sold_total 10',
    'took_count 3',
    'readers 10',
  ])
})
