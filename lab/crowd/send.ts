import { Agent } from 'node:http'
import { exchange, jsonOf, type Received } from '@voelgoed/testing/exchange'

/** An answer that is not JSON is read from its bytes. */
export interface Reply extends Received {
  // biome-ignore lint/suspicious/noExplicitAny: as the contract says; a mutant may break it
  readonly body: any
}

export interface Sending {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: unknown
  /** In place of a body: the fields of a form. */
  readonly form?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 *   a reply     whatever it says
 *   'not sent'  no node was there to ask
 *   'unknown'   the line broke, or there was no answer within the bound
 */
export type Sent = Reply | 'not sent' | 'unknown'

const WITHIN_MS = 12_000

/** Real sockets, kept open and shared. */
export class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 400, scheduling: 'fifo' })

  async send(url: string | null, { method, path, token, body, form, headers }: Sending): Promise<Sent> {
    if (url === null) return 'not sent'
    const payload = form === undefined ? jsonOf(body) : Buffer.from(form)
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    const sending = { method, agent: this.#agent, token, payload, type, headers, withinMs: WITHIN_MS }
    try {
      const received = await exchange(url + path, sending)
      return { ...received, body: parse(received.bytes.toString('utf8')) }
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'not sent' : 'unknown'
    }
  }

  close(): void {
    this.#agent.destroy()
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return null
  }
}
