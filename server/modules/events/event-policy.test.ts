import {
  eventOnSale,
  sell,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const send = (method: string, url: string, body?: object, token = ours.tokens.admin) =>
  server.request(method, url, { token, ...(body && { body }) })
const policy = (fields: object, token = ours.tokens.admin) => send('PUT', '/api/admin/policy', fields, token)

const VIP = {
  zones: [
    { name: 'Stalls', zone_type: 'reserved_seating', seats: [{ row: 'A', number: 1 }] },
    { name: 'Box', zone_type: 'vip_standing', capacity: 10 },
    { name: 'Lounge', zone_type: 'vip_standing', capacity: 10 },
  ],
}

describe('a policy that changes later', () => {
  it('an override under a later lock sleeps: renaming, the sale window and publishing go on', async () => {
    ours = await server.organization()
    const made = await eventOnSale(server, ours)
    const overrides = { max_seats_per_booking: 4 }
    const draft = await send('POST', '/api/admin/events', {
      name: 'Draft',
      venue_id: made.venueId,
      layout_id: made.layoutId,
      seating_overrides: overrides,
    })
    const url = `/api/admin/events/${draft.body.data.id}`
    await policy({ locked_fields: ['max_seats_per_booking'] })
    expect((await send('PATCH', url, { name: 'Another' })).status).toBe(200)
    expect((await send('PATCH', url, { sale_end: '2099-01-01T00:00:00Z' })).status).toBe(200)
    expect((await send('PATCH', url, { seating_overrides: overrides })).status).toBe(200)
    const published = await send('POST', `${url}/publish`)
    expect(published.status).toBe(200)
    expect(published.body.data.effective_policy.max_seats_per_booking).toBe(10)
    expect((await send('PATCH', url, { name: 'On sale' })).status).toBe(200)
    const woken = await send('PATCH', url, { seating_overrides: { max_seats_per_booking: 5 } })
    expect(woken.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/seating_overrides/max_seats_per_booking' }],
    })
  })

  it('what it forbids is asked when a layout is attached and at publication, not of a new name', async () => {
    ours = await server.organization()
    await policy({ allow_vip_zones: true })
    const { venueId, layoutId, eventId } = await eventOnSale(server, ours, VIP)
    const event = { name: 'Gala', venue_id: venueId, layout_id: layoutId }
    const draft = (await send('POST', '/api/admin/events', event)).body.data.id
    await policy({ allow_vip_zones: false })
    const zones = (await send('GET', `/api/events/${eventId}/layout`)).body.data.zones
    const [, box, lounge] = zones.map((zone: { zone_id: string }) => zone.zone_id)
    const fault = { status: 422, body: { errors: [{ code: 'allow_vip_zones_off' }, {}] } }

    expect((await send('PATCH', `/api/admin/events/${eventId}`, { name: 'On sale' })).status).toBe(200)
    expect((await send('PATCH', `/api/admin/events/${draft}`, { name: 'Draft' })).status).toBe(200)
    expect(await send('POST', '/api/admin/events', event)).toMatchObject(fault)
    expect(await send('POST', `/api/admin/events/${draft}/publish`)).toMatchObject(fault)
    // An overlay may leave what is there already, or disable it; it may not add to it.
    const overlay = (overrides: object) =>
      send('PUT', `/api/admin/events/${draft}/layout`, { overrides }).then(answer => answer.status)
    expect(await overlay({ disabled_zones: [box] })).toBe(200)
    expect(await overlay({ disabled_zones: [box, lounge] })).toBe(200)
    expect(await overlay({ disabled_zones: [box] })).toBe(422)
    expect((await send('POST', `/api/admin/events/${draft}/publish`)).status).toBe(200)
  })

  it('access modes that the organization does not allow are asked in the same way', async () => {
    ours = await server.organization()
    const { eventId, layoutId, venueId } = await eventOnSale(server, ours)
    const [, pit] = (await send('GET', `/api/events/${eventId}/layout`)).body.data.zones
    await policy({ allowed_access_modes: ['public'] })
    const created = await send('POST', '/api/admin/events', {
      name: 'Members only',
      venue_id: venueId,
      layout_id: layoutId,
      overrides: {
        zone_overrides: { [pit.zone_id]: { access_mode: 'membership_tier', membership_tier: 'gold' } },
      },
    })
    expect(created).toMatchObject({ status: 422, body: { errors: [{ code: 'access_mode_not_allowed' }] } })
  })
})

