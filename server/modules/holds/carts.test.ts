import { randomUUID } from 'node:crypto'
import type { CheckoutId, CommandId, EventId, HoldId, OrganizationId, UserId } from '@voelgoed/core/ids'
import { Lane } from '@voelgoed/engine/lane/lane'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, type HallPlan, openHall } from '@voelgoed/testing/hall'
import { PASSWORD, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization()
})
afterAll(async () => {
  await expectSound(server.database)
  await server.close()
})

const hall = (plan: HallPlan = {}) =>
  openHall(server.request, ours.tokens.organizer, { standing: 30, ...plan })
const send = (method: string, url: string, token: string, body?: unknown, headers?: Record<string, string>) =>
  server.request(method, url, { token, ...(body !== undefined && { body }), ...(headers && { headers }) })
const hold = (at: Hall, indexes: readonly number[], token: string) =>
  send('POST', `${at.url}/holds`, token, { seat_ids: indexes.map(index => at.seats[index]) })
const places = (at: Hall, quantity: number, token: string) =>
  send('POST', `${at.url}/holds`, token, { zone_id: at.zones[1], quantity })
const cart = async (at: Hall, token: string) => (await send('GET', `${at.url}/cart`, token)).body.data
const transfer = (from: string, to: string) => send('POST', '/api/holds/transfer', to, { from_token: from })

async function buyer(): Promise<Buyer> {
  return (await createBuyers(server.database, ours.id, 1))[0]!
}

