import { randomUUID } from 'node:crypto'
import { createBusMetrics } from '@voelgoed/engine/bus/bus-metrics'
import { RedisBus } from '@voelgoed/engine/bus/redis-bus'
import { lostLogLines } from '@voelgoed/kit/base/log'
import { processTime } from '@voelgoed/kit/base/time'
import { type AddressLimits, OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import { AddressLimitsOfAll } from '@voelgoed/kit/http/address-limits-of-all'
import { startLargeBodies } from '@voelgoed/kit/http/large-bodies'
import { OtherSites } from '@voelgoed/kit/http/other-sites'
import { OwnSessionLimits, SessionLimitsOfAll } from '@voelgoed/kit/http/session-limits'
import { Uploads } from '@voelgoed/kit/http/uploads'
import { openMetrics, SHORT } from '@voelgoed/kit/metrics/metric-makers'
import { Announcements } from '@voelgoed/kit/postgres/announcements'
import { DatabaseClock } from '@voelgoed/kit/postgres/database-clock'
import { createDatabaseMetrics } from '@voelgoed/kit/postgres/database-metrics'
import { openDatabase, prepareDatabase } from '@voelgoed/kit/postgres/open'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { LimitCounts } from '@voelgoed/kit/redis/limit-counts'
import { PubSub } from '@voelgoed/kit/redis/pub-sub'
import type { Config } from '../config.ts'
import { MIGRATIONS } from '../database/migrations.ts'
import { createWorkerMetrics } from '../keeper/worker-metrics.ts'
import type { Kit } from '../modules/module.ts'
import type { DrainReason, NodeDeps } from './node-deps.ts'

const MIB = 1024 * 1024
/** A worker must have room for the largest body, however many workers there are. */
const LARGEST_BODY = 96 * MIB

interface NodeState {
  /** It listens here; null: it does not yet. */
  address: string | null
  /** Null: nothing has asked it to stop. */
  leaving: DrainReason | null
}

/** The kit of a node, and what only the node itself may do with it. */
export type OpenedKit = Awaited<ReturnType<typeof openKit>>

/** Everything a node has before its modules: Postgres is prepared and open, and nothing is heard yet. */
export async function openKit(
  config: Config,
  databaseUrl: string,
  { log, clock, time = processTime, worker, requestLogin = null }: NodeDeps,
) {
  if (!worker) await prepareDatabase(databaseUrl, MIGRATIONS, { ...config, requestLogin }, log)
  const workers = worker?.count ?? 1
  const opened = await openDatabase(databaseUrl, {
    maxConnections: Math.floor(config.databaseConnections / workers),
    connectSeconds: config.connectSeconds,
    requestLogin,
  })
  const tracing = config.tracing && (await import('./tracing.ts')).startTracing(config.tracing, log)
  const database = tracing?.traceDatabase(opened.database) ?? opened.database
  const databaseClock = await DatabaseClock.start(database, clock)
  const metrics = openMetrics(worker?.number ?? null)
  if (!worker) createWorkerMetrics(metrics.registry, () => ({ serving: 1, silent: [[1, false]] }))
  metrics.total('voelgoed_log_lines_lost_total', 'Lines of the log that could not be written', lostLogLines)

  const announcements = new Announcements(opened.requestUrl, log)
  announcements.onListeningChange(yes =>
    log.info({ listening: yes }, yes ? 'hears the other nodes' : 'can not hear the other nodes'),
  )
  const redis = config.redisUrls.length > 0 ? new RedisConnection(config.redisUrls, log) : null
  const redisBus =
    redis && config.bus === 'redis'
      ? new RedisBus(new PubSub({ redis, time, log }), announcements, log)
      : null
  const bus = redisBus ?? announcements

  createBusMetrics(metrics, announcements, redisBus)

  const limitCounts = redis && new LimitCounts(redis)
  if (limitCounts) {
    metrics.totals(
      'voelgoed_shared_limit_answers_total',
      'Questions to Redis about limits that hold over all nodes, by outcome: allowed, refused, unanswered',
      'outcome',
      () => limitCounts.counts,
    )
  }
  const ownAddressLimits: AddressLimits = worker?.addressLimits ?? new OwnAddressLimits(clock)
  const ownSessionLimits = new OwnSessionLimits(clock)
  const sessionLimitsOfAll =
    limitCounts && new SessionLimitsOfAll(ownSessionLimits, limitCounts, { clock, time })
  const largeBodies = startLargeBodies(log)
  const uploads = new Uploads({
    perNodeBytes: Math.max((416 * MIB) / workers, 2 * LARGEST_BODY),
    perOrganizationBytes: Math.max((96 * MIB) / workers, LARGEST_BODY),
    clock,
  })
  metrics.gauge(
    'voelgoed_upload_bytes',
    'Memory set aside for large bodies of requests in progress',
    'sum',
    () => uploads.bytes,
  )
  createDatabaseMetrics(metrics, database)
  const state: NodeState = { address: null, leaving: null }
  const kit: Kit = {
    nodeId: randomUUID(),
    clock,
    time,
    log,
    database,
    metrics,
    bus,
    redis,
    http: {
      rateLimits: config.rateLimits,
      rateLimited: metrics.counter(
        'voelgoed_rate_limited_total',
        'Requests refused because their session or network address asked too often, by limit',
        ['limit'],
      ),
      requestSeconds: metrics.histogram(
        'voelgoed_http_request_seconds',
        'Time from the head of a request to the end of its answer',
        ['method', 'route', 'status'],
        [...SHORT, 10],
      ),
      addressLimits: limitCounts ? new AddressLimitsOfAll(ownAddressLimits, limitCounts) : ownAddressLimits,
      sessionLimits: sessionLimitsOfAll ?? ownSessionLimits,
      largeBodies,
      uploads,
      otherSites: new OtherSites({ database, clock, metrics }),
      pageUrl: () => config.publicUrl ?? state.address ?? '',
    },
  }
  return {
    kit,
    workers,
    tracing,
    databaseClock,
    announcements,
    redisBus,
    state,
    startBus: () => bus.start(),
    /** The other nodes are not heard or told any more. */
    async closeBus(): Promise<void> {
      sessionLimitsOfAll?.close()
      await bus.stop()
    },
    /** All but Postgres. */
    async close(): Promise<void> {
      redis?.close()
      await Promise.all([largeBodies.close(), tracing?.stop()])
    },
  }
}
