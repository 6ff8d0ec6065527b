import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 *   pass         nothing
 *   cut before   the connection breaks, and the message never arrives
 *   cut after    the message takes effect, and the connection breaks before its answer comes back
 */
export type Fate = 'pass' | 'cut before' | 'cut after'

/** Is asked at each statement of a transaction that writes to an event, before it goes on its way. */
export type Trap = (statement: string) => Fate | Promise<Fate>

/**
 * Stands between one node and Postgres and reads just enough of what the node says to do harm at the right moment:
 * statements by their names, and COMMIT. Also slow, deaf and broken lines.
 */
export class PostgresProxy {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  readonly #sockets = new Set<Socket>()
  #target: { port: number }
  #isOpen = true
  #isSilent = false
  /** Each way. */
  delayMs = 0
  trap: Trap | null = null
  /** Of the transactions that write to events, as they were seen so far. */
  readonly statements = new Set<string>()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.#target = { port }
  }

  static async start(databaseUrl: string): Promise<PostgresProxy> {
    const server = createServer()
    const proxy = new PostgresProxy(server, Number(new URL(databaseUrl).port))
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

  get isSilent(): boolean {
    return this.#isSilent
  }

  pointTo(databaseUrl: string): void {
    this.#target = { port: Number(new URL(databaseUrl).port) }
  }

  /** All connections break, and each new one at once. */
  shut(): void {
    this.#isOpen = false
    this.cutAll()
  }

  open(): void {
    this.#isOpen = true
  }

  /** Lines that look alive and carry nothing, new ones as well: half-open connections. */
  silence(): void {
    this.#isSilent = true
  }

  /** What was swallowed is lost, so those lines are of no use any more. */
  endSilence(): void {
    this.#isSilent = false
    this.cutAll()
  }

  cutAll(): void {
    for (const pair of this.#pairs) pair.cut()
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.shut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket): void {
    client.on('error', () => {})
    if (!this.#isOpen) {
      client.destroy()
      return
    }
    this.#sockets.add(client)
    client.on('close', () => this.#sockets.delete(client))
    if (this.#isSilent) return
    const pair = new Pair(client, connect(this.#target.port, '127.0.0.1'), this)
    this.#pairs.add(pair)
    pair.onEnd = () => this.#pairs.delete(pair)
  }
}

/** One connection, and the other half of it. */
class Pair {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #proxy: PostgresProxy
  #unread: Buffer = Buffer.alloc(0)
  #hasStarted = false
  #isWriting = false
  #isBusy = false
  #isCutting = false
  #forth: Promise<void> = Promise.resolve()
  #back: Promise<void> = Promise.resolve()
  onEnd = () => {}

  constructor(client: Socket, upstream: Socket, proxy: PostgresProxy) {
    this.#client = client
    this.#upstream = upstream
    this.#proxy = proxy
    client.on('data', chunk => {
      if (proxy.isSilent) return
      this.#forth = inAWhile(this.#forth, proxy.delayMs, () => {
        this.#unread = Buffer.concat([this.#unread, chunk])
        void this.#forward()
      })
    })
    upstream.on('data', chunk => this.#backward(chunk))
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

  #backward(chunk: Buffer): void {
    if (this.#isCutting) {
      // The answer is there, so the statement has taken effect; nobody is to hear of it.
      this.cut()
      return
    }
    if (this.#proxy.isSilent) return
    this.#back = inAWhile(this.#back, this.#proxy.delayMs, () => this.#client.write(chunk))
  }

  async #forward(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let message = this.#take(); message; message = this.#take()) {
      const fate = await this.#fateOf(message)
      if (fate === 'cut before') {
        this.cut()
        return
      }
      if (fate === 'cut after') {
        this.#upstream.write(message)
        // With the message that makes Postgres act on it and answer.
        for (let next: Buffer | null = message; next && !isLast(next); ) {
          next = this.#take()
          if (next) this.#upstream.write(next)
        }
        this.#isCutting = true
        return
      }
      this.#upstream.write(message)
    }
    this.#isBusy = false
  }

  async #fateOf(message: Buffer): Promise<Fate> {
    const statement = statementOf(message)
    if (statement === null) return 'pass'
    if (statement === 'lock_ledger') this.#isWriting = true
    if (!this.#isWriting) return 'pass'
    const { trap, statements } = this.#proxy
    if (statement === 'rollback') {
      this.#isWriting = false
      return 'pass'
    }
    statements.add(statement)
    if (statement === 'commit') this.#isWriting = false
    return trap ? trap(statement) : 'pass'
  }

  /** The next whole message. The first one, which begins a session, has no type before its length. */
  #take(): Buffer | null {
    const offset = this.#hasStarted ? 1 : 0
    if (this.#unread.length < offset + 4) return null
    const end = offset + this.#unread.readUInt32BE(offset)
    if (this.#unread.length < end) return null
    const message = this.#unread.subarray(0, end)
    this.#unread = this.#unread.subarray(end)
    this.#hasStarted = true
    return message
  }
}

/** Not before what came before it. What comes close together is late together: a line is slow, not narrow. */
function inAWhile(before: Promise<void>, ms: number, then: () => void): Promise<void> {
  if (ms === 0) return before.then(then)
  const waited = delay(ms)
  return before.then(() => waited).then(then)
}

const QUERY = 'Q'.charCodeAt(0)
const BIND = 'B'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)

function isLast(message: Buffer): boolean {
  return message[0] === SYNC || message[0] === QUERY
}

/** The name in a Bind (after the portal's, which is empty), or the word of a simple query that ends a transaction. */
function statementOf(message: Buffer): string | null {
  if (message[0] === BIND) {
    const from = message.indexOf(0, 5) + 1
    const name = message.toString('latin1', from, message.indexOf(0, from))
    return name === '' ? null : name
  }
  if (message[0] !== QUERY) return null
  const match = /^(commit|rollback)\0$/i.exec(message.toString('latin1', 5, 5 + 20))
  return match ? match[1]!.toLowerCase() : null
}
