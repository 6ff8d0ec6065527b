import { FAULTS, type MendCopiesDeps, RESULTS, TIERS, type TierName } from './jobs/mend-copies.ts'
import type { SnapshotRun } from './jobs/take-snapshots.ts'
import type { MetricMakers } from './metric-makers.ts'

export interface CopiesSources {
  /** Nodes of the installation that live. */
  nodesAlive(): number
  /** Copies that are behind Postgres and may yet catch up. */
  lagging(): Readonly<Record<TierName, number>>
}

interface CopiesMetrics {
  readonly compared: MendCopiesDeps['onCompared']
  readonly found: MendCopiesDeps['onFound']
  readonly mended: MendCopiesDeps['onMended']
  readonly snapshots: (run: SnapshotRun) => void
}

/** The metrics of the copies of events, of the nodes that keep them, and of snapshots of occupancy. */
export function createCopiesMetrics(
  { gauge, counter }: MetricMakers,
  { nodesAlive, lagging }: CopiesSources,
): CopiesMetrics {
  gauge('voelgoed_nodes', 'Nodes of the installation that said within 10 s that they live', 'max', nodesAlive)
  gauge(
    'voelgoed_copies_behind',
    'Events whose memory on this node, or copy in Redis, lacked what Postgres had at the last look',
    'sum',
    () => lagging().memory + lagging().redis,
  )
  const compared = counter(
    'voelgoed_copies_compared_total',
    'Copies of events that were compared with Postgres by their digest, by tier and result',
    ['tier', 'result'],
  )
  const found = counter(
    'voelgoed_copies_found_total',
    'Copies of events that stayed behind Postgres for 30 s, or differed from it, by tier and fault',
    ['tier', 'fault'],
  )
  const mended = counter(
    'voelgoed_copies_mended_total',
    'Copies of events that were made again for that reason, and are right since, by tier',
    ['tier'],
  )
  const taken = counter('voelgoed_occupancy_snapshots_total', 'Snapshots of the occupancy of events', [])
  const notTaken = counter(
    'voelgoed_occupancy_snapshot_failures_total',
    'Events of which no snapshot could be taken; it is tried again',
    [],
  )
  for (const tier of TIERS) {
    for (const result of RESULTS) compared.inc({ tier, result }, 0)
    for (const fault of FAULTS) found.inc({ tier, fault }, 0)
    mended.inc({ tier }, 0)
  }
  return {
    compared: (tier, result) => compared.inc({ tier, result }),
    found: (tier, fault) => found.inc({ tier, fault }),
    mended: tier => mended.inc({ tier }),
    snapshots: run => {
      taken.inc(run.taken)
      notTaken.inc(run.failed)
    },
  }
}
