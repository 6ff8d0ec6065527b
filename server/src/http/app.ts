import type { Socket } from 'node:net'
import { setEventImage } from '@voelgoed/core/contract/images'
import type { Refusal } from '@voelgoed/core/refusal'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { outageKind } from '../postgres/outage.ts'
import { processTime } from '../time.ts'
import { uuidV7 } from '../uuid-v7.ts'
import type { AppDeps } from './deps.ts'
import { closeIdleConnections } from './idle-connections.ts'
import { OtherSites } from './other-sites.ts'
import { OutageLine } from './outage-line.ts'
import { servePage } from './page.ts'
import { servePaymentWebhook } from './payment-webhook.ts'
import { PROBLEM_TYPE, toProblem } from './problem.ts'
import { readBodyOf } from './read-bytes.ts'
import { serveAccounts } from './routes/accounts.ts'
import { serveApiKeys } from './routes/api-keys.ts'
import { serveAttendance } from './routes/attendance.ts'
import { serveAudit } from './routes/audit.ts'
import { serveAvailability } from './routes/availability.ts'
import { serveCheckouts } from './routes/checkouts.ts'
import { serveEventAdministration } from './routes/event-administration.ts'
import { serveEvents } from './routes/events.ts'
import { serveGuests } from './routes/guests.ts'
import { serveHoldAdministration } from './routes/hold-administration.ts'
import { serveHolds } from './routes/holds.ts'
import { serveIdentityProvider } from './routes/identity-provider.ts'
import { serveImages } from './routes/images.ts'
import { serveInvitations } from './routes/invitations.ts'
import { serveLayouts } from './routes/layouts.ts'
import { serveMails } from './routes/mails.ts'
import { serveMembers } from './routes/members.ts'
import { serveMoves } from './routes/move-order.ts'
import { serveOccupancyHistory } from './routes/occupancy-history.ts'
import { serveOrderMail } from './routes/order-mail.ts'
import { serveOrders } from './routes/orders.ts'
import { serveOrdersExport } from './routes/orders-export.ts'
import { serveOrganization } from './routes/organization.ts'
import { servePasswords } from './routes/passwords.ts'
import { servePlatform } from './routes/platform.ts'
import { servePolicy } from './routes/policy.ts'
import { servePrices } from './routes/prices.ts'
import { serveRefunds } from './routes/refunds.ts'
import { serveRegistry } from './routes/registry.ts'
import { serveReports } from './routes/reports.ts'
import { serveRunning } from './routes/running.ts'
import { serveScans } from './routes/scans.ts'
import { serveSeatUse } from './routes/seat-use.ts'
import { serveSecondFactor } from './routes/second-factor.ts'
import { serveSessions } from './routes/sessions.ts'
import { serveStaffRelease } from './routes/staff-release.ts'
import { serveSystem } from './routes/system.ts'
import { serveTicketKeys } from './routes/ticket-keys.ts'
import { serveTickets } from './routes/tickets.ts'
import { serveUserAdministration } from './routes/user-administration.ts'
import { serveVenues } from './routes/venues.ts'
import { serveWhitelist } from './routes/whitelist.ts'
import { Router, sendRefusal } from './serve.ts'
import { DrawnCovers } from './share/drawn-covers.ts'
import { ImageFiles } from './share/image-files.ts'
import { inTime } from './share/in-time.ts'
import { PageDocuments } from './share/page-documents.ts'
import { readPageParts } from './share/page-parts.ts'
import { PublicPages } from './share/public-pages.ts'
import { serveShared } from './share/serve-shared.ts'
import { Sitemaps } from './share/sitemaps.ts'
import { serveSimulatorStep } from './simulator-step.ts'
import { NoRoomForUpload } from './uploads.ts'

export interface App {
  readonly fastify: FastifyInstance
  readonly router: Router
}

