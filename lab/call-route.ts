import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route } from '@voelgoed/contract/route'
import { exchange, jsonOf, type Received } from '@voelgoed/testing/exchange'
import { WITHIN_MS as PATIENCE_MS } from '@voelgoed/testing/wait-until'

export interface CallOptions<R extends Route> {
  readonly token?: string
  readonly params?: ParamsOf<R>
  readonly query?: QueryOf<R>
  readonly body?: BodyOf<R>
  /** In place of `body`, when it has been written out already. */
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** Its bytes are compressed if they came so. */
export interface RouteAnswer<R extends Route> extends Received {
  /** From the first byte sent to the last byte received. */
  readonly ms: number
  json(): AnswerOf<R>
}

const WITHIN_MS = 180_000
/** The server closes idle connections later than this: a request must not meet it closing one. */
const IDLE_MS = 20_000

/** Calls routes of the contract as an honest program would, on connections that are kept. */
export class Caller {
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_MS })

  constructor(url: string) {
    this.#url = url
  }

  /** Any answer, refusals included. */
  async call<R extends Route>(route: R, options: CallOptions<R> = {}): Promise<RouteAnswer<R>> {
    const { token, headers } = options
    const payload = options.bytes ?? jsonOf(options.body)
    const startedAt = performance.now()
    const received = await exchange(`${this.#url}${addressOf(route, options)}`, {
      method: route.method,
      agent: this.#agent,
      token,
      headers,
      payload,
      withinMs: WITHIN_MS,
    })
    const ms = performance.now() - startedAt
    const { bytes } = received
    const json = () => (bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'))) as AnswerOf<R>
    return { ...received, ms, json }
  }

  /**
   * Returns what a success says. A refusal is a mistake of the lab or of the server. It is for setting things
   * up: a machine that has no time for Postgres must not end a run before it has begun, so 503 is asked
   * again, with the same key where the route takes one.
   */
  async get<R extends Route>(route: R, options: CallOptions<R> = {}): Promise<AnswerOf<R>> {
    const key: Record<string, string> = route.idempotencyKey ? { 'idempotency-key': randomUUID() } : {}
    const asked = { ...options, headers: { ...key, ...options.headers } }
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const answer = await this.call(route, asked)
      if (answer.status >= 200 && answer.status <= 299) return answer.json()
      if (answer.status === 503 && performance.now() < until) {
        await pause(1_000 * Number(answer.headers['retry-after'] ?? 1))
        continue
      }
      const text = answer.bytes.subarray(0, 1_000).toString('utf8')
      throw new Error(`${route.method} ${addressOf(route, options)} gave ${answer.status}: ${text}`)
    }
  }

  close(): void {
    this.#agent.destroy()
  }
}

function addressOf<R extends Route>(route: R, options: CallOptions<R>): string {
  const params = (options.params ?? {}) as Record<string, string>
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const query = new URLSearchParams((options.query ?? {}) as Record<string, string>).toString()
  return query === '' ? path : `${path}?${query}`
}
