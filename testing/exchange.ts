import { type Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface ToSend {
  readonly method: string
  readonly agent: Agent
  readonly token?: string | undefined
  readonly payload: Buffer | null
  /** The payload has this content type; JSON if it is left out. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly withinMs?: number
}

/** An answer, as it came over the wire. */
export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Rejects when there is no whole answer in time: then the outcome is unknown. */
export function exchange(url: string, sending: ToSend): Promise<Received> {
  const { method, agent, token, payload, type = 'application/json', headers, withinMs } = sending
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent,
        ...(withinMs !== undefined && { timeout: withinMs }),
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(payload && { 'content-type': type, 'content-length': payload.length }),
          ...headers,
        },
      },
      response => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status, headers, complete } = response
          if (complete) resolve({ status: status!, headers, bytes: Buffer.concat(pieces) })
          else reject(new Error('only a part of an answer'))
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${withinMs! / 1000} s`)))
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

/** The bytes of a body that is to go as JSON. */
export function jsonOf(body: unknown): Buffer | null {
  return body === undefined ? null : Buffer.from(JSON.stringify(body))
}
