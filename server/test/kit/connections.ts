import { Agent, request } from 'node:http'

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
  send(method: string, url: string, { token, body, headers }: Sending = {}): Promise<Reply> {
    const payload = body === undefined ? null : Buffer.from(JSON.stringify(body))
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        {
          method,
          agent: this.#agent,
          headers: {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
            ...headers,
          },
        },
        response => {
          const chunks: Buffer[] = []
          response.on('data', chunk => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            const isJson = /json/.test(response.headers['content-type'] ?? '')
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              text,
              body: isJson && text !== '' ? JSON.parse(text) : null,
            })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(payload)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** How often each outcome occurs: `201 × 1, 409 seat_held_by_another_user × 999`. */
export function tally(replies: readonly Reply[]): string {
  const counts = new Map<string, number>()
  for (const { status, body } of replies) {
    const outcome = body?.code ? `${status} ${body.code}` : String(status)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  const outcomes = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  return outcomes.map(([outcome, count]) => `${outcome} × ${count}`).join(', ')
}
