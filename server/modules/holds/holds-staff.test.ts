import { randomUUID } from 'node:crypto'
import { historyWritten } from '@voelgoed/testing/all-holds'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, type HallPlan, openHall } from '@voelgoed/testing/hall'
import { sell } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const { server, ours } = useServer({ VOELGOED_REAPER: 'off' })
let anna: Buyer
let ben: Buyer

beforeAll(async () => {
  const buyers = await createBuyers(server.database, ours.id, 2)
  anna = buyers[0]!
  ben = buyers[1]!
})
afterAll(() => expectSound(server.database))

const hall = (plan: HallPlan = {}) => openHall(server.request, ours.tokens.organizer, plan)
const get = (url: string, token: string, headers?: Record<string, string>) =>
  server.request('GET', url, { token, ...(headers && { headers }) })
const post = (url: string, token: string, body?: unknown) =>
  server.request('POST', url, { token, ...(body !== undefined && { body }) })
const reserve = (at: Hall, index: number, { token }: Buyer) =>
  post(`${at.url}/seats/${at.seats[index]}/reserve`, token)
const block = (at: Hall, indexes: readonly number[], verb = 'block') =>
  post(`/api/admin/events/${at.eventId}/seats/${verb}`, ours.tokens.organizer, {
    seat_ids: indexes.map(index => at.seats[index]),
    reason: 'camera',
  })
const availability = async (at: Hall, { token }: Buyer) =>
  (await get(`${at.url}/availability`, token)).body.data
const occupancy = async (at: Hall) => (await get(`${at.url}/occupancy`, anna.token)).body.data

/**
 * An event with a seat of every kind: 0 held by Anna, 1 sold, 2 blocked, 3 held by Ben; 4 places of the pit.
 */
async function busyHall(plan: HallPlan = {}): Promise<Hall & { held: string; sold: string; bens: string }> {
  const at = await hall({ standing: 10, ...plan })
  const held = (await reserve(at, 0, anna)).body.data.hold_id
  const sold = (await reserve(at, 1, anna)).body.data.hold_id
  await sell(server, ours, at.eventId, sold)
  expect((await block(at, [2])).status).toBe(200)
  const bens = (await reserve(at, 3, ben)).body.data.hold_id
  await post(`${at.url}/holds`, ben.token, { zone_id: at.zones[1], quantity: 4 })
  return { ...at, held, sold, bens }
}

describe('blocking', () => {
  it('takes free seats out of the sale, and unblocking puts them back', async () => {
    const at = await hall()
    const blocked = await block(at, [0, 1])
    expect(blocked.status).toBe(200)
    expect(blocked.body.data.seats_changed).toBe(2)
    const refused = await reserve(at, 0, anna)
    expect([refused.status, refused.body.code, refused.body.current_status]).toEqual([
      409,
      'seat_not_available',
      'blocked',
    ])
    // A seat that is blocked already is no reason to refuse.
    expect((await block(at, [1, 2])).body.data.seats_changed).toBe(1)
    expect((await block(at, [0, 1, 2, 3], 'unblock')).body.data.seats_changed).toBe(3)
    expect((await reserve(at, 0, anna)).status).toBe(201)
  })

  it('is all or nothing: a seat that is held or sold refuses the whole list', async () => {
    const at = await busyHall()
    for (const [taken, status] of [
      [0, 'held'],
      [1, 'sold'],
    ] as const) {
      const refused = await block(at, [5, taken, 6])
      expect([refused.status, refused.body.code]).toEqual([409, 'seat_not_available'])
      expect(refused.body).toMatchObject({ seat_ids: [at.seats[taken]], current_status: status })
    }
    expect((await reserve(at, 5, anna)).status).toBe(201)
    const unknown = await post(`/api/admin/events/${at.eventId}/seats/block`, ours.tokens.organizer, {
      seat_ids: [at.seats[6], randomUUID()],
      reason: 'camera',
    })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'seat_not_found'])
    expect((await reserve(at, 6, anna)).status).toBe(201)
  })

  it('before the sale is kept, and holds when the event goes on sale', async () => {
    const at = await hall({ isDraft: true })
    expect((await block(at, [4])).body.data.seats_changed).toBe(1)
    await post(`/api/admin/events/${at.eventId}/publish`, ours.tokens.organizer)
    expect((await reserve(at, 4, anna)).body.code).toBe('seat_not_available')
    expect((await reserve(at, 5, anna)).status).toBe(201)
  })

  it('of a seat whose hold has run out works at once, whether it is tidied up or not', async () => {
    const at = await hall({ event: { seating_overrides: { default_hold_ttl_seconds: 60 } } })
    expect((await reserve(at, 0, anna)).status).toBe(201)
    expect((await block(at, [0])).status).toBe(409)
    await server.passes(60_000)
    expect((await block(at, [0])).status).toBe(200)
    expect((await availability(at, anna)).seats).toEqual([{ seat_id: at.seats[0], status: 'blocked' }])
  })
})

