import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { type Kit, type Module, sweepOf } from '../module.ts'
import { followFunnels } from './count-funnel.ts'
import { createReportMetrics } from './report-metrics.ts'
import { serveOccupancyHistory } from './routes/occupancy-history.ts'
import { serveReports } from './routes/reports.ts'
import { serveSeatUse } from './routes/seat-use.ts'
import { sweepSnapshots } from './tables/occupancy-snapshots.ts'
import { TakeSnapshots } from './take-snapshots.ts'

interface Needs {
  readonly lanes: Lanes
  readonly seatMaps: SeatMaps
  /** For how many days snapshots of occupancy are kept. */
  readonly keepDays: number
}

/**
 * Reports tell what was sold and for how much, how well the seats are used, and how full events were. A job
 * counts the journals into funnels, and another one writes down the occupancy of each event on sale.
 */
export function openReports(kit: Kit, { lanes, seatMaps, keepDays }: Needs): Module {
  const { database, log } = kit
  const metrics = createReportMetrics(kit.metrics)
  const snapshots = new TakeSnapshots({ database, log, onRun: metrics.snapshots })
  const funnels = followFunnels(database, { log, onRun: metrics.funnels })
  return {
    name: 'reports',
    routes(router) {
      serveReports(router, kit)
      serveOccupancyHistory(router, kit)
      serveSeatUse(router, { database, lanes, seatMaps })
    },
    jobs: [snapshots, funnels],
    follows: snapshots,
    sweeps: [sweepOf(database, 'occupancy_snapshots', (tx, limit) => sweepSnapshots(tx, keepDays, limit))],
  }
}
