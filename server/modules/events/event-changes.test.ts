import { TenantTx } from '@voelgoed/kit/postgres/database'
import { openHall } from '@voelgoed/testing/hall'
import {
  eventOnSale,
  SMALL_LAYOUT,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
})
afterAll(() => server.close())

const send = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.request(method, url, { token: ours.tokens.organizer, headers, ...(body !== undefined && { body }) })

async function draft(config: object = SMALL_LAYOUT) {
  const made = await eventOnSale(server, ours, config)
  const event = await send('POST', '/api/admin/events', {
    name: 'Draft',
    venue_id: made.venueId,
    layout_id: made.layoutId,
  })
  const { id } = event.body.data
  const layout = (await send('GET', `/api/events/${id}/layout`)).body.data
  return { id, zones: layout.zones as { zone_id: string; seats: { seat_id: string }[] }[] }
}

it('an overlay with many blocked seats is decided in parts, each of which goes out at once', async () => {
  const plan = { seats: 5_000, perRow: 100, isDraft: true }
  const at = await openHall(server.request, ours.tokens.organizer, plan)
  const url = `/api/admin/events/${at.eventId}`
  const flushed = vi.spyOn(TenantTx.prototype, 'flush')
  const replace = async (blocked_seat_ids: readonly string[]) => {
    const answer = await send(
      'PUT',
      `${url}/layout`,
      { overrides: { blocked_seat_ids } },
      { 'if-match': '*' },
    )
    expect(answer.status, answer.text).toBe(200)
  }
  const blocked = async () => {
    const { data } = (await send('GET', `/api/events/${at.eventId}/occupancy`)).body
    return data.blocked
  }
  await replace(at.seats)
  expect((await send('POST', `${url}/publish`)).status).toBe(200)
  expect([flushed.mock.calls.length, await blocked()]).toEqual([3, 5_000])
  await replace([])
  expect([flushed.mock.calls.length, await blocked()]).toEqual([6, 0])
  await replace(at.seats)
  expect([flushed.mock.calls.length, await blocked()]).toEqual([9, 5_000])
})

describe('publishing at the same moment as something else', () => {
  it('an overlay that comes second still counts: its blocked seat can not be held', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, zones } = await draft()
      const seat = zones[0]!.seats[0]!.seat_id
      const overrides = {
        blocked_seat_ids: [seat],
        zone_overrides: { [zones[1]!.zone_id]: { capacity: 150 } },
      }
      const [published, replaced] = await Promise.all([
        send('POST', `/api/admin/events/${id}/publish`),
        send('PUT', `/api/admin/events/${id}/layout`, { overrides }, { 'if-match': '"1"' }),
      ])
      expect([published.status, replaced.status]).toEqual([200, 200])
      expect((await send('POST', `/api/events/${id}/seats/${seat}/reserve`)).body).toMatchObject({
        code: 'seat_not_available',
      })
      const counts = await server.database.sql<{ capacity: number }>(
        'select capacity from zone_counts where event_id = $1 and zone_index = 1',
        [id],
      )
      expect(counts).toEqual([{ capacity: 150 }])
    }
  })

  it('a cancellation that comes second is in the journal, and nothing is sold after it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, zones } = await draft()
      await Promise.all([
        send('POST', `/api/admin/events/${id}/publish`),
        send('POST', `/api/admin/events/${id}/cancel`),
      ])
      const seat = zones[0]!.seats[0]!.seat_id
      const { body } = await send('POST', `/api/events/${id}/seats/${seat}/reserve`)
      const [event] = await server.database.sql<{ status: string }>(
        'select status from events where id = $1',
        [id],
      )
      expect(event!.status).toBe('cancelled')
      expect(body).toMatchObject({ code: 'event_not_available', current_status: 'cancelled' })
    }
  })
})

it('a sale that ended in 1970 is over, in memory as in the table', async () => {
  const { eventId } = await eventOnSale(server, ours)
  const layout = (await send('GET', `/api/events/${eventId}/layout`)).body.data
  const url = `/api/events/${eventId}/seats/${layout.zones[0].seats[0].seat_id}/reserve`
  await send('PATCH', `/api/admin/events/${eventId}`, { sale_end: '1970-01-01T00:00:00Z' })
  expect((await send('POST', url)).body).toMatchObject({ code: 'event_sales_closed' })
})

it('chairs that an event does without can be neither blocked nor held', async () => {
  const { id, zones } = await draft()
  const seatIds = zones[0]!.seats.map(seat => seat.seat_id)
  const zone_overrides = { [zones[0]!.zone_id]: { zone_type: 'ga_standing', capacity: 2 } }
  const both = await send('PUT', `/api/admin/events/${id}/layout`, {
    overrides: { zone_overrides, blocked_seat_ids: seatIds },
  })
  expect(both).toMatchObject({ status: 422, body: { errors: [{ code: 'unknown_seat' }, {}, {}, {}] } })
  await send('PUT', `/api/admin/events/${id}/layout`, { overrides: { zone_overrides } })
  const block = () =>
    send('POST', `/api/admin/events/${id}/seats/block`, { seat_ids: [seatIds[0]], reason: 'camera' })
  expect(await block()).toMatchObject({ status: 404, body: { code: 'seat_not_found' } })
  expect((await send('POST', `/api/admin/events/${id}/publish`)).status).toBe(200)
  expect(await block()).toMatchObject({ status: 404, body: { code: 'seat_not_found' } })
  expect((await send('POST', `/api/events/${id}/seats/${seatIds[0]}/reserve`)).status).toBe(404)
})

it('seats that staff blocked before their zone lost its chairs take no place of it', async () => {
  const { id, zones } = await draft()
  const seat_ids = zones[0]!.seats.map(seat => seat.seat_id)
  const url = `/api/admin/events/${id}`
  expect((await send('POST', `${url}/seats/block`, { seat_ids, reason: 'camera' })).status).toBe(200)
  const zone_overrides = { [zones[0]!.zone_id]: { zone_type: 'ga_standing', capacity: 2 } }
  expect((await send('PUT', `${url}/layout`, { overrides: { zone_overrides } })).status).toBe(200)
  expect((await send('POST', `${url}/publish`)).status).toBe(200)
  const places = { zone_id: zones[0]!.zone_id, quantity: 2 }
  expect((await send('POST', `/api/events/${id}/holds`, places)).status).toBe(201)
})