describe('a release by staff', () => {
  it('gives back what is alive and says what it passed over and why', async () => {
    const at = await busyHall()
    const never = randomUUID()
    const release = (token: string) =>
      post('/api/admin/seats/release', token, {
        hold_ids: [at.held, at.sold, never, at.bens],
        notes: 'asked for by telephone',
      })
    expect((await release(anna.token)).status).toBe(403)
    const released = await release(ours.tokens.support)
    expect(released.body.data).toEqual({
      status: 'released',
      seats_released: 2,
      reason: 'admin_override',
      released: [at.held, at.bens],
      skipped: [
        { hold_id: at.sold, code: 'seat_not_available' },
        { hold_id: never, code: 'hold_not_found' },
      ],
    })
    const again = await release(ours.tokens.support)
    expect(again.body.data.seats_released).toBe(0)
    expect(again.body.data.skipped).toHaveLength(4)
    expect((await reserve(at, 0, ben)).status).toBe(201)
    await historyWritten(server.database)
    const rows = await server.database.sql(
      `select status, end_reason from hold_history where id = any ($1::uuid[])`,
      [[at.held, at.bens]],
    )
    expect(rows).toEqual(Array(2).fill({ status: 'cancelled', end_reason: 'admin_override' }))
  })

  it('lists who holds what, for staff only', async () => {
    const at = await busyHall()
    const list = await get(`/api/admin/events/${at.eventId}/holds`, ours.tokens.support)
    expect(list.body.data.map((row: { user_id: string }) => row.user_id)).toEqual([
      anna.userId,
      ben.userId,
      ben.userId,
    ])
    expect(list.body.data[2]).toMatchObject({ seat_id: null, zone_id: at.zones[1], quantity: 4 })
    expect((await get(`/api/admin/events/${at.eventId}/holds`, anna.token)).status).toBe(403)
    const note = { seat_ids: [at.seats[5]], cart_token: 'Carla, by telephone' }
    expect((await post(`${at.url}/holds`, ours.tokens.organizer, note)).status).toBe(201)
    const ofStaff = await get(`/api/admin/events/${at.eventId}/holds?source=admin`, ours.tokens.support)
    expect(ofStaff.body.data).toMatchObject([{ source: 'admin', cart_token: 'Carla, by telephone' }])
  })
})

describe('the registry', () => {
  it('says whether memory and Postgres agree, and a reconciliation makes them', async () => {
    const at = await busyHall()
    const url = `/api/admin/events/${at.eventId}/registry`
    const registry = async () => (await get(url, ours.tokens.support)).body.data
    const sound = await registry()
    expect(sound).toMatchObject({ hot_count: 3, postgres_count: 3, redis_count: null, consistent: true })
    expect(sound.seq).toEqual({ hot: sound.seq.postgres, redis: null, postgres: sound.seq.postgres })
    await waitUntil('it hears the other nodes', async () => (await registry()).status === 'ok')

    // A row that went behind everyone's back: what a reconciliation is for.
    await server.database.sql('alter table event_seats disable trigger user')
    await server.database.sql('create table gone as select * from event_seats where hold_id = $1', [at.bens])
    await server.database.sql('delete from event_seats where hold_id = $1', [at.bens])
    expect(await registry()).toMatchObject({ hot_count: 3, postgres_count: 2, consistent: false })
    expect((await registry()).status).toBe('stale')
    await server.database.sql('insert into event_seats select * from gone')
    await server.database.sql('drop table gone')
    await server.database.sql('alter table event_seats enable trigger user')
    const reconciled = await post(`${url}/reconcile`, ours.tokens.organizer)
    expect(reconciled.body.data).toMatchObject({
      hot_count: 3,
      consistent: true,
      status: 'ok',
      memory_was_right: true,
      other_nodes_told: true,
    })
    expect((await reserve(at, 3, anna)).body.code).toBe('seat_held_by_another_user')
  })
})

