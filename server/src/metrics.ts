import type { Change } from '@voelgoed/core/event/change'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { OpenStreams } from './accounts/open-streams.ts'
import type { Snapshots } from './availability/snapshots.ts'
import { FollowerLag } from './follower-lag.ts'
import type { FollowerRun } from './jobs/journal-follower.ts'
import type { ReaperRun } from './jobs/reaper.ts'
import { SWEPT, type SweepRun } from './jobs/sweep.ts'
import type { BatchFigures } from './lane/batch-figures.ts'
import { databaseNow } from './lane/hot-event.ts'
import type { Follower } from './lane/lanes.ts'
import type { PoolStats } from './postgres/database.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createRedisBusMetrics, type RedisBusSources } from './redis-bus-metrics.ts'
import { createRedisMetrics } from './redis-metrics.ts'
import type { TenantScope } from './tenant.ts'
import type { WarmTier } from './warm/warm-tier.ts'
import { createWorkerMetrics } from './workers/worker-metrics.ts'

/** What is read at each scrape, instead of being counted as it happens. */
export interface MetricSources extends RedisBusSources {
  /** The number of this process among those behind one port; null: it is alone, and is the only worker. */
  readonly worker: number | null
  pools(): Record<'requests' | 'lanes', PoolStats>
  /** Whether Postgres answers, within a bound. */
  ping(): Promise<boolean>
  uploadBytes(): number
  /** Lines of the log of this process that could not be written. */
  lostLogLines(): number
  layoutCache(): { hits: number; misses: number }
  lanes(): { lanes: number; hotBytes: number; queued: number }
  feed(): { readers: number; delivered: number; shed: number }
  streams(): OpenStreams['counts']
  snapshots(): Snapshots['counts']
  refusedAttempts(): { written: number; counted: number; dropped: number }
  bus(): { readonly isListening: boolean; readonly malformed: number }
  reaper(): { readonly passedOver: number }
  cancelledEvents(): { readonly ending: number }
  /** Null: there is no Redis, and no metric of it. */
  readonly redis: RedisConnection | null
  warm(): Pick<WarmTier, 'counts' | 'behind'> | null
  /** What the last verify of the database found, on whichever node it ran. */
  verify(): { readonly succeededAt: number | null; readonly findings: number }
  /** How far an event is in the memory of this node; null when it is not there. */
  seqInMemory(scope: TenantScope, eventId: EventId): number | null
}

const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * What a gauge of the whole machine is made of, when there are several workers: `sum` of what each has, `max`
 * or `min` where one of them speaks for all. Counters and histograms are added up
 * (workers/metrics-of-all.ts).
 */
type OverWorkers = 'sum' | 'max' | 'min'

