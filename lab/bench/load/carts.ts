import { Connection, requestText } from './connection.ts'
import { drive, Notes } from './drive.ts'
import type { Percentiles } from './percentiles.ts'

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
  const notes = new Notes()
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
      notes.good('cart', cart)
      const answer = held.status === '201' ? cart : held
      if (answer.status !== '200') notes.other('', answer)
      else if (!cart.body.includes(seatId)) missing += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { tries: seatIds.length, missing, others: notes.others, cart: notes.percentiles('cart') }
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
  readonly others: Readonly<Record<string, number>>
}

export async function runReads(order: ReadsOrder): Promise<ReadsFigures> {
  const { ports, path, readers, holders, tokens, eventId, seatIds } = order
  let next = 0
  const endsAt = performance.now() + order.seconds * 1000
  const { notes, seconds } = await drive(ports, readers + holders, async (connection, index, notes) => {
    const token = tokens[index % tokens.length]!
    const ask = async (request: string, what: 'read' | 'hold', wanted: string) => {
      const answer = await connection.ask(request)
      if (answer.status === wanted) notes.good(what, answer)
      else notes.other('', answer)
    }
    const read = requestText(`GET ${path}`, { token, accept: 'application/json' })
    while (performance.now() < endsAt) {
      if (index < readers) await ask(read, 'read', '200')
      else if (next < seatIds.length) {
        next += 1
        const line = `POST /api/events/${eventId}/seats/${seatIds[next - 1]}/reserve`
        await ask(requestText(line, { token }), 'hold', '201')
      } else return
    }
  })
  return {
    readsPerSecond: notes.ms('read').length / seconds,
    reads: notes.percentiles('read'),
    holdsPerSecond: notes.ms('hold').length / seconds,
    others: notes.others,
  }
}
