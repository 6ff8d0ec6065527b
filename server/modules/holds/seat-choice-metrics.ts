import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import { aloneShare, seatUseOf } from '@voelgoed/core/event/seat-use'
import { NO_SEATS_REASONS } from '@voelgoed/core/refusal'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

const FOUND = ['together', 'apart', 'last_resort'] as const
const STRANDED = ['row_nearly_full', 'last_resort', 'allowed', 'not_strict', 'refused'] as const

/** Counts which seats buyers get, and which stay alone. */
export function createSeatChoiceMetrics(
  { counter, gauges }: MetricMakers,
  views: () => Iterable<CommittedView>,
) {
  const best = counter(
    'voelgoed_best_available_total',
    'Wishes for the best seats, by outcome: together, apart, last_resort (every choice left a seat alone), or why there were none',
    ['outcome'],
  )
  const stranded = counter(
    'voelgoed_seats_stranded_total',
    'Single seats that an order leaves alone, by why it may; refused: it may not, and was refused',
    ['reason'],
  )
  const faults = counter(
    'voelgoed_seat_rule_faults_total',
    'Holds, carts and orders that the rule about single seats could not judge because of a bug, and let pass',
    [],
  )
  for (const outcome of [...FOUND, ...NO_SEATS_REASONS]) best.inc({ outcome }, 0)
  for (const reason of STRANDED) stranded.inc({ reason }, 0)
  const uses = () => Array.from(onSale(views()), ({ state }) => seatUseOf(state))
  gauges(
    'voelgoed_free_seats',
    'Free seats of events that are published or live, in memory, by whether they stand alone: no free seat beside them',
    'alone',
    () => {
      const sums = { yes: 0, no: 0 }
      for (const { free, alone } of uses()) {
        sums.yes += alone
        sums.no += free - alone
      }
      return sums
    },
  )
  gauges(
    'voelgoed_events_by_single_seats',
    'Events that are published or live, in memory, by the share of all their seats that are free and stand alone',
    'share',
    () => {
      const events = { under_5_percent: 0, from_5_to_10_percent: 0, above_10_percent: 0 }
      for (const use of uses()) events[bandOf(aloneShare(use))] += 1
      return events
    },
  )
  gauges(
    'voelgoed_companion_seats',
    'Companion seats of events that are published or live, in memory, by state: kept for a wheelchair place, free, taken',
    'state',
    () => {
      const sums = { kept: 0, free: 0, taken: 0 }
      for (const { companions } of uses()) {
        sums.kept += companions.kept
        sums.free += companions.free
        sums.taken += companions.taken
      }
      return sums
    },
  )
  return {
    ruleFailed: (): void => faults.inc(),
    /** A lane has decided a command. */
    decided({ kind }: Command, outcome: Outcome): void {
      if (kind === 'hold_best') {
        const word = outcome.ok ? foundAs(outcome.value.explanation) : noneFor(outcome.problem)
        if (word !== null) best.inc({ outcome: word })
      } else if (kind === 'start_payment') {
        if (outcome.ok) {
          const { stranding } = outcome.value
          if (stranding?.excuse) stranded.inc({ reason: stranding.excuse }, stranding.stranded.length)
        } else if (outcome.problem.kind === 'would_strand_seats') {
          stranded.inc({ reason: 'refused' }, outcome.problem.seatIds.length)
        }
      }
    },
  }
}

type Decided = Extract<Outcome, { ok: true }>['value']
type Refused = Extract<Outcome, { ok: false }>['problem']

function foundAs(explanation: Decided['explanation']): (typeof FOUND)[number] {
  if (explanation?.lastResort) return 'last_resort'
  return explanation?.together ? 'together' : 'apart'
}

function noneFor(problem: Refused): string | null {
  return problem.kind === 'no_suitable_seats' ? problem.reason : null
}

function bandOf(share: number): 'under_5_percent' | 'from_5_to_10_percent' | 'above_10_percent' {
  if (share > 0.1) return 'above_10_percent'
  return share < 0.05 ? 'under_5_percent' : 'from_5_to_10_percent'
}

function* onSale(views: Iterable<CommittedView>): Generator<CommittedView, void, void> {
  for (const view of views) {
    const { status } = view.state.settings
    if (status === 'published' || status === 'live') yield view
  }
}
