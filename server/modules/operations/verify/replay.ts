import { apply } from '@voelgoed/core/event/apply'
import { DamagedJournal } from '@voelgoed/core/event/packed-changes'
import { restoreState } from '@voelgoed/core/event/restore'
import { createState, type EventState, WHEELCHAIR } from '@voelgoed/core/event/state'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import { readStateRows } from '@voelgoed/engine/tables/event-state'
import { readJournal } from '@voelgoed/engine/tables/journal'
import { readLedger } from '@voelgoed/engine/tables/ledger'
import { readPlan } from '@voelgoed/engine/view/load-event'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import type { Snapshot } from '@voelgoed/kit/postgres/inspect'
import { findEvent } from '../../events/tables/events.ts'
import { policyChangedAt, readCounters, staffOf } from '../checks/event-rows.ts'
import { differences, type Facet, type Found } from './differences.ts'
import { LimitWatch } from './limit-watch.ts'

/** The replay of a journal may find these wrong. */
export const REPLAY_CHECKS: readonly { invariant: number; facet: Facet; name: string }[] = [
  { invariant: 2, facet: 'rows', name: 'replay: the tables make a state that a node can load' },
  { invariant: 2, facet: 'seats', name: 'replay: the journal gives the seats of the tables' },
  { invariant: 2, facet: 'holds', name: 'replay: the journal gives the live holds of the tables' },
  { invariant: 4, facet: 'journal', name: 'replay: every change is legal where it stands' },
  { invariant: 5, facet: 'zones', name: 'replay: the journal gives the counters of the tables' },
  { invariant: 8, facet: 'next expiry', name: 'replay: the journal gives the next expiry of the ledger' },
  {
    invariant: 11,
    facet: 'settings',
    name: "replay: the journal gives the event's status, window and zones",
  },
  { invariant: 16, facet: 'limit', name: 'replay: no buyer ever had more than the limit' },
]

const PAGE = 5_000
/** A batch may have read the policy so long before its commit. */
const POLICY_GRACE_MS = 15_000

/**
 * Plays an event's journal from the beginning, a page at a time, and compares what comes out with the tables.
 * The plan it starts from is today's: zones never shrink once an event is on sale,
 * so that no old hold is too many.
 */
export async function replayEvent(
  snapshot: Snapshot,
  seatMaps: SeatMaps,
  { organization_id, event_id }: { organization_id: OrganizationId; event_id: EventId },
  onPage: (changes: number) => void,
): Promise<Found[]> {
  const tx = snapshot.tenant(organization_id)
  const ledger = (await readLedger(tx, event_id))!
  const event = (await findEvent(tx, event_id))!
  const { plan } = await readPlan(tx, seatMaps, event)
  const { policy } = plan.settings
  const since = Math.max(event.updatedAt.getTime(), await policyChangedAt(tx)) + POLICY_GRACE_MS
  const limit = Math.min(policy.max_seats_per_booking ?? Infinity, policy.max_holds_per_user ?? Infinity)
  const limits = new LimitWatch({ limit, since, staff: await staffOf(tx) })

  const found: Found[] = []
  const replayed = createState(plan)
  for (;;) {
    const changes = await readJournal(tx, event_id, replayed.seq, PAGE).catch((error: unknown) => {
      if (error instanceof DamagedJournal) return error
      throw error
    })
    if (changes instanceof DamagedJournal) {
      return [...found, { facet: 'journal', details: { seq: replayed.seq, problem: changes.message } }]
    }
    for (const change of changes) {
      const problem = problemOf(() => apply(replayed, change))
      if (problem !== null) {
        const { seq, kind } = change
        // Whatever follows means nothing.
        return [...found, { facet: 'journal', details: { seq, kind, problem } }]
      }
      const overLimit = limits.after(replayed, change)
      if (overLimit) found.push({ facet: 'limit', details: overLimit })
    }
    onPage(changes.length)
    if (changes.length < PAGE) break
  }

  const rows = await readStateRows(tx, event_id, {
    ledger,
    windowSeconds: policy.hold_window_seconds,
    zoneOf: plan.seats.zoneOf,
    isWheelchair: ordinal => plan.seats.category[ordinal] === WHEELCHAIR,
    zonesWithoutSeats: plan.zones.flatMap((zone, index) => (hasSeats(zone.zoneType) ? [] : [index])),
  })
  const counters = await readCounters(tx, event_id)
  let state: EventState | undefined
  const problem = problemOf(() => {
    state = restoreState(plan, rows)
  })
  if (!state) return [...found, { facet: 'rows', details: { problem } }]
  const tables = { state, plan, counters, nextExpiry: ledger.nextExpiry }
  return [...found, ...differences(replayed, tables)]
}

/**
 * Whatever is thrown while working on rows: a broken assertion, or rows so odd that the code trips over them.
 */
function problemOf(work: () => void): string | null {
  try {
    work()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
