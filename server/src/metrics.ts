import type { Change } from '@voelgoed/core/event/change'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BatchFigures } from './engine/lane.ts'
import type { ReaperRun } from './jobs/reaper.ts'

/** What is read when somebody asks, instead of being counted as it happens. */
export interface MetricSources {
  pool(): { open: number; idle: number; waiting: number }
  layoutCache(): { hits: number; misses: number }
  engine(): { lanes: number; hotBytes: number; queued: number }
  feed(): { readers: number; delivered: number; shed: number }
  refusedAttempts(): { written: number; dropped: number }
}

const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Every metric in one place; docs/operating.md says in a line what each is for. */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]

  const histogram = <const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets = SHORT,
  ) => new Histogram({ name, help, labelNames, buckets, registers })
  const counter = <const Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const read = (name: string, help: string, label: string, values: () => Record<string, number>) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        for (const [key, value] of Object.entries(values())) this.set({ [label]: key }, value)
      },
    })

  const httpRequests = histogram(
    'voelgoed_http_request_seconds',
    'Time from the head of a request to the end of its answer',
    ['method', 'route', 'status'],
    [...SHORT, 10],
  )
  const signIns = counter('voelgoed_sign_ins_total', 'Sign-ins, sign-ups and guest sessions by outcome', [
    'way',
    'outcome',
  ])
  const layoutsSaved = histogram(
    'voelgoed_layout_save_seconds',
    'Time to check and save a layout version, by outcome',
    ['outcome'],
    [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
  )

  const holdAttempts = counter('voelgoed_hold_attempts_total', 'Wishes for seats or places', [])
  const holdSuccesses = counter('voelgoed_hold_successes_total', 'Wishes that were granted', [])
  const holdRefusals = counter('voelgoed_hold_conflicts_total', 'Wishes that were refused, by reason', [
    'reason',
  ])
  const changes = counter('voelgoed_changes_total', 'Changes of seats and holds, by kind and reason', [
    'kind',
    'reason',
  ])
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
  const reaperRun = new Gauge({
    name: 'voelgoed_reaper_run_timestamp',
    help: 'When the reaper last got through, in seconds since 1970',
    registers,
  })
  const reaperLag = new Gauge({
    name: 'voelgoed_reaper_lag_seconds',
    help: 'For how long the oldest hold that the last run tidied up had been over',
    registers,
  })
  const tierReads = counter('voelgoed_tier_reads_total', 'Reads of a seat by the tier that answered', [
    'tier',
  ])

  read(
    'voelgoed_database_connections',
    'Connections open and idle, and callers that wait for one',
    'state',
    () => sources.pool(),
  )
  read(
    'voelgoed_layout_document_requests',
    'Layouts answered from memory (hits) or made (misses)',
    'result',
    () => sources.layoutCache(),
  )
  read('voelgoed_engine', 'Lanes in memory, bytes of their states, commands that wait', 'what', () => {
    const { lanes, hotBytes, queued } = sources.engine()
    return { lanes, hot_bytes: hotBytes, queued }
  })
  read(
    'voelgoed_feed',
    'Readers of the live feed, messages delivered, readers shed because they did not read',
    'what',
    () => ({
      ...sources.feed(),
    }),
  )
  read('voelgoed_refused_attempts', 'Refused attempts written to the audit log, and dropped', 'what', () => ({
    ...sources.refusedAttempts(),
  }))

  return {
    registry,
    httpRequests,
    signIns,
    layoutsSaved,
    holdAttempts,
    holdSuccesses,
    holdRefusals,
    tierReads,
    countChanges(list: readonly Change[]): void {
      for (const change of list) {
        changes.inc({ kind: change.kind, reason: change.kind === 'seat_released' ? change.reason : '' })
      }
    },
    countBatch(figures: BatchFigures): void {
      batches.inc({ outcome: figures.outcome })
      batchSize.observe(figures.commands)
      queueSeconds.observe(figures.oldestWaitedMs / 1000)
      lockSeconds.observe(figures.lockMs / 1000)
      if (figures.outcome === 'written') commitSeconds.observe(figures.commitMs / 1000)
    },
    countReaperRun(run: ReaperRun): void {
      reaperRun.set(Date.now() / 1000)
      reaperLag.set(run.lagMs / 1000)
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
