import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Lane } from './lane/lane.ts'
import type { BatchFigures } from './lane/lane-answer.ts'
import { Lanes, type LanesDeps } from './lane/lanes.ts'
import type { Database, TenantDoor } from './postgres/database.ts'

/**
 * A trace for each request, sent to an OpenTelemetry collector. This file is loaded only when one is
 * configured; without it requests, the database and the lanes are what they are everywhere else.
 *
 *   POST /api/events/:event/seats/:seat/reserve     the request
 *   ├─ postgres                                     each transaction it waited for
 *   └─ lane                                         each command it gave
 *      ├─ lane.queue                                until its batch began
 *      ├─ lane.lock                                 until the batch had the event's lock
 *      └─ lane.commit                               from the last decision to the commit
 *
 * Nothing waits for the collector: spans gather in a bounded queue and are dropped when it is full.
 */
export interface Tracing {
  /** To be called before any other hook is added. */
  traceRequests(fastify: FastifyInstance): void
  traceDatabase(database: Database): Database
  createLanes(deps: LanesDeps): Lanes
  /** Sends what has gathered, within a bound. */
  stop(): Promise<void>
}

const LIMITS = {
  maxQueueSize: 4_096,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1_000,
  exportTimeoutMillis: 3_000,
}

/** Asked every few seconds, or open for hours: their spans would say nothing and bury the others. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics', '/api/events/:event/live'])

export function startTracing(
  { endpoint, serviceName }: { endpoint: string; serviceName: string },
  log: FastifyBaseLogger,
): Tracing {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: LIMITS.exportTimeoutMillis })
  const provider = new NodeTracerProvider({
    resource: describedAs({ 'service.name': serviceName, 'service.instance.id': randomUUID() }),
    spanProcessors: [new BatchSpanProcessor(sayingWhenItFails(exporter, log), LIMITS)],
  })
  const tracer = provider.getTracer('voelgoed')
  const place: Whereabouts = new AsyncLocalStorage()
  return {
    traceRequests: fastify => traceRequests(tracer, place, fastify),
    traceDatabase: database => traceDatabase(tracer, place, database),
    createLanes: deps => new TracedLanes(deps, tracer, place),
    stop: () => provider.shutdown().catch(() => {}),
  }
}

/** What the code that runs now runs for: a request, or a lane, which serves many at once. */
type Whereabouts = AsyncLocalStorage<{ readonly request: Context } | { readonly lane: LaneSeen }>

/** What is known of the batches of a lane from outside. */
interface LaneSeen {
  /** Of the transaction that a batch, or exclusive work, began last. */
  startedAt: number
  batch: { readonly startedAt: number; readonly endedAt: number; readonly figures: BatchFigures } | null
}

function requestOf(place: Whereabouts): Context | null {
  const store = place.getStore()
  return store && 'request' in store ? store.request : null
}

function traceRequests(tracer: Tracer, place: Whereabouts, fastify: FastifyInstance): void {
  const traced = new WeakMap<FastifyRequest, { span: Span; context: Context }>()

  fastify.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    if (UNTRACED.has(route)) return done()
    const parent = callerOf(request)
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'voelgoed.request_id': request.id,
        },
      },
      parent,
    )
    // The sampler, here or upstream, has decided not to record this request.
    if (!span.isRecording()) return done()
    const { traceId, spanId } = span.spanContext()
    reply.header('traceresponse', `00-${traceId}-${spanId}-01`)
    reply.raw.once('close', () => {
      if (!span.isRecording()) return
      // The client left before it got an answer.
      span.setAttribute('voelgoed.client_left', true)
      span.end()
    })
    const context = trace.setSpan(parent, span)
    traced.set(request, { span, context })
    place.run({ request: context }, done)
  })

  // A body arrives in the context of its connection: from here on it is the request's again.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const found = traced.get(request)
    if (found) place.run({ request: found.context }, done)
    else done()
  })

  fastify.addHook('onResponse', (request, reply, done) => {
    const found = traced.get(request)
    if (found) endRequest(found.span, request, reply)
    done()
  })
}

