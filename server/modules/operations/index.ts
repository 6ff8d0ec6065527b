import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { VERSION } from '@voelgoed/kit/base/version'
import type { NodeState } from '../copies/tables/nodes.ts'
import type { Kit, Module, Sweep } from '../module.ts'
import { Heartbeat } from './heartbeat.ts'
import { createOperationsMetrics } from './operations-metrics.ts'
import { type RunningNeeds, serveRunning } from './routes/running.ts'
import { type SystemNeeds, serveSystem } from './routes/system.ts'
import { Sweeper } from './sweep.ts'
import { createSweepMetrics } from './sweep-metrics.ts'
import { DailyVerify } from './verify-daily.ts'

interface Needs {
  readonly lanes: Lanes
  /** Those of all modules. */
  readonly sweeps: readonly Sweep[]
  /** By which way this node hears the others. */
  readonly busBy: () => NodeState['bus']
  readonly verify: { readonly databaseUrl: string; readonly everyHours: number }
  readonly running: RunningNeeds
  readonly system: Omit<SystemNeeds, 'sinceReaperRunMs'>
}

/**
 * Operators look at this: whether a node serves, its metrics, the list of nodes, the
 * documents of the API. Its jobs say that the node lives, delete what has expired, and check the invariants
 * once a day.
 */
export function openOperations(kit: Kit, { lanes, sweeps, busBy, verify, running, system }: Needs): Module {
  const { nodeId, database, log, redis } = kit
  const heartbeat = new Heartbeat({
    database,
    log,
    state: () => ({
      id: nodeId,
      version: VERSION,
      eventsInMemory: lanes.stats().lanes,
      bus: busBy(),
      redis: redis?.breaker.state ?? 'off',
    }),
  })
  const verifying = new DailyVerify({ database, log, ...verify })
  const sweeper = new Sweeper({ sweeps, log, onRun: createSweepMetrics(kit.metrics, sweeps) })
  createOperationsMetrics(kit.metrics, heartbeat, verifying)
  return {
    name: 'operations',
    routes(router) {
      serveRunning(router, kit, running)
      serveSystem(router, kit, { ...running, ...system })
    },
    jobs: [heartbeat, verifying, sweeper],
  }
}