/**
 * Every metric in one place; docs/operating.md says in a line what each is for. Labels are closed sets
 * (kinds, outcomes, routes of the contract), never ids: the number of series does not grow with the business.
 */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry()
  collectDefaultMetrics({
    register: registry,
    ...(sources.worker !== null && { labels: { worker: String(sources.worker) } }),
  })
  const registers = [registry]

  const histogram = <const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets = SHORT,
  ) => new Histogram({ name, help, labelNames, buckets, registers })
  const counter = <const Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers })
  /** Of something that counts by itself, by one label. */
  const totals = (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count)
      },
    })
  /** Of something that counts by itself. */
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const gauge = (
    name: string,
    help: string,
    aggregator: OverWorkers,
    read?: () => number | Promise<number>,
  ) =>
    new Gauge({
      name,
      help,
      aggregator,
      registers,
      ...(read && {
        async collect() {
          this.set(await read())
        },
      }),
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
  const rateLimited = counter(
    'voelgoed_rate_limited_total',
    'Requests refused because their session or network address asked too often, by limit',
    ['limit'],
  )
  const layoutsSaved = histogram(
    'voelgoed_layout_save_seconds',
    'Time to check and save a layout version, by outcome',
    ['outcome'],
    [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
  )
  total('voelgoed_log_lines_lost_total', 'Lines of the log that could not be written', () =>
    sources.lostLogLines(),
  )
  gauge('voelgoed_upload_bytes', 'Memory set aside for large bodies of requests in progress', 'sum', () =>
    sources.uploadBytes(),
  )
  total('voelgoed_layout_cache_hits_total', 'Layouts answered from memory', () => sources.layoutCache().hits)
  total(
    'voelgoed_layout_cache_misses_total',
    'Layouts that had to be made',
    () => sources.layoutCache().misses,
  )

  const holdAttempts = counter('voelgoed_hold_attempts_total', 'Requests for seats or places', [])
  const holdSuccesses = counter(
    'voelgoed_hold_successes_total',
    'Requests for seats or places that were granted',
    [],
  )
  const holdRefusals = counter(
    'voelgoed_hold_conflicts_total',
    'Requests for seats or places that were refused, by reason',
    ['reason'],
  )
  const changes = counter('voelgoed_changes_total', 'Changes of seats and holds, by kind and reason', [
    'kind',
    'reason',
  ])
  total(
    'voelgoed_refused_attempts_written_total',
    'Refused attempts written to the audit log',
    () => sources.refusedAttempts().written,
  )
  total(
    'voelgoed_refused_attempts_counted_total',
    'Refused attempts that were added to the count of their buyer, code and minute',
    () => sources.refusedAttempts().counted,
  )
  total(
    'voelgoed_refused_attempts_dropped_total',
    'Refused attempts that are missing from the audit log',
    () => sources.refusedAttempts().dropped,
  )

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
  gauge('voelgoed_lanes', 'Lanes in memory', 'sum', () => sources.lanes().lanes)
  gauge(
    'voelgoed_lane_hot_bytes',
    'Memory of the events in the lanes, estimated',
    'sum',
    () => sources.lanes().hotBytes,
  )
  gauge(
    'voelgoed_lane_queued_commands',
    'Commands that wait for a batch',
    'sum',
    () => sources.lanes().queued,
  )

  const lag = new FollowerLag((scope, eventId) => sources.seqInMemory(scope, eventId))
  gauge(
    'voelgoed_bus_listening',
    'Whether this node receives the messages of the other nodes (1) or not (0)',
    'min',
    () => Number(sources.bus().isListening),
  )
  createRedisBusMetrics({ gauge, total, totals }, sources)
  total(
    'voelgoed_bus_malformed_messages_total',
    'Messages on the bus that this node did not understand',
    () => sources.bus().malformed,
  )
  gauge(
    'voelgoed_follower_lag_changes',
    'How many announced changes the event furthest behind in memory still lacks',
    'max',
    () => lag.worst(),
  )
  const followerDelay = histogram(
    'voelgoed_follower_delay_seconds',
    'Time from the moment a change was decided, on any node, until memory and live feed had it',
    [],
  )
  const followerRestarts = counter(
    'voelgoed_follower_restarts_total',
    'Times that followers started again from a new snapshot, because they had missed too much',
    [],
  )
  gauge('voelgoed_feed_readers', 'Readers of the live feed', 'sum', () => sources.feed().readers)
  total(
    'voelgoed_feed_messages_total',
    'Messages written to readers of the live feed, heartbeats included',
    () => sources.feed().delivered,
  )
  total(
    'voelgoed_feed_readers_shed_total',
    'Readers of the live feed that the node disconnected because they did not read',
    () => sources.feed().shed,
  )
  total(
    'voelgoed_feed_readers_ended_total',
    'Readers of the live feed whose stream the node ended because their session was over or their role had changed',
    () => sources.streams().ended,
  )
  totals(
    'voelgoed_feed_readers_refused_total',
    'Readers of the live feed that were refused, by the limit they reached (user, address, total)',
    'limit',
    () => sources.streams().refused,
  )
  totals(
    'voelgoed_availability_encodings_total',
    'Availability of an event that was encoded, by form: packed, json, compressed, or marked for one buyer',
    'form',
    () => sources.snapshots(),
  )
  const tierReads = counter(
    'voelgoed_tier_reads_total',
    'Reads of the seats of an event by the tier that answered',
    ['tier'],
  )
  const tierReadSeconds = histogram(
    'voelgoed_tier_read_seconds',
    'Time until the seats of an event could be read, by the tier that answered',
    ['tier'],
  )

  const warm =
    sources.redis &&
    createRedisMetrics({ gauge, total, counter, histogram }, sources.redis, () => sources.warm())

  const reaperRun = gauge(
    'voelgoed_reaper_run_timestamp_seconds',
    'When the reaper last completed a run, in seconds since 1970',
    'max',
  )
  const reaperLag = gauge(
    'voelgoed_reaper_lag_seconds',
    'How long before the last run the oldest hold that it found had run out',
    'max',
  )
  const reaperRuns = counter('voelgoed_reaper_runs_total', 'Runs that the reaper completed', [])
  const reaperFailures = counter(
    'voelgoed_reaper_failures_total',
    'Times that the reaper could not tidy up an event',
    [],
  )
  gauge(
    'voelgoed_reaper_passed_over_events',
    'Events that the reaper leaves alone for a while because it could not tidy them up',
    'max',
    () => sources.reaper().passedOver,
  )
  gauge(
    'voelgoed_cancelled_events_ending',
    'Cancelled events whose holds this node is ending',
    'sum',
    () => sources.cancelledEvents().ending,
  )
  const reaperExpired = counter('voelgoed_reaper_expired_total', 'Holds that the reaper tidied up', [])

  const historyEntries = counter(
    'voelgoed_history_entries_total',
    'Entries of the journal that this node read to write the history of holds',
    [],
  )
  const historyFailures = counter(
    'voelgoed_history_failures_total',
    'Events whose history of holds could not be written',
    [],
  )
  let historyLagMs = 0
  gauge(
    'voelgoed_history_lag_seconds',
    'Age of the oldest entry of the journal that was not in the history of holds, in the last run of this node',
    'max',
    () => historyLagMs / 1000,
  )

  const funnelCounted = counter(
    'voelgoed_funnel_counted_total',
    'Entries of the journal that this node counted into funnels',
    [],
  )
  const funnelFailures = counter(
    'voelgoed_funnel_failures_total',
    'Events whose journal could not be counted into their funnel',
    [],
  )
  gauge(
    'voelgoed_verify_success_timestamp_seconds',
    'When the database was last checked against the invariants, in seconds since 1970; 0: not known',
    'max',
    () => (sources.verify().succeededAt ?? 0) / 1000,
  )
  gauge(
    'voelgoed_verify_findings',
    'Violations of the invariants that the last verify found',
    'max',
    () => sources.verify().findings,
  )
  const sweepDeleted = counter('voelgoed_sweep_deleted_total', 'Rows that the sweep deleted, by kind', [
    'what',
  ])
  const sweepFailures = counter('voelgoed_sweep_failures_total', 'Sweeps that failed, by kind', ['what'])
  const sweepSeconds = histogram(
    'voelgoed_sweep_seconds',
    'Time that one run of the sweep took',
    [],
    [0.01, 0.05, 0.25, 1, 5, 30, 120],
  )

  new Gauge({
    name: 'voelgoed_database_connections',
    help: 'Connections of requests and of lanes, by whether they are in use',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { open, idle }] of Object.entries(sources.pools())) {
        this.set({ pool, state: 'busy' }, open - idle)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'voelgoed_database_waiting_callers',
    help: 'Callers that wait for a connection, of requests or of lanes',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(sources.pools())) this.set({ pool }, waiting)
    },
  })

  // Last, because it takes a connection: what is read before it does not see that.
  gauge('voelgoed_database_up', 'Whether Postgres answers this node (1) or not (0)', 'min', async () =>
    Number(await Promise.race([sources.ping(), noAnswer(PING_MS)])),
  )

  if (sources.worker === null) createWorkerMetrics(registry, () => ({ serving: 1, silent: [[1, false]] }))

  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const reason of WATCHED_REFUSALS) holdRefusals.inc({ reason }, 0)
  for (const [kind, reasons] of Object.entries(CHANGES)) {
    for (const reason of reasons) changes.inc({ kind, reason }, 0)
  }
  for (const what of SWEPT) {
    sweepDeleted.inc({ what }, 0)
    sweepFailures.inc({ what }, 0)
  }
  for (const outcome of OUTCOMES) batches.inc({ outcome: inOneWord(outcome) }, 0)

  return {
    registry,
    httpRequests,
    signIns,
    rateLimited,
    layoutsSaved,
    holdAttempts,
    holdSuccesses,
    holdRefusals,
    countTierRead(tier: 'hot' | 'redis' | 'postgres', ms: number): void {
      tierReads.inc({ tier })
      tierReadSeconds.observe({ tier }, ms / 1000)
    },
    countChanges(list: readonly Change[]): void {
      for (const change of list) {
        changes.inc({ kind: change.kind, reason: change.kind === 'seat_released' ? change.reason : '' })
      }
    },
    /** Null: there is no Redis. */
    warm,
    /** Of this node: sees how late it learns what happens. */
    follower: {
      heard(fact, view) {
        lag.advanced(fact)
        if (fact.kind === 'start_again') followerRestarts.inc()
        else followerDelay.observe(Math.max(0, databaseNow(view) - fact.changes[0]!.at) / 1000)
      },
    } satisfies Follower,
    heard(organizationId: string, eventId: string, seq: number): void {
      lag.heard(organizationId, eventId, seq)
    },
    countBatch(figures: BatchFigures): void {
      batches.inc({ outcome: inOneWord(figures.outcome) })
      batchSize.observe(figures.commands)
      queueSeconds.observe(figures.oldestWaitedMs / 1000)
      lockSeconds.observe(figures.lockMs / 1000)
      if (figures.outcome === 'written') commitSeconds.observe(figures.commitMs / 1000)
    },
    countHistory(run: FollowerRun): void {
      historyEntries.inc(run.entries)
      historyFailures.inc(run.failed)
      historyLagMs = run.lagMs
    },
    countFunnel(run: FollowerRun): void {
      funnelCounted.inc(run.entries)
      funnelFailures.inc(run.failed)
    },
    countSweep(run: SweepRun): void {
      for (const what of SWEPT) sweepDeleted.inc({ what }, run.deleted[what])
      for (const what of run.failed) sweepFailures.inc({ what })
      sweepSeconds.observe(run.ms / 1000)
    },
    countReaperRun(run: ReaperRun): void {
      reaperRun.set(Date.now() / 1000)
      reaperLag.set(run.lagMs / 1000)
      reaperRuns.inc()
      reaperExpired.inc(run.expired)
      reaperFailures.inc(run.failures)
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** Well below the time that Prometheus allows a scrape. */
const PING_MS = 4_000

function noAnswer(ms: number): Promise<false> {
  return new Promise(resolve => setTimeout(resolve, ms, false).unref())
}

const WATCHED_REFUSALS = [
  'seat_held_by_another_user',
  'seat_not_available',
  'zone_at_capacity',
  'rate_limited',
  'busy',
  'database_unavailable',
  'outcome_unknown',
  'internal_error',
] as const satisfies readonly Refusal['kind'][]

const CHANGES = {
  seat_reserved: [''],
  seat_hold_extended: [''],
  payment_started: [''],
  hold_reduced: [''],
  hold_transferred: [''],
  seat_hold_expired: [''],
  seat_released: ['user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled'],
  seat_converted: [''],
  seat_blocked: [''],
  seat_unblocked: [''],
  event_changed: [''],
} satisfies Record<Change['kind'], readonly string[]>

const OUTCOMES = [
  'written',
  'nothing to write',
  'failed',
] as const satisfies readonly BatchFigures['outcome'][]

function inOneWord(text: string): string {
  return text.replaceAll(' ', '_')
}
