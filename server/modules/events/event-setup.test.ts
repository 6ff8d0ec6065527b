import {
  eventOnSale,
  SMALL_LAYOUT,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
})
afterAll(() => server.close())

const as = (role: 'organizer' | 'support' | 'customer', method: string, url: string, body?: object) =>
  server.request(method, url, { token: ours.tokens[role], ...(body && { body }) })
const send = (method: string, url: string, body?: object) => as('organizer', method, url, body)

const FIELDS = {
  starts_at: '2027-03-01T17:30:00Z',
  ends_at: '2027-03-01T19:45:00Z',
  doors_at: '2027-03-01T17:00:00Z',
}

/** A draft on a hall of its own. */
async function draft(fields: object = FIELDS) {
  const { eventId: onSale, venueId, layoutId } = await eventOnSale(server, ours, SMALL_LAYOUT)
  const body = { name: 'Draft', venue_id: venueId, layout_id: layoutId, ...fields }
  const made = await send('POST', '/api/admin/events', body)
  expect(made.status, made.text).toBe(201)
  const { id } = made.body.data as { id: string }
  const { zones } = (await send('GET', `/api/events/${id}/layout`)).body.data
  return {
    id,
    onSale,
    url: `/api/admin/events/${id}`,
    layoutId,
    zones,
    seat: zones[0].seats[0].seat_id as string,
  }
}

const PRICES = (zone: string, more: object = {}) => ({
  currency: 'ZAR',
  categories: [{ key: 'any', name: 'Any', ticket_types: [{ key: 'adult', name: 'Adult', amount: 100 }] }],
  zones: { [zone]: 'any' },
  ...more,
})

const actionsOn = async (id: string) => {
  const { data } = (await send('GET', `/api/admin/audit?entity_id=${id}`)).body
  return data.map(({ action }: { action: string }) => action)
}

describe('the end of an event', () => {
  it('is kept, is after the start, and stands in calendars', async () => {
    const { id, url } = await draft()
    const early = await send('PATCH', url, { ends_at: FIELDS.starts_at })
    expect(early).toMatchObject({ status: 400, body: { errors: [{ path: '/ends_at' }] } })
    const late = await send('PATCH', url, { starts_at: '2027-03-02T17:30:00Z' })
    expect(late).toMatchObject({ status: 400, body: { errors: [{ path: '/ends_at' }] } })
    await send('POST', `${url}/publish`)
    const buyers = await as('customer', 'GET', `/api/events/${id}`)
    expect(buyers.body.data.ends_at).toBe('2027-03-01T19:45:00.000Z')
    const calendar = await server.request('GET', `/${ours.slug}/events/${id}/calendar.ics`)
    expect(calendar.text).toContain('DTEND:20270301T194500Z')
    expect((await send('PATCH', url, { ends_at: null })).body.data.ends_at).toBeNull()
  })
})

describe('what is missing', () => {
  const readPoints = async (url: string) => {
    const { body } = await as('support', 'GET', `${url}/readiness`)
    type Point = {
      check: string
      state: string
      reason: string | null
      places: number | null
      zones: string[]
    }
    return body.data.checks as Point[]
  }
  const wrong = async (url: string) =>
    (await readPoints(url)).flatMap(({ check, reason }) => (reason === null ? [] : [`${check} ${reason}`]))

  it('is told as it is now, and goes as it is mended', async () => {
    const { url, zones } = await draft({})
    const before = await wrong(url)
    expect(before).toEqual(expect.arrayContaining(['date no_date', 'end no_end', 'prices no_prices']))
    expect(before).toContain('contact no_contact')
    await send('PATCH', url, FIELDS)
    await send('PUT', `${url}/prices`, PRICES(zones[0].zone_id))
    const [unpriced] = (await readPoints(url)).filter(({ reason }) => reason === 'unpriced')
    const rest = zones.slice(1) as { name: string; capacity: number }[]
    expect(unpriced).toMatchObject({
      state: 'warns',
      places: rest.reduce((sum, { capacity }) => sum + capacity, 0),
      zones: rest.map(({ name }) => name),
    })
    const overrides = { disabled_zones: zones.slice(1).map(({ zone_id }: { zone_id: string }) => zone_id) }
    await send('PUT', `${url}/layout`, { overrides })
    await send('PATCH', '/api/admin/organization', {
      time_zone: 'Africa/Windhoek',
      support_email: 'a@b.example',
    })
    const after = await wrong(url)
    for (const gone of [
      'date no_date',
      'end no_end',
      'prices unpriced',
      'contact no_contact',
      'time_zone utc',
    ])
      expect(after).not.toContain(gone)
    await send('PATCH', url, { starts_at: '2020-01-01T10:00:00Z', doors_at: null, ends_at: null })
    expect(await wrong(url)).toContain('date in_past')
  })

  it('names what the policy forbids, and is for staff of this organization alone', async () => {
    const { url } = await draft()
    await send('PATCH', '/api/admin/policy', { allow_ga_seating: false })
    try {
      const [layout] = (await readPoints(url)).filter(({ check }) => check === 'layout')
      expect(layout).toMatchObject({
        state: 'stops',
        reason: 'not_sellable',
        text: expect.stringMatching(/\w/),
      })
    } finally {
      await send('PATCH', '/api/admin/policy', { allow_ga_seating: true })
    }
    expect((await as('customer', 'GET', `${url}/readiness`)).status).toBe(403)
    const gone = await send('GET', '/api/admin/events/0197a000-0000-7000-8000-000000000009/readiness')
    expect(gone.status).toBe(404)
  })
})

