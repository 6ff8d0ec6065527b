import type { OutgoingHttpHeaders } from 'node:http'
import {
  bodyLimitOf,
  isClosedWhileSuspended,
  isForOtherSites,
  needsSecondFactor,
  notFoundKind,
  paramNames,
  type Route,
} from '@voelgoed/contract/route'
import { type EventId, isUuid } from '@voelgoed/core/ids'
import type { Refusal, RequestFault } from '@voelgoed/core/refusal'
import { assert, ok, type Result, refuse } from '@voelgoed/core/result'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditActor } from '../audit/audit-log.ts'
import type { LimitMetrics } from './address-limits.ts'
import type { AllowedSite } from './allowed-origins.ts'
import type { Answer, Call, Handler } from './call.ts'
import { type ClientAddress, ClientAddresses } from './client-address.ts'
import { type EventSeqs, withSeq } from './event-seq.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from './large-bodies.ts'
import type { LiveTokens } from './live-tokens.ts'
import type { OtherSites } from './other-sites.ts'
import type { MaybeLater, Principal, Principals } from './principals.ts'
import { PROBLEM_TYPE, toProblem } from './problem.ts'
import { readBody } from './read-body.ts'
import type { SessionLimits } from './session-limits.ts'
import type { Uploads } from './uploads.ts'
import { compileValidation, type Validate } from './validation.ts'

/** The organization has not allowed the site whose page sent the request. */
export const SITE_NOT_ALLOWED: Refusal = {
  kind: 'forbidden',
  required: ['allowed_origins'],
  detail: 'The organization has not allowed this site: an organizer adds it to allowed_origins.',
}
const NO_BYTES = Buffer.alloc(0)
const BODY_NEEDED: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '', message: 'A JSON body is needed.' }],
}

const FILE_NEEDED: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '', message: 'The bytes of a file are needed.' }],
}

export interface ServeOptions {
  /** The handler reads the bytes itself (in another thread): they are not parsed here. */
  readonly rawBody?: boolean
}

export interface RouterDeps extends LimitMetrics {
  readonly principals: Principals
  readonly liveTokens: LiveTokens
  readonly sessionLimits: SessionLimits
  readonly uploads: Uploads
  readonly largeBodies: LargeBodies
  readonly otherSites: OtherSites
  readonly lanes: EventSeqs
  readonly rateLimits: boolean
  /** The proxies of these networks are believed whom a request comes from. */
  readonly trustProxy: readonly string[]
}

/**
 * Binds handlers to routes of the contract. The order in which a request is judged is the same everywhere:
 *
 *   who are you (401) → may your role (403) → do you ask too often (429) → is the id one at all (404)
 *   → is there room for your body (503) → body and query (400) → handler
 *
 * All but the last two come before the body is read, so that a stranger can't make us parse anything.
 */
export class Router {
  /** Serves what the contract does not know: pages, and news of the payment gateway. */
  readonly fastify: FastifyInstance
  readonly #deps: RouterDeps
  readonly #addresses: ClientAddresses
  readonly #served = new Set<Route>()
  readonly #methods = new Map<string, Set<string>>()

  constructor(fastify: FastifyInstance, deps: RouterDeps) {
    this.fastify = fastify
    this.#deps = deps
    this.#addresses = new ClientAddresses(deps.trustProxy)
  }

  get served(): ReadonlySet<Route> {
    return this.#served
  }

