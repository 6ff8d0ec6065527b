import { randomUUID } from 'node:crypto'
import { createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY, sell } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { lifeOf } from '@voelgoed/testing/run-out'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const { server, ours } = useServer()
let anna: string
let ben: string

beforeAll(async () => {
  const [first, second] = await createBuyers(server.database, ours.id, 2)
  anna = first!.token
  ben = second!.token
})
afterAll(() => expectSound(server.database))

const hall = (plan: HallPlan = {}) => openHall(server.request, ours.tokens.organizer, plan)
const get = (url: string, token: string) => server.request('GET', url, { token })
const post = (url: string, token: string, body?: unknown, headers?: Record<string, string>) =>
  server.request('POST', url, { token, ...(body !== undefined && { body }), ...(headers && { headers }) })
const reserve = (at: Hall, index: number, token: string, headers?: Record<string, string>) =>
  post(`${at.url}/seats/${at.seats[index]}/reserve`, token, undefined, headers)
const hold = (at: Hall, indexes: readonly number[], token: string) =>
  post(`${at.url}/holds`, token, { seat_ids: indexes.map(index => at.seats[index]) })
const change = (at: Hall, body: object) =>
  server.request('PATCH', `/api/admin/events/${at.eventId}`, { token: ours.tokens.organizer, body })
const manage = (at: Hall, action: string) =>
  post(`/api/admin/events/${at.eventId}/${action}`, ours.tokens.organizer)
const policy = (body: object) =>
  server.request('PUT', '/api/admin/policy', { token: ours.tokens.admin, body })
const seatStatus = async (at: Hall, index: number, token: string) =>
  (await get(`${at.url}/seats/${at.seats[index]}`, token)).body.data.status
const databaseClock = async () => {
  const [row] = await server.database.sql<{ now: Date }>('select clock_timestamp() as now')
  return row!.now.getTime()
}

describe('a seat', () => {
  it('is reserved with every member of the contract, and no cache keeps the answer', async () => {
    const at = await hall()
    const before = await databaseClock()
    const answer = await reserve(at, 12, anna)
    const after = await databaseClock()
    expect(answer.status).toBe(201)
    expect(answer.headers['cache-control']).toBe('no-store')
    const { data } = answer.body
    expect(data).toEqual({
      hold_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      seat_id: at.seats[12],
      event_id: at.eventId,
      zone_id: at.zones[0],
      zone_name: 'Stalls',
      block_name: 'Stalls',
      row: 'R2',
      seat_number: 3,
      status: 'held',
      held_until: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      held_until_unix: Math.floor(Date.parse(data.held_until) / 1000),
      expires_in_seconds: 600,
      message: 'Seat held for 10 minutes.',
      warnings: [],
    })
    expect(Date.parse(data.held_until)).toBeGreaterThanOrEqual(Math.floor(before) + 600_000)
    expect(Date.parse(data.held_until)).toBeLessThanOrEqual(after + 600_000)
  })

  it('again by the same buyer is 200 with the same hold; another buyer learns only for how long', async () => {
    const at = await hall()
    const first = await reserve(at, 0, anna)
    const again = await reserve(at, 0, anna)
    expect(again.status).toBe(200)
    expect(again.body.data.hold_id).toBe(first.body.data.hold_id)
    expect(again.body.data.held_until).toBe(first.body.data.held_until)
    const other = await reserve(at, 0, ben)
    expect(other.status).toBe(409)
    expect(other.body).toMatchObject({ code: 'seat_held_by_another_user', seat_ids: [at.seats[0]] })
    const leftMs = await lifeOf(server.database, first.body.data.hold_id)
    expect(other.body.expires_in).toBeGreaterThanOrEqual(Math.floor(leftMs / 1000))
    expect(other.body.expires_in).toBeLessThanOrEqual(600)
    expect(await seatStatus(at, 0, anna)).toBe('held_by_me')
    expect(await seatStatus(at, 0, ben)).toBe('held')
  })

  it('is held for as long as the policy says, or the event where it says otherwise', async () => {
    const plain = await hall()
    const special = await hall({ event: { seating_overrides: { default_hold_ttl_seconds: 120 } } })
    await policy({ default_hold_ttl_seconds: 60 })
    expect((await reserve(plain, 0, anna)).body.data.expires_in_seconds).toBe(60)
    expect((await reserve(special, 0, anna)).body.data.expires_in_seconds).toBe(120)
    await policy({ default_hold_ttl_seconds: 60, locked_fields: ['default_hold_ttl_seconds'] })
    // Another buyer: one who holds something already would join their cart, with its clock.
    expect((await reserve(special, 1, ben)).body.data.expires_in_seconds).toBe(60)
    await policy({})
    expect((await reserve(plain, 1, ben)).body.data.expires_in_seconds).toBe(600)
  })

  it('that is sold can not be held, and one that never was is 404', async () => {
    const at = await hall()
    const { hold_id } = (await reserve(at, 0, anna)).body.data
    await sell(server, ours, at.eventId, hold_id)
    const sold = await reserve(at, 0, ben)
    expect(sold.status).toBe(409)
    expect(sold.body).toMatchObject({ code: 'seat_not_available', current_status: 'sold' })
    expect((await reserve(at, 0, anna)).status).toBe(409)
    const never = await post(`${at.url}/seats/${randomUUID()}/reserve`, anna)
    expect([never.status, never.body.code]).toEqual([404, 'seat_not_found'])
  })
})

