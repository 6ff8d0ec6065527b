import type { Kit, Module } from '../module.ts'
import type { ReleaseHolds } from '../sign-in/routes/change-user.ts'
import { createHistoryMetrics } from './history-metrics.ts'
import { HoldHistory } from './hold-history.ts'
import { createHoldMetrics } from './hold-metrics.ts'
import { followHoldHistory } from './jobs/hold-history.ts'
import { OwnHolds } from './own-holds.ts'
import { takeBackHolds } from './release-holds.ts'
import { serveHoldAdministration } from './routes/hold-administration.ts'
import { type HoldNeeds, serveHolds } from './routes/holds.ts'
import { serveStaffRelease } from './routes/staff-release.ts'
import { createSeatChoiceMetrics } from './seat-choice-metrics.ts'
import { createZoneMetrics } from './zone-metrics.ts'

/** The history waits so long after a commit, and then takes in what else was committed meanwhile. */
const HISTORY_AFTER_COMMIT_MS = 250

interface Holds extends Module {
  readonly history: HoldHistory
  /** Staff take back what a person holds. */
  readonly takeBack: ReleaseHolds
}

/**
 * Buyers hold seats and places for some minutes, and read what they hold with its price. Staff block seats
 * and release holds. A follower of the journals writes the history of the holds that have ended.
 */
export function openHolds(kit: Kit, needs: Omit<HoldNeeds, 'history' | 'metrics' | 'ownHolds'>): Holds {
  const { database, log } = kit
  const { lanes } = needs
  const metrics = createHoldMetrics(kit.metrics)
  createZoneMetrics(kit.metrics.registry, () => lanes.views())
  const history = new HoldHistory({ database, onEnded: metrics.ended })
  const follower = followHoldHistory(database, history, { log, onRun: createHistoryMetrics(kit.metrics) })
  const ownHolds = new OwnHolds(database, lanes, metrics.ownRead)
  return {
    name: 'holds',
    history,
    takeBack: (scope, wanted) => takeBackHolds(scope, { lanes, log }, wanted),
    routes(router) {
      serveHolds(router, kit, { ...needs, history, metrics, ownHolds })
      serveHoldAdministration(router, kit, lanes)
      serveStaffRelease(router, kit, { lanes, history })
    },
    jobs: [follower],
    follows: {
      ...createSeatChoiceMetrics(kit.metrics, () => lanes.views()),
      heard: metrics.heard,
      committed(changes) {
        metrics.changed(changes)
        follower.wakeIn(HISTORY_AFTER_COMMIT_MS)
      },
    },
  }
}
