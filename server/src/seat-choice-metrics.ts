import { countAlone } from '@voelgoed/core/allocation/count-alone'
import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import { freeSeatsOf } from '@voelgoed/core/event/free-seats'
import { isKept } from '@voelgoed/core/event/rules/companions'
import { AVAILABLE } from '@voelgoed/core/event/state'
import { NO_SEATS_REASONS } from '@voelgoed/core/refusal'
import { Gauge, type Registry } from 'prom-client'
import type { CommittedView } from './lane/committed-view.ts'
import type { MetricMakers } from './metric-makers.ts'

const FOUND = ['together', 'apart', 'last_resort'] as const
const STRANDED = ['row_nearly_full', 'last_resort', 'allowed', 'not_strict', 'refused'] as const

/** Which seats buyers get, and which stay alone. */
export function createSeatChoiceMetrics(
  { counter }: MetricMakers,
  registry: Registry,
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
  for (const outcome of [...FOUND, ...NO_SEATS_REASONS]) best.inc({ outcome }, 0)
  for (const reason of STRANDED) stranded.inc({ reason }, 0)
  new Gauge({
    name: 'voelgoed_free_seats',
    help: 'Free seats of events that are published or live, in memory, by whether they stand alone: no free seat beside them',
    labelNames: ['alone'],
    aggregator: 'sum',
    registers: [registry],
    collect() {
      let [alone, others] = [0, 0]
      for (const { state } of onSale(views())) {
        const counted = countAlone(freeSeatsOf(state, []))
        alone += counted.alone
        others += counted.free - counted.alone
      }
      this.set({ alone: 'yes' }, alone)
      this.set({ alone: 'no' }, others)
    },
  })
  new Gauge({
    name: 'voelgoed_companion_seats',
    help: 'Companion seats of events that are published or live, in memory, by state: kept for a wheelchair place, free, taken',
    labelNames: ['state'],
    aggregator: 'sum',
    registers: [registry],
    collect() {
      const sums = { kept: 0, free: 0, taken: 0 }
      for (const { state } of onSale(views())) {
        const { rows, companions } = state.seats.hall
        for (const at of companions.placeOf.keys()) {
          const ordinal = rows.ordinals[at]!
          const isFree = state.seatStatus[ordinal] === AVAILABLE
          sums[isFree ? (isKept(state, ordinal) ? 'kept' : 'free') : 'taken'] += 1
        }
      }
      for (const [state, count] of Object.entries(sums)) this.set({ state }, count)
    },
  })
  return {
    /** A lane has decided a command. */
    decided({ kind }: Command, outcome: Outcome): void {
      if (kind === 'hold_best') {
        const word = outcome.ok ? foundAs(outcome.value.explanation) : noneFor(outcome.problem)
        if (word !== null) best.inc({ outcome: word })
      } else if (kind === 'start_payment' || kind === 'convert') {
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

function* onSale(views: Iterable<CommittedView>): Generator<CommittedView, void, void> {
  for (const view of views) {
    const { status } = view.state.settings
    if (status === 'published' || status === 'live') yield view
  }
}
