import { expect } from 'vitest'
import { type Hall, type HallPlan, openHall, UNLIMITED } from './hall.ts'
import type { UsedServer } from './use-server.ts'

export const CONTACT = { name: 'Ben', email: 'ben@example.org' }
export const card = (number: string) => ({ card: { number, expiry: '12/40', cvc: '737' } })
const GOOD = card('4242 4242 4242 4242')

const FEES = [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }]
const TYPES = [
  { key: 'adult', name: 'Adult', amount: 80_000 },
  { key: 'child', name: 'Child', amount: 40_000 },
]

/** Buyers and their checkouts, through the API. */
export function checkoutsAt({ server, ours, send, organize }: UsedServer) {
  async function pricedHall(plan: HallPlan = {}, amounts = TYPES, fees: object[] = FEES): Promise<Hall> {
    const at = await openHall(server.request, ours.tokens.organizer, {
      ...{ standing: 30, prices: ['gold'], ...plan },
      event: { seating_overrides: { ...UNLIMITED, orphan_avoidance_strict: false }, ...plan.event },
    })
    const put = await organize(
      'PUT',
      `/api/admin/events/${at.eventId}/prices`,
      {
        currency: 'ZAR',
        categories: [
          { key: 'gold', name: 'Gold', ticket_types: amounts },
          { key: 'pit', name: 'Pit', ticket_types: amounts },
        ],
        zones: { [at.zones[1]!]: 'pit' },
        fees,
        tax: { name: 'VAT', percent: 15, included: true },
      },
      { 'if-match': '"0"' },
    )
    expect(put.status, put.text).toBe(200)
    return at
  }

  async function guest(): Promise<string> {
    const made = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    return made.body.data.token
  }

  async function hold(at: Hall, token: string, seats: number[]): Promise<string[]> {
    const held = await send('POST', `${at.url}/holds`, token, { seat_ids: seats.map(n => at.seats[n]) })
    expect(held.status, held.text).toBe(201)
    return held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
  }

  const open = (at: Hall, token: string, body: object = {}) =>
    send('POST', '/api/checkouts', token, { event_id: at.eventId, contact: CONTACT, ...body })
  const pay = (id: string, token: string, body: object = GOOD) =>
    send('POST', `/api/checkouts/${id}/pay`, token, body)
  const read = async (id: string, token: string) =>
    (await send('GET', `/api/checkouts/${id}`, token)).body.data
  const statusOf = async (at: Hall, seat: number) =>
    (await send('GET', `${at.url}/seats/${at.seats[seat]}`, ours.tokens.support)).body.data.status
  const order = async (id: string) =>
    (await send('GET', `/api/admin/orders/${id}`, ours.tokens.support)).body.data

  /** A buyer with a checkout of two seats. */
  async function twoSeats(at: Hall, seats = [0, 1], body: object = {}) {
    const token = await guest()
    const holds = await hold(at, token, seats)
    const opened = await open(at, token, body)
    expect(opened.status, opened.text).toBe(201)
    return { token, holds, id: opened.body.data.checkout_id as string, opened: opened.body.data }
  }

  return { pricedHall, guest, hold, open, pay, read, statusOf, order, twoSeats }
}
