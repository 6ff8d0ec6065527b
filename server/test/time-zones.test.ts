import {
  eventOnSale,
  ROOT_KEY,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
})
afterAll(() => server.close())

const send = (method: string, url: string, body?: object, token = ours.tokens.organizer) =>
  server.request(method, url, { token, ...(body && { body }) })

it("an event has its venue's time zone, and the organization's while the venue has none", async () => {
  const { venueId, eventId } = await eventOnSale(server, ours)
  const zoneOf = async (url: string, token: string) =>
    (await send('GET', url, undefined, token)).body.data.time_zone
  const seen = async () => [
    await zoneOf(`/api/events/${eventId}`, ours.tokens.customer),
    await zoneOf(`/api/admin/events/${eventId}`, ours.tokens.support),
    (await send('GET', '/api/events', undefined, ours.tokens.customer)).body.data[0].time_zone,
    (await send('GET', '/api/admin/venues')).body.data.find((venue: { id: string }) => venue.id === venueId)
      .time_zone,
  ]
  expect(await seen()).toEqual(['UTC', 'UTC', 'UTC', 'UTC'])

  const changed = await send('PATCH', '/api/admin/organization', { time_zone: 'Africa/Johannesburg' })
  expect(changed.body.data).toMatchObject({ time_zone: 'Africa/Johannesburg', slug: ours.slug })
  expect(new Set(await seen())).toEqual(new Set(['Africa/Johannesburg']))

  const venue = await send('PATCH', `/api/admin/venues/${venueId}`, {
    time_zone: 'Asia/Tokyo',
    address: '1-1 Chiyoda',
  })
  expect(venue.body.data).toMatchObject({ name: 'Hall', time_zone: 'Asia/Tokyo', address: '1-1 Chiyoda' })
  expect(new Set(await seen())).toEqual(new Set(['Asia/Tokyo']))

  await send('PATCH', `/api/admin/venues/${venueId}`, { time_zone: null })
  expect(new Set(await seen())).toEqual(new Set(['Africa/Johannesburg']))
})

it('a time zone, a language or a currency that does not exist is refused, each with its path', async () => {
  for (const time_zone of ['Mars/Olympus', '+02:00', 'GMT+25', "Africa/Johannesburg'; drop table venues"]) {
    const fault = { code: 'invalid_request', errors: [{ path: '/time_zone' }] }
    const platform = { name: 'X', slug: 'x-time', time_zone }
    expect((await send('POST', '/api/admin/venues', { name: 'Hall', time_zone })).body).toMatchObject(fault)
    expect((await send('PATCH', '/api/admin/organization', { time_zone })).body).toMatchObject(fault)
    expect((await send('POST', '/api/platform/organizations', platform, ROOT_KEY)).body).toMatchObject(fault)
  }
  const refused = await send('PATCH', '/api/admin/organization', { locale: 'not a locale', currency: 'XQQ' })
  expect(refused.body).toMatchObject({
    code: 'invalid_request',
    errors: [{ path: '/locale' }, { path: '/currency' }],
  })
})

it('what was changed of an organization and a venue is in the audit log, with before and after', async () => {
  const created = await send('POST', '/api/admin/venues', { name: 'Shed', time_zone: 'Europe/Berlin' })
  await send('PATCH', `/api/admin/venues/${created.body.data.id}`, { name: 'Barn' })
  await send('PATCH', '/api/admin/organization', { locale: 'af-ZA', currency: 'NAD' })
  const audit = (action: string) =>
    send('GET', `/api/admin/audit?action=${action}`, undefined, ours.tokens.admin).then(
      ({ body }) => body.data[0].changes,
    )
  expect(await audit('venue_updated')).toEqual({ name: { before: 'Shed', after: 'Barn' } })
  expect(await audit('organization_updated')).toEqual({
    locale: { before: 'en', after: 'af-ZA' },
    currency: { before: 'ZAR', after: 'NAD' },
  })
})

it('an organization may be founded in its time zone', async () => {
  const body = { name: 'Tokyo Dome', slug: 'tokyo-dome', time_zone: 'Asia/Tokyo' }
  const created = await send('POST', '/api/platform/organizations', body, ROOT_KEY)
  expect(created.body.data).toMatchObject(body)
})
