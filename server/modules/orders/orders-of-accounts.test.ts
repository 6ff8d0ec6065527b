import { randomUUID } from 'node:crypto'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { PASSWORD } from '@voelgoed/testing/harness'
import { useServer } from '@voelgoed/testing/use-server'
import { beforeAll, expect, it } from 'vitest'

/** A person who has an account has what they bought as a guest. */
const { server, ours, send, organize } = useServer()
let at: Hall
let next = 0

beforeAll(async () => {
  at = await openHall(server.request, ours.tokens.organizer, {
    seats: 40,
    event: { seating_overrides: UNLIMITED },
  })
})

async function guest(): Promise<string> {
  const body = { organization: ours.slug }
  return (await server.request('POST', '/api/sessions/guest', { body })).body.data.token
}

async function signUp(email = `${randomUUID()}@buyer.example`) {
  const body = { organization: ours.slug, email, password: PASSWORD }
  const { data } = (await server.request('POST', '/api/accounts', { body })).body
  return { email, token: data.token as string, id: data.user.id as string }
}

/** An order that the buyer made by themselves: no member of staff sold it. */
async function buy(token: string, email: string): Promise<string> {
  const seat_ids = [at.seats[next]]
  next += 2
  const held = await send('POST', `${at.url}/holds`, token, { seat_ids })
  expect(held.status, held.text).toBe(201)
  const hold_ids = held.body.data.holds.map((hold: { hold_id: string }) => hold.hold_id)
  const contact = { name: 'Piet', email }
  const sold = await organize('POST', '/api/admin/orders', {
    ...{ event_id: at.eventId, method: 'external', hold_ids, contact, allow_stranding: true },
  })
  expect(sold.status, sold.text).toBe(201)
  await server.database.sql('update orders set sold_by = null where id = $1', [sold.body.data.order_id])
  return sold.body.data.order_id
}

const mine = async (token: string) =>
  (await send('GET', '/api/orders', token)).body.data.map((order: { order_id: string }) => order.order_id)
const open = async (token: string, order: string) => (await send('GET', `/api/orders/${order}`, token)).status
const transfer = (from_token: string, token: string) =>
  send('POST', '/api/holds/transfer', token, { from_token })

it('the orders of a guest go along when they sign in, in the browser where they bought', async () => {
  const before = await guest()
  const order = await buy(before, 'other@buyer.example')
  const { token } = await signUp()
  expect([await mine(token), await open(token, order)]).toEqual([[], 404])
  expect((await transfer(before, token)).body.data).toMatchObject({ moved: [], orders: 1 })
  expect([await mine(token), await open(token, order)]).toEqual([[order], 200])
  expect((await transfer(before, token)).body.data).toMatchObject({ orders: 0 })
  // The guest's browser had them before; another account does not get them as well.
  expect(await open(before, order)).toBe(200)
  const stranger = await signUp()
  expect((await transfer(before, stranger.token)).body.data).toMatchObject({ orders: 0 })
  expect([await mine(stranger.token), await open(stranger.token, order)]).toEqual([[], 404])
})

it('what was bought elsewhere with this address joins when it is proven, and not before', async () => {
  const { email, token, id } = await signUp()
  const here = await buy(token, email)
  const elsewhere = await buy(await guest(), email.toUpperCase())
  const other = await signUp()
  const ofAccount = await buy(other.token, email)
  expect([await mine(token), await open(token, elsewhere)]).toEqual([[here], 404])
  await organize('PATCH', `/api/admin/users/${id}`, { email_proven: true })
  expect([await mine(token), await open(token, elsewhere)]).toEqual([[elsewhere, here], 200])
  // Another account bought it for this address: it stays that account's.
  expect(await open(token, ofAccount)).toBe(404)
  const paged = await send('GET', '/api/orders?limit=1', token)
  expect(paged.body).toMatchObject({ data: [{ order_id: elsewhere }], next: elsewhere })
  expect((await send('GET', `/api/orders?limit=1&after=${elsewhere}`, token)).body.data).toMatchObject([
    { order_id: here },
  ])
  await organize('PATCH', `/api/admin/users/${id}`, { email_proven: false })
  expect([await mine(token), await open(token, elsewhere)]).toEqual([[here], 404])
})