  serve<R extends Route>(route: R, handler: Handler<R>, options: ServeOptions = {}): void {
    assert(!this.#served.has(route), `${route.method} ${route.path} is served twice`)
    this.#served.add(route)
    if (isForOtherSites(route)) this.#servePreflight(route)
    const params = paramNames(route.path)
    const checkQuery = route.query ? compileValidation(route.query, '/query') : null
    const checkBody = route.body && !options.rawBody ? compileValidation(route.body) : null
    const respond = (request: FastifyRequest, reply: FastifyReply, result: Result<Answer, Refusal>) =>
      send(request, reply, isEventChange(route) ? this.#withSeq(request, result) : result)

    this.fastify.route({
      method: route.method,
      url: route.path,
      config: { bytesOf: route.bytesOf ?? null },
      bodyLimit: bodyLimitOf(route),
      // HEAD of a stream would never end.
      exposeHeadRoute: !route.tokenInQuery,
      onRequest: (request, reply, done) => {
        const site = isForOtherSites(route) ? this.#deps.otherSites.of(request.headers) : null
        if (site) {
          this.#fromSite(site, request, reply, route)
            .then(principal => this.#judge(route, params, principal, request, reply, done))
            .catch(done)
          return
        }
        // Nearly always known at once: then nothing is waited for.
        const found = this.#authenticate(request, route)
        if (found instanceof Promise) {
          found.then(principal => this.#judge(route, params, principal, request, reply, done)).catch(done)
        } else {
          this.#judge(route, params, found, request, reply, done)
        }
      },
      // Sends by itself, so that Fastify has no promise to follow.
      handler: (request, reply) => {
        const bytes = Buffer.isBuffer(request.body) ? request.body : NO_BYTES
        const faults = checkHead(request, route, checkQuery)
        const read = this.#read(bytes, route, checkBody, { ...options, owner: ownerOf(request.principal) })
        // Nearly always known at once: then nothing is waited for.
        const answered =
          read instanceof Promise
            ? read.then(body => this.#answer(route, handler, request, { bytes, faults, body }))
            : this.#answer(route, handler, request, { bytes, faults, body: read })
        if (answered instanceof Promise) {
          answered.then(result => respond(request, reply, result)).catch(error => reply.send(error))
        } else {
          respond(request, reply, answered)
        }
      },
    })
  }

  async #fromSite(
    asked: Promise<AllowedSite | null>,
    request: FastifyRequest,
    reply: FastifyReply,
    route: Route,
  ): Promise<Principal | null> {
    const { otherSites } = this.#deps
    const site = await asked
    reply.header('vary', 'origin')
    if (site) reply.headers(otherSites.headersFor(site))
    request.site = site
    const principal = await this.#authenticate(request, route)
    request.isSiteRefused = !otherSites.mayUse(site, principal)
    return principal
  }

  /** Browsers ask this before a page of another site may send what it wants to send. */
  #servePreflight(route: Route): void {
    const { otherSites } = this.#deps
    const known = this.#methods.get(route.path)
    if (known) {
      known.add(route.method)
      return
    }
    const methods = new Set<string>([route.method])
    this.#methods.set(route.path, methods)
    this.fastify.options(route.path, async (request, reply) => {
      const site = await otherSites.of(request.headers)
      reply.header('vary', 'origin')
      if (site) reply.headers(otherSites.preflightHeadersFor(site, methods))
      return reply.code(204).send()
    })
  }

  #answer<R extends Route>(
    route: R,
    handler: Handler<R>,
    request: FastifyRequest,
    read: { bytes: Buffer; faults: readonly RequestFault[]; body: Result<unknown, Refusal> },
  ): MaybeLater<Result<Answer, Refusal>> {
    const { bytes, faults, body } = read
    if (!body.ok || faults.length > 0) return refuse(refusalOf(faults, body))
    const address = this.#addresses.of(request.raw)
    return handler(new ReceivedCall(route, request, address, bytes, body.value) as unknown as Call<R>)
  }

  #withSeq({ principal, params }: FastifyRequest, result: Result<Answer, Refusal>): typeof result {
    const { event } = params as { event: EventId }
    return withSeq(
      result,
      principal?.kind === 'user' ? this.#deps.lanes.inMemory(principal.scope, event) : null,
    )
  }

  #authenticate(request: FastifyRequest, route: Route): MaybeLater<Principal | null> {
    if (route.access === 'public') return null
    const { token } = request.query as { token?: unknown }
    if (route.tokenInQuery && typeof token === 'string') {
      const read = this.#deps.liveTokens.read(
        token,
        (request.params as { event: string }).event.toLowerCase(),
      )
      return read && this.#deps.principals.ofSession(read.organizationId, read.sessionHash)
    }
    const match = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(request.headers.authorization ?? '')
    return match ? this.#deps.principals.authenticate(match[1]!) : null
  }

  #judge(
    route: Route,
    params: readonly string[],
    principal: Principal | null,
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): void {
    const refusal =
      authorize(route, principal) ??
      (request.isSiteRefused ? SITE_NOT_ALLOWED : null) ??
      this.#tooOften(principal) ??
      checkParams(params, request) ??
      this.#tooMuch(route, principal, request, reply)
    if (refusal) sendRefusal(request, reply, refusal)
    else {
      request.principal = principal
      done()
    }
  }

  #tooMuch(
    route: Route,
    principal: Principal | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Refusal | null {
    const isIn = this.#deps.uploads.enter(request.raw, reply.raw, {
      organizationId: principal?.kind === 'user' ? principal.scope.organizationId : null,
      limitBytes: bodyLimitOf(route),
    })
    return isIn ? null : { kind: 'busy', retryAfterSeconds: 5 }
  }

  #read(
    bytes: Buffer,
    route: Route,
    checkBody: Validate | null,
    { owner, ...options }: ServeOptions & { readonly owner: string },
  ): MaybeLater<Result<unknown, Refusal>> {
    if (!checkBody && !options.rawBody) return ok(undefined)
    if (bytes.length === 0) {
      return route.bodyOptional ? ok({}) : refuse(route.bytesOf ? FILE_NEEDED : BODY_NEEDED)
    }
    if (!checkBody) return ok(undefined)
    const { method, path } = route
    return bytes.length > LARGE_BODY_BYTES
      ? this.#deps.largeBodies.run({ method, path, bytes }, owner)
      : readBody(bytes, checkBody)
  }

  /** Staff work in bulk and are known by name: only buyers are counted. */
  #tooOften(principal: Principal | null): Refusal | null {
    if (principal?.kind !== 'user' || principal.user.role !== 'customer') return null
    if (!this.#deps.rateLimits) return null
    const retryAfterSeconds = this.#deps.sessionLimits.take(principal)
    if (retryAfterSeconds === null) return null
    this.#deps.rateLimited.inc({ limit: 'session' })
    return { kind: 'rate_limited', retryAfterSeconds }
  }
}

