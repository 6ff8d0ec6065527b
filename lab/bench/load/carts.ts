import { Connection, requestText } from './connection.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

/** Buyers who hold a seat and read their cart right after, each time over a new connection. */
export interface OwnReadsOrder {
  /** Seats are held at one and carts read at the other; one port where workers take connections in turn. */
  readonly holdAt: number
  readonly readAt: number
  readonly tokens: readonly string[]
  readonly eventId: string
  /** One for each try. */
  readonly seatIds: readonly string[]
}

export interface OwnReadsFigures {
  readonly tries: number
  /** Carts without the seat that was held before. */
  readonly missing: number
  readonly others: Readonly<Record<string, number>>
  readonly cart: Percentiles
}

const AT_ONCE = 4

export async function runOwnReads(order: OwnReadsOrder): Promise<OwnReadsFigures> {
  const { holdAt, readAt, tokens, eventId, seatIds } = order
  const others: Record<string, number> = {}
  const ms: number[] = []
  let [next, missing] = [0, 0]
  const once = async (port: number, request: string) => {
    const connection = await Connection.open(port)
    const answer = await connection.ask(request)
    connection.close()
    return answer
  }
  const work = async () => {
    while (next < seatIds.length) {
      const seatId = seatIds[next]!
      const token = tokens[next % tokens.length]!
      next += 1
      const line = `POST /api/events/${eventId}/seats/${seatId}/reserve`
      const held = await once(holdAt, requestText(line, { token }))
      const cart = await once(readAt, requestText(`GET /api/events/${eventId}/cart`, { token }))
      ms.push(cart.ms)
      const answer = held.status === '201' ? cart : held
      if (answer.status !== '200') count(others, answer)
      else if (!cart.body.includes(seatId)) missing += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { tries: seatIds.length, missing, others, cart: percentiles(ms) }
}

/** By status and code: a 503 may be an event that is busy, or a Postgres that is away. */
function count(others: Record<string, number>, { status, body }: { status: string; body: string }): void {
  const name = [status, ...(/"code":"(\w+)"/.exec(body)?.slice(1) ?? [])].join(' ')
  others[name] = (others[name] ?? 0) + 1
}

/** Buyers who read all the time, while others hold one seat after another. */
export interface ReadsOrder {
  readonly ports: readonly number[]
  readonly path: string
  readonly readers: number
  readonly holders: number
  readonly seconds: number
  readonly tokens: readonly string[]
  readonly eventId: string
  readonly seatIds: readonly string[]
}

export interface ReadsFigures {
  readonly readsPerSecond: number
  readonly reads: Percentiles
  readonly holdsPerSecond: number
  readonly holds: Percentiles
  readonly others: Readonly<Record<string, number>>
  readonly load: OwnLoad
}

export async function runReads(order: ReadsOrder): Promise<ReadsFigures> {
  const { ports, path, readers, holders, tokens, eventId, seatIds } = order
  const open = (_: unknown, index: number) => Connection.open(ports[index % ports.length]!)
  const connections = await Promise.all(Array.from({ length: readers + holders }, open))
  const others: Record<string, number> = {}
  const reads: number[] = []
  const holds: number[] = []
  let next = 0
  const ownLoad = watchOwnLoad()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  const ask = async (connection: Connection, request: string, wanted: string, ms: number[]) => {
    const answer = await connection.ask(request)
    if (answer.status === wanted) ms.push(answer.ms)
    else count(others, answer)
  }
  const work = async (connection: Connection, index: number) => {
    const token = tokens[index % tokens.length]!
    const read = requestText(`GET ${path}`, { token, accept: 'application/json' })
    while (performance.now() < endsAt) {
      if (index < readers) await ask(connection, read, '200', reads)
      else if (next < seatIds.length) {
        next += 1
        const line = `POST /api/events/${eventId}/seats/${seatIds[next - 1]}/reserve`
        await ask(connection, requestText(line, { token }), '201', holds)
      } else return
    }
  }
  await Promise.all(connections.map(work))
  const seconds = (performance.now() - startedAt) / 1000
  for (const connection of connections) connection.close()
  return {
    readsPerSecond: reads.length / seconds,
    reads: percentiles(reads),
    holdsPerSecond: holds.length / seconds,
    holds: percentiles(holds),
    others,
    load: ownLoad(),
  }
}
