import { openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { sell, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { followFunnels } from './count-funnel.ts'
import { addRefusedSteps } from './tables/funnel.ts'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  return () => server.close()
})

function counter() {
  return followFunnels(server.node.database, { log: pino({ level: 'silent' }), onRun: () => {} })
}

async function funnel(eventId: string, query = '') {
  const answer = await server.request('GET', `/api/admin/events/${eventId}/funnel${query}`, {
    token: ours.tokens.support,
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

/**
 * Forgets the counts of an event, and counts from here on: in one transaction, and the cursor first, so that
 * the server's own job is at it either before or after.
 */
async function countFrom(eventId: string, seq: number): Promise<void> {
  await server.database.sql(`delete from funnel_cursors where event_id = '${eventId}';
    delete from funnel_counts where event_id = '${eventId}';
    insert into funnel_cursors values ('${ours.id}', '${eventId}', ${seq})`)
}

it('counts every step once, before and after the journal is counted, by days of the venue', async () => {
  const { eventId, venueId, url, seats, zones } = await openHall(server.request, ours.tokens.organizer, {
    standing: 50,
    event: { seating_overrides: { ...UNLIMITED, default_hold_ttl_seconds: 120 } },
  })
  // At the venue it is day, six hours from midnight at least: all steps are of one day.
  const isMorning = new Date(server.clock.now()).getUTCHours() < 12
  const placed = await server.request('PATCH', `/api/admin/venues/${venueId}`, {
    token: ours.tokens.organizer,
    body: { time_zone: isMorning ? 'Asia/Dhaka' : 'America/Costa_Rica' },
  })
  expect(placed.status, placed.text).toBe(200)
  const token = ours.tokens.customer
  const post = (path: string, body: object) => server.request('POST', path, { token, body })
  const hold = async (body: object) => (await post(`${url}/holds`, body)).body.data.holds
  const [first, second] = await hold({ seat_ids: [seats[0], seats[1]] })
  await server.request('POST', `/api/holds/${first.hold_id}/extend`, { token })
  await server.request('DELETE', `/api/holds/${second.hold_id}`, { token })
  await sell(server, ours, eventId, first.hold_id)
  await hold({ zone_id: zones[1], quantity: 5 })
  for (let i = 0; i < 3; i += 1) {
    expect((await post(`${url}/seats/${seats[0]}/reserve`, {})).status).toBe(409)
  }
  await waitUntil('the refusals are counted', async () => (await funnel(eventId)).total.refused === 3)

  const steps = {
    attempted: 5,
    granted: 2,
    refused: 3,
    refused_by_code: { seat_not_available: 3 },
    held: 7,
    paid: 1,
    expired: 0,
    released: 1,
    released_by_reason: { user_cancelled: 1 },
  }
  const before = await funnel(eventId)
  expect(before.total).toMatchObject(steps)
  expect(before.total.extended).toBeGreaterThan(0)
  expect(before.counted_seq).toBe(before.seq)

  // Two nodes at once: each entry is counted by one of them.
  await Promise.all([counter().run(), counter().run()])
  // The server's own job may be at the journal as well: then these leave it to that.
  await waitUntil('the journal is counted', async () => {
    await counter().run()
    const [cursor] = await server.database.sql<{ seq: string }>(
      'select seq from funnel_cursors where event_id = $1',
      [eventId],
    )
    return Number(cursor?.seq) === before.seq
  })
  const after = await funnel(eventId)
  expect(after).toEqual(before)

  const [day] = after.days
  expect(after.days.length).toBe(1)
  expect(day).toMatchObject({ ...steps, day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
  expect((await funnel(eventId, '?to=2020-01-01T00:00:00Z')).days).toEqual([])
})

it('a command whose seats are on two pages of the journal is one request', async () => {
  const { eventId, url, seats } = await openHall(server.request, ours.tokens.organizer, {
    event: { seating_overrides: UNLIMITED },
  })
  await server.request('POST', `${url}/holds`, {
    token: ours.tokens.customer,
    body: { seat_ids: seats.slice(0, 6) },
  })
  const { seq } = await funnel(eventId)
  await counter().run()
  const whole = await funnel(eventId)
  // As if the first page had ended in the middle of the command.
  await countFrom(eventId, seq - 3)
  await counter().run()
  const { total } = await funnel(eventId)
  expect(whole.total).toMatchObject({ granted: 1, held: 6 })
  expect(total).toMatchObject({ granted: 0, held: 3 })
})

it('tickets that are moved to other seats are neither held nor paid for once more', async () => {
  const { eventId, url, seats } = await openHall(server.request, ours.tokens.organizer, {
    event: { seating_overrides: UNLIMITED },
  })
  const staff = (path: string, body: object) =>
    server.request('POST', path, { token: ours.tokens.organizer, body })
  const held = await server.request('POST', `${url}/holds`, {
    token: ours.tokens.customer,
    body: { seat_ids: seats.slice(0, 3) },
  })
  const hold_ids = held.body.data.holds.map((hold: { hold_id: string }) => hold.hold_id)
  const order = { event_id: eventId, hold_ids, method: 'external', allow_stranding: true }
  const { order_id, tickets } = (await staff('/api/admin/orders', order)).body.data
  const { seq: sold } = await funnel(eventId)
  const moves = [0, 1].map(at => ({ ticket_id: tickets[at].ticket_id, seat_id: seats[12 + at] }))
  const moved = await staff(`/api/admin/orders/${order_id}/move`, { moves, reason: 'asked' })
  expect(moved.status, moved.text).toBe(200)
  const steps = { granted: 1, held: 3, paid: 3 }
  const before = await funnel(eventId)
  expect(before.seq).toBeGreaterThan(sold)
  expect(before.total).toMatchObject(steps)
  await counter().run()
  expect((await funnel(eventId)).total).toMatchObject(steps)
  // As if the first page had ended between the two tickets.
  await countFrom(eventId, sold + 2)
  await counter().run()
  expect((await funnel(eventId)).total).toMatchObject({ granted: 0, held: 0, paid: 0 })
})

it('a day begins when it does at the venue', async () => {
  const { eventId, venueId } = await openHall(server.request, ours.tokens.organizer)
  await server.request('PATCH', `/api/admin/venues/${venueId}`, {
    token: ours.tokens.organizer,
    body: { time_zone: 'Asia/Kathmandu' },
  })
  await server.database.sql(
    `insert into funnel_counts (organization_id, event_id, quarter, step, detail, count)
     values ($1, $2, '2026-06-01 18:00Z', 'held', '', 2), ($1, $2, '2026-06-01 18:15Z', 'held', '', 3)`,
    [ours.id, eventId],
  )
  const { time_zone, days } = await funnel(eventId)
  expect(time_zone).toBe('Asia/Kathmandu')
  const held = days.map((day: { day: string; held: number }) => [day.day, day.held])
  expect(held).toEqual([
    ['2026-06-01', 2],
    ['2026-06-02', 3],
  ])
})

it('belongs to its event: none is counted without one, and both go together', async () => {
  const { venueId, layoutId } = await openHall(server.request, ours.tokens.organizer)
  const draft = await server.request('POST', '/api/admin/events', {
    token: ours.tokens.organizer,
    body: { name: 'Draft', venue_id: venueId, layout_id: layoutId },
  })
  const eventId = draft.body.data.id
  const gone = crypto.randomUUID()
  const step = { organizationId: ours.id, quarter: Date.UTC(2026, 5, 1), code: 'busy', attempts: 2 }
  await server.node.database.platform('write the audit of refused attempts', tx =>
    addRefusedSteps(tx, [
      { ...step, eventId: gone },
      { ...step, eventId },
    ]),
  )
  const counted = () =>
    server.database.sql('select event_id, count::int from funnel_counts where event_id = any ($1)', [
      [gone, eventId],
    ])
  expect(await counted()).toEqual([{ event_id: eventId, count: 2 }])
  await server.database.sql('delete from events where id = $1', [eventId])
  expect(await counted()).toEqual([])
  await expect(
    server.database.sql(`insert into funnel_counts values ($1, $2, now(), 'held', '', 1)`, [ours.id, gone]),
  ).rejects.toMatchObject({ constraint: 'funnel_counts_organization_id_event_id_fkey' })
})