/** Organizations take turns by this: those who have not said who they are share one. */
function ownerOf(principal: Principal | null): string {
  return principal?.kind === 'user' ? principal.scope.organizationId : ''
}

/** Routes that change an event another way say how far it is by themselves. */
function isEventChange({ method, path }: Route): boolean {
  return method !== 'GET' && path.includes('/:event')
}

function authorize(route: Route, principal: Principal | null): Refusal | null {
  if (route.access === 'public') return null
  if (!principal) return { kind: 'unauthorized' }
  if (route.access === 'root')
    return principal.kind === 'root' ? null : { kind: 'forbidden', required: ['root'] }
  // The root key belongs to no organization, so it has no business in one: it creates users who do.
  if (principal.kind === 'root') {
    return { kind: 'unauthorized', detail: 'The platform key opens /api/platform only. Sign in as a user.' }
  }
  if (route.access !== 'signed_in' && !route.access.includes(principal.user.role)) {
    return { kind: 'forbidden', required: route.access }
  }
  if (principal.needsSecondFactor && needsSecondFactor(route)) return { kind: 'second_factor_needed' }
  const isClosed = principal.suspension !== null && isClosedWhileSuspended(route)
  return isClosed ? { kind: 'organization_suspended' } : null
}

/** Refuses what can't be an id like an id that never was. Ids are compared in lower case from here on. */
function checkParams(names: readonly string[], request: FastifyRequest): Refusal | null {
  const params = request.params as Record<string, string>
  for (const name of names) {
    // A secret has its own spelling; its handler says whether it is one.
    if (name === 'reset_token') continue
    const value = params[name]!.toLowerCase()
    const valid = name === 'v' ? /^[1-9]\d{0,8}$/.test(value) : isUuid(value)
    if (!valid) return { kind: notFoundKind(name) } as Refusal
    params[name] = value
  }
  return null
}