describe('several seats', () => {
  it('are held all or none, and those that are mine come back as they are', async () => {
    const at = await hall()
    await reserve(at, 2, ben)
    const refused = await hold(at, [1, 2, 3], anna)
    expect(refused.status).toBe(409)
    expect(refused.body.seat_ids).toEqual([at.seats[2]])
    expect(await seatStatus(at, 1, anna)).toBe('available')
    const mine = (await reserve(at, 3, anna)).body.data
    const both = await hold(at, [4, 3], anna)
    expect(both.status).toBe(201)
    expect(both.body.data.holds.map((one: { seat_id: string }) => one.seat_id)).toEqual([
      at.seats[4],
      at.seats[3],
    ])
    expect(both.body.data.holds[1].hold_id).toBe(mine.hold_id)
    expect(both.body.data.held_until).toBe(mine.held_until)
  })

  it('more than a booking may have, or a seat that is none: nothing happens', async () => {
    const at = await hall({ event: { seating_overrides: { max_seats_per_booking: 2 } } })
    const tooMany = await hold(at, [0, 1, 2], anna)
    expect([tooMany.status, tooMany.body.code, tooMany.body.limit]).toEqual([422, 'too_many_seats', 2])
    const unknown = await post(`${at.url}/holds`, anna, { seat_ids: [at.seats[0], randomUUID()] })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'seat_not_found'])
    expect((await get(`${at.url}/availability`, anna)).body.data.seats).toEqual([])
    // A seat named twice is one seat.
    const twice = await post(`${at.url}/holds`, anna, { seat_ids: [at.seats[0], at.seats[0]!.toUpperCase()] })
    expect(twice.body.data.holds).toHaveLength(1)
  })
})

describe('places in a zone without seats', () => {
  it('are held by number until the zone is full', async () => {
    const at = await hall({ standing: 5 })
    const places = (quantity: number, token: string) =>
      post(`${at.url}/holds`, token, { zone_id: at.zones[1], quantity })
    const three = await places(3, anna)
    expect(three.status).toBe(201)
    expect(three.body.data.holds).toEqual([
      expect.objectContaining({ zone_id: at.zones[1], zone_name: 'Pit', quantity: 3, status: 'held' }),
    ])
    const tooMany = await places(3, ben)
    expect([tooMany.status, tooMany.body.code, tooMany.body.available]).toEqual([409, 'zone_at_capacity', 2])
    expect((await places(2, ben)).status).toBe(201)
    const released = await server.request('DELETE', `/api/holds/${three.body.data.holds[0].hold_id}`, {
      token: anna,
    })
    expect(released.status).toBe(200)
    expect((await places(3, ben)).status).toBe(201)
    const zone = (await get(`${at.url}/availability`, anna)).body.data.zones[1]
    expect(zone).toMatchObject({ capacity: 5, available: 0, held: 5, sold: 0 })
  })

  it('are not seats: neither by seat there, nor by number in a zone with seats', async () => {
    const at = await hall({ standing: 5 })
    const numbered = await post(`${at.url}/holds`, anna, { zone_id: at.zones[0], quantity: 1 })
    expect([numbered.status, numbered.body.code]).toEqual([404, 'zone_not_found'])
  })
})

