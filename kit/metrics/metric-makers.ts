import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Buckets for durations of requests and of their parts, in seconds. */
export const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Buckets for runs of jobs, in seconds. */
export const RUNS = [0.001, 0.005, 0.01, 0.05, 0.25, 1, 5, 30, 120]

/**
 * A gauge of the whole machine is made of this, when there are several workers: `sum` of what each has, `max`
 * or `min` where one of them speaks for all. Counters and histograms are added up
 * (workers/metrics-of-all.ts).
 */
export type OverWorkers = 'sum' | 'max' | 'min'

/**
 * The metrics of a process, and ways to make one. Labels are closed sets (kinds, outcomes, routes of the
 * contract), never ids: the number of series does not grow with the business.
 *
 * `worker`: the number of this process among those behind one port; null: it is alone.
 */
export function openMetrics(worker: number | null) {
  const registry = new Registry()
  collectDefaultMetrics({
    register: registry,
    ...(worker !== null && { labels: { worker: String(worker) } }),
  })
  const registers = [registry]
  return {
    registry,
    histogram: <const Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[],
      buckets: readonly number[] = SHORT,
    ) => new Histogram({ name, help, labelNames, buckets: [...buckets], registers }),
    counter: <const Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    /** Makes the counter of something that counts by itself, by one label. */
    totals: (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset()
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count)
        },
      }),
    /** Makes the counter of something that counts by itself. */
    total: (name: string, help: string, read: () => number) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset()
          this.inc(read())
        },
      }),
    /** Makes the gauge of something that is counted at each scrape, by one label, over all workers. */
    gauges: (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
      new Gauge({
        name,
        help,
        labelNames: [label],
        aggregator: 'sum',
        registers,
        collect() {
          for (const [value, count] of Object.entries(read())) this.set({ [label]: value }, count)
        },
      }),
    gauge: (name: string, help: string, aggregator: OverWorkers, read?: () => number | Promise<number>) =>
      new Gauge({
        name,
        help,
        aggregator,
        registers,
        ...(read && {
          async collect() {
            this.set(await read())
          },
        }),
      }),
  }
}

export type MetricMakers = ReturnType<typeof openMetrics>
