import { Random } from '../../random.ts'
import type { Workload } from '../stage/in-process.ts'
import { type Answer, Connection, requestText } from './connection.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'
import { type Percentiles, percentiles } from './percentiles.ts'
import { zipf } from './zipf.ts'

/** On each connection one request for a seat at a time, the next as soon as the answer is there. */
export interface ClosedLoopOrder {
  /** Connections are dealt out over them in turn. */
  readonly ports: readonly number[]
  readonly connections: number
  readonly seconds: number
  readonly seed: number
  /**
   * Each seat once; or by Zipf's law, twice as many requests as seats in each event; or always the same seat;
   * or `fight`: several buyers ask for each seat, right after one another; or `best`: each asks for the best
   * `quantity` seats, side by side, as often as the hall has room for.
   */
  readonly workload: Workload | 'fight' | 'best'
  readonly quantity?: number
  /** Each request with an Idempotency-Key, as our client sends it. */
  readonly keyed: boolean
  /** Taken in turn by the requests. */
  readonly tokens: readonly string[]
  readonly eventIds: readonly string[]
  /** Events that are on sale at the same time: requests take them in turn. One after another if left out. */
  readonly eventsAtOnce?: number
  readonly seatIds: readonly string[]
  /** Each buyer asks from a network address of their own, as a trusted proxy would say. */
  readonly fromAddresses?: boolean
  /** Every answer is wanted, not only the figures. */
  readonly wantsEach?: boolean
}

/** Every answer, in the order in which they came. */
export interface EachAnswer {
  /** When it came, in milliseconds of the wall clock. */
  readonly at: Float64Array
  readonly ms: Float64Array
  /** 1: it was a hold. */
  readonly isHold: Uint8Array
}

export interface ClosedLoopFigures extends Percentiles {
  readonly answers: number
  readonly holds: number
  /** Answers other than 201, by status. */
  readonly others: Readonly<Record<string, number>>
  readonly seconds: number
  readonly perSecond: number
  readonly refusedPerSecond: number
  readonly longestMs: number
  readonly load: OwnLoad
  readonly each?: EachAnswer
}

/** Buyers who ask for the same seat in a fight. */
const FIGHTERS = 4
const OPENED_AT_ONCE = 200

export async function runClosedLoop(order: ClosedLoopOrder): Promise<ClosedLoopFigures> {
  const requests = requestsOf(order)
  const connections: Connection[] = []
  while (connections.length < order.connections) {
    const count = Math.min(OPENED_AT_ONCE, order.connections - connections.length)
    const first = connections.length
    const open = (_: unknown, index: number) =>
      Connection.open(order.ports[(first + index) % order.ports.length]!)
    connections.push(...(await Promise.all(Array.from({ length: count }, open))))
  }
  const ms: number[] = []
  const at: number[] = []
  const isHold: number[] = []
  const others: Record<string, number> = {}
  let holds = 0
  const ownLoad = watchOwnLoad()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  const useConnection = (connection: Connection) =>
    new Promise<void>((resolve, failed) => {
      const answered = (answer: Answer) => {
        ms.push(answer.ms)
        if (answer.status === '201') holds += 1
        else others[answer.status] = (others[answer.status] ?? 0) + 1
        if (order.wantsEach) {
          at.push(performance.timeOrigin + performance.now())
          isHold.push(Number(answer.status === '201'))
        }
        ask()
      }
      const waiting = { answered, failed }
      const ask = () => {
        const request = performance.now() < endsAt ? requests.next().value : undefined
        if (request) connection.send(request, waiting)
        else resolve()
      }
      // The first one in any case: a slow machine may not come to it before a very short time is over.
      const first = requests.next().value
      if (first) connection.send(first, waiting)
      else resolve()
    })
  await Promise.all(connections.map(useConnection))
  const seconds = (performance.now() - startedAt) / 1000
  const load = ownLoad()
  for (const connection of connections) connection.close()
  return {
    answers: ms.length,
    holds,
    others,
    seconds,
    perSecond: holds / seconds,
    refusedPerSecond: (others['409'] ?? 0) / seconds,
    ...percentiles(ms),
    longestMs: ms.reduce((longest, one) => Math.max(longest, one), 0),
    load,
    ...(order.wantsEach && {
      each: { at: Float64Array.from(at), ms: Float64Array.from(ms), isHold: Uint8Array.from(isHold) },
    }),
  }
}

function* requestsOf({
  eventIds,
  eventsAtOnce = 1,
  seatIds,
  tokens,
  workload,
  keyed,
  seed,
  fromAddresses = false,
  quantity = 1,
}: ClosedLoopOrder): Generator<string, void> {
  let count = 0
  const request = (eventId: string, seatId: string) => {
    const buyer = count % tokens.length
    const token = tokens[buyer]
    const forwardedFor = fromAddresses ? buyerAddress(buyer) : undefined
    count += 1
    // As long as those of the client, which are random UUIDs.
    const key = keyed ? `${String(seed).padStart(8, '0')}-${String(count).padStart(27, '0')}` : undefined
    if (workload === 'best') {
      const body = JSON.stringify({ best_available: { quantity, together: 'required' } })
      return requestText(`POST /api/events/${eventId}/holds`, { token, key, forwardedFor, body })
    }
    return requestText(`POST /api/events/${eventId}/seats/${seatId}/reserve`, { token, key, forwardedFor })
  }
  if (workload === 'one') for (;;) yield request(eventIds[0]!, seatIds[0]!)
  const rank = workload === 'zipf' ? zipf(seatIds.length, new Random(seed)) : null
  for (let first = 0; first < eventIds.length; first += eventsAtOnce) {
    const together = eventIds.slice(first, first + eventsAtOnce)
    const requests = Math.floor(((rank ? 2 : 1) * seatIds.length) / quantity)
    for (let times = 0; times < requests; times += 1) {
      for (const eventId of together) {
        const seatId = seatIds[rank?.() ?? times]!
        for (let asker = 0; asker < (workload === 'fight' ? FIGHTERS : 1); asker += 1) {
          yield request(eventId, seatId)
        }
      }
    }
  }
}

/** The network address of a buyer, by their number. */
export function buyerAddress(buyer: number): string {
  return `10.${(buyer >> 16) & 255}.${(buyer >> 8) & 255}.${buyer & 255}`
}
