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
import type { BatchFigures } from '@voelgoed/engine/lane/batch-figures'
import type { LaneTracer, TracedWay } from '@voelgoed/engine/lane/lane-tracer'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * A trace for each request, sent to an OpenTelemetry collector. This file is loaded only when one is
 * configured. The lanes tell it of each command's way (lane/lane-tracer.ts); requests and the database are
 * hooked and wrapped here.
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
  readonly laneTracer: LaneTracer
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
    laneTracer: laneTracer(tracer, place),
    stop: () => provider.shutdown().catch(() => {}),
  }
}

/** The request that the code that runs now runs for. A lane runs for many at once, and so for none. */
type Whereabouts = AsyncLocalStorage<Context | null>

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
    place.run(context, done)
  })

  // A body arrives in the context of its connection: from here on it is the request's again.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const found = traced.get(request)
    if (found) place.run(found.context, done)
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

  return {
    ...database,
    tenant(scope, work, options) {
      const request = place.getStore()
      if (!request) return database.tenant(scope, work, options)
      return spanned(request, {}, connected =>
        database.tenant(
          scope,
          tx => {
            connected()
            return work(tx)
          },
          options,
        ),
      )
    },
    platform(purpose, work) {
      const request = place.getStore()
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

/** A span for each command that a request gave to a lane, and its parts as the lane tells of them. */
function laneTracer(tracer: Tracer, place: Whereabouts): LaneTracer {
  return {
    came(kind) {
      const request = place.getStore()
      return request ? new LaneSpan(tracer, request, kind) : null
    },
    apart: run => place.run(null, run),
  }
}

class LaneSpan implements TracedWay {
  readonly #tracer: Tracer
  readonly #span: Span
  readonly #context: Context
  readonly #cameAt = performance.now()
  #beganAt: number | null = null
  #batch: { readonly endedAt: number; readonly figures: BatchFigures } | null = null

  constructor(tracer: Tracer, request: Context, kind: string) {
    this.#tracer = tracer
    this.#span = tracer.startSpan('lane', { attributes: { 'voelgoed.command': kind } }, request)
    this.#context = trace.setSpan(request, this.#span)
  }

  began(): void {
    this.#beganAt = performance.now()
  }

  ended(figures: BatchFigures): void {
    this.#batch = { endedAt: performance.now(), figures }
  }

  left(): void {
    if (this.#beganAt !== null) this.#addParts(this.#beganAt)
    this.#span.end()
  }

  #addParts(beganAt: number): void {
    this.#part('lane.queue', this.#cameAt, beganAt)
    if (!this.#batch) return
    const { endedAt, figures } = this.#batch
    const { commands, changes, outcome, lockMs, commitMs } = figures
    this.#span.setAttributes({
      'voelgoed.batch.commands': commands,
      'voelgoed.batch.changes': changes,
      'voelgoed.batch.outcome': outcome,
    })
    const decidedAt = Math.max(beganAt, endedAt - commitMs)
    this.#part('lane.lock', beganAt, Math.min(beganAt + lockMs, decidedAt))
    if (commitMs > 0) this.#part('lane.commit', decidedAt, endedAt)
  }

  #part(name: string, from: number, to: number): void {
    this.#tracer.startSpan(name, { startTime: wallTime(from) }, this.#context).end(wallTime(to))
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
