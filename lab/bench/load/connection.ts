import { connect, type Socket } from 'node:net'

/** One character a byte. */
export class Answer {
  readonly status: string
  readonly ms: number
  readonly #received: string
  readonly #headEnds: number

  constructor(received: string, headEnds: number, ms: number) {
    this.status = received.slice(9, 12)
    this.ms = ms
    this.#received = received
    this.#headEnds = headEnds
  }

  get head(): string {
    return this.#received.slice(0, this.#headEnds)
  }

  get body(): string {
    return this.#received.slice(this.#headEnds + 4)
  }
}

/** All connections read into this one buffer, and each takes its bytes out before another reads. */
const arrived = Buffer.allocUnsafe(64 * 1024)

/**
 * A kept connection, one request at a time. Nothing but a socket and prepared bytes, because the load
 * generator shares the machine with what it measures.
 */
export class Connection {
  readonly #socket: Socket
  #received = ''
  #askedAt = 0
  #waiting: { answered(answer: Answer): void; failed(error: Error): void } | null = null
  #failure: Error | null = null

  private constructor(port: number, opened: (connection: Connection) => void) {
    // Past the stream that a socket is: that would make a buffer for each piece, and pass it on in events.
    const callback = (length: number) => {
      this.#onData(arrived.toString('latin1', 0, length))
      return true
    }
    this.#socket = connect(
      { port, host: '127.0.0.1', noDelay: true, onread: { buffer: arrived, callback } },
      () => opened(this),
    )
    this.#socket.on('error', error => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed a connection')))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((opened, failed) => {
      const connection: Connection = new Connection(port, opened)
      connection.#waiting = { answered() {}, failed }
    })
  }

  ask(request: string): Promise<Answer> {
    return new Promise((answered, failed) => this.send(request, { answered, failed }))
  }

  /** As `ask`, without a promise. */
  send(request: string, waiting: { answered(answer: Answer): void; failed(error: Error): void }): void {
    if (this.#failure) {
      waiting.failed(this.#failure)
      return
    }
    this.#waiting = waiting
    this.#askedAt = performance.now()
    this.#socket.write(request, 'latin1')
  }

  close(): void {
    this.#waiting = null
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.failed(this.#failure)
  }

  #onData(piece: string): void {
    const received = this.#received === '' ? piece : this.#received + piece
    this.#received = received
    const headEnds = received.indexOf('\r\n\r\n')
    if (headEnds < 0) return
    // Every server that is measured says how long an answer is.
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) {
      this.#fail(new Error(`an answer without a length: ${received.slice(0, 200)}`))
      return
    }
    if (received.length < headEnds + 4 + length) return
    const waiting = this.#waiting
    this.#received = ''
    this.#waiting = null
    waiting?.answered(new Answer(received, headEnds, performance.now() - this.#askedAt))
  }
}

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

export function requestText(
  line: string,
  {
    token,
    accept,
    key,
    forwardedFor,
    body,
  }: {
    token?: string | undefined
    accept?: string
    key?: string | undefined
    forwardedFor?: string | undefined
    /** As JSON, in ASCII. */
    body?: string | undefined
  },
): string {
  const isRead = line.startsWith('GET')
  return (
    `${line} HTTP/1.1\r\nhost: localhost\r\n` +
    (token === undefined ? '' : `authorization: Bearer ${token}\r\n`) +
    (key === undefined ? '' : `idempotency-key: ${key}\r\n`) +
    (forwardedFor === undefined ? '' : `x-forwarded-for: ${forwardedFor}\r\n`) +
    (accept === undefined ? '' : `accept: ${accept}\r\naccept-encoding: br\r\n`) +
    (body === undefined ? '' : 'content-type: application/json\r\n') +
    (isRead ? '\r\n' : `content-length: ${body?.length ?? 0}\r\n\r\n${body ?? ''}`)
  )
}
