import { eventOnSale, PASSWORD, sell } from '@voelgoed/testing/harness'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { beforeAll, describe, expect, it } from 'vitest'

const { server, ours } = useServer()
/** Holds outlive this file, and an extension shows: it reaches five minutes from its own moment. */
const TTL_SECONDS = 290

let eventId: string
let seats: string[]
let pit: string
let anna: Buyer
let ben: Buyer

interface Buyer {
  readonly id: string
  readonly email: string | null
  readonly token: string
}

beforeAll(async () => {
  const fields = { seating_overrides: { default_hold_ttl_seconds: TTL_SECONDS } }
  eventId = (await eventOnSale(server, ours, undefined, fields)).eventId
  const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token: ours.tokens.customer })
  const zones = layout.body.data.zones
  seats = zones[0].seats.map((seat: { seat_id: string }) => seat.seat_id)
  pit = zones[1].zone_id
  const answer = await server.request('POST', '/api/accounts', {
    body: { organization: ours.slug, email: 'Anna@buyers.example', password: PASSWORD },
  })
  anna = { id: answer.body.data.user.id, email: 'anna@buyers.example', token: answer.body.data.token }
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  ben = { id: guest.body.data.user.id, email: null, token: guest.body.data.token }
})

const headers = { 'user-agent': 'a browser' }

async function hold(buyer: Buyer, seat: string): Promise<string> {
  const url = `/api/events/${eventId}/seats/${seat}/reserve`
  const answer = await server.request('POST', url, { token: buyer.token, headers })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.hold_id
}