describe('my holds', () => {
  it('are listed while they live, of one event or of all; those of others are not', async () => {
    const [one, two] = [await hall(), await hall({ standing: 10 })]
    const [cleo] = await createBuyers(server.database, ours.id, 1)
    const { warnings: _none, ...first } = (await reserve(one, 0, cleo!.token)).body.data
    const places = await post(`${two.url}/holds`, cleo!.token, { zone_id: two.zones[1], quantity: 2 })
    await reserve(one, 1, anna)
    const list = async (query = '') => (await get(`/api/holds${query}`, cleo!.token)).body.data
    const ids = (holds: { hold_id: string }[]) => holds.map(one => one.hold_id).sort()
    const { hold_id } = places.body.data.holds[0]
    expect(ids(await list())).toEqual([first.hold_id, hold_id].sort())
    expect(await list(`?event_id=${one.eventId}`)).toEqual([
      { ...first, expires_in_seconds: expect.any(Number), message: expect.any(String) },
    ])
    await server.request('DELETE', `/api/holds/${first.hold_id}`, { token: cleo!.token })
    expect(ids(await list())).toEqual([hold_id])
  })

  it('an extension never shortens, and never goes past the first end and five minutes', async () => {
    const long = await hall({ event: { seating_overrides: { default_hold_ttl_seconds: 600 } } })
    const { hold_id, held_until } = (await reserve(long, 0, anna)).body.data
    const same = await post(`/api/holds/${hold_id}/extend`, anna)
    expect([same.status, same.body.data.held_until]).toEqual([200, held_until])

    const short = await hall({ event: { seating_overrides: { default_hold_ttl_seconds: 60 } } })
    const first = (await reserve(short, 0, anna)).body.data
    const firstEnd = Date.parse(first.held_until)
    const extended = await post(`/api/holds/${first.hold_id}/extend`, anna)
    expect(extended.status).toBe(200)
    const until = Date.parse(extended.body.data.held_until)
    expect(until).toBeGreaterThanOrEqual(firstEnd - 60_000 + 300_000)
    expect(until).toBeLessThanOrEqual(firstEnd + 300_000)
    await server.passes(60_001)
    const cap = new Date(firstEnd + 300_000).toISOString()
    for (let again = 0; again < 3; again += 1) {
      const capped = await post(`/api/holds/${first.hold_id}/extend`, anna)
      expect(capped.body.data.held_until).toBe(cap)
    }
  })

  it('are extended and released by their owner only: to others they do not exist', async () => {
    const at = await hall()
    const { hold_id } = (await reserve(at, 0, anna)).body.data
    for (const token of [ben, ours.tokens.organizer, ours.tokens.admin]) {
      const extend = await post(`/api/holds/${hold_id}/extend`, token)
      const release = await server.request('DELETE', `/api/holds/${hold_id}`, { token })
      expect([extend.status, extend.body.code]).toEqual([404, 'hold_not_found'])
      expect([release.status, release.body.code]).toEqual([404, 'hold_not_found'])
    }
    expect(await seatStatus(at, 0, anna)).toBe('held_by_me')
  })

  it('are released once; to say it again changes nothing, and what was sold is not given back', async () => {
    const at = await hall()
    const { hold_id } = (await reserve(at, 0, anna)).body.data
    const release = (token: string, id = hold_id) => server.request('DELETE', `/api/holds/${id}`, { token })
    expect((await release(anna)).body.data).toEqual({ hold_id, status: 'cancelled', released_count: 1 })
    const next = (await reserve(at, 0, ben)).body.data
    expect((await release(anna)).body.data).toEqual({ hold_id, status: 'cancelled', released_count: 0 })
    expect(await seatStatus(at, 0, ben)).toBe('held_by_me')
    const late = await post(`/api/holds/${hold_id}/extend`, anna)
    expect([late.status, late.body.code]).toEqual([404, 'hold_not_found'])
    await sell(server, ours, at.eventId, next.hold_id)
    expect((await release(ben, next.hold_id)).body).toMatchObject({ code: 'seat_not_available' })
  })
})