it('ids of users in an overlay may be written in upper case', async () => {
  ours = await server.organization()
  const { eventId, layoutId, venueId } = await eventOnSale(server, ours)
  const [, pit] = (await send('GET', `/api/events/${eventId}/layout`)).body.data.zones
  const id = (await send('GET', '/api/session')).body.data.user.id as string
  const whitelist = { access_mode: 'whitelist', allowed_user_ids: [id.toUpperCase()] }
  const created = await send('POST', '/api/admin/events', {
    name: 'By name',
    venue_id: venueId,
    layout_id: layoutId,
    overrides: { zone_overrides: { [pit.zone_id]: whitelist } },
  })
  expect(created.status, created.text).toBe(201)
  expect(created.body.data.overrides.zone_overrides[pit.zone_id].allowed_user_ids).toEqual([id])
})

describe('locks', () => {
  it('are for administrators, and so are the values that are locked', async () => {
    ours = await server.organization()
    const asOrganizer = (fields: object) => policy(fields, ours.tokens.organizer)
    const forbidden = { status: 403, body: { code: 'forbidden', required: ['admin'] } }
    expect(await asOrganizer({ locked_fields: ['allow_vip_zones'] })).toMatchObject(forbidden)
    await policy({ max_holds_per_ip: 7, locked_fields: ['max_holds_per_ip'] })
    expect(await asOrganizer({ locked_fields: [] })).toMatchObject(forbidden)
    expect(await asOrganizer({ max_holds_per_ip: 8 })).toMatchObject(forbidden)
    // The rest is theirs, and what they leave out of what is locked stays.
    const changed = await asOrganizer({ max_seats_per_booking: 3 })
    expect(changed.body.data).toMatchObject({
      max_seats_per_booking: 3,
      max_holds_per_ip: 7,
      locked_fields: ['max_holds_per_ip'],
    })
    expect((await policy({})).body.data).toMatchObject({ max_holds_per_ip: 300, locked_fields: [] })
  })
})

it('a zone that is disabled is closed: what was sold in it stays sold, everywhere', async () => {
  ours = await server.organization()
  const { eventId } = await eventOnSale(server, ours)
  const [stalls] = (await send('GET', `/api/events/${eventId}/layout`)).body.data.zones
  const held = await send('POST', `/api/events/${eventId}/seats/${stalls.seats[0].seat_id}/reserve`)
  await sell(server, ours, eventId, held.body.data.hold_id)
  const overrides = { disabled_zones: [stalls.zone_id] }
  const replaced = await server.request('PUT', `/api/admin/events/${eventId}/layout`, {
    token: ours.tokens.admin,
    headers: { 'if-match': '"1"' },
    body: { overrides },
  })
  expect(replaced.status, replaced.text).toBe(200)
  const closed = {
    zone_id: stalls.zone_id,
    capacity: 4,
    available: 0,
    held: 0,
    sold: 1,
    blocked: 3,
    closed: true,
  }
  const occupancy = (await send('GET', `/api/events/${eventId}/occupancy`)).body.data
  expect(occupancy).toMatchObject({ sold: 1, available: 100, total: 104, blocked: 3 })
  expect(occupancy.zones).toEqual([closed, expect.objectContaining({ closed: false, available: 100 })])
  const availability = (await send('GET', `/api/events/${eventId}/availability`)).body.data
  expect(availability.zones).toEqual(occupancy.zones)
})

