import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between one node and a Redis, so that this node alone can be cut off from it, or slowed down. */
export class RedisProxy {
  readonly #server: Server
  #port: number
  readonly #sockets = new Set<Socket>()
  #state: 'open' | 'shut' | 'silent' = 'open'
  /** Says how late each piece of a question and of an answer is. Their order stays. */
  lateMs: { asked(): number; answered(): number } | null = null

  private constructor(server: Server, port: number) {
    this.#server = server
    this.#port = port
  }

  static async start(url: string): Promise<RedisProxy> {
    const server = createServer()
    const proxy = new RedisProxy(server, Number(new URL(url).port))
    server.on('connection', client => proxy.#join(client))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** New connections go to another server. */
  leadTo(url: string): void {
    this.#port = Number(new URL(url).port)
  }

  /** All connections break, and each new one at once. */
  shut(): void {
    this.#state = 'shut'
    this.#cutAll()
  }

  /** Connections look alive and carry nothing, new ones as well. */
  silence(): void {
    this.#state = 'silent'
  }

  /** The bytes that were swallowed are lost, so those connections are of no use any more. */
  open(): void {
    if (this.#state === 'silent') this.#cutAll()
    this.#state = 'open'
  }

  async close(): Promise<void> {
    this.shut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket): void {
    client.on('error', () => {})
    if (this.#state === 'shut') {
      client.destroy()
      return
    }
    const redis = connect(this.#port, '127.0.0.1')
    for (const [from, to] of [
      [client, redis],
      [redis, client],
    ] as const) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      const late: Buffer[] = []
      from.on('data', chunk => {
        if (this.#state === 'silent') return
        const lateMs = this.lateMs?.[from === client ? 'asked' : 'answered']() ?? 0
        if (lateMs === 0 && late.length === 0) {
          to.write(chunk)
          return
        }
        late.push(chunk)
        // Whichever timer is first: the oldest piece goes.
        setTimeout(() => {
          const oldest = late.shift()!
          if (to.writable) to.write(oldest)
        }, lateMs)
      })
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
    }
  }
}
