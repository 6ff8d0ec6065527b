import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface Rewriting {
  /** Only in messages with this text in them, such as the name of a statement. */
  readonly within: string
  readonly pattern: RegExp
  /** Not longer than what it stands for: lengths stand in the protocol, so it is filled up with spaces. */
  readonly by: string
}

/** At the COMMIT of a transaction that has written to the journal. Whatever is returned happens to it. */
export type AtCommit = () =>
  | 'pass'
  | 'cut before'
  | 'cut after'
  | Promise<'pass' | 'cut before' | 'cut after'>

/**
 * Stands between a node and Postgres, and understands just enough of the protocol to do harm at the right moment:
 * cut a connection before a COMMIT gets through, or after it took effect and before its answer comes back; hold
 * it up; take a few words out of a statement.
 */
export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #targetPort: number
  #isOpen = true
  atCommit: AtCommit = () => 'pass'
  rewritings: readonly Rewriting[] = []

  private constructor(server: Server, targetPort: number) {
    this.#server = server
    this.#targetPort = targetPort
  }

  static async start(databaseUrl: string): Promise<TcpProxy> {
    const server = createServer()
    const proxy = new TcpProxy(server, Number(new URL(databaseUrl).port))
    server.on('connection', client => proxy.#join(client))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  /** The same database, by way of this proxy. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl)
    url.port = String((this.#server.address() as AddressInfo).port)
    return url.href
  }

  /** By these Postgres knows the connections that are open. */
  get upstreamPorts(): number[] {
    return [...this.#pairs].flatMap(pair => pair.upstreamPort ?? [])
  }

  pointTo(databaseUrl: string): void {
    this.#targetPort = Number(new URL(databaseUrl).port)
  }

  /** From now on each new connection breaks at once. */
  refuseNew(): void {
    this.#isOpen = false
  }

  /** All connections break, and each new one at once. */
  shut(): void {
    this.refuseNew()
    for (const pair of this.#pairs) pair.cut()
  }

  open(): void {
    this.#isOpen = true
  }

  async close(): Promise<void> {
    this.shut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket): void {
    if (!this.#isOpen) {
      client.destroy()
      return
    }
    const pair = new Pair(client, connect(this.#targetPort, '127.0.0.1'), this)
    this.#pairs.add(pair)
    pair.onEnd = () => this.#pairs.delete(pair)
  }
}

class Pair {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #proxy: TcpProxy
  #waiting: Buffer = Buffer.alloc(0)
  #hasStarted = false
  #writesJournal = false
  #isBusy = false
  #hidden: Buffer | null = null
  onEnd = () => {}

  constructor(client: Socket, upstream: Socket, proxy: TcpProxy) {
    this.#client = client
    this.#upstream = upstream
    this.#proxy = proxy
    client.on('data', chunk => {
      this.#waiting = Buffer.concat([this.#waiting, chunk])
      void this.#forward()
    })
    upstream.on('data', chunk => {
      if (!this.#hidden) {
        client.write(chunk)
        return
      }
      // Not before the COMMIT itself is answered: only then it has surely taken effect.
      this.#hidden = Buffer.concat([this.#hidden, chunk])
      if (/COMMIT\0|ROLLBACK\0/.test(this.#hidden.toString('latin1'))) this.cut()
    })
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => this.cut())
      socket.on('close', () => this.cut())
    }
  }

  get upstreamPort(): number | undefined {
    return this.#upstream.localPort
  }

  cut(): void {
    this.#client.destroy()
    this.#upstream.destroy()
    this.onEnd()
  }

  async #forward(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let message = this.#take(); message; message = this.#take()) {
      const isCommit = message[0] === QUERY && /^commit\0$/i.test(message.toString('latin1', 5))
      if (message.includes('batch_journal')) this.#writesJournal = true
      if (isCommit && this.#writesJournal) {
        this.#writesJournal = false
        const fate = await this.#proxy.atCommit()
        if (fate === 'cut before') {
          this.cut()
          return
        }
        if (fate === 'cut after') this.#hidden = Buffer.alloc(0)
      }
      this.#upstream.write(this.#rewritten(message))
    }
    this.#isBusy = false
  }

  /** The next whole message. The first one, which begins a session, has no type before its length. */
  #take(): Buffer | null {
    const offset = this.#hasStarted ? 1 : 0
    if (this.#waiting.length < offset + 4) return null
    const end = offset + this.#waiting.readUInt32BE(offset)
    if (this.#waiting.length < end) return null
    const message = this.#waiting.subarray(0, end)
    this.#waiting = this.#waiting.subarray(end)
    this.#hasStarted = true
    return message
  }

  #rewritten(message: Buffer): Buffer {
    let result = message
    for (const { within, pattern, by } of this.#proxy.rewritings) {
      if (!result.includes(within)) continue
      const text = result.toString('latin1').replace(pattern, found => by.padEnd(found.length))
      result = Buffer.from(text, 'latin1')
    }
    return result
  }
}

const QUERY = 'Q'.charCodeAt(0)
