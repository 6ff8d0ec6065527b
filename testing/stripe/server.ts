import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { invalidRequest, StripeBooks, StripeProblem } from './books.ts'
import { type Form, readForm, textIn, textsIn } from './form.ts'
import { intentJson, refundJson } from './objects.ts'

/** This happens to the next request that carries a secret key. */
export type StripeFault =
  | 'time_out_before'
  | 'time_out_after'
  | 'connection_lost_before'
  | 'connection_lost_after'
  | 'error_before'
  | 'error_after'
  /** No effect, and Stripe remembers this answer for the key. */
  | 'error_kept'
  | 'rate_limited'
  | 'rate_limited_for_good'
  | 'in_progress'
  | 'card_error'
  | 'unauthorized'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

interface Answer {
  readonly status: number
  readonly body: object
}

interface KeptAnswer extends Answer {
  readonly parameters: string
}

/**
 * Speaks Stripe's wire format, for as much of it as we use: form-encoded requests, JSON answers, idempotency
 * keys, errors, several accounts. It keeps real books: what is charged and refunded here is what the tests
 * count. The real SDK talks to it.
 */
export class StripeServer {
  readonly faults: StripeFault[] = []
  /** By a text, such as the id of an intent: for the next requests that have it in their path or body. */
  readonly faultsAbout = new Map<string, StripeFault[]>()
  readonly requests: SeenRequest[] = []
  readonly #server: Server
  readonly #keys: { readonly secret: string; readonly publishable: string }
  readonly #clock: { now(): number }
  readonly #books = new Map<string | null, StripeBooks>()
  readonly #kept = new Map<string, KeptAnswer>()
  /** Called when a request will get no answer. */
  readonly #onHang: () => void
  #count = 0

  private constructor(options: StripeServerOptions) {
    this.#keys = options.keys
    this.#clock = options.clock
    this.#onHang = options.onHang
    this.#server = createServer((request, response) => void this.#serve(request, response))
    // A machine that stood still would close a connection at the moment when a client uses it again.
    this.#server.keepAliveTimeout = 0
  }

  static async start(options: StripeServerOptions): Promise<StripeServer> {
    const server = new StripeServer(options)
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  books(account: string | null): StripeBooks {
    const known = this.#books.get(account)
    if (known) return known
    const books = new StripeBooks(account, this.#clock)
    this.#books.set(account, books)
    return books
  }

  /** As after a day. */
  forgetIdempotencyKeys(): void {
    this.#kept.clear()
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { pathname, search } = new URL(request.url!, 'http://stripe')
    const body = Buffer.concat(pieces).toString()
    this.requests.push({ method: request.method!, path: pathname, body, headers: request.headers })
    const isServer = request.headers.authorization === `Bearer ${this.#keys.secret}`
    const fault = isServer ? this.#nextFault(`${request.url} ${body}`) : undefined
    const act = () => this.#answer(request, pathname, readForm(body || search.slice(1)), body)
    switch (fault) {
      case 'time_out_before':
        return this.#onHang()
      case 'time_out_after':
        act()
        return this.#onHang()
      case 'connection_lost_before':
        return void request.socket.destroy()
      case 'connection_lost_after':
        act()
        return void request.socket.destroy()
      case 'error_after':
        act()
        return this.#send(response, API_ERROR)
      case 'error_before':
        return this.#send(response, API_ERROR)
      case 'error_kept':
        this.#kept.set(this.#keyOf(request), { ...API_ERROR, parameters: body })
        return this.#send(response, API_ERROR)
      case 'rate_limited':
        return this.#send(response, RATE_LIMITED)
      case 'rate_limited_for_good':
        return this.#send(response, RATE_LIMITED, { 'stripe-should-retry': 'false' })
      case 'in_progress':
        return this.#send(response, IN_PROGRESS, { 'stripe-should-retry': 'true' })
      case 'unauthorized':
        return this.#send(response, UNAUTHORIZED)
      case 'card_error':
        return this.#send(response, this.#declineAtOnce(request, body))
      case undefined: {
        const { answer, isReplay } = act()
        return this.#send(response, answer, isReplay ? { 'idempotent-replayed': 'true' } : {})
      }
    }
  }

  #nextFault(asked: string): StripeFault | undefined {
    for (const [about, faults] of this.faultsAbout) {
      const fault = asked.includes(about) ? faults.shift() : undefined
      if (fault) return fault
    }
    return this.faults.shift()
  }

  /**
   * The same key gives the same answer; with other parameters it is an error. Refused parameters are not
   * kept.
   */
  #answer(
    request: IncomingMessage,
    path: string,
    form: Form,
    body: string,
  ): { answer: Answer; isReplay: boolean } {
    const key = request.method === 'POST' && request.headers['idempotency-key'] ? this.#keyOf(request) : null
    const kept = key === null ? undefined : this.#kept.get(key)
    if (kept && kept.parameters !== body) return { answer: KEY_REUSED, isReplay: false }
    if (kept) return { answer: kept, isReplay: true }
    const answer = this.#act(request, path, form)
    if (key !== null && answer.status !== 400 && answer.status !== 401) {
      this.#kept.set(key, { ...answer, parameters: body })
    }
    return { answer, isReplay: false }
  }

  #act(request: IncomingMessage, path: string, form: Form): Answer {
    try {
      return { status: 200, body: this.#route(request, path, form) }
    } catch (error) {
      if (!(error instanceof StripeProblem)) throw error
      return { status: error.status, body: { error: error.error } }
    }
  }