async function account(): Promise<string> {
  const email = `${randomUUID()}@example.org`
  const answer = await server.request('POST', '/api/accounts', {
    body: { organization: ours.slug, email, password: PASSWORD },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.token
}

function startPayment(at: Hall, holdIds: string[], userId: string) {
  const person = {
    userId: userId as UserId,
    role: 'customer',
    membershipTier: null,
    membershipStatus: null,
  } as const
  return server.node.lanes.lane(TenantScope.of(ours.id as OrganizationId), at.eventId as EventId).submit({
    kind: 'start_payment',
    allowStranding: true,
    commandId: randomUUID() as CommandId,
    actor: { person, ip: null, source: 'web' },
    holdIds: holdIds as HoldId[],
    checkoutId: randomUUID() as CheckoutId,
  })
}

/** The node forgets the event and reads it again: whatever it says afterwards comes from the tables. */
async function forget(at: Hall): Promise<void> {
  await server.node.lanes.lane(TenantScope.of(ours.id as OrganizationId), at.eventId as EventId).reload()
}

describe('a cart', () => {
  it('is empty before anything is held, and not there for a draft', async () => {
    const at = await hall()
    const { token } = await buyer()
    expect(await cart(at, token)).toEqual({
      holds: [],
      held_until: null,
      expires_in_seconds: null,
      warnings: [],
      timestamp: expect.any(String),
      lines: [],
      total: null,
      fees: [],
      tax: null,
      not_priced: [],
      currency: null,
      payment: null,
    })
    const draft = await hall({ isDraft: true })
    expect((await send('GET', `${draft.url}/cart`, token)).body.code).toBe('event_not_found')
    expect((await hold(draft, [0], token)).body.code).toBe('event_not_found')
    expect((await send('GET', `${draft.url}/cart`, ours.tokens.admin)).status).toBe(200)
  })

  it('tells the time of the server, which ends holds, whether or not it has holds', async () => {
    const at = await hall()
    const { token } = await buyer()
    const [draft, held] = [await hall({ isDraft: true }), await hold(at, [0], token)]
    const made = Date.parse(held.body.data.held_until) - held.body.data.expires_in_seconds * 1000
    const times = [
      (await cart(at, (await buyer()).token)).timestamp,
      (await cart(at, token)).timestamp,
      (await cart(draft, ours.tokens.admin)).timestamp,
    ]
    const [row] = await server.database.sql<{ now: Date }>('select clock_timestamp() as now')
    // Two parts of a node tell the time, each as well as it knows the database's.
    for (const time of times) {
      expect(Date.parse(time)).toBeGreaterThan(made - 30_000)
      expect(Date.parse(time)).toBeLessThan(row!.now.getTime() + 30_000)
    }
  })

  it('has one end for all of its holds, also after a restart', async () => {
    const at = await hall()
    const { token } = await buyer()
    const first = await hold(at, [0], token)
    const second = await places(at, 2, token)
    expect(second.body.data.held_until).toBe(first.body.data.held_until)
    await forget(at)
    const third = await hold(at, [1], token)
    expect(third.body.data.held_until).toBe(first.body.data.held_until)
    const { holds, held_until } = await cart(at, token)
    expect(holds).toHaveLength(3)
    expect(held_until).toBe(first.body.data.held_until)
  })

  it('is extended as a whole', async () => {
    const at = await hall({ event: { seating_overrides: { default_hold_ttl_seconds: 60 } } })
    const { token } = await buyer()
    const { holds } = (await hold(at, [0, 1], token)).body.data
    const extended = await send('POST', `/api/holds/${holds[0].hold_id}/extend`, token)
    const after = await cart(at, token)
    expect(after.held_until).toBe(extended.body.data.held_until)
    expect(new Set(after.holds.map((each: { held_until: string }) => each.held_until)).size).toBe(1)
  })
})

describe('limits', () => {
  it('count seats and places, over several requests', async () => {
    const at = await hall()
    const { token } = await buyer()
    expect((await places(at, 6, token)).status).toBe(201)
    expect((await hold(at, [0, 1, 2, 3], token)).status).toBe(201)
    expect((await hold(at, [4], token)).body).toMatchObject({ code: 'too_many_seats', limit: 10 })
    await forget(at)
    expect((await places(at, 1, token)).body).toMatchObject({ code: 'too_many_seats', limit: 10 })
  })

  it('let a buyer choose and think again thirty times', async () => {
    const at = await hall()
    const { token } = await buyer()
    for (let i = 0; i < 30; i += 1) {
      const held = await hold(at, [i % 3], token)
      expect(held.status, held.text).toBe(201)
      await send('DELETE', `/api/holds/${held.body.data.holds[0].hold_id}`, token)
    }
  })

  it('count places newly taken, whatever becomes of them, also after a restart', async () => {
    const at = await hall({ event: { seating_overrides: { holds_per_window: 8 } } })
    const { token } = await buyer()
    const [first] = (await places(at, 6, token)).body.data.holds
    await send('PATCH', `/api/holds/${first.hold_id}`, token, { quantity: 1 })
    const someone = await account()
    expect((await transfer(token, someone)).status).toBe(200)
    await forget(at)
    expect((await places(at, 3, token)).body.code).toBe('rate_limited')
    expect((await places(at, 2, token)).status).toBe(201)
    expect((await places(at, 8, someone)).status).toBe(201)
  })

  it('bind all buyers behind one address together, and staff not at all', async () => {
    const at = await hall({ event: { seating_overrides: { max_holds_per_ip: 12 } } })
    const buyers = await createBuyers(server.database, ours.id, 2)
    expect((await places(at, 9, buyers[0]!.token)).status).toBe(201)
    expect((await places(at, 4, buyers[1]!.token)).body).toMatchObject({
      code: 'quota_exceeded',
      quota: 'max_holds_per_ip',
      limit: 12,
    })
    expect((await places(at, 15, ours.tokens.scanner)).status).toBe(201)
  })

  it('do not sell what the policy stopped selling', async () => {
    const theirs = await server.organization()
    const at = await openHall(server.request, theirs.tokens.organizer, { standing: 30 })
    const [{ token }] = (await createBuyers(server.database, theirs.id, 1)) as [Buyer]
    await send('PUT', '/api/admin/policy', theirs.tokens.admin, { allow_ga_seating: false })
    expect((await places(at, 1, token)).body).toMatchObject({
      code: 'zone_not_sold',
      rule: 'allow_ga_seating',
    })
    expect((await hold(at, [0], token)).status).toBe(201)
  })
})

describe('fewer places', () => {
  it('are free for the next buyer at once, and a repetition is the same answer', async () => {
    const at = await hall({ standing: 4 })
    const [anna, ben] = await createBuyers(server.database, ours.id, 2)
    const [held] = (await places(at, 4, anna!.token)).body.data.holds
    const headers = { 'idempotency-key': randomUUID() }
    const url = `/api/holds/${held.hold_id}`
    const fewer = await send('PATCH', url, anna!.token, { quantity: 1 }, headers)
    expect(fewer.body.data).toMatchObject({ hold_id: held.hold_id, quantity: 1, held_until: held.held_until })
    expect((await places(at, 3, ben!.token)).status).toBe(201)
    const again = await send('PATCH', url, anna!.token, { quantity: 1 }, headers)
    expect([again.status, again.body.data.quantity]).toEqual([200, 1])
    await forget(at)
    expect((await cart(at, anna!.token)).holds).toMatchObject([{ quantity: 1 }])
    const occupancy = await send('GET', `${at.url}/occupancy`, anna!.token)
    expect(occupancy.body.data.zones[1]).toMatchObject({ held: 4, available: 0 })
  })

  it('are neither more, nor as many, nor none, nor of a seat, nor of someone else', async () => {
    const at = await hall()
    const [anna, ben] = await createBuyers(server.database, ours.id, 2)
    const [held] = (await places(at, 3, anna!.token)).body.data.holds
    const [seat] = (await hold(at, [0], anna!.token)).body.data.holds
    const patch = async (id: string, quantity: number, token = anna!.token) =>
      (await send('PATCH', `/api/holds/${id}`, token, { quantity })).body
    expect(await patch(held.hold_id, 4)).toMatchObject({ code: 'hold_not_reducible', quantity: 3 })
    expect(await patch(held.hold_id, 3)).toMatchObject({ code: 'hold_not_reducible', quantity: 3 })
    expect(await patch(held.hold_id, 0)).toMatchObject({ code: 'invalid_request' })
    expect(await patch(seat.hold_id, 1)).toMatchObject({ code: 'hold_not_reducible', quantity: 1 })
    expect(await patch(held.hold_id, 1, ben!.token)).toMatchObject({ code: 'hold_not_found' })
  })
})

it('the cart of an archived event is not found, as the event itself', async () => {
  const at = await hall()
  const ann = await buyer()
  await hold(at, [0], ann.token)
  const act = (action: string) =>
    send('POST', `/api/admin/events/${at.eventId}/${action}`, ours.tokens.organizer)
  for (const action of ['go-live', 'complete']) expect((await act(action)).status).toBe(200)
  expect((await cart(at, ann.token)).holds).toHaveLength(1)
  expect((await act('archive')).status).toBe(200)
  for (const path of ['', '/cart']) {
    const answer = await send('GET', at.url + path, ann.token)
    expect([answer.status, answer.body.code]).toEqual([404, 'event_not_found'])
  }
})

describe('a transfer', () => {
  it("makes a guest's holds in all events mine, with their clock, once", async () => {
    const [here, there] = [await hall(), await hall()]
    const guest = await buyer()
    const mine = await account()
    const inBoth = [await hold(here, [0, 1], guest.token), await places(there, 3, guest.token)]
    const answer = await transfer(guest.token, mine)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.not_moved).toEqual([])
    const moved: { event_id: string; held_until: string }[] = answer.body.data.moved
    expect(moved.map(each => each.event_id).sort()).toEqual([here.eventId, there.eventId].sort())
    for (const at of [here, there]) {
      await forget(at)
      expect((await cart(at, guest.token)).holds).toEqual([])
    }
    expect(await cart(here, mine)).toMatchObject({ held_until: inBoth[0]!.body.data.held_until })
    expect((await cart(there, mine)).holds).toMatchObject([{ quantity: 3 }])
    const seat = await send('GET', `${here.url}/seats/${here.seats[0]}`, mine)
    expect(seat.body.data.status).toBe('held_by_me')
    const again = await transfer(guest.token, mine)
    expect(again.body).toEqual({ data: { moved: [], not_moved: [], orders: 0 } })
    await send('DELETE', `/api/holds/${inBoth[0]!.body.data.holds[0].hold_id}`, mine)
  })

  it('leaves both carts as they were where the account would have too much', async () => {
    const [full, free] = [await hall(), await hall()]
    const guest = await buyer()
    const mine = await account()
    await places(full, 6, mine)
    await places(full, 5, guest.token)
    await hold(free, [0], guest.token)
    const { moved, not_moved } = (await transfer(guest.token, mine)).body.data
    expect(moved).toMatchObject([{ event_id: free.eventId }])
    expect(not_moved).toEqual([{ event_id: full.eventId, code: 'too_many_seats', retryable: false }])
    expect((await cart(full, guest.token)).holds).toMatchObject([{ quantity: 5 }])
    expect((await cart(full, mine)).holds).toMatchObject([{ quantity: 6 }])
  })

  it('has an unknown outcome where one event does not know it, whatever the others say', async () => {
    const guest = await buyer()
    for (const at of [await hall(), await hall(), await hall()]) await hold(at, [0], guest.token)
    const kinds = ['busy', 'outcome_unknown', 'database_unavailable'] as const
    const refusals = kinds.map(kind => ({ kind, retryAfterSeconds: 1 }))
    const submit = vi
      .spyOn(Lane.prototype, 'submit')
      .mockImplementation(async () => ({ kind: 'refused', refusal: refusals.shift()! }))
    const answer = await transfer(guest.token, await account())
    submit.mockRestore()
    expect([answer.status, answer.body.code]).toEqual([503, 'outcome_unknown'])
    expect(refusals).toEqual([])
  })

  it('takes only the token of a live guest of the same organization', async () => {
    const mine = await account()
    const neighbour = await server.organization()
    const [stranger] = await createBuyers(server.database, neighbour.id, 1)
    const gone = await buyer()
    await send('DELETE', '/api/session', gone.token)
    for (const token of [stranger!.token, gone.token, await account(), ours.tokens.support, 'nonsense']) {
      const answer = await transfer(token, mine)
      expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/from_token' }] })
    }
  })
})

describe('a hold that is being paid for', () => {
  it('is not released by its buyer, nor transferred', async () => {
    const at = await hall()
    const guest = await buyer()
    const { holds } = (await hold(at, [0, 1], guest.token)).body.data
    await startPayment(at, [holds[0].hold_id], guest.userId)
    const released = await send('DELETE', `/api/holds/${holds[0].hold_id}`, guest.token)
    expect([released.status, released.body.code]).toEqual([409, 'hold_in_payment'])
    const { not_moved } = (await transfer(guest.token, await account())).body.data
    expect(not_moved).toMatchObject([{ code: 'hold_in_payment' }])
    const after = await cart(at, guest.token)
    expect(new Set(after.holds.map((each: { held_until: string }) => each.held_until)).size).toBe(1)
    expect((await send('DELETE', `/api/holds/${holds[1].hold_id}`, guest.token)).status).toBe(200)
  })
})
