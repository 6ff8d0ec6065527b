import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Every metric in one place; docs/operating.md says in a line what each is for. */
export function createMetrics(sources: {
  pool(): { open: number; idle: number; waiting: number }
  layoutCache(): { hits: number; misses: number }
}) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]

  const httpRequests = new Histogram({
    name: 'voelgoed_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const signIns = new Counter({
    name: 'voelgoed_sign_ins_total',
    help: 'Sign-ins, sign-ups and guest sessions by outcome',
    labelNames: ['way', 'outcome'] as const,
    registers,
  })
  const layoutsSaved = new Histogram({
    name: 'voelgoed_layout_save_seconds',
    help: 'Time to check and save a layout version, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  new Gauge({
    name: 'voelgoed_database_connections',
    help: 'Connections to Postgres that are open, idle, and callers that wait for one',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.pool())) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'voelgoed_layout_document_requests',
    help: 'Requests for a layout that were answered from memory (hits) or had to be made (misses)',
    labelNames: ['result'] as const,
    registers,
    collect() {
      for (const [result, count] of Object.entries(sources.layoutCache())) this.set({ result }, count)
    },
  })
  return { registry, httpRequests, signIns, layoutsSaved }
}

export type Metrics = ReturnType<typeof createMetrics>
