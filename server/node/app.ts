import type { Socket } from 'node:net'
import { setEventImage } from '@voelgoed/contract/images'
import type { Refusal } from '@voelgoed/core/refusal'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { closeIdleConnections } from '@voelgoed/kit/http/idle-connections'
import { OutageLine } from '@voelgoed/kit/http/outage-line'
import { PROBLEM_TYPE, toProblem } from '@voelgoed/kit/http/problem'
import { readBodyOf } from '@voelgoed/kit/http/read-bytes'
import { Router, type RouterDeps, sendRefusal } from '@voelgoed/kit/http/serve'
import { NoRoomForUpload } from '@voelgoed/kit/http/uploads'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Kit, Module } from '../modules/module.ts'
import type { Tracing } from './tracing.ts'

export interface App {
  readonly fastify: FastifyInstance
  readonly router: Router
}

interface AppNeeds extends Pick<RouterDeps, 'principals' | 'liveTokens' | 'lanes' | 'trustProxy'> {
  /** Null: no collector is configured. */
  readonly tracing: Tracing | null
  /** True once this process takes in no more connections: those that are open end with their next answer. */
  readonly isLeaving: () => boolean
}

/** Makes the server of a node: what it does with every request, and the routes of all modules. */
export function buildApp(
  { clock, log, http }: Kit,
  { tracing, isLeaving, ...judging }: AppNeeds,
  modules: readonly Module[],
): App {
  const fastify = Fastify({
    // Its logger for each request costs more than the lines we write: they name the request themselves.
    logger: false,
    genReqId: request => requestId(request.headers['x-request-id'], clock.now()),
    // A body of 96 MiB over a slow line has time; a client that sends a byte a minute has not.
    requestTimeout: 120_000,
    keepAliveTimeout: 30_000,
    routerOptions: { maxParamLength: 200 },
    return503OnClosing: false,
    // Without a Host header Node would answer by itself, and not with a problem.
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    frameworkErrors: (_error, request, reply) => {
      const bad: Refusal = {
        kind: 'invalid_request',
        errors: [{ path: '/url', message: 'is not a valid URL' }],
      }
      return sendRefusal(request as FastifyRequest, reply as never, bad)
    },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return
      const { status, text } = toProblem(
        { kind: 'invalid_request', errors: [{ path: '', message: 'This is not a valid HTTP request.' }] },
        uuidV7(clock.now()),
      )
      socket.end(
        `HTTP/1.1 ${status} Bad Request\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
      )
    },
  })
  // An expectation we don't know is no reason not to answer.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  )
  closeUnusedConnections(fastify)
  closeIdleConnections(fastify.server)
  fastify.decorateRequest('principal', null)
  fastify.decorateRequest('refusalKind', null)
  fastify.decorateRequest('site', null)
  fastify.decorateRequest('isSiteRefused', false)

  // Bodies stay bytes until the route's own schema looks at them (see serve.ts).
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(['application/json', ...setEventImage.bytesOf], readBodyOf)

  tracing?.traceRequests(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    if (isLeaving()) reply.header('connection', 'close')
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    http.requestSeconds.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    )
    const line = {
      reqId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.principal?.kind === 'user' && {
        organization_id: request.principal.scope.organizationId,
        user_id: request.principal.user.userId,
      }),
      ...(request.refusalKind && { refusal: request.refusalKind }),
    }
    if (request.method === 'GET' && reply.statusCode < 500) log.debug(line, 'request')
    else log.info(line, 'request')
    done()
  })
  const outageLine = new OutageLine(clock)
  fastify.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request)
    if (refusal.kind === 'internal_error') log.error({ reqId: request.id, err: error }, 'unexpected failure')
    else if (refusal.kind === 'database_unavailable') {
      const unsaid = outageLine.take()
      if (unsaid !== null) {
        log.warn({ reqId: request.id, err: error, unsaid }, 'the database is out of reach')
      }
    } else if (refusal.kind === 'outcome_unknown')
      log.warn({ reqId: request.id, err: error }, 'the outcome of a commit is unknown')
    return sendRefusal(request, reply, refusal)
  })
  fastify.setNotFoundHandler((request, reply) => sendRefusal(request, reply, { kind: 'not_found' }))

  const router = new Router(fastify, { ...http, ...judging })
  for (const module of modules) module.routes?.(router)
  return { fastify, router }
}

/**
 * Browsers open connections ahead of need. Node counts one that has not sent a byte yet as busy, and a
 * shutdown would wait for it until the bound.
 */
function closeUnusedConnections(fastify: FastifyInstance): void {
  const open = new Set<Socket>()
  fastify.server.on('connection', socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  fastify.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  })
}

/** The caller's own id is taken over when it is one that can stand in a log. */
function requestId(header: string | string[] | undefined, now: number): string {
  return typeof header === 'string' && /^[\w.:-]{1,100}$/.test(header) ? header : uuidV7(now)
}

function refusalOf(error: unknown, request: FastifyRequest): Refusal {
  // The sender hung up in the middle of the body. It has the code of a lost connection,
  // but not of ours to Postgres.
  if ((error as Error).message === 'aborted') {
    return { kind: 'invalid_request', errors: [{ path: '', message: 'The body ended too early.' }] }
  }
  if (error instanceof NoRoomForUpload) return { kind: 'busy', retryAfterSeconds: 5 }
  const outage = outageKind(error)
  if (outage) return { kind: outage, retryAfterSeconds: outage === 'busy' ? 1 : 2 }
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { kind: 'payload_too_large', limitBytes: request.routeOptions.bodyLimit ?? 0 }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { kind: 'unsupported_media_type' }
  }
  // Whatever else the HTTP layer refuses (a length that does not match, an aborted body) is the sender's.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return { kind: 'invalid_request', errors: [{ path: '', message: (error as Error).message }] }
  }
  return { kind: 'internal_error' }
}
