import { type Answer, type Input, type RouteName, takesIdempotencyKey } from './contract.ts'
import { type Follow, type Following, followEvent } from './follow.ts'
import { address, bounded, pause, toError } from './http.ts'
import { Refused, Unreachable } from './refused.ts'
import { ServerClock, timeIn } from './server-clock.ts'

export interface ClientOptions {
  /** The address of the server: `https://tickets.example.org`. */
  readonly baseUrl: string
  /** The token of the caller. A function is asked before every call: sessions change. */
  readonly token?: string | (() => string | null)
  readonly fetch?: typeof fetch
  /** Each attempt has this long, 15 s unless told otherwise. */
  readonly timeoutMs?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Attempts in all, 3 unless told otherwise; 1: no second try. */
  readonly attempts?: number
  /** Made up when left out. Give your own to repeat a call over a restart of your program. */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Client {
  readonly baseUrl: string
  /** The server's clock, as far as its answers tell. */
  readonly clock: ServerClock
  /** One call of the contract. Throws `Refused`, `Unreachable`, or what `signal` was aborted with. */
  call<N extends RouteName>(name: N, ...input: Args<N, CallOptions>): Promise<Answer<N>>
  /** For calls that answer with bytes: availability as two bits a seat, the map. */
  bytes<N extends RouteName>(name: N, ...input: Args<N, CallOptions>): Promise<BytesAnswer>
  /** A snapshot of an event's seats, then every change, until told to stop. */
  follow(eventId: string, follow: Follow): Following
}

/** An argument that has nothing to say may be left out. */
type Args<N extends RouteName, Options> =
  object extends Input<N> ? [input?: Input<N> & Options] : [input: Input<N> & Options]

export interface BytesAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly headers: Headers
}

interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly file?: Blob
}

/** A file takes longer than a question: ten megabytes over a slow line. */
const UPLOAD_MS = 120_000

/** Events whose seq is remembered. */
const MAX_KNOWN = 100

/** We wait this long for a second try; a server that asks for more gets its refusal passed on. */
const LONGEST_WAIT_MS = 10_000

export function createClient(options: ClientOptions): Client {
  const { baseUrl, timeoutMs = 15_000, fetch: send = (...args) => fetch(...args) } = options
  const clock = new ServerClock()
  /** Answers told this client how far each event is: it asks for nothing older. */
  const known = new Map<string, string>()
  const token = () => (typeof options.token === 'function' ? options.token() : (options.token ?? null))

  async function request(name: RouteName, input: AnyInput, accept: string): Promise<Response> {
    const [method, path] = name.split(' ') as [string, string]
    const isRepeatable = method !== 'POST' && method !== 'PATCH'
    const key = takesIdempotencyKey(name) ? (input.idempotencyKey ?? crypto.randomUUID()) : null
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= (input.attempts ?? 3)
      try {
        return await once(method, path, input, { accept, key })
      } catch (error) {
        if (isLast || input.signal?.aborted) throw error
        const isSafe = isRepeatable || key !== null
        if (!(error instanceof Refused ? mayTryAgain(error, isSafe) : isSafe)) throw error
        await pause(waitBefore(attempt, error), input.signal)
      }
    }
  }

  async function once(
    method: string,
    path: string,
    { params, query, body, file, headers, signal }: AnyInput,
    { accept, key }: { accept: string; key: string | null },
  ): Promise<Response> {
    const bearer = token()
    const sentAt = clock.mark()
    const bound = bounded(file ? Math.max(timeoutMs, UPLOAD_MS) : timeoutMs, signal)
    let response: Response
    try {
      const answer = await send(address(baseUrl, path, params, query), {
        method,
        signal: bound.signal,
        headers: {
          accept,
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(file && { 'content-type': file.type }),
          ...(key && { 'idempotency-key': key }),
          ...(method === 'GET' && params?.event && seqOf(params.event)),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
      })
      // Read in full here, so that the bound covers the body as well.
      response = new Response(hasBody(answer) ? await answer.arrayBuffer() : null, answer)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw new Unreachable(`${method} ${path}: ${(error as Error).message}`, { cause: error })
    } finally {
      bound.clear()
    }
    if (response.ok || response.status === 304) {
      if (params?.event) learn(params.event, response.headers.get('voelgoed-seq'))
      // An answer that was kept under a key tells the time of its first answer.
      const isReplayed = response.headers.get('idempotency-replayed') === 'true'
      if (isJson(response) && !isReplayed) observe(await response.clone().json(), sentAt)
      return response
    }
    throw await toError(response, `${method} ${path}`)
  }

  function seqOf(event: string): Readonly<Record<string, string>> {
    const seq = known.get(event)
    return seq === undefined ? {} : { 'voelgoed-seq': seq }
  }

  /** The last one counts, also a smaller one: the server may have lost its last changes. */
  function learn(event: string, seq: string | null): void {
    if (seq === null) return
    known.delete(event)
    known.set(event, seq)
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!)
  }

  function observe(body: unknown, sentAt: number): void {
    const time = timeIn(body)
    if (time) clock.observe({ sentAt, ...time })
  }

  const client: Client = {
    baseUrl,
    clock,
    async call(name, ...[input]) {
      const response = await request(name, (input ?? {}) as AnyInput, 'application/json')
      if (!isJson(response)) return undefined as Answer<typeof name>
      return (await response.json()) as Answer<typeof name>
    },
    async bytes(name, ...[input]) {
      const response = await request(name, (input ?? {}) as AnyInput, 'application/octet-stream')
      return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers }
    },
    follow: (eventId, follow) => followEvent(client, { eventId, token, send }, follow),
  }
  return client
}

/** Not every refusal that may pass: a seat of someone else's is not worth waiting for in here. */
function mayTryAgain({ status, code, retryAfter }: Refused, isSafe: boolean): boolean {
  // It may have taken effect: without a key it would take effect twice.
  if (code === 'outcome_unknown' && !isSafe) return false
  const passes = status === 503 || status === 429 || code === 'idempotency_key_in_use'
  return passes && (retryAfter ?? 0) * 1000 <= LONGEST_WAIT_MS
}

function waitBefore(attempt: number, error: unknown): number {
  const asked = error instanceof Refused && error.retryAfter !== null ? error.retryAfter * 1000 : 0
  return Math.min(LONGEST_WAIT_MS, asked + 200 * 2 ** attempt * (0.5 + Math.random() / 2))
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/json') ?? false
}

function hasBody({ status }: Response): boolean {
  return status !== 204 && status !== 304
}
