import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Poolers do this to connections, seen from outside. */
export interface PoolerHabits {
  /** The start-up parameter `options` never reaches Postgres. */
  dropsOptions?: boolean
  /** It is refused, as PgBouncer does by itself. */
  refusesOptions?: boolean
  /** Messages of NOTIFY do not come through: in transaction mode they arrive at another connection. */
  isDeaf?: boolean
}

export interface FakePooler {
  readonly habits: PoolerHabits
  urlOf(databaseUrl: string): string
  /** Breaks every connection, so that all are opened again. */
  cut(): void
  close(): Promise<void>
}

/** Stands before Postgres and has the habits that it is given, which may change while it runs. */
export async function startFakePooler(databaseUrl: string, habits: PoolerHabits): Promise<FakePooler> {
  const { hostname, port } = new URL(databaseUrl)
  const open = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.once('data', first => {
      const parameters = readStartUp(first)
      if (habits.refusesOptions && parameters.has('options')) {
        client.end(fatal('unsupported startup parameter: options'))
        return
      }
      if (habits.dropsOptions) parameters.delete('options')
      upstream.write(writeStartUp(parameters))
      client.pipe(upstream)
    })
    if (habits.isDeaf)
      upstream.on(
        'data',
        withoutNotices(message => client.write(message)),
      )
    else upstream.pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    habits,
    cut,
    urlOf(url) {
      const through = new URL(url)
      through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      return through.href
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

const HEAD_BYTES = 8

function readStartUp(packet: Buffer): Map<string, string> {
  const texts = packet.subarray(HEAD_BYTES, -2).toString().split('\0')
  const parameters = new Map<string, string>()
  for (let at = 0; at + 1 < texts.length; at += 2) parameters.set(texts[at]!, texts[at + 1]!)
  return parameters
}

function writeStartUp(parameters: ReadonlyMap<string, string>): Buffer {
  const body = Buffer.from(`${[...parameters].flat().join('\0')}\0\0`)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeInt32BE(HEAD_BYTES + body.length, 0)
  head.writeInt32BE(3 << 16, 4)
  return Buffer.concat([head, body])
}

function fatal(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

/** Takes what Postgres says apart, and leaves out what a NOTIFY brings. */
function withoutNotices(pass: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return chunk => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (message[0] !== 'A'.charCodeAt(0)) pass(message)
    }
  }
}
