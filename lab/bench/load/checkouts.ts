import { type Connection, requestText } from './connection.ts'
import { drive, type Notes } from './drive.ts'
import type { Percentiles } from './percentiles.ts'

/** On each connection one buyer at a time: holds a seat, opens a checkout, pays, as the page does. */
export interface CheckoutsOrder {
  /** Connections are dealt out over them in turn. */
  readonly ports: readonly number[]
  readonly connections: number
  /** No checkout begins after so many seconds. */
  readonly seconds: number
  /** There is at least one for each connection: no buyer has two checkouts at once. */
  readonly tokens: readonly string[]
  readonly eventId: string
  /** Each is sold once. */
  readonly seatIds: readonly string[]
}

export interface CheckoutFigures {
  readonly paid: number
  /** Answers that a checkout can not go on from, by step, status and code. */
  readonly others: Readonly<Record<string, number>>
  readonly perSecond: number
  readonly hold: Percentiles
  readonly open: Percentiles
  readonly pay: Percentiles
}

const CARD = JSON.stringify({ card: { number: '4242424242424242', expiry: '12/40', cvc: '123' } })
const STEPS = ['hold', 'open', 'pay'] as const

export async function runCheckouts(order: CheckoutsOrder): Promise<CheckoutFigures> {
  const { ports, connections, tokens, eventId, seatIds } = order
  let paid = 0
  let next = 0
  let keys = 0
  const body = JSON.stringify({ event_id: eventId, contact: { name: 'Ben', email: 'ben@example.org' } })
  const endsAt = performance.now() + order.seconds * 1000
  const buy = async (connection: Connection, notes: Notes, token: string, seatId: string) => {
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
      notes.good(step, answer)
      checkout ||= /"checkout_id":"([^"]+)"/.exec(answer.body)?.[1] ?? ''
      const isGood = step === 'pay' ? answer.body.includes('"status":"paid"') : answer.status === '201'
      if (!isGood) return notes.other(`${step}:`, answer)
    }
    paid += 1
  }
  const { notes, seconds } = await drive(ports, connections, async (connection, index, notes) => {
    let buyer = index
    while (next < seatIds.length && performance.now() < endsAt) {
      const seatId = seatIds[next]!
      next += 1
      await buy(connection, notes, tokens[buyer]!, seatId)
      buyer += connections
      if (buyer >= tokens.length) buyer = index
    }
  })
  const [hold, open, pay] = STEPS.map(step => notes.percentiles(step)) as [
    Percentiles,
    Percentiles,
    Percentiles,
  ]
  return { paid, others: notes.others, perSecond: paid / seconds, hold, open, pay }
}
