import type { Follower, Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventStore } from '@voelgoed/engine/ports/store'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { type Kit, type Module, sweepOf } from '../module.ts'
import { ColdReads } from './cold-reads.ts'
import { createCopiesMetrics } from './copies-metrics.ts'
import { MendCopies } from './mend-copies.ts'
import { openWarmTier } from './open-warm-tier.ts'
import { Registry } from './registry.ts'
import { serveRegistry } from './routes/registry.ts'
import { sweepReports } from './tables/node-reports.ts'
import { type CountTierRead, createTierMetrics } from './tier-metrics.ts'
import type { WarmTier } from './warm-tier.ts'

interface Needs {
  readonly lanes: Lanes
  readonly store: EventStore
  readonly seatMaps: SeatMaps
}

interface Copies extends Module {
  readonly registry: Registry
  readonly coldReads: ColdReads
  readonly countTierRead: CountTierRead
}

/**
 * An event is in Postgres, in the memory of nodes, and in Redis where there is one. This module writes the
 * copy in Redis, and reads it for nodes that do not have the event in memory. It compares all copies with
 * Postgres, and makes those again that stay behind or differ.
 */
export function openCopies(kit: Kit, { lanes, store, seatMaps }: Needs): Copies {
  const { redis, time, log } = kit
  const tiers = createTierMetrics(kit.metrics)
  const inRedis = redis && openWarmTier(kit, redis, { lanes, store, onMiss: tiers.missedInRedis })
  const warm = inRedis?.warm ?? null
  const registry = new Registry({ ...kit, seatMaps, lanes, warm })
  const mendCopies: MendCopies = new MendCopies({
    lanes,
    store,
    registry,
    redis,
    time,
    log,
    ...createCopiesMetrics(kit.metrics, () => mendCopies.lagging),
  })
  return {
    name: 'copies',
    registry,
    coldReads: new ColdReads({ database: kit.database, lanes, warm: inRedis?.reads ?? null }),
    countTierRead: tiers.countRead,
    routes: router => serveRegistry(router, kit, registry),
    jobs: [mendCopies],
    follows: followerOf(warm, registry),
    sweeps: [sweepOf(kit.database, 'node_reports', sweepReports)],
  }
}

/** The warm tier follows the facts. The registry answers other nodes that ask what this one has. */
function followerOf(warm: WarmTier | null, registry: Registry): Follower {
  return {
    heard: (fact, view) => warm?.heard(fact, view),
    loaded: view => warm?.loaded(view),
    dropped: event => warm?.dropped(event),
    gone: event => warm?.gone(event),
    closed: () => warm?.closed(),
    asked: ask => void registry.asking.answer(ask),
  }
}
