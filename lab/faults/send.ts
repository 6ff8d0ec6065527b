import { Agent, request } from 'node:http'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: as the contract says; a mutant may break it
  readonly body: any
  /** Of an answer that is not JSON. */
  readonly bytes: Buffer
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

  send(url: string | null, { method, path, token, body, form, headers }: Sending): Promise<Sent> {
    if (url === null) return Promise.resolve('not sent')
    const text = form ?? (body === undefined ? null : JSON.stringify(body))
    const payload = text === null ? null : Buffer.from(text)
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    return new Promise(resolve => {
      const outgoing = request(
        url + path,
        {
          method,
          agent: this.#agent,
          timeout: WITHIN_MS,
          headers: {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(payload && { 'content-type': type, 'content-length': payload.length }),
            ...headers,
          },
        },
        response => {
          const chunks: Buffer[] = []
          response.on('data', chunk => chunks.push(chunk))
          response.on('error', () => resolve('unknown'))
          response.on('end', () => {
            const bytes = Buffer.concat(chunks)
            const { statusCode, headers } = response
            if (!response.complete) resolve('unknown')
            else resolve({ status: statusCode!, headers, body: parse(bytes.toString('utf8')), bytes })
          })
        },
      )
      outgoing.on('timeout', () => outgoing.destroy())
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'not sent' : 'unknown'),
      )
      outgoing.end(payload)
    })
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
