import { Counter, Gauge, type Registry } from 'prom-client'

/** A keeper counts its workers. A process without a keeper counts itself. */
export function createWorkerMetrics(
  registry: Registry,
  read: () => { readonly serving: number; readonly silent: readonly (readonly [number, boolean])[] },
): { readonly deaths: Counter } {
  const registers = [registry]
  new Gauge({
    name: 'voelgoed_workers',
    help: 'Processes behind the port that take in connections',
    registers,
    collect() {
      this.set(read().serving)
    },
  })
  new Gauge({
    name: 'voelgoed_worker_silent',
    help: 'Whether this worker did not tell its figures in time (1) or did (0); what it counted before is in the sums',
    labelNames: ['worker'],
    registers,
    collect() {
      this.reset()
      for (const [worker, isSilent] of read().silent) this.set({ worker: String(worker) }, Number(isSilent))
    },
  })
  return {
    deaths: new Counter({
      name: 'voelgoed_worker_deaths_total',
      help: 'Workers that ended without being asked to',
      registers,
    }),
  }
}