describe('a copy', () => {
  it('has layout, overlay, prices, rules and texts; its times keep their distance; people only if asked', async () => {
    const { id, url, zones, seat } = await draft({
      ...FIELDS,
      description: 'A play.',
      days: ['2027-03-01', '2027-03-02'],
      seating_overrides: { default_hold_ttl_seconds: 480 },
    })
    const prices = PRICES(zones[0].zone_id, {
      admission: { any: { days: ['2027-03-02'], entries_per_day: 1, reentry: false } },
    })
    expect((await send('PUT', `${url}/prices`, prices)).status).toBe(200)
    const overrides = { blocked_seat_ids: [seat], disabled_zones: [zones[1].zone_id] }
    await send('PUT', `${url}/layout`, { overrides })
    await send('POST', `${url}/whitelist`, { entries: [{ email: 'friend@example.org', note: 'VIP' }] })
    await send('POST', `${url}/publish`)
    const body = { name: 'Second night', starts_at: '2027-03-08T17:30:00Z' }
    const made = await send('POST', `${url}/copy`, body)
    expect(made.status, made.text).toBe(201)
    const copy = made.body.data
    expect(copy).toMatchObject({
      ...{ name: 'Second night', status: 'draft', was_on_sale: false, description: 'A play.' },
      ...{ starts_at: '2027-03-08T17:30:00.000Z', doors_at: '2027-03-08T17:00:00.000Z' },
      ends_at: '2027-03-08T19:45:00.000Z',
      days: [{ date: '2027-03-08' }, { date: '2027-03-09' }],
      seating_overrides: { default_hold_ttl_seconds: 480 },
      overrides,
    })
    const there = `/api/admin/events/${copy.id}`
    const list = (await send('GET', `${there}/prices`)).body.data
    expect(list).toMatchObject({ zones: prices.zones, admission: { any: { days: ['2027-03-09'] } } })
    expect((await send('GET', `${there}/whitelist`)).body.data).toEqual([])
    expect(await actionsOn(copy.id)).toEqual(['event_copied'])
    const withPeople = await send('POST', `${url}/copy`, { ...body, whitelist: true })
    const people = await send('GET', `/api/admin/events/${withPeople.body.data.id}/whitelist`)
    expect(people.body.data).toMatchObject([{ email: 'friend@example.org', note: 'VIP' }])
    // Without a start it has no times, and its admission no days.
    const undated = await send('POST', `${url}/copy`, { name: 'Some day', starts_at: null })
    expect(undated.body.data).toMatchObject({ starts_at: null, doors_at: null, days: [] })
    expect((await as('support', 'POST', `${url}/copy`, body)).status).toBe(403)
    expect((await send('POST', `${there}/publish`)).status).toBe(200)
    expect(id).not.toBe(copy.id)
  })

  it('takes the newest active version of the layout where its own was retired', async () => {
    const { url, onSale, layoutId } = await draft()
    const layout = `/api/admin/layouts/${layoutId}`
    const { config } = (await send('GET', layout)).body.data
    await send('PUT', layout, { config })
    await send('POST', `${layout}/versions/2/activate`)
    for (const event of [url, `/api/admin/events/${onSale}`]) await send('POST', `${event}/cancel`)
    const retired = await send('POST', `${layout}/versions/1/archive`)
    expect(retired.status, retired.text).toBe(200)
    const copy = await send('POST', `${url}/copy`, { name: 'Newer', starts_at: null })
    expect(copy.body.data.layout, copy.text).toMatchObject({ version: 2 })
  })
})

