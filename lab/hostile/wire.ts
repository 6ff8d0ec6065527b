import { connect, type Socket } from 'node:net'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Its beginning: long answers are counted, not kept. */
  readonly body: Buffer
  readonly bytes: number
}

export interface Outcome {
  readonly answers: readonly Answer[]
  /** `silent`: neither an answer nor an end within the bound. */
  readonly end: 'answered' | 'closed' | 'silent'
  readonly error: string | null
  readonly receivedBytes: number
}

export interface WireRequest {
  readonly bytes: readonly Buffer[]
  /** The answer to HEAD has a length but no body. */
  readonly isHead: boolean
  readonly alone: boolean
  readonly incomplete: boolean
}

/** After an answer on a connection of its own: whether another one follows. */
const QUIET_MS = 20

/** Sends bytes as they are and reads what comes back. Keeps its connection as long as both sides agree to. */
export class Wire {
  readonly #port: number
  #kept: Socket | null = null

  constructor(port: number) {
    this.#port = port
  }

  exchange(request: WireRequest): Promise<Outcome> {
    // The server closes a connection on which nothing was asked for a while.
    if (this.#kept && (this.#kept.destroyed || this.#kept.readableEnded)) this.close()
    const socket = request.alone ? this.#open() : (this.#kept ?? this.#open())
    const reader = new AnswerReader(request.isHead)
    if (!request.alone) this.#kept = null

    return new Promise(resolve => {
      let error: string | null = null
      let quiet: NodeJS.Timeout | undefined
      const finish = (end: Outcome['end']) => {
        clearTimeout(bound)
        clearTimeout(quiet)
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error')
        socket.on('error', () => {})
        const keep = end === 'answered' && !request.alone && reader.mayGoOn && socket.writableLength === 0
        if (keep) this.#kept = socket
        else socket.destroy()
        resolve({ answers: reader.answers, end, error, receivedBytes: reader.receivedBytes })
      }
      const bound = setTimeout(() => finish('silent'), WITHIN_MS)
      socket.on('data', (piece: Buffer) => {
        reader.push(piece)
        if (reader.answers.length === 0) return
        if (!request.alone) return finish('answered')
        clearTimeout(quiet)
        quiet = setTimeout(() => finish('answered'), QUIET_MS)
      })
      socket.on('error', (failure: NodeJS.ErrnoException) => {
        error = failure.code ?? failure.message
      })
      socket.on('close', () => {
        reader.end()
        finish('closed')
      })
      socket.cork()
      for (const piece of request.bytes) socket.write(piece)
      socket.uncork()
      if (request.incomplete) socket.end()
    })
  }

  close(): void {
    this.#kept?.destroy()
    this.#kept = null
  }

  #open(): Socket {
    return connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
  }
}

const KEPT_BODY_BYTES = 64 * 1024
const MAX_HEAD_BYTES = 64 * 1024

type Framing = { kind: 'length'; left: number } | { kind: 'chunked' } | { kind: 'until_close' }

/** Reads answers off a connection. No more than an answer's head and the beginning of its body is kept. */
class AnswerReader {
  readonly answers: Answer[] = []
  receivedBytes = 0
  readonly #isHead: boolean
  #buffer: Buffer = Buffer.alloc(0)
  #current: {
    status: number
    headers: Map<string, string>
    framing: Framing
    kept: Buffer[]
    bytes: number
  } | null = null
  #isBroken = false

  constructor(isHead: boolean) {
    this.#isHead = isHead
  }

  /** Nothing is left over, and the server has not said that it closes. */
  get mayGoOn(): boolean {
    const last = this.answers[this.answers.length - 1]
    return (
      !this.#isBroken &&
      this.#current === null &&
      this.#buffer.length === 0 &&
      last?.headers.get('connection') !== 'close' &&
      !isStream(last?.headers)
    )
  }

  push(piece: Buffer): void {
    this.receivedBytes += piece.length
    if (this.#isBroken) return
    this.#buffer = this.#buffer.length === 0 ? piece : Buffer.concat([this.#buffer, piece])
    while (this.#current ? this.#readBody() : this.#readHead());
  }

  /** The connection is closed: an answer without a length is complete now. */
  end(): void {
    if (this.#current?.framing.kind === 'until_close') this.#complete()
  }

  #readHead(): boolean {
    const end = this.#buffer.indexOf('\r\n\r\n')
    if (end === -1) {
      if (this.#buffer.length > MAX_HEAD_BYTES) this.#isBroken = true
      return false
    }
    const lines = this.#buffer.subarray(0, end).toString('latin1').split('\r\n')
    const match = /^HTTP\/1\.[01] (\d{3})( |$)/.exec(lines[0]!)
    if (!match) {
      this.#isBroken = true
      return false
    }
    this.#buffer = this.#buffer.subarray(end + 4)
    const status = Number(match[1])
    if (status >= 100 && status < 200) return true
    const headers = new Map<string, string>()
    for (const line of lines.slice(1)) {
      const colon = line.indexOf(':')
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    this.#current = { status, headers, framing: this.#framingOf(status, headers), kept: [], bytes: 0 }
    return true
  }

  #framingOf(status: number, headers: ReadonlyMap<string, string>): Framing {
    if (this.#isHead || status === 204 || status === 304) return { kind: 'length', left: 0 }
    // A stream of events never ends: that it began is the answer.
    if (isStream(headers)) return { kind: 'length', left: 0 }
    if (headers.get('transfer-encoding')?.includes('chunked')) return { kind: 'chunked' }
    const length = headers.get('content-length')
    return length === undefined ? { kind: 'until_close' } : { kind: 'length', left: Number(length) }
  }

  #readBody(): boolean {
    const { framing } = this.#current!
    if (framing.kind === 'length') {
      const taken = Math.min(framing.left, this.#buffer.length)
      this.#take(taken)
      framing.left -= taken
      if (framing.left > 0) return false
      this.#complete()
      return this.#buffer.length > 0
    }
    if (framing.kind === 'until_close') {
      this.#take(this.#buffer.length)
      return false
    }
    const line = this.#buffer.indexOf('\r\n')
    if (line === -1) return false
    const size = Number.parseInt(this.#buffer.subarray(0, line).toString('latin1'), 16)
    if (this.#buffer.length < line + 2 + size + 2) return false
    this.#buffer = this.#buffer.subarray(line + 2)
    this.#take(size)
    this.#buffer = this.#buffer.subarray(2)
    if (size > 0) return true
    this.#complete()
    return this.#buffer.length > 0
  }

  #take(length: number): void {
    const current = this.#current!
    if (current.bytes < KEPT_BODY_BYTES) current.kept.push(this.#buffer.subarray(0, length))
    current.bytes += length
    this.#buffer = this.#buffer.subarray(length)
  }

  #complete(): void {
    const { status, headers, kept, bytes } = this.#current!
    this.answers.push({ status, headers, body: Buffer.concat(kept), bytes })
    this.#current = null
  }
}

function isStream(headers: ReadonlyMap<string, string> | undefined): boolean {
  return headers?.get('content-type')?.startsWith('text/event-stream') === true
}
