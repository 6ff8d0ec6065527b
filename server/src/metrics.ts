import type { EventId } from '@voelgoed/core/ids'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { OpenStreams } from './accounts/open-streams.ts'
import type { Snapshots } from './availability/snapshots.ts'
import { createCheckoutMetrics } from './checkout-metrics.ts'
import { type CopiesSources, createCopiesMetrics } from './copies-metrics.ts'
import { createDocumentMetrics } from './document-metrics.ts'
import { FollowerLag } from './follower-lag.ts'
import { createGateMetrics } from './gate-metrics.ts'
import { createGatewayMetrics } from './gateway-metrics.ts'
import { createGuestMetrics } from './guest-metrics.ts'
import { createHoldMetrics } from './hold-metrics.ts'
import { createImageMetrics } from './image-metrics.ts'
import { createJobMetrics, type JobSources } from './job-metrics.ts'
import type { WaitingPayments } from './jobs/payment-work.ts'
import type { RunsInProgress } from './jobs/refund-runs.ts'
import type { BatchFigures } from './lane/batch-figures.ts'
import type { CommittedView } from './lane/committed-view.ts'
import { databaseNow } from './lane/hot-event.ts'
import type { Follower } from './lane/lanes.ts'
import { createMailMetrics, type MailSources } from './mail-metrics.ts'
import { metricMakers, SHORT } from './metric-makers.ts'
import { createOrderMetrics } from './order-metrics.ts'
import type { GatewayName } from './payments/gateway.ts'
import type { DatabaseHealth, PoolStats } from './postgres/database.ts'
import { createPriceMetrics } from './price-metrics.ts'
import type { RedisConnection } from './redis/connection.ts'
import { createRedisBusMetrics, type RedisBusSources } from './redis-bus-metrics.ts'
import { createRedisMetrics } from './redis-metrics.ts'
import { createRefundRunMetrics } from './refund-run-metrics.ts'
import { createScanMetrics } from './scan-metrics.ts'
import { createSeatChoiceMetrics } from './seat-choice-metrics.ts'
import { createShareMetrics } from './share-metrics.ts'
import type { TenantScope } from './tenant.ts'
import { createTicketMetrics } from './ticket-metrics.ts'
import type { RedisGate } from './warm/gate.ts'
import type { WarmTier } from './warm/warm-tier.ts'
import { createWorkerMetrics } from './workers/worker-metrics.ts'
import { createZoneMetrics } from './zone-metrics.ts'