describe('an event', () => {
  it('that is a draft, cancelled or completed has no seats to hold', async () => {
    const at = await hall({ isDraft: true })
    expect((await reserve(at, 0, anna)).body).toMatchObject({ status: 404, code: 'event_not_found' })
    await manage(at, 'publish')
    expect((await reserve(at, 0, anna)).status).toBe(201)
    await manage(at, 'go-live')
    expect((await reserve(at, 1, anna)).status).toBe(201)
    await manage(at, 'cancel')
    expect((await reserve(at, 2, anna)).body).toMatchObject({ code: 'event_not_available' })
    const done = await hall()
    await manage(done, 'go-live')
    await manage(done, 'complete')
    expect((await reserve(done, 0, anna)).body).toMatchObject({ code: 'event_not_available' })
  })

  it('sells inside its sale window only, and says when that is', async () => {
    const sale_start = '2099-01-01T00:00:00.000Z'
    const early = await hall({ event: { sale_start } })
    const refused = await reserve(early, 0, anna)
    expect([refused.status, refused.body.code]).toEqual([400, 'event_sales_closed'])
    expect(refused.body).toMatchObject({ sale_start, sale_end: null })
  })

  it('sells until it begins, or its last day, unless it says when sales end', async () => {
    const starts_at = '2020-03-01T17:30:00.000Z'
    const at = await hall({ event: { starts_at } })
    const event = async () => (await get(at.url, anna)).body.data
    expect(await event()).toMatchObject({ sale_end: null, sales_end_at: starts_at })
    const refused = await reserve(at, 0, anna)
    expect([refused.status, refused.body.code]).toEqual([400, 'event_sales_closed'])
    expect(refused.body).toMatchObject({ sale_start: null, sale_end: starts_at })

    // At the door, after the start.
    const sale_end = '2099-03-01T20:00:00.000Z'
    await change(at, { sale_end })
    expect(await event()).toMatchObject({ sale_end, sales_end_at: sale_end })
    expect((await reserve(at, 0, anna)).status).toBe(201)
    await change(at, { sale_end: null })
    expect((await reserve(at, 1, anna)).body.code).toBe('event_sales_closed')
    // Another date, and one more day.
    await change(at, { starts_at: '2099-03-01T17:30:00.000Z' })
    expect((await reserve(at, 1, anna)).status).toBe(201)
    await change(at, { starts_at, days: ['2020-03-01', '2099-03-02'] })
    expect(await event()).toMatchObject({ sale_end: null, sales_end_at: '2099-03-02T17:30:00.000Z' })
    expect((await reserve(at, 2, anna)).status).toBe(201)
  })

  it('changed while on sale: the very next hold obeys', async () => {
    const at = await hall({ standing: 10 })
    expect((await reserve(at, 0, anna)).status).toBe(201)
    await change(at, { sale_end: '2020-01-01T00:00:00.000Z' })
    expect((await reserve(at, 1, anna)).body.code).toBe('event_sales_closed')
    expect((await reserve(at, 0, anna)).status).toBe(200)
    await change(at, { sale_end: null })
    expect((await reserve(at, 1, anna)).status).toBe(201)
    await change(at, { seating_overrides: { max_seats_per_booking: 1 } })
    expect((await hold(at, [2, 3], anna)).body.code).toBe('too_many_seats')
    const overlay = { overrides: { disabled_zones: [at.zones[0]] } }
    const replaced = await server.request('PUT', `/api/admin/events/${at.eventId}/layout`, {
      token: ours.tokens.organizer,
      headers: { 'if-match': '*' },
      body: overlay,
    })
    expect(replaced.status, replaced.text).toBe(200)
    const closed = await reserve(at, 2, anna)
    expect(closed.body).toMatchObject({ code: 'seat_not_available', current_status: 'blocked' })
    await manage(at, 'cancel')
    const places = await post(`${at.url}/holds`, anna, { zone_id: at.zones[1], quantity: 1 })
    expect(places.body.code).toBe('event_not_available')
  })
})

describe('a zone that is not open to everyone', () => {
  it('asks for an active membership, a role, or a name on its list', async () => {
    const [member] = await createBuyers(server.database, ours.id, 1)
    const zone = (name: string, more: object) => ({
      name,
      zone_type: 'ga_standing',
      capacity: 10_000,
      ...more,
    })
    const at = await hall({
      // Until the node has heard of the suspension each question takes one more place.
      event: { seating_overrides: UNLIMITED },
      zones: [
        zone('Gold', { access_mode: 'membership_tier', membership_tier: 'gold' }),
        zone('Crew', { access_mode: 'role_based', allowed_roles: ['support'] }),
        zone('Friends', { access_mode: 'whitelist', allowed_user_ids: [member!.userId] }),
      ],
    })
    const place = async (zone: number, token: string) => {
      const { status, body } = await post(`${at.url}/holds`, token, { zone_id: at.zones[zone], quantity: 1 })
      return status === 201 ? 'in' : [body.code, body.required?.mode]
    }
    const membership = (membership_status: string) =>
      server.request('PATCH', `/api/platform/organizations/${ours.id}/users/${member!.userId}`, {
        token: ROOT_KEY,
        body: { membership_tier: 'gold', membership_status },
      })
    expect(await place(1, member!.token)).toEqual(['zone_access_denied', 'membership_tier'])
    await membership('active')
    await waitUntil('the membership counts', async () => (await place(1, member!.token)) === 'in')
    await membership('suspended')
    await waitUntil('the suspension counts', async () => (await place(1, member!.token)) !== 'in')
    expect(await place(2, anna)).toEqual(['zone_access_denied', 'role_based'])
    expect(await place(2, ours.tokens.admin)).toEqual(['zone_access_denied', 'role_based'])
    expect(await place(2, ours.tokens.support)).toBe('in')
    expect(await place(3, ours.tokens.admin)).toEqual(['zone_access_denied', 'whitelist'])
    expect(await place(3, member!.token)).toBe('in')
  })
})