function endRequest(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const status = reply.statusCode
  span.setAttribute('http.response.status_code', status)
  if (request.principal?.kind === 'user') {
    span.setAttribute('voelgoed.organization_id', request.principal.scope.organizationId)
  }
  if (request.refusalKind) span.setAttribute('voelgoed.refusal', request.refusalKind)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** The caller's span, if the request names it (W3C Trace Context). */
function callerOf(request: FastifyRequest): Context {
  const header = request.headers.traceparent
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null
  if (!match) return ROOT_CONTEXT
  const caller = {
    traceId: match[1]!,
    spanId: match[2]!,
    traceFlags: Number.parseInt(match[3]!, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  }
  return isSpanContextValid(caller) ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT
}

function traceDatabase(tracer: Tracer, place: Whereabouts, database: Database): Database {
  async function spanned<T>(
    parent: Context,
    attributes: Attributes,
    run: (connected: () => void) => Promise<T>,
  ): Promise<T> {
    const span = tracer.startSpan('postgres', { kind: SpanKind.CLIENT, attributes }, parent)
    try {
      return await run(() => span.addEvent('connected'))
    } catch (error) {
      // A refusal undoes its transaction by an exception: that is no failure.
      // What is one shows on the request.
      span.setAttribute('voelgoed.rolled_back', true)
      throw error
    } finally {
      span.end()
    }
  }

  const traced = (door: TenantDoor): TenantDoor => ({
    tenant(scope, work, options) {
      const store = place.getStore()
      if (!store) return door.tenant(scope, work, options)
      if ('lane' in store) {
        if (options?.holdsLedger) store.lane.startedAt = performance.now()
        return door.tenant(scope, work, options)
      }
      return spanned(store.request, {}, connected =>
        door.tenant(
          scope,
          tx => {
            connected()
            return work(tx)
          },
          options,
        ),
      )
    },
  })

  return {
    ...database,
    ...traced(database),
    lanes: traced(database.lanes),
    platform(purpose, work) {
      const request = requestOf(place)
      if (!request) return database.platform(purpose, work)
      return spanned(request, { 'voelgoed.purpose': purpose }, connected =>
        database.platform(purpose, tx => {
          connected()
          return work(tx)
        }),
      )
    },
  }
}

/**
 * Lanes that are watched from outside, so that they need to know nothing of it. A lane works for
 * everyone at once: it runs in a place of its own, not in that of the request which happened to wake it, and
 * each request reads there what became of its batch.
 */
class TracedLanes extends Lanes {
  readonly #tracer: Tracer
  readonly #place: Whereabouts
  readonly #watched = new WeakSet<Lane>()

  constructor(deps: LanesDeps, tracer: Tracer, place: Whereabouts) {
    super({
      ...deps,
      onBatch(figures) {
        deps.onBatch(figures)
        const store = place.getStore()
        if (store && 'lane' in store) {
          const { startedAt } = store.lane
          store.lane.batch = { startedAt, endedAt: performance.now(), figures }
        }
      },
    })
    this.#tracer = tracer
    this.#place = place
  }

  override lane(...of: Parameters<Lanes['lane']>): Lane {
    const lane = super.lane(...of)
    if (!this.#watched.has(lane)) {
      this.#watched.add(lane)
      this.#watchLane(lane)
    }
    return lane
  }

  #watchLane(lane: Lane): void {
    const seen: LaneSeen = { startedAt: 0, batch: null }
    const submit = lane.submit.bind(lane)
    const exclusive = lane.exclusive.bind(lane)
    const sync = lane.sync.bind(lane)
    const inLane = <T>(run: () => T): T => this.#place.run({ lane: seen }, run)

    lane.sync = () => inLane(sync)
    lane.submit = (command, key) =>
      this.#spanned(seen, command.kind, () => inLane(() => submit(command, key)))
    lane.exclusive = work => this.#spanned(seen, 'exclusive', () => inLane(() => exclusive(work)))
  }

  async #spanned<T>(seen: LaneSeen, command: string, run: () => Promise<T>): Promise<T> {
    const request = requestOf(this.#place)
    if (!request) return run()
    const since = performance.now()
    const span = this.#tracer.startSpan('lane', { attributes: { 'voelgoed.command': command } }, request)
    try {
      return await run()
    } finally {
      this.#addParts(span, trace.setSpan(request, span), since, seen)
      span.end()
    }
  }

  /**
   * A batch that began after the command came is the command's: it reports before it lets anyone go on.
   * Without one the lane has answered from memory.
   */
  #addParts(span: Span, parent: Context, since: number, { startedAt, batch }: LaneSeen): void {
    if (batch && batch.startedAt >= since) {
      const { commands, changes, outcome, lockMs, commitMs } = batch.figures
      span.setAttributes({
        'voelgoed.batch.commands': commands,
        'voelgoed.batch.changes': changes,
        'voelgoed.batch.outcome': outcome,
      })
      const decidedAt = Math.max(batch.startedAt, batch.endedAt - commitMs)
      this.#part(parent, 'lane.queue', since, batch.startedAt)
      this.#part(parent, 'lane.lock', batch.startedAt, Math.min(batch.startedAt + lockMs, decidedAt))
      if (commitMs > 0) this.#part(parent, 'lane.commit', decidedAt, batch.endedAt)
    } else if (startedAt >= since) {
      this.#part(parent, 'lane.queue', since, startedAt)
    }
  }

  #part(parent: Context, name: string, from: number, to: number): void {
    this.#tracer.startSpan(name, { startTime: wallTime(from) }, parent).end(wallTime(to))
  }
}

/** A moment of `performance.now()` by the clock on the wall, as it is set now. */
function wallTime(moment: number): number {
  return Date.now() - (performance.now() - moment)
}

/** One line when the collector can not be reached, and one when it can again. */
function sayingWhenItFails(exporter: OTLPTraceExporter, log: FastifyBaseLogger): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        const hasFailed = result.error !== undefined
        if (hasFailed && !isFailing) log.warn({ err: result.error }, 'traces do not reach the collector')
        if (!hasFailed && isFailing) log.info('traces reach the collector again')
        isFailing = hasFailed
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/**
 * The one resource all our spans have. The library makes such an object in a package that nothing else needs.
 */
function describedAs(attributes: Record<string, string>) {
  const resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}
