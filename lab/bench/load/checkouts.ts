import { Connection, requestText } from './connection.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

/** On each connection one buyer at a time: holds a seat, opens a checkout, pays, as the page does. */
export interface CheckoutsOrder {
  /** Connections are dealt out over them in turn. */
  readonly ports: readonly number[]
  readonly connections: number
  /** No checkout begins after so many seconds. */
  readonly seconds: number
  /** At least one for each connection: no buyer has two checkouts at once. */
  readonly tokens: readonly string[]
  readonly eventId: string
  /** Each is sold once. */
  readonly seatIds: readonly string[]
}

export interface CheckoutFigures {
  readonly paid: number
  /** Answers that a checkout can not go on from, by step, status and code. */
  readonly others: Readonly<Record<string, number>>
  readonly seconds: number
  readonly perSecond: number
  readonly hold: Percentiles
  readonly open: Percentiles
  readonly pay: Percentiles
  readonly load: OwnLoad
}

const CARD = JSON.stringify({ card: { number: '4242424242424242', expiry: '12/40', cvc: '123' } })
const STEPS = ['hold', 'open', 'pay'] as const

export async function runCheckouts(order: CheckoutsOrder): Promise<CheckoutFigures> {
  const { ports, tokens, eventId, seatIds } = order
  const open = (_: unknown, index: number) => Connection.open(ports[index % ports.length]!)
  const connections = await Promise.all(Array.from({ length: order.connections }, open))
  const ms = { hold: [] as number[], open: [] as number[], pay: [] as number[] }
  const others: Record<string, number> = {}
  let paid = 0
  let next = 0
  let keys = 0
  const body = JSON.stringify({ event_id: eventId, contact: { name: 'Ben', email: 'ben@example.org' } })
  const ownLoad = watchOwnLoad()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  const buy = async (connection: Connection, token: string, seatId: string) => {
    let checkout = ''
    for (const step of STEPS) {
      keys += 1
      // As long as those of the client; no other event has the same.
      const key = `${eventId.slice(-8)}-${String(keys).padStart(27, '0')}`
      const request =
        step === 'hold'
          ? requestText(`POST /api/events/${eventId}/seats/${seatId}/reserve`, { token, key })
          : step === 'open'
            ? requestText('POST /api/checkouts', { token, key, body })
            : requestText(`POST /api/checkouts/${checkout}/pay`, { token, key, body: CARD })
      const answer = await connection.ask(request)
      ms[step].push(answer.ms)
      checkout ||= /"checkout_id":"([^"]+)"/.exec(answer.body)?.[1] ?? ''
      const isGood = step === 'pay' ? answer.body.includes('"status":"paid"') : answer.status === '201'
      if (!isGood) {
        const what = `${step}: ${answer.status} ${/"code":"(\w+)"/.exec(answer.body)?.[1] ?? ''}`
        others[what] = (others[what] ?? 0) + 1
        return
      }
    }
    paid += 1
  }
  const work = async (connection: Connection, index: number) => {
    let buyer = index
    while (next < seatIds.length && performance.now() < endsAt) {
      const seatId = seatIds[next]!
      next += 1
      await buy(connection, tokens[buyer]!, seatId)
      buyer += connections.length
      if (buyer >= tokens.length) buyer = index
    }
  }
  await Promise.all(connections.map(work))
  const seconds = (performance.now() - startedAt) / 1000
  const load = ownLoad()
  for (const connection of connections) connection.close()
  return {
    paid,
    others,
    seconds,
    perSecond: paid / seconds,
    hold: percentiles(ms.hold),
    open: percentiles(ms.open),
    pay: percentiles(ms.pay),
    load,
  }
}
