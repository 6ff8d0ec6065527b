import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { Announcements } from '@voelgoed/kit/postgres/announcements'
import type { RedisBus } from './redis-bus.ts'

/** Counts what nodes tell each other. `redisBus`: null when they do so through Postgres alone. */
export function createBusMetrics(
  { gauge, total, totals }: MetricMakers,
  announcements: Announcements,
  redisBus: RedisBus | null,
): void {
  const bus = redisBus ?? announcements
  gauge(
    'voelgoed_bus_listening',
    'Whether this node receives the messages of the other nodes (1) or not (0)',
    'min',
    () => Number(bus.isListening),
  )
  total(
    'voelgoed_bus_malformed_messages_total',
    'Messages on the bus that this node did not understand',
    () => bus.malformed,
  )
  if (!redisBus) return
  gauge(
    'voelgoed_bus_by_redis',
    'Whether this node hears the other nodes by Redis (1) or by Postgres alone (0)',
    'min',
    () => Number(redisBus.isByRedis),
  )
  totals(
    'voelgoed_bus_told_total',
    'Times that this node told the others how far an event is, by way: redis, postgres',
    'way',
    () => redisBus.told,
  )
  total(
    'voelgoed_bus_dropped_total',
    'Times that this node did not tell the others how far an event is, because too many had moved on',
    () => redisBus.dropped,
  )
}
