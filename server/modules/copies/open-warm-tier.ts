import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventStore } from '@voelgoed/engine/ports/store'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import type { Kit } from '../module.ts'
import { createRedisMetrics } from './redis-metrics.ts'
import { WarmReads } from './warm-reads.ts'
import { WarmTier } from './warm-tier.ts'

/** The copies in Redis: those who write them and those who read them, with the metrics of both. */
export function openWarmTier(
  { time, log, metrics }: Kit,
  redis: RedisConnection,
  {
    lanes,
    store,
    onMiss,
  }: { readonly lanes: Lanes; readonly store: EventStore; readonly onMiss: () => void },
): { readonly warm: WarmTier; readonly reads: WarmReads } {
  const { onWritten, onRead } = createRedisMetrics(metrics, { redis, warm: () => warm, onMiss })
  const warm: WarmTier = new WarmTier({
    redis,
    time,
    log,
    doubt: ({ scope, eventId }, known) => lanes.lane(scope, eventId).doubt(known),
    onWritten,
  })
  return { warm, reads: new WarmReads({ redis, prove: event => store.prove(event, null), onRead }) }
}