it('a layout has a description, says when it was changed last, and warns of a lone wheelchair place', async () => {
  ours = await server.organization()
  const venue = (await send('POST', '/api/admin/venues', { name: 'Hall' })).body.data
  const seats = [{ row: 'A', number: 1, category: 'wheelchair' }]
  const config = { zones: [{ name: 'Stalls', zone_type: 'reserved_seating', seats }] }
  const url = `/api/admin/venues/${venue.id}/layouts`
  const saved = await send('POST', url, { name: 'Main', description: 'With the balcony', config })
  expect(saved.body.data.warnings).toEqual([
    { path: '/config/zones/0/seats/0', code: 'wheelchair_without_companion', message: expect.any(String) },
  ])
  const layout = `/api/admin/layouts/${saved.body.data.layout_id}`
  const read = async () => (await send('GET', layout)).body.data
  const first = await read()
  expect(first).toMatchObject({ description: 'With the balcony', updated_at: first.created_at })
  await server.passes(1)
  await send('POST', `${layout}/versions/1/activate`)
  expect(Date.parse((await read()).updated_at)).toBeGreaterThan(Date.parse(first.updated_at))
  await send('PUT', layout, { config })
  expect((await read()).description).toBe('With the balcony')
  await send('PUT', layout, { config, description: null })
  expect((await send('GET', url)).body.data[0]).toMatchObject({
    description: null,
    updated_at: (await read()).updated_at,
  })
})

describe('two who change the rules at once', () => {
  const change = (fields: object, token = ours.tokens.admin) =>
    send('PATCH', '/api/admin/policy', fields, token)

  it('each changes what they name, and a lock that was set meanwhile stays', async () => {
    ours = await server.organization()
    await policy({ default_hold_ttl_seconds: 480 })
    await change({ lock: ['max_seats_per_booking'] })
    await change({ allow_vip_zones: true, lock: ['max_group_split'] })
    const after = (await change({ max_holds_per_ip: null, unlock: ['max_group_split'] })).body.data
    expect(after).toMatchObject({
      ...{ default_hold_ttl_seconds: 480, allow_vip_zones: true, max_holds_per_ip: null },
      locked_fields: ['max_seats_per_booking'],
    })
    expect((await send('GET', '/api/admin/policy')).body.data).toEqual(after)
  })

  it('locks, and what is locked, are for admins', async () => {
    const organizer = ours.tokens.organizer
    expect((await change({ default_hold_ttl_seconds: 300 }, organizer)).status).toBe(200)
    for (const fields of [
      { max_seats_per_booking: 2 },
      { lock: ['max_group_split'] },
      { unlock: ['max_seats_per_booking'] },
    ]) {
      expect((await change(fields, organizer)).body.code).toBe('forbidden')
    }
    const kept = (await send('GET', '/api/admin/policy')).body.data
    expect(kept).toMatchObject({ default_hold_ttl_seconds: 300, locked_fields: ['max_seats_per_booking'] })
  })

  it('an event keeps the rules of its own that are not named', async () => {
    ours = await server.organization()
    const { eventId } = await eventOnSale(server, ours)
    const patch = (body: object) => send('PATCH', `/api/admin/events/${eventId}`, body)
    const own = (answer: { body: { data: { seating_overrides: object } } }) =>
      answer.body.data.seating_overrides
    await patch({ seating_changes: { set: { max_seats_per_booking: 4, max_group_split: null } } })
    const both = await patch({ seating_changes: { set: { default_hold_ttl_seconds: 480 } } })
    expect(own(both)).toEqual({
      ...{ max_seats_per_booking: 4, max_group_split: null, default_hold_ttl_seconds: 480 },
    })
    const reset = await patch({ seating_changes: { reset: ['max_group_split'] } })
    expect(own(reset)).toEqual({ max_seats_per_booking: 4, default_hold_ttl_seconds: 480 })
    const two = await patch({ seating_changes: {}, seating_overrides: {} })
    expect(two.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/seating_changes' }] })

    // A value whose field is locked later sleeps, and can't be set.
    await policy({ locked_fields: ['max_seats_per_booking'] })
    const other = await patch({ seating_changes: { set: { allow_vip_zones: true } } })
    expect(own(other)).toMatchObject({ max_seats_per_booking: 4, allow_vip_zones: true })
    const locked = await patch({ seating_changes: { set: { max_seats_per_booking: 5 } } })
    expect(locked.body.code).toBe('invalid_request')
  })
})