describe('the journal', () => {
  it('has every change in order, with who made it, and is read in pages', async () => {
    const at = await busyHall()
    const url = `/api/admin/events/${at.eventId}/journal`
    const all = (await get(url, ours.tokens.support)).body
    expect(all.next).toBe(null)
    expect(all.data.map((entry: { seq: number }) => entry.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(
      all.data.map((entry: { kind: string; seat_id: string | null }) => [
        entry.kind,
        at.seats.indexOf(entry.seat_id!),
      ]),
    ).toEqual([
      ['event_changed', -1],
      ['seat_reserved', 0],
      ['seat_reserved', 1],
      ['payment_started', 1],
      // The other hold of the cart keeps its clock in step.
      ['seat_hold_extended', 0],
      ['seat_converted', 1],
      ['seat_blocked', 2],
      ['seat_reserved', 3],
      ['seat_reserved', -1],
    ])
    expect(all.data[1]).toMatchObject({ actor_id: anna.userId, source: 'web' })
    expect(all.data[6]).toMatchObject({ source: 'admin' })
    const page = (await get(`${url}?after_seq=3&limit=2`, ours.tokens.support)).body
    expect(page.data).toEqual(all.data.slice(3, 5))
    expect(page.next).not.toBe(null)
    expect((await get(url, anna.token)).status).toBe(403)
  })
})

describe('availability', () => {
  const CODES = ['available', 'held', 'sold', 'blocked']

  it('as JSON and as two bits a seat says the same, with the same seq', async () => {
    const at = await busyHall({ zones: [{ name: 'Balcony', zone_type: 'ga_seated', capacity: 7 }] })
    const json = await get(`${at.url}/availability`, ben.token)
    const binary = await server.node.app.fastify.inject({
      method: 'GET',
      url: `${at.url}/availability`,
      headers: { authorization: `Bearer ${ben.token}`, accept: 'application/octet-stream' },
    })
    expect(binary.headers['content-type']).toBe('application/octet-stream')
    expect(binary.headers['voelgoed-seq']).toBe(String(json.body.data.seq))
    expect(binary.rawPayload).toHaveLength(5)
    const listed = new Map<string, string>(
      json.body.data.seats.map((seat: { seat_id: string; status: string }) => [
        seat.seat_id,
        seat.status === 'held_by_me' ? 'held' : seat.status,
      ]),
    )
    const unpacked = at.seats.map((_, ordinal) => {
      return CODES[(binary.rawPayload[ordinal >> 2]! >> ((ordinal & 3) * 2)) & 3]!
    })
    expect(unpacked).toEqual(at.seats.map(seatId => listed.get(seatId) ?? 'available'))
    expect(unpacked.slice(0, 5)).toEqual(['held', 'sold', 'blocked', 'held', 'available'])
  })

  it('lists only what is not available, as this buyer sees it', async () => {
    const at = await busyHall()
    const statuses = async (buyer: Buyer) =>
      (await availability(at, buyer)).seats.map((seat: { status: string }) => seat.status)
    expect(await statuses(anna)).toEqual(['held_by_me', 'sold', 'blocked', 'held'])
    expect(await statuses(ben)).toEqual(['held', 'sold', 'blocked', 'held_by_me'])
  })

  it('counts: zones, availability and occupancy agree, and add up to the capacity', async () => {
    const at = await busyHall()
    const { zones, seq } = await availability(at, anna)
    expect(zones).toEqual([
      { zone_id: at.zones[0], capacity: 20, available: 16, held: 2, sold: 1, blocked: 1, closed: false },
      { zone_id: at.zones[1], capacity: 10, available: 6, held: 4, sold: 0, blocked: 0, closed: false },
    ])
    expect(await occupancy(at)).toEqual({
      available: 22,
      held: 6,
      sold: 1,
      blocked: 1,
      total: 30,
      percent_available: 73.3,
      percent_held: 20,
      percent_sold: 3.3,
      seq,
      timestamp: expect.any(String),
      zones,
    })
  })

  it('of a zone that is disabled: nothing is available in it, and what is taken stays taken', async () => {
    const at = await busyHall()
    const replaced = await server.request('PUT', `/api/admin/events/${at.eventId}/layout`, {
      token: ours.tokens.organizer,
      headers: { 'if-match': '*' },
      body: { overrides: { disabled_zones: [at.zones[1]], blocked_seat_ids: [at.seats[2]] } },
    })
    expect(replaced.status, replaced.text).toBe(200)
    expect((await availability(at, anna)).zones[1]).toMatchObject({ closed: true, available: 0, held: 4 })
    expect(await occupancy(at)).toMatchObject({ total: 30, held: 6, sold: 1, blocked: 7, available: 16 })
  })
})

it('nothing that another buyer is told names a person or a hold of theirs', async () => {
  const at = await busyHall()
  const told = [
    await reserve(at, 3, anna),
    await post(`${at.url}/holds`, anna.token, { seat_ids: [at.seats[4], at.seats[3]] }),
    await post(`${at.url}/holds`, anna.token, { zone_id: at.zones[1], quantity: 9 }),
    await get(`/api/holds/${at.bens}`, anna.token),
    await post(`/api/holds/${at.bens}/extend`, anna.token),
  ]
  for (const path of ['', '/layout', '/availability', '/occupancy', `/seats/${at.seats[3]}`]) {
    told.push(await get(`${at.url}${path}`, anna.token))
  }
  const text = told.map(answer => answer.text + JSON.stringify(answer.headers)).join('\n')
  expect(text).toContain(at.seats[3])
  expect(text).not.toContain(ben.userId)
  expect(text).not.toContain(at.bens)
})