function checkHead(request: FastifyRequest, route: Route, checkQuery: Validate | null): RequestFault[] {
  const query = request.query as Record<string, unknown>
  const faults = checkQuery ? checkQuery({ ...query }) : []
  for (const name in query) {
    const value = query[name]
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      faults.push({ path: `/query/${name}`, message: 'must not contain NUL or half a surrogate pair' })
    }
  }
  const key = request.headers['idempotency-key']
  if (
    route.idempotencyKey &&
    key !== undefined &&
    (typeof key !== 'string' || key === '' || key.length > 255)
  ) {
    faults.push({ path: '/headers/idempotency-key', message: 'must have 1 to 255 characters' })
  }
  return faults
}

/** Returns what is wrong with the head and the body together, so that the caller can mend both. */
function refusalOf(ofHead: readonly RequestFault[], body: Result<unknown, Refusal>): Refusal {
  if (body.ok) return { kind: 'invalid_request', errors: ofHead }
  if (body.problem.kind !== 'invalid_request') return body.problem
  return { kind: 'invalid_request', errors: [...ofHead, ...body.problem.errors] }
}

/** A class, because an object with a getter of its own takes ten times as long to make. */
class ReceivedCall implements Omit<Call, 'principal' | 'params' | 'query' | 'body'> {
  readonly route: Route
  readonly principal: Principal | null
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly bytes: Buffer
  readonly headers: FastifyRequest['headers']
  readonly ip: string
  readonly addressKey: string
  readonly requestId: string
  readonly site: AllowedSite | null
  #by: AuditActor | null = null

  constructor(
    route: Route,
    { principal, params, query, headers, id, site }: FastifyRequest,
    address: ClientAddress,
    bytes: Buffer,
    body: unknown,
  ) {
    this.route = route
    this.principal = principal
    this.params = params
    this.query = query
    this.body = body
    this.bytes = bytes
    this.headers = headers
    this.ip = address.ip
    this.addressKey = address.key
    this.requestId = id
    this.site = site
  }

  get by(): AuditActor {
    this.#by ??= auditActor(this)
    return this.#by
  }
}

function auditActor({ principal, headers, ip, requestId }: ReceivedCall): AuditActor {
  return {
    actor: actorOf(principal),
    userId: principal?.kind === 'user' ? principal.user.userId : null,
    ip,
    userAgent: headers['user-agent']?.slice(0, 300) ?? null,
    requestId,
  }
}

function actorOf(principal: Principal | null): AuditActor['actor'] {
  if (principal === null) return 'anonymous'
  return principal.kind === 'user' && principal.isApiKey ? 'api_key' : principal.kind
}

const JSON_TYPE = 'application/json; charset=utf-8'

function send(request: FastifyRequest, reply: FastifyReply, result: Result<Answer, Refusal>): void {
  if (result.ok) sendAnswer(reply, result.value)
  else sendRefusal(request, reply, result.problem)
}

function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status)
  if (answer.headers) reply.headers(answer.headers)
  if ('take' in answer) {
    reply.hijack()
    answer.take(reply.raw, reply.getHeaders())
    return reply
  }
  if ('bytes' in answer) return reply.send(answer.bytes ?? undefined)
  if ('json' in answer) return sendText(reply, JSON_TYPE, answer.json)
  if (answer.body === undefined) return reply.send()
  return sendText(reply, JSON_TYPE, JSON.stringify(answer.body))
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, headers, text } = toProblem(refusal, request.id)
  request.refusalKind = refusal.kind
  reply.code(status)
  if (headers) reply.headers(headers)
  return sendText(reply, PROBLEM_TYPE, text)
}

/**
 * Past Fastify, which would look for hooks that we have not, and set each header by itself:
 * a fifth of a refusal.
 */
function sendText(reply: FastifyReply, type: string, text: string | Buffer): FastifyReply {
  const { raw } = reply
  const headers = reply.getHeaders()
  headers['content-type'] = type
  headers['content-length'] = Buffer.byteLength(text)
  reply.hijack()
  raw.writeHead(raw.statusCode, headers as OutgoingHttpHeaders)
  raw.end(text)
  return reply
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media types of the files that the route takes; null or left out: it takes JSON. */
    bytesOf?: readonly string[] | null
  }
  interface FastifyRequest {
    principal: Principal | null
    refusalKind: Refusal['kind'] | null
    /** The site whose page sent it, if an organization allows that site. */
    site: AllowedSite | null
    /** That site may not use this session. */
    isSiteRefused: boolean
  }
}
