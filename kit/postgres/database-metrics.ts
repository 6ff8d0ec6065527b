import { Gauge } from 'prom-client'
import type { MetricMakers } from '../metrics/metric-makers.ts'
import type { Database } from './database.ts'

/** Well below the time that Prometheus allows a scrape. */
const PING_MS = 4_000

/** The connections to Postgres, and whether it answers. */
export function createDatabaseMetrics(
  { registry, total, gauge }: MetricMakers,
  { stats, unproven, ping }: Pick<Database, 'stats' | 'unproven' | 'ping'>,
): void {
  const registers = [registry]
  new Gauge({
    name: 'voelgoed_database_connections',
    help: 'Connections of requests and of lanes, by whether they are in use',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { open, idle }] of Object.entries(stats())) {
        this.set({ pool, state: 'busy' }, open - idle)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'voelgoed_database_waiting_callers',
    help: 'Callers that wait for a connection, of requests or of lanes',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(stats())) this.set({ pool }, waiting)
    },
  })
  total(
    'voelgoed_database_connections_refused_total',
    'Connections to Postgres that were thrown away because they lacked the role and limits they were opened with',
    unproven,
  )
  // Last, because it takes a connection: what is read before it does not see that.
  gauge(
    'voelgoed_database_up',
    'Whether Postgres answers this node and takes writes (1) or not (0)',
    'min',
    async () => Number((await Promise.race([ping(), noAnswer(PING_MS)])) === 'ok'),
  )
}

function noAnswer(ms: number): Promise<null> {
  return new Promise(resolve => setTimeout(resolve, ms, null).unref())
}