  #route(request: IncomingMessage, path: string, form: Form): object {
    const books = this.books((request.headers['stripe-account'] as string | undefined) ?? null)
    const { authorization } = request.headers
    const [, resource, id, verb] =
      /^\/v1\/(payment_intents|refunds)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? []
    const call = `${request.method} ${resource}${id ? '/id' : ''}${verb ? `/${verb}` : ''}`
    if (call === 'POST payment_intents/id/confirm') {
      const intent = books.intent(id!)
      const isBuyer = authorization === `Bearer ${this.#keys.publishable}`
      if (!isBuyer || textIn(form, 'client_secret') !== intent.clientSecret) throw unauthorized()
      books.confirm(intent, textIn(form, 'payment_method_data', 'card', 'number') ?? '')
      return intentJson(intent)
    }
    if (authorization !== `Bearer ${this.#keys.secret}`) throw unauthorized()
    switch (call) {
      case 'POST payment_intents':
        only(form, ['amount', 'currency', 'automatic_payment_methods', 'metadata'])
        return intentJson(
          books.createIntent(whole(form, 'amount'), needed(form, 'currency'), textsIn(form, 'metadata')),
        )
      case 'POST payment_intents/id/cancel': {
        only(form, ['cancellation_reason'])
        const intent = books.intent(id!)
        books.cancel(intent)
        return intentJson(intent)
      }
      case 'GET payment_intents/id':
        return intentJson(books.intent(id!), Object.values(textsIn(form, 'expand')))
      case 'GET payment_intents': {
        const from = Number(textIn(form, 'created', 'gte') ?? 0)
        const to = Number(textIn(form, 'created', 'lte') ?? Number.POSITIVE_INFINITY)
        const rows = books.intents.filter(({ created }) => created >= from && created <= to)
        return list(path, rows, form, row => intentJson(row))
      }
      case 'POST refunds': {
        only(form, ['payment_intent', 'amount', 'metadata'])
        const intent = books.intent(needed(form, 'payment_intent'))
        return refundJson(books.refund(intent, whole(form, 'amount'), textsIn(form, 'metadata')))
      }
      case 'GET refunds': {
        const intent = books.intent(needed(form, 'payment_intent'))
        const rows = books.refunds.filter(refund => refund.intentId === intent.id)
        return list(path, rows, form, refundJson)
      }
      default:
        throw new StripeProblem(404, {
          message: `Unrecognized request URL (${request.method}: ${path}).`,
          type: 'invalid_request_error',
        })
    }
  }

  #declineAtOnce(request: IncomingMessage, body: string): Answer {
    const { answer } = this.#answer(request, '/v1/payment_intents', readForm(body), body)
    const error = { code: 'card_declined', decline_code: 'stolen_card', type: 'card_error' }
    return { status: 402, body: { error: { ...error, message: 'Declined.', payment_intent: answer.body } } }
  }

  #keyOf({ headers }: IncomingMessage): string {
    return `${headers['stripe-account'] ?? ''} ${headers['idempotency-key']}`
  }

  #send(response: ServerResponse, { status, body }: Answer, headers: Record<string, string> = {}): void {
    this.#count += 1
    const text = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json',
      'request-id': `req_${String(this.#count).padStart(8, '0')}`,
      'stripe-version': '2026-10-28.endive',
      ...headers,
    })
    response.end(text)
  }
}

export interface StripeServerOptions {
  readonly keys: { readonly secret: string; readonly publishable: string }
  readonly clock: { now(): number }
  readonly onHang: () => void
}

const problem = (status: number, error: object): Answer => ({ status, body: { error } })
const API_ERROR = problem(500, { message: 'An unknown error occurred', type: 'api_error' })
const RATE_LIMITED = problem(429, {
  code: 'rate_limit',
  message: 'Too many requests',
  type: 'invalid_request_error',
})
const IN_PROGRESS = problem(409, {
  code: 'idempotency_key_in_use',
  message: 'There is currently another in-progress request using this Idempotent Key',
  type: 'invalid_request_error',
})
const UNAUTHORIZED = problem(401, {
  message: 'Invalid API Key provided: sk_test_****',
  type: 'invalid_request_error',
})
const KEY_REUSED = problem(400, {
  message:
    'Keys for idempotent requests can only be used with the same parameters they were first used with.',
  type: 'idempotency_error',
})

function unauthorized(): StripeProblem {
  return new StripeProblem(401, { message: 'Invalid API Key provided', type: 'invalid_request_error' })
}

function only(form: Form, names: readonly string[]): void {
  const unknown = Object.keys(form).find(name => !names.includes(name))
  if (unknown) throw invalidRequest('parameter_unknown', `Received unknown parameter: ${unknown}`, unknown)
}

function needed(form: Form, name: string): string {
  const text = textIn(form, name)
  if (text === undefined) throw invalidRequest('parameter_missing', `Missing required param: ${name}.`, name)
  return text
}

function whole(form: Form, name: string): number {
  const text = needed(form, name)
  if (!/^\d+$/.test(text)) throw invalidRequest('parameter_invalid_integer', `Invalid integer: ${text}`, name)
  return Number(text)
}

/** Newest first, a page at a time. */
function list<Row extends { readonly id: string }>(
  url: string,
  rows: readonly Row[],
  form: Form,
  json: (row: Row) => object,
): object {
  const after = textIn(form, 'starting_after')
  const rest = after === undefined ? rows : rows.slice(rows.findIndex(({ id }) => id === after) + 1)
  const limit = Number(textIn(form, 'limit') ?? 10)
  return { object: 'list', url, has_more: rest.length > limit, data: rest.slice(0, limit).map(json) }
}
