import type { Refusal } from '@voelgoed/core/refusal'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { BatchFigures } from './batch-figures.ts'
import type { Follower, Lanes } from './lanes.ts'

/** Refusals for reasons of ours. */
export const FAILURES: ReadonlySet<Refusal['kind']> = new Set([
  'busy',
  'database_unavailable',
  'outcome_unknown',
  'internal_error',
])

/** Measures batches and the commands in them, and how much the lanes have in memory. */
export function createLaneMetrics(
  { histogram, counter, gauge }: MetricMakers,
  lanes: Pick<Lanes, 'stats'>,
): Pick<Follower, 'batch' | 'answered'> {
  const queueSeconds = histogram(
    'voelgoed_lane_queue_seconds',
    'How long the oldest command of a batch had waited',
    [],
  )
  const batchSize = histogram(
    'voelgoed_lane_batch_commands',
    'Commands in a batch',
    [],
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  )
  const lockSeconds = histogram('voelgoed_lane_lock_seconds', "Time to get an event's lock and its clock", [])
  const commitSeconds = histogram(
    'voelgoed_lane_commit_seconds',
    'Time from the last decision to the commit',
    [],
  )
  const batches = counter('voelgoed_lane_batches_total', 'Batches by outcome', ['outcome'])
  const commandSeconds = histogram(
    'voelgoed_command_seconds',
    'Time that a command spent in its lane, by command and outcome: ok, refused, failed',
    ['command', 'outcome'],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  )
  const commandRefusals = counter(
    'voelgoed_command_refusals_total',
    'Commands that a lane refused or could not do, by command and reason',
    ['command', 'reason'],
  )
  gauge('voelgoed_lanes', 'Lanes in memory', 'sum', () => lanes.stats().lanes)
  gauge(
    'voelgoed_lane_hot_bytes',
    'Memory of the events in the lanes, estimated',
    'sum',
    () => lanes.stats().hotBytes,
  )
  gauge('voelgoed_lane_queued_commands', 'Commands that wait for a batch', 'sum', () => lanes.stats().queued)

  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const outcome of OUTCOMES) batches.inc({ outcome: inOneWord(outcome) }, 0)

  return {
    batch(figures) {
      batches.inc({ outcome: inOneWord(figures.outcome) })
      batchSize.observe(figures.commands)
      queueSeconds.observe(figures.oldestWaitedMs / 1000)
      lockSeconds.observe(figures.lockMs / 1000)
      if (figures.outcome === 'written') commitSeconds.observe(figures.commitMs / 1000)
    },
    answered(command, refusal, ms) {
      const outcome = refusal === null ? 'ok' : FAILURES.has(refusal) ? 'failed' : 'refused'
      commandSeconds.observe({ command, outcome }, ms / 1000)
      if (refusal !== null) commandRefusals.inc({ command, reason: refusal })
    },
  }
}

const OUTCOMES = [
  'written',
  'nothing to write',
  'failed',
] as const satisfies readonly BatchFigures['outcome'][]

function inOneWord(text: string): string {
  return text.replaceAll(' ', '_')
}
