import type { Change } from '@voelgoed/core/event/change'
import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import type { Refusal } from '@voelgoed/core/refusal'
import type { Fact } from '@voelgoed/engine/facts/fact'
import { FAILURES } from '@voelgoed/engine/lane/lane-metrics'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { EndedHold } from './tables/hold-history.ts'

/**
 * A hold can be asked for in these ways: one seat by its address, a list of seats, a zone's places, the best
 * seats.
 */
const METHODS = ['seat', 'seats', 'places', 'best'] as const
export type HoldMethod = (typeof METHODS)[number]

/** A buyer's release ended in one of these ways, where it was not refused. */
const RELEASES = ['released', 'already_cancelled', 'already_expired'] as const
export type ReleaseOutcome = (typeof RELEASES)[number]

/** A person's own holds are read here: in the rows only if memory does not get as far in time. */
const OWN_READS = ['memory', 'postgres'] as const

/** Counts what becomes of requests for seats, of commands, and of holds. */
export function createHoldMetrics({ counter, histogram }: MetricMakers) {
  const attempts = counter(
    'voelgoed_hold_attempts_total',
    'Requests for seats or places, by how they ask: seat, seats, places',
    ['method'],
  )
  const successes = counter(
    'voelgoed_hold_successes_total',
    'Requests for seats or places that were granted, by how they ask',
    ['method'],
  )
  const refusals = counter(
    'voelgoed_hold_conflicts_total',
    'Requests for seats or places that were refused, by reason',
    ['reason'],
  )
  const extensions = counter(
    'voelgoed_hold_extensions_total',
    'Requests to extend a hold, by outcome: ok, or the reason of the refusal',
    ['outcome'],
  )
  const releases = counter(
    'voelgoed_hold_releases_total',
    'Requests of buyers to release a hold, by outcome: released, what it was already, or the reason of the refusal',
    ['outcome'],
  )
  const ownReads = counter(
    'voelgoed_own_hold_reads_total',
    'Times that people read their own holds, by where these came from: memory, postgres',
    ['from'],
  )
  const durations = histogram(
    'voelgoed_hold_duration_seconds',
    'Time from the moment a hold was taken until it ended, by how it ended',
    ['end'],
    [1, 5, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600],
  )
  const expired = counter(
    'voelgoed_holds_expired_total',
    'Holds that ran out, by how far their buyer came: before_payment, in_payment',
    ['stage'],
  )
  const changes = counter('voelgoed_changes_total', 'Changes of seats and holds, by kind and reason', [
    'kind',
    'reason',
  ])
  const seatsSold = counter('voelgoed_seats_sold_total', 'Seats that were sold, by category', ['category'])

  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const method of METHODS) {
    attempts.inc({ method }, 0)
    successes.inc({ method }, 0)
  }
  for (const reason of WATCHED_REFUSALS) refusals.inc({ reason }, 0)
  for (const outcome of ['ok', 'hold_expired', 'hold_not_found', ...FAILURES]) extensions.inc({ outcome }, 0)
  for (const outcome of [...RELEASES, ...FAILURES]) releases.inc({ outcome }, 0)
  for (const from of OWN_READS) ownReads.inc({ from }, 0)
  for (const stage of ['before_payment', 'in_payment']) expired.inc({ stage }, 0)
  for (const category of SEAT_CATEGORIES) seatsSold.inc({ category }, 0)
  for (const [kind, reasons] of Object.entries(CHANGES)) {
    for (const reason of reasons) changes.inc({ kind, reason }, 0)
  }

  return {
    attempted: (method: HoldMethod) => attempts.inc({ method }),
    granted: (method: HoldMethod) => successes.inc({ method }),
    refused: (reason: Refusal['kind']) => refusals.inc({ reason }),
    extended: (refusal: Refusal['kind'] | null) => extensions.inc({ outcome: refusal ?? 'ok' }),
    released: (outcome: ReleaseOutcome | Refusal['kind']) => releases.inc({ outcome }),
    ownRead: (from: (typeof OWN_READS)[number]) => ownReads.inc({ from }),
    /** This node has committed these changes. */
    changed(list: readonly Change[]): void {
      for (const change of list) {
        changes.inc({ kind: change.kind, reason: change.kind === 'seat_released' ? change.reason : '' })
      }
    },
    /** Counts the seats that this node has sold. The view knows their categories. */
    heard(fact: Fact, { state }: CommittedView): void {
      if (fact.kind !== 'committed' || !fact.isOwn) return
      for (const change of fact.changes) {
        if (change.kind !== 'seat_converted' || change.ordinal === null) continue
        seatsSold.inc({ category: SEAT_CATEGORIES[state.seats.category[change.ordinal]!]! })
      }
    },
    /** Holds whose end this node wrote into the history. Times are those of the database. */
    ended(holds: readonly EndedHold[]): void {
      for (const { end, createdAt, checkoutId } of holds) {
        durations.observe({ end: endOf(end) }, Math.max(0, end.at - createdAt) / 1000)
        if (end.kind !== 'seat_hold_expired') continue
        expired.inc({ stage: checkoutId === null ? 'before_payment' : 'in_payment' })
      }
    },
  }
}

function endOf(end: EndedHold['end']): string {
  switch (end.kind) {
    case 'seat_converted':
      return 'converted'
    case 'seat_hold_expired':
      return 'expired'
    case 'seat_released':
      return end.reason
  }
}

const WATCHED_REFUSALS = [
  'seat_held_by_another_user',
  'seat_not_available',
  'zone_at_capacity',
  'rate_limited',
  ...FAILURES,
] as const satisfies readonly Refusal['kind'][]

const CHANGES = {
  seat_reserved: [''],
  seat_hold_extended: [''],
  payment_started: [''],
  payment_ended: [''],
  hold_reduced: [''],
  hold_transferred: [''],
  seat_hold_expired: [''],
  seat_released: ['user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled'],
  seat_converted: [''],
  seat_blocked: [''],
  seat_unblocked: [''],
  companions_released: [''],
  ticket_voided: [''],
  event_changed: [''],
} satisfies Record<Change['kind'], readonly string[]>