/** What is read at each scrape, instead of being counted as it happens. */
export interface MetricSources extends RedisBusSources, JobSources, CopiesSources, MailSources {
  /** The number of this process among those behind one port; null: it is alone, and is the only worker. */
  readonly worker: number | null
  readonly gateway: GatewayName
  readonly waitingPayments: () => WaitingPayments
  readonly refundRuns: () => RunsInProgress
  pools(): Record<'requests' | 'lanes', PoolStats>
  /** Says within a bound what Postgres is good for. */
  ping(): Promise<DatabaseHealth>
  /** Connections that arrived without the settings they were opened with. */
  unproven(): number
  uploadBytes(): number
  /** Documents of tickets that are drawn or wait for it. */
  pendingPdfs(): number
  /** Lines of the log of this process that could not be written. */
  lostLogLines(): number
  layoutCache(): { hits: number; misses: number }
  lanes(): { lanes: number; hotBytes: number; queued: number }
  /** Of the events in memory. */
  views(): Iterable<CommittedView>
  feed(): { readers: number; delivered: number; shed: number }
  streams(): OpenStreams['counts']
  snapshots(): Snapshots['counts']
  refusedAttempts(): { written: number; counted: number; dropped: number }
  lastUses(): { written: number; dropped: number }
  bus(): { readonly isListening: boolean; readonly malformed: number }
  /** Null: there is no Redis, and no metric of it. */
  readonly redis: RedisConnection | null
  warm(): Pick<WarmTier, 'counts' | 'behind'> | null
  /** Null: there is no gate. */
  readonly gate: Pick<RedisGate, 'counts'> | null
  /** How far an event is in the memory of this node; null when it is not there. */
  seqInMemory(scope: TenantScope, eventId: EventId): number | null
}

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
  const makers = metricMakers(registry)
  const { histogram, counter, totals, total, gauge } = makers

  const httpRequests = histogram(
    'voelgoed_http_request_seconds',
    'Time from the head of a request to the end of its answer',
    ['method', 'route', 'status'],
    [...SHORT, 10],
  )
  const passwords = counter(
    'voelgoed_new_passwords_total',
    'Passwords changed by who knew theirs, reset by mail, and mails asked for, by outcome: ok, or the reason of the refusal',
    ['way', 'outcome'],
  )
  for (const way of ['changed', 'asked', 'reset']) passwords.inc({ way, outcome: 'ok' }, 0)
  const signIns = counter(
    'voelgoed_sign_ins_total',
    'Sign-ins, sign-ups, guest sessions and changes of second factors by outcome',
    ['way', 'outcome'],
  )
  const identityProviderSeconds = histogram(
    'voelgoed_identity_provider_call_seconds',
    "Time of a question to an organization's identity provider, by outcome: ok, or why there is no answer",
    ['outcome'],
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  )
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

  const documentSeconds = histogram(
    'voelgoed_layout_document_seconds',
    'Time to get a document of a layout that was not in memory, by where it came from: redis, made',
    ['from'],
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  )
  const sharedDocuments = sources.redis && createDocumentMetrics(makers)

  const holds = createHoldMetrics(makers)
  const guests = createGuestMetrics(makers)
  const payments = createGatewayMetrics(makers, sources.gateway)
  const prices = createPriceMetrics(makers)
  const share = createShareMetrics(makers)
  const images = createImageMetrics(makers)
  const orders = createOrderMetrics(makers)
  const scans = createScanMetrics(makers)
  const mails = createMailMetrics(makers, sources)
  const tickets = createTicketMetrics(makers, sources)
  const checkouts = createCheckoutMetrics(makers, () => sources.waitingPayments())
  const refundRuns = createRefundRunMetrics(makers, () => sources.refundRuns())
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
  totals(
    'voelgoed_api_key_uses_total',
    'Uses of API keys and of sessions of staff that were written as their last use, or left out because too many waited',
    'outcome',
    () => sources.lastUses(),
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

  createZoneMetrics(registry, () => sources.views())
  const seatChoice = createSeatChoiceMetrics(makers, () => sources.views())

  const lag = new FollowerLag(
    (scope, eventId) => sources.seqInMemory(scope, eventId),
    () => performance.now(),
  )
  gauge(
    'voelgoed_bus_listening',
    'Whether this node receives the messages of the other nodes (1) or not (0)',
    'min',
    () => Number(sources.bus().isListening),
  )
  createRedisBusMetrics(makers, sources)
  total(
    'voelgoed_bus_malformed_messages_total',
    'Messages on the bus that this node did not understand',
    () => sources.bus().malformed,
  )
  gauge(
    'voelgoed_follower_lag_changes',
    'How many announced changes the event furthest behind in memory still lacks',
    'max',
    () => lag.worst().changes,
  )
  gauge(
    'voelgoed_follower_lag_seconds',
    'Time since the oldest change was announced that memory still lacks',
    'max',
    () => lag.worst().ms / 1000,
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
  const tierMisses = counter(
    'voelgoed_tier_misses_total',
    'Reads of the seats of an event that a tier could not answer: hot, redis',
    ['tier'],
  )
  for (const tier of ['hot', 'redis']) tierMisses.inc({ tier }, 0)
  const tierReadSeconds = histogram(
    'voelgoed_tier_read_seconds',
    'Time until the seats of an event could be read, by the tier that answered',
    ['tier'],
  )

  const warm =
    sources.redis &&
    createRedisMetrics(makers, {
      redis: sources.redis,
      warm: () => sources.warm(),
      missed: () => tierMisses.inc({ tier: 'redis' }),
    })
  const gate = sources.gate && createGateMetrics(makers, sources.gate)

  const jobs = createJobMetrics(makers, sources)

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

  const copies = createCopiesMetrics(makers, sources)

  total(
    'voelgoed_database_connections_refused_total',
    'Connections to Postgres that were thrown away because they lacked the role and limits they were opened with',
    () => sources.unproven(),
  )

  // Last, because it takes a connection: what is read before it does not see that.
  gauge(
    'voelgoed_database_up',
    'Whether Postgres answers this node and takes writes (1) or not (0)',
    'min',
    async () => Number((await Promise.race([sources.ping(), noAnswer(PING_MS)])) === 'ok'),
  )

  if (sources.worker === null) createWorkerMetrics(registry, () => ({ serving: 1, silent: [[1, false]] }))

  // A series that begins at 1 has, to Prometheus, never increased: those that alerts look at begin at 0.
  for (const outcome of OUTCOMES) batches.inc({ outcome: inOneWord(outcome) }, 0)

  return {
    registry,
    httpRequests,
    signIns,
    identityProviderAsked: (outcome: string, ms: number) =>
      identityProviderSeconds.observe({ outcome }, ms / 1000),
    passwords,
    rateLimited,
    layoutsSaved,
    /** Null: there is no Redis. */
    sharedDocuments,
    countDocument(from: 'redis' | 'made', ms: number): void {
      documentSeconds.observe({ from }, ms / 1000)
    },
    holds,
    guests,
    payments,
    prices,
    share,
    images,
    orders,
    scans,
    checkouts,
    refundRuns,
    mails,
    tickets,
    seatChoice,
    ...jobs,
    countTierRead(tier: 'hot' | 'redis' | 'postgres', ms: number): void {
      tierReads.inc({ tier })
      if (tier !== 'hot') tierMisses.inc({ tier: 'hot' })
      tierReadSeconds.observe({ tier }, ms / 1000)
    },
    /** Null: there is no Redis. */
    warm,
    /** Null: there is no gate. */
    gate,
    copies,
    /** Of this node: sees how late it learns what happens. */
    follower: {
      heard(fact, view) {
        lag.advanced(fact)
        holds.heard(fact, view)
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
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** Well below the time that Prometheus allows a scrape. */
const PING_MS = 4_000

function noAnswer(ms: number): Promise<null> {
  return new Promise(resolve => setTimeout(resolve, ms, null).unref())
}

const OUTCOMES = [
  'written',
  'nothing to write',
  'failed',
] as const satisfies readonly BatchFigures['outcome'][]

function inOneWord(text: string): string {
  return text.replaceAll(' ', '_')
}
