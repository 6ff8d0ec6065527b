import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Of durations of requests and of their parts, in seconds. */
export const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * What a gauge of the whole machine is made of, when there are several workers: `sum` of what each has, `max`
 * or `min` where one of them speaks for all. Counters and histograms are added up
 * (workers/metrics-of-all.ts).
 */
export type OverWorkers = 'sum' | 'max' | 'min'

/** Ways to make a metric in a registry. */
export function metricMakers(registry: Registry) {
  const registers = [registry]
  return {
    histogram: <const Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[],
      buckets: readonly number[] = SHORT,
    ) => new Histogram({ name, help, labelNames, buckets: [...buckets], registers }),
    counter: <const Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    /** Of something that counts by itself, by one label. */
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
    /** Of something that counts by itself. */
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
    /** Of something that is counted at each scrape, by one label, over all workers. */
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

export type MetricMakers = ReturnType<typeof metricMakers>