const release = (buyer: Buyer, holdId: string) =>
  server.request('DELETE', `/api/holds/${holdId}`, { token: buyer.token, headers })

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
async function ask(path: string, token = ours.tokens.support): Promise<any[]> {
  const answer = await server.request('GET', path, { token })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

const journal = (query: string) => ask(`/api/admin/events/${eventId}/journal?${query}`)

/** A whole millisecond, as the wire has it, after all that was written before and before all that comes. */
const now = async () => {
  await server.passes(1)
  const [between] = await server.database.sql<{ now: Date }>(
    `select date_trunc('milliseconds', clock_timestamp()) as now`,
  )
  await server.passes(1)
  return between!.now.toISOString()
}

it('a time with an offset that Postgres does not know is a time like any other', async () => {
  expect(await journal('from=2026-01-01T00:00:00-23:59&to=2026-01-01T00:00:00%2B23:59')).toEqual([])
})

describe('the journal', () => {
  it('tells in one request who held a seat at a moment, although nothing was written in that moment', async () => {
    const seat = seats[0]!
    const early = await hold(ben, seat)
    await release(ben, early)
    const holdId = await hold(anna, seat)
    const moment = await now()
    await server.request('POST', `/api/holds/${holdId}/extend`, { token: anna.token })
    await release(anna, holdId)
    await hold(ben, seat)

    const found = await journal(`seat_id=${seat}&from=${moment}&to=${moment}`)
    expect(found.map(entry => [entry.kind, entry.hold_id])).toEqual([
      ['seat_reserved', holdId],
      ['seat_hold_extended', holdId],
      ['seat_released', holdId],
    ])
    for (const entry of found) {
      expect(entry).toMatchObject({
        actor_id: anna.id,
        actor_email: anna.email,
        user_id: anna.id,
        user_email: anna.email,
        source: 'web',
        address: '127.0.0.1',
        seat_id: seat,
        seat_label: 'A-1',
      })
    }
    expect(found[2].user_agent).toBe('a browser')
    expect((await journal(`seat_id=${seat}`)).map(entry => entry.user_id)).toEqual([
      ben.id,
      ben.id,
      anna.id,
      anna.id,
      anna.id,
      ben.id,
    ])
    expect((await journal(`hold_id=${holdId}`)).length).toBe(3)
    expect((await journal(`user_id=${anna.id}`)).map(entry => entry.hold_id)).toEqual([
      holdId,
      holdId,
      holdId,
    ])
    expect(await journal(`user_id=${anna.id}&to=2020-01-01T00:00:00Z`)).toEqual([])
  })

  it('names the owner of a hold at the time of each entry, before and after a transfer', async () => {
    const fields = { seating_overrides: { default_hold_ttl_seconds: TTL_SECONDS } }
    const { eventId: other } = await eventOnSale(server, ours, undefined, fields)
    const layout = await server.request('GET', `/api/events/${other}/layout`, { token: ours.tokens.customer })
    const seat = layout.body.data.zones[0].seats[0].seat_id
    const email = 'carla@buyers.example'
    const signedUp = await server.request('POST', '/api/accounts', {
      body: { organization: ours.slug, email, password: PASSWORD },
    })
    const carla: Buyer = { id: signedUp.body.data.user.id, email, token: signedUp.body.data.token }
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const { token, user } = guest.body.data
    const held = await server.request('POST', `/api/events/${other}/seats/${seat}/reserve`, { token })
    const holdId = held.body.data.hold_id
    const extended = await server.request('POST', `/api/holds/${holdId}/extend`, { token })
    expect(extended.status, extended.text).toBe(200)
    const body = { from_token: token }
    const moved = await server.request('POST', '/api/holds/transfer', { token: carla.token, body })
    expect(moved.body.data.moved).toHaveLength(1)
    await release(carla, holdId)
    const owners = (query: string) =>
      ask(`/api/admin/events/${other}/journal?${query}`).then(entries =>
        entries
          .filter(entry => entry.hold_id === holdId)
          .map(entry => [entry.kind, entry.user_id, entry.user_email]),
      )
    const expected = [
      ['seat_reserved', user.id, null],
      ['seat_hold_extended', user.id, null],
      ['hold_transferred', carla.id, carla.email],
      ['seat_released', carla.id, carla.email],
    ]
    for (const query of [`hold_id=${holdId}`, `seat_id=${seat}`, `user_id=${carla.id}`, 'limit=100']) {
      expect(await owners(query), query).toEqual(expected)
    }
    // A page that begins after the first entry knows it as well.
    const [{ seq }] = (await ask(`/api/admin/events/${other}/journal?hold_id=${holdId}`)) as [{ seq: string }]
    expect(await owners(`hold_id=${holdId}&after_seq=${seq}`)).toEqual(expected.slice(1))
  })

  it('has what staff did to a seat, and what a member of staff did', async () => {
    const seat = seats[1]!
    const [organizer] = await ask('/api/admin/users?role=organizer')
    const body = { seat_ids: [seat], reason: 'camera' }
    const url = `/api/admin/events/${eventId}/seats`
    for (const verb of ['block', 'unblock']) {
      await server.request('POST', `${url}/${verb}`, { token: ours.tokens.organizer, body })
    }
    const kinds = ['seat_blocked', 'seat_unblocked']
    expect((await journal(`seat_id=${seat}`)).map(entry => entry.kind)).toEqual(kinds)
    const mine = await journal(`user_id=${organizer.id}`)
    expect(mine.filter(entry => entry.seat_id === seat).map(entry => entry.kind)).toEqual(kinds)
    expect(mine[0]).toMatchObject({ actor_email: organizer.email, source: 'admin' })
  })

  it('can be read by time, page by page', async () => {
    const from = await now()
    const holdId = await hold(ben, seats[1]!)
    await release(ben, holdId)
    const to = await now()
    await hold(ben, seats[1]!)
    const entries = await journal(`from=${from}&to=${to}`)
    expect(entries.map(entry => entry.kind)).toEqual(['seat_reserved', 'seat_released'])
    const page = await server.request('GET', `/api/admin/events/${eventId}/journal?from=${from}&limit=1`, {
      token: ours.tokens.support,
    })
    const next = await journal(`from=${from}&to=${to}&after_seq=${page.body.next}`)
    expect([...page.body.data, ...next]).toEqual(entries)
  })

  it('finds the first entry of a hold however many entries have the same millisecond', async () => {
    const { eventId: other } = await eventOnSale(server, ours)
    const layout = await server.request('GET', `/api/events/${other}/layout`, { token: ours.tokens.customer })
    const zone = layout.body.data.zones[1].zone_id
    const held = await Promise.all(
      Array.from({ length: 8 }, () =>
        server.request('POST', `/api/events/${other}/holds`, {
          token: ours.tokens.admin,
          body: { zone_id: zone, quantity: 1 },
        }),
      ),
    )
    for (const { body } of held) {
      const id = body.data.holds[0].hold_id
      const found = await ask(`/api/admin/events/${other}/journal?hold_id=${id}`)
      expect(found.map(entry => [entry.kind, entry.hold_id])).toEqual([['seat_reserved', id]])
    }
  })
})

describe('holds for support', () => {
  it('live ones of an event, by user, seat and zone', async () => {
    const live = (query: string) => ask(`/api/admin/events/${eventId}/holds?${query}`)
    await server.request('POST', `/api/events/${eventId}/holds`, {
      token: anna.token,
      body: { zone_id: pit, quantity: 2 },
    })
    expect((await live(`user_id=${anna.id}`)).map(row => row.zone_id)).toEqual([pit])
    expect((await live(`zone_id=${pit}`)).map(row => row.user_id)).toEqual([anna.id])
    expect((await live(`seat_id=${seats[0]}`)).map(row => row.user_id)).toEqual([ben.id])
    expect(await live(`seat_id=${seats[0]}&user_id=${anna.id}`)).toEqual([])
  })

  it("a person's over all events and after their end, by e-mail in any spelling, page by page", async () => {
    const second = await eventOnSale(server, ours)
    const layout = await server.request('GET', `/api/events/${second.eventId}/layout`, { token: anna.token })
    const seat = layout.body.data.zones[0].seats[0].seat_id
    const answer = await server.request('POST', `/api/events/${second.eventId}/seats/${seat}/reserve`, {
      token: anna.token,
    })
    await sell(server, ours, second.eventId, answer.body.data.hold_id)
    const found = await ask('/api/admin/holds?email=%20ANNA@buyers.example')
    expect(found.map(row => [row.event_id, row.status, row.end_reason])).toEqual([
      [second.eventId, 'converted', 'converted'],
      [eventId, 'active', null],
      [eventId, 'cancelled', 'user_cancelled'],
    ])
    expect(found[0]).toMatchObject({
      event_name: 'Play',
      seat_label: 'A-1',
      user_id: anna.id,
      address: '127.0.0.1',
    })
    expect(found[0].ended_at).not.toBeNull()
    expect(await ask(`/api/admin/holds?user_id=${anna.id}`)).toEqual(found)
    const first = await server.request('GET', `/api/admin/holds?user_id=${anna.id}&limit=1`, {
      token: ours.tokens.support,
    })
    expect(await ask(`/api/admin/holds?user_id=${anna.id}&after=${first.body.next}`)).toEqual(found.slice(1))
    expect(await ask('/api/admin/holds?email=nobody@buyers.example')).toEqual([])
    expect((await server.request('GET', '/api/admin/holds', { token: ours.tokens.support })).status).toBe(400)
  })
})

describe('the audit log', () => {
  const audit = (query: string) => ask(`/api/admin/audit?${query}`)

  it('names the seats and the zone of a refused hold, the address and the user agent', async () => {
    const refused = await server.request('POST', `/api/events/${eventId}/holds`, {
      token: anna.token,
      headers,
      body: { seat_ids: [seats[0]!.toUpperCase(), seats[3]] },
    })
    expect(refused.status).toBe(409)
    await server.request('POST', `/api/events/${eventId}/holds`, {
      token: anna.token,
      headers,
      body: { zone_id: pit, quantity: 1_000 },
    })
    const ofAnna = () => audit(`action=seat_reserve_failed&user_id=${anna.id}`)
    await waitUntil('both are written', async () => (await ofAnna()).length === 2)
    const [zone, seat] = (await ofAnna()).sort((a, b) => b.changes.quantity - a.changes.quantity)
    expect(zone.changes).toEqual({ code: expect.any(String), seat_ids: [], zone_id: pit, quantity: 1_000 })
    expect(seat).toMatchObject({
      event_id: eventId,
      entity_id: eventId,
      ip: '127.0.0.1',
      user_agent: 'a browser',
      changes: { code: refused.body.code, seat_ids: [seats[0], seats[3]], zone_id: null, quantity: 2 },
    })
    expect((await audit(`seat_id=${seats[0]}&action=seat_reserve_failed`)).map(row => row.id)).toContain(
      seat.id,
    )
    expect((await audit(`event_id=${eventId}&user_id=${anna.id}`)).length).toBeGreaterThanOrEqual(2)
  })

  it('has an entry for what happens to wheelchair and companion seats, if the policy wants it', async () => {
    const about = async (seat: string) => (await audit(`seat_id=${seat}`)).map(row => row.action)
    const wheelchair = seats[2]!
    const holdId = await hold(anna, wheelchair)
    await server.request('POST', `/api/events/${eventId}/seats/${wheelchair}/reserve`, {
      token: ben.token,
      headers,
    })
    await release(anna, holdId)
    await waitUntil('the refusal is written', async () =>
      (await about(wheelchair)).includes('accessibility_seat_refused'),
    )
    expect((await about(wheelchair)).filter(action => action.startsWith('accessibility')).sort()).toEqual([
      'accessibility_seat_held',
      'accessibility_seat_refused',
      'accessibility_seat_released',
    ])
    expect(await audit(`hold_id=${holdId}&action=accessibility_seat_held`)).toMatchObject([
      { user_id: anna.id, ip: '127.0.0.1', user_agent: 'a browser', entity_id: holdId, event_id: eventId },
    ])

    const { eventId: silent } = await eventOnSale(server, ours, undefined, {
      seating_overrides: { accessibility_audit_enabled: false },
    })
    const layout = await server.request('GET', `/api/events/${silent}/layout`, { token: anna.token })
    const seat = layout.body.data.zones[0].seats[2].seat_id
    await server.request('POST', `/api/events/${silent}/seats/${seat}/reserve`, { token: ben.token })
    await server.request('POST', `/api/events/${silent}/seats/${seat}/reserve`, { token: anna.token })
    await waitUntil('the refusal is written', async () => (await about(seat)).includes('seat_reserve_failed'))
    expect((await about(seat)).filter(action => action.startsWith('accessibility'))).toEqual([])
  })

  it('can be read by time, page by page', async () => {
    const from = await now()
    for (const name of ['One', 'Two', 'Three']) {
      await server.request('POST', '/api/admin/venues', { token: ours.tokens.admin, body: { name } })
    }
    const to = await now()
    await server.request('POST', '/api/admin/venues', { token: ours.tokens.admin, body: { name: 'Four' } })
    const all = await audit(`from=${from}&to=${to}&action=venue_created`)
    expect(all.length).toBe(3)
    const page = await server.request(
      'GET',
      `/api/admin/audit?from=${from}&to=${to}&action=venue_created&limit=1`,
      { token: ours.tokens.support },
    )
    expect(await audit(`from=${from}&to=${to}&action=venue_created&after=${page.body.next}`)).toEqual(
      all.slice(1),
    )
  })
})