describe('limits', () => {
  it('on what a user holds at once: 422 with the limit, until something is given back', async () => {
    const at = await hall({ event: { seating_overrides: { max_holds_per_user: 2 } } })
    const first = (await hold(at, [0, 1], anna)).body.data.holds[0]
    const over = await reserve(at, 2, anna)
    expect([over.status, over.body.code, over.body.limit]).toEqual([422, 'quota_exceeded', 2])
    expect((await reserve(at, 2, ben)).status).toBe(201)
    await server.request('DELETE', `/api/holds/${first.hold_id}`, { token: anna })
    expect((await reserve(at, 3, anna)).status).toBe(201)
  })

  it('on new holds in a while: 429 with Retry-After, also after giving them back, also after a reload', async () => {
    const overrides = { holds_per_window: 3, hold_window_seconds: 1_000 }
    const at = await hall({ event: { seating_overrides: overrides } })
    const began = server.clock.now()
    for (const index of [0, 1, 2]) {
      const { hold_id } = (await reserve(at, index, anna)).body.data
      if (index < 2) await server.request('DELETE', `/api/holds/${hold_id}`, { token: anna })
    }
    const refused = async () => {
      const answer = await reserve(at, 3, anna)
      expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
      const passed = (server.clock.now() - began) / 1_000
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(Math.floor(1_000 - passed))
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(1_000)
    }
    await refused()
    expect((await reserve(at, 2, anna)).status).toBe(200)
    await post(`/api/admin/events/${at.eventId}/registry/reconcile`, ours.tokens.organizer)
    await refused()
    expect((await reserve(at, 3, ben)).status).toBe(201)
  })
})

describe('an Idempotency-Key', () => {
  const places = (at: Hall, quantity: number, headers: Record<string, string> = {}) =>
    post(`${at.url}/holds`, anna, { zone_id: at.zones[1], quantity }, headers)

  it('gives the same answer again, even when the hold is gone; with another body 422', async () => {
    const at = await hall({ standing: 100 })
    const headers = { 'idempotency-key': randomUUID() }
    const first = await places(at, 2, headers)
    expect(first.status).toBe(201)
    await server.request('DELETE', `/api/holds/${first.body.data.holds[0].hold_id}`, { token: anna })
    const again = await places(at, 2, headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers['idempotency-replayed']).toBe('true')
    const reused = await places(at, 3, headers)
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  it('fifty at once with one key are one hold; without a key they are fifty', async () => {
    const at = await hall({ standing: 100, event: { seating_overrides: UNLIMITED } })
    const fifty = (headers?: Record<string, string>) =>
      Promise.all(Array.from({ length: 50 }, () => places(at, 1, headers)))
    const answers = await fifty({ 'idempotency-key': randomUUID() })
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    const held = async () => (await get(`${at.url}/occupancy`, anna)).body.data.held
    expect(await held()).toBe(1)
    const control = await fifty()
    expect(new Set(control.map(answer => answer.body.data.holds[0].hold_id)).size).toBe(50)
    expect(await held()).toBe(51)
  })

  it('of a refusal is not kept: the same request may succeed later', async () => {
    const at = await hall()
    const headers = { 'idempotency-key': randomUUID() }
    const { hold_id } = (await reserve(at, 0, ben)).body.data
    expect((await reserve(at, 0, anna, headers)).status).toBe(409)
    await server.request('DELETE', `/api/holds/${hold_id}`, { token: ben })
    expect((await reserve(at, 0, anna, headers)).status).toBe(201)
  })
})