describe('unpublishing', () => {
  it('takes an event off sale that has neither holds nor orders, and publishing brings it back as it was', async () => {
    const { id, url, seat, zones } = await draft()
    const other = zones[0].seats[1].seat_id as string
    await send('PUT', `${url}/layout`, { overrides: { blocked_seat_ids: [seat] } })
    await send('POST', `${url}/publish`)
    const reserve = (which: string) => as('customer', 'POST', `/api/events/${id}/seats/${which}/reserve`)
    const held = await reserve(other)
    expect(held.status, held.text).toBe(201)
    const refused = await send('POST', `${url}/unpublish`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
    await as('customer', 'DELETE', `/api/holds/${held.body.data.hold_id}`)
    const back = await send('POST', `${url}/unpublish`)
    expect(back.body.data, back.text).toMatchObject({ status: 'draft', was_on_sale: true })
    expect((await as('customer', 'GET', `/api/events/${id}`)).status).toBe(404)
    expect((await as('customer', 'GET', `/api/events/${id}/availability`)).status).toBe(404)
    expect((await server.request('GET', `/${ours.slug}/events/${id}/calendar.ics`)).status).toBe(404)
    const listed = (await as('customer', 'GET', '/api/events?limit=100')).body.data as { id: string }[]
    expect(listed.some(event => event.id === id)).toBe(false)
    expect(await reserve(other)).toMatchObject({ status: 400, body: { code: 'event_not_available' } })
    // Its journal names its seats: they stay, and so does the event.
    expect((await send('DELETE', url)).status).toBe(409)
    const moved = await send('PATCH', url, { layout_id: (await draft()).layoutId })
    expect(moved.status).toBeGreaterThanOrEqual(400)
    expect((await send('PATCH', url, { name: 'Later' })).status).toBe(200)
    const again = await send('POST', `${url}/publish`)
    expect(again.body.data, again.text).toMatchObject({ status: 'published', name: 'Later' })
    expect(await reserve(seat)).toMatchObject({ body: { code: 'seat_not_available' } })
    expect((await reserve(other)).status).toBe(201)
    expect(await actionsOn(id)).toEqual(expect.arrayContaining(['event_unpublished', 'event_published']))
  })

  it('is refused once something was sold, and once the event is live', async () => {
    const { id, url, seat } = await draft()
    await send('POST', `${url}/publish`)
    const held = await send('POST', `/api/events/${id}/seats/${seat}/reserve`)
    const order = { event_id: id, hold_ids: [held.body.data.hold_id], method: 'cash', allow_stranding: true }
    const sold = await send('POST', '/api/admin/orders', order)
    expect(sold.status, sold.text).toBe(201)
    expect((await send('POST', `${url}/unpublish`)).status).toBe(409)
    await send('POST', `/api/admin/orders/${sold.body.data.order_id}/refund`, { reason: 'ill' })
    // The seat is free again; the order stays, and names the event.
    expect((await send('POST', `${url}/unpublish`)).status).toBe(409)
    await send('POST', `${url}/go-live`)
    expect((await send('POST', `${url}/unpublish`)).status).toBe(409)
  })

  it('of two at one moment, a hold or the unpublishing wins, never both', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, url, seat } = await draft()
      await send('POST', `${url}/publish`)
      const [back, held] = await Promise.all([
        send('POST', `${url}/unpublish`),
        as('customer', 'POST', `/api/events/${id}/seats/${seat}/reserve`),
      ])
      expect([200, 409]).toContain(back.status)
      expect(held.status === 201).toBe(back.status === 409)
    }
  })
})

describe('deleting a draft', () => {
  it('takes its prices, blocked seats and whitelist along, and leaves a line in the audit', async () => {
    const { id, url, zones, seat } = await draft()
    await send('PUT', `${url}/prices`, PRICES(zones[0].zone_id))
    await send('POST', `${url}/seats/block`, { seat_ids: [seat], reason: 'camera' })
    await send('POST', `${url}/whitelist`, { entries: [{ email: 'friend@example.org' }] })
    expect((await as('support', 'DELETE', url)).status).toBe(403)
    expect((await send('DELETE', url)).status).toBe(204)
    expect((await send('GET', url)).status).toBe(404)
    expect((await send('DELETE', url)).status).toBe(404)
    const tables = ['event_prices', 'seat_blocks', 'whitelist_entries']
    for (const table of tables) {
      expect(await server.database.sql(`select 1 from ${table} where event_id = $1`, [id])).toEqual([])
    }
    expect(await actionsOn(id)).toContain('event_deleted')
  })

  it('is refused for an event that is on sale', async () => {
    const { url } = await draft()
    await send('POST', `${url}/publish`)
    expect(await send('DELETE', url)).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
  })
})
