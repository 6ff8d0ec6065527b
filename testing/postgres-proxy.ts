import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 *   pass         nothing
 *   cut before   the connection breaks, and the message never arrives
 *   cut after    the message takes effect, and the connection breaks before its answer comes back
 */
export type Fate = 'pass' | 'cut before' | 'cut after'

/**
 * Is asked before a statement goes on its way: at each statement of a transaction that locks an event, by its
 * name; as `write to TABLE` where a statement without a name writes to a table of orders; and as
 * `other commit` at the COMMIT of any other transaction that has written something. `wrote`: to which tables.
 */
export type Trap = (statement: string, wrote: ReadonlySet<string>) => Fate | Promise<Fate>

/** At the COMMIT of a transaction that locks an event and has written anything, to its journal or not. */
export function atCommit(fate: () => Fate | Promise<Fate>): Trap {
  return statement => (statement === 'commit' ? fate() : 'pass')
}

/** At the COMMIT of a transaction that locks no event and has written to this table. */
export function atCommitOf(table: string, fate: () => Fate | Promise<Fate>): Trap {
  return (statement, wrote) => (statement === 'other commit' && wrote.has(table) ? fate() : 'pass')
}

export interface Rewriting {
  /** Only in messages with this text in them, such as the name of a statement. */
  readonly within: string
  readonly pattern: RegExp
  /** Not longer than what it stands for: lengths stand in the protocol, so it is filled up with spaces. */
  readonly by: string
}

/**
 * Stands between a node and Postgres and reads just enough of what the node says to do harm at the right
 * moment: statements by their names, and COMMIT. Also slow, deaf and broken lines;
 * and it can take a few words out of a statement.
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
  rewritings: readonly Rewriting[] = []
  /**
   * Points at which a node can be killed, as they were seen so far: the statements of transactions that write
   * to events, and in any transaction what writes to the tables of orders, money and entries.
   */
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

  /** From now on each new connection breaks at once. */
  refuseNew(): void {
    this.#isOpen = false
  }

  /** All connections break, and each new one at once. */
  shut(): void {
    this.refuseNew()
    this.cutAll()
  }

  open(): void {
    this.#isOpen = true
  }

  /** Lines that look alive and carry nothing, new ones as well: half-open connections. */
  silence(): void {
    this.#isSilent = true
  }

  /** The bytes that were swallowed are lost, so those lines are of no use any more. */
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
  #isLocking = false
  /** Tables, and the names of a batch's statements. */
  #wrote = new Set<string>()
  /** The last statement without a name writes to this. */
  #parsed: string | null = null
  #isBusy = false
  /** This came back since a message was sent whose answer must not reach the node. */
  #hidden: Buffer | null = null
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
    if (this.#hidden) {
      this.#hidden = Buffer.concat([this.#hidden, chunk])
      // Not before the COMMIT itself is answered: only then it has surely taken effect.
      if (/COMMIT\0|ROLLBACK\0/.test(this.#hidden.toString('latin1'))) this.cut()
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
        this.#hidden = Buffer.alloc(0)
        // Whatever else it is, it is done within a moment; a commit may take its time.
        if (statementOf(message) !== 'commit') setTimeout(() => this.cut(), DONE_WITHIN_MS)
        return
      }
      this.#upstream.write(this.#rewritten(message))
    }
    this.#isBusy = false
  }

  async #fateOf(message: Buffer): Promise<Fate> {
    if (message[0] === PARSE) this.#parsed = this.#note(message)
    const statement = statementOf(message)
    if (statement === null) return message[0] === BIND ? this.#atWriting() : 'pass'
    if (statement === 'lock_ledger') this.#isLocking = true
    if (statement.startsWith('batch_')) this.#wrote.add(statement)
    const isEnd = statement === 'commit' || statement === 'rollback'
    const isOfInterest = isEnd ? statement === 'commit' && this.#wrote.size > 0 : this.#isLocking
    const isLocking = this.#isLocking
    const wrote = this.#wrote
    if (isEnd) {
      this.#isLocking = false
      this.#wrote = new Set()
    }
    if (!isOfInterest) return 'pass'
    const { trap, statements } = this.#proxy
    if (isLocking) statements.add(statement)
    else if ([...wrote].some(table => OF_ORDERS.test(table))) statements.add('other commit')
    return trap ? trap(isLocking ? statement : 'other commit', wrote) : 'pass'
  }

  /** Notes which tables a statement writes to. Returns the first of them, of a statement without a name. */
  #note(message: Buffer): string | null {
    const tables = [...message.toString('latin1').matchAll(WRITES)].map(
      ([, into, from, of]) => (into ?? from ?? of)!,
    )
    for (const table of tables) this.#wrote.add(table)
    return message[5] === 0 ? (tables[0] ?? null) : null
  }

  /** At a statement without a name, which was parsed just before. */
  #atWriting(): Fate | Promise<Fate> {
    const table = this.#parsed
    this.#parsed = null
    if (table === null || !OF_ORDERS.test(table)) return 'pass'
    const { trap, statements } = this.#proxy
    const point = `write to ${table}`
    statements.add(point)
    return trap ? trap(point, this.#wrote) : 'pass'
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

const DONE_WITHIN_MS = 50

const OF_ORDERS =
  /^(orders|order_lines|payments|refunds|checkouts|gateway_events|simulated_\w+|entries|mails)$/

const WRITES = /\b(?:insert into (\w+)|delete from (\w+)|update (\w+) (?:\w+ )?set\b)/gi

const PARSE = 'P'.charCodeAt(0)
const QUERY = 'Q'.charCodeAt(0)
const BIND = 'B'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)

function isLast(message: Buffer): boolean {
  return message[0] === SYNC || message[0] === QUERY
}

/**
 * The name in a Bind (after the portal's, which is empty),
 * or the word of a simple query that ends a transaction.
 */
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
