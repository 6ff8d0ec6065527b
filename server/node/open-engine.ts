import { createFollowerMetrics } from '@voelgoed/engine/lane/follower-metrics'
import { createLaneMetrics } from '@voelgoed/engine/lane/lane-metrics'
import type { LaneTracer } from '@voelgoed/engine/lane/lane-tracer'
import { Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventSource } from '@voelgoed/engine/ports/event-source'
import { postgresStore } from '@voelgoed/engine/postgres/postgres-store'
import { Reaper } from '@voelgoed/engine/reaper/reaper'
import { createReaperMetrics } from '@voelgoed/engine/reaper/reaper-metrics'
import { postgresWork } from '@voelgoed/engine/reaper/work'
import { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { sweepKeys } from '@voelgoed/kit/postgres/idempotency-keys'
import { type Kit, type Module, sweepOf } from '../modules/module.ts'

interface Needs {
  readonly source: EventSource
  /** Null: no collector is configured. */
  readonly tracer: LaneTracer | null
  /** False: other nodes tidy up. */
  readonly reaps: boolean
}

/**
 * The engine of a node: a lane for each event, on Postgres, and the reaper that tidies up behind them. Its
 * metrics hear of all facts before the modules do.
 */
export function openEngine(kit: Kit, { source, tracer, reaps }: Needs) {
  const { time, clock, log, database, bus } = kit
  const seatMaps = new SeatMaps(source)
  const store = postgresStore(database, seatMaps)
  const lanes = new Lanes({ store, time, bus, log, tracer })
  const { announced, ...measured } = createFollowerMetrics(kit.metrics, lanes)
  lanes.follow({ ...measured, ...createLaneMetrics(kit.metrics, lanes) })
  bus.onHeard(announced)
  const reaper: Reaper = new Reaper({
    work: postgresWork(database),
    lanes,
    time,
    clock,
    log,
    ...createReaperMetrics(kit.metrics, () => reaper.passedOver),
  })
  return {
    name: 'engine',
    ...(reaps && { jobs: [reaper], follows: reaper }),
    sweeps: [sweepOf(database, 'idempotency_keys', sweepKeys)],
    seatMaps,
    store,
    lanes,
    /** Null: it never runs here. */
    sinceReaperRunMs: () => (reaps ? reaper.sinceLastRunMs : null),
  } satisfies Module & Record<string, unknown>
}
