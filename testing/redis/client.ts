import { connect, type Socket } from 'node:net'

type Reply = string | number | null

/**
 * As much of Redis's protocol as a baseline needs: commands with simple replies, pipelined on one connection.
 * Less work per command than the usual clients do, which is in favour of what it is measured for.
 */
export class RedisClient {
  readonly #socket: Socket
  readonly #waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = []
  #received = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', piece => this.#read(piece))
    socket.on('error', error => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('Redis closed the connection')))
  }

  static connect(url: string): Promise<RedisClient> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port || 6379) }, () => {
        socket.off('error', reject)
        resolve(new RedisClient(socket))
      })
      socket.once('error', reject)
    })
  }

  command(...words: readonly string[]): Promise<Reply> {
    const bulk = words.map(word => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#socket.write(`*${words.length}\r\n${bulk.join('')}`)
    })
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  #read(piece: Buffer): void {
    this.#received += piece.toString('latin1')
    for (;;) {
      const end = this.#received.indexOf('\r\n')
      if (end < 0) return
      const [kind, text] = [this.#received[0], this.#received.slice(1, end)]
      if (kind === '$' && text !== '-1') {
        const from = end + 2
        const to = from + Number(text)
        if (this.#received.length < to + 2) return
        const bulk = this.#received.slice(from, to)
        this.#received = this.#received.slice(to + 2)
        this.#waiting.shift()!.resolve(bulk)
        continue
      }
      this.#received = this.#received.slice(end + 2)
      const waiting = this.#waiting.shift()!
      if (kind === '-') waiting.reject(new Error(`Redis: ${text}`))
      else if (kind === ':') waiting.resolve(Number(text))
      else waiting.resolve(kind === '$' ? null : text)
    }
  }
}