export function buildApp(deps: AppDeps): App {
  const fastify = Fastify({
    // Its logger for each request costs more than the lines we write: they name the request themselves.
    logger: false,
    genReqId: request => requestId(request.headers['x-request-id'], deps.clock.now()),
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
        uuidV7(deps.clock.now()),
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

  deps.tracing?.traceRequests(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    if (deps.isLeaving()) reply.header('connection', 'close')
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    deps.metrics.httpRequests.observe(
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
    if (request.method === 'GET' && reply.statusCode < 500) deps.log.debug(line, 'request')
    else deps.log.info(line, 'request')
    done()
  })
  const outageLine = new OutageLine(deps.clock)
  fastify.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request)
    if (refusal.kind === 'internal_error')
      deps.log.error({ reqId: request.id, err: error }, 'unexpected failure')
    else if (refusal.kind === 'database_unavailable') {
      const unsaid = outageLine.take()
      if (unsaid !== null) {
        deps.log.warn({ reqId: request.id, err: error, unsaid }, 'the database is out of reach')
      }
    } else if (refusal.kind === 'outcome_unknown')
      deps.log.warn({ reqId: request.id, err: error }, 'the outcome of a commit is unknown')
    return sendRefusal(request, reply, refusal)
  })
  fastify.setNotFoundHandler((request, reply) => sendRefusal(request, reply, { kind: 'not_found' }))

  const otherSites = new OtherSites({
    database: deps.database,
    clock: deps.clock,
    onRequest: deps.metrics.share.otherSite,
  })
  const router = new Router(fastify, { ...deps, otherSites })
  serveRunning(router, deps)
  servePlatform(router, deps)
  serveAccounts(router, deps)
  servePasswords(router, deps)
  serveUserAdministration(router, deps)
  serveInvitations(router, deps)
  serveSessions(router, deps)
  serveSecondFactor(router, deps)
  serveIdentityProvider(router, deps)
  serveMembers(router, deps)
  serveApiKeys(router, deps)
  servePolicy(router, deps)
  serveOrganization(router, deps)
  serveVenues(router, deps)
  serveLayouts(router, deps)
  serveEvents(router, deps)
  serveEventAdministration(router, deps)
  servePrices(router, deps)
  const images = new ImageFiles({
    database: deps.database,
    clock: deps.clock,
    onRead: deps.metrics.images.read,
  })
  serveImages(router, deps, images)
  serveHolds(router, deps)
  serveAvailability(router, deps)
  serveHoldAdministration(router, deps)
  serveStaffRelease(router, deps)
  serveAudit(router, deps)
  serveRegistry(router, deps)
  serveOccupancyHistory(router, deps)
  serveSeatUse(router, deps)
  serveWhitelist(router, deps)
  serveGuests(router, deps)
  if (deps.simulator) serveSimulatorStep(fastify, deps.simulator)
  servePaymentWebhook(fastify, deps.gateway, event => deps.paymentWork.store(event))
  serveOrders(router, deps)
  serveOrderMail(router, deps)
  serveMoves(router, deps)
  serveRefunds(router, deps)
  serveTicketKeys(router, deps)
  serveScans(router, deps)
  serveAttendance(router, deps)
  serveReports(router, deps)
  serveOrdersExport(router, deps)
  serveCheckouts(router, deps)
  serveMails(router, deps)
  serveSystem(router, deps)
  serveTickets(router, deps)
  const { database, clock, log, pageUrl: origin, metrics } = deps
  const pages = new PublicPages({ database, clock })
  serveShared(fastify, {
    pages,
    sitemaps: new Sitemaps({ database, clock, origin }),
    images,
    covers: new DrawnCovers(deps.imageMaker),
    origin,
  })
  const parts = readPageParts(deps.pageFolder)
  servePage(fastify, {
    folder: deps.pageFolder,
    parts,
    gateway: deps.gateway.name,
    framedBy: slug => inTime(processTime, pages.framedBy(slug), []),
    documents: shell =>
      new PageDocuments(shell, {
        pages,
        clock,
        time: processTime,
        origin,
        log,
        onHead: metrics.share.head,
        parts,
      }),
  })
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
