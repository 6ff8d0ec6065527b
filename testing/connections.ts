import { Agent } from 'node:http'
import { exchange, jsonOf } from './exchange.ts'

/** An answer that came over a socket. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly body: any
}

export interface Sending {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/**
 * Real sockets, kept open and shared by a crowd:
 * as many requests are on their way at once as there are sockets.
 */
export class Connections {
  readonly #agent: Agent

  constructor(sockets = 150) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets, scheduling: 'fifo' })
  }

  /** Rejects when the connection breaks before there is a whole answer: then the outcome is unknown. */
  async send(method: string, url: string, { body, ...more }: Sending = {}): Promise<Reply> {
    const sending = { ...more, method, agent: this.#agent, payload: jsonOf(body) }
    const { status, headers, bytes } = await exchange(url, sending)
    const text = bytes.toString('utf8')
    const isJson = /json/.test(headers['content-type'] ?? '') && text !== ''
    return { status, headers, text, body: isJson ? JSON.parse(text) : null }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Counts each outcome: `201 × 1, 409 seat_held_by_another_user × 999`. */
export function tally(replies: readonly Reply[]): string {
  const counts = new Map<string, number>()
  for (const { status, body } of replies) {
    const outcome = body?.code ? `${status} ${body.code}` : String(status)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  const outcomes = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  return outcomes.map(([outcome, count]) => `${outcome} × ${count}`).join(', ')
}
