import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CancelledEvents } from '../src/jobs/cancelled-events.ts'
import { TenantScope } from '../src/tenant.ts'
import { type Buyer, createBuyers } from './kit/crowd.ts'
import { type Hall, openHall, UNLIMITED } from './kit/hall.ts'
import { sell, startTestServer, type TestOrganization, type TestServer } from './kit/harness.ts'
import { expectSound } from './kit/invariants.ts'
import { type ListeningNode, startListeningNode } from './kit/second-node.ts'
import { waitUntil } from './kit/wait-until.ts'

let server: TestServer
let ours: TestOrganization
let anna: Buyer
let second: ListeningNode

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization()
  anna = (await createBuyers(server.database, ours.id, 1))[0]!
  second = await startListeningNode(server.database.url, { VOELGOED_REAPER: 'off' })
})
afterAll(async () => {
  await second.close()
  await expectSound(server.database)
  await server.close()
})

const hall = (seats: number) =>
  openHall(server.request, ours.tokens.organizer, {
    seats,
    event: {
      seating_overrides: { ...UNLIMITED, max_wheelchair_seats_per_booking: null, max_holds_per_ip: null },
    },
  })
const send = (method: string, url: string, token: string, body?: object) =>
  server.request(method, url, { token, ...(body && { body }) })
const take = async (at: Hall, from: number, to: number) => {
  const holdIds: string[] = []
  for (let first = from; first < to; first += 1_000) {
    const seat_ids = at.seats.slice(first, Math.min(to, first + 1_000))
    const { body } = await send('POST', `${at.url}/holds`, anna.token, { seat_ids })
    for (const hold of body.data.holds) holdIds.push(hold.hold_id)
  }
  return holdIds
}
const cancel = (at: Hall) => send('POST', `/api/admin/events/${at.eventId}/cancel`, ours.tokens.organizer)
const reasons = (at: Hall) =>
  server.database.sql<{ status: string; end_reason: string | null; count: number }>(
    `select status, end_reason, count(*)::int as count from seat_holds where event_id = $1
     group by 1, 2 order by 1, 2`,
    [at.eventId],
  )

it('cancelling ends all holds, those in payment too; what was sold stays sold', async () => {
  const at = await hall(40)
  const [sold, , held] = await take(at, 0, 30)
  await sell(server, ours, at.eventId, sold!)
  expect((await cancel(at)).body.data.status).toBe('cancelled')
  expect(await reasons(at)).toEqual([
    { status: 'converted', end_reason: 'converted', count: 1 },
    { status: 'cancelled', end_reason: 'event_cancelled', count: 29 },
  ])
  const { data } = (await send('GET', `${at.url}/occupancy`, anna.token)).body
  expect(data).toMatchObject({ held: 0, sold: 1, available: 39 })
  expect((await send('GET', `/api/holds?event_id=${at.eventId}`, anna.token)).body.data).toEqual([])
  const extended = await send('POST', `/api/holds/${held}/extend`, anna.token)
  expect(extended.status).toBeGreaterThanOrEqual(400)
  const again = await send('POST', `${at.url}/seats/${at.seats[35]}/reserve`, anna.token)
  expect(again.body).toMatchObject({ code: 'event_not_available', current_status: 'cancelled' })
})

it('a node that dies in the middle leaves nothing behind: another one goes on', async () => {
  const at = await hall(4_500)
  await take(at, 0, 4_500)
  const scope = TenantScope.of(ours.id as OrganizationId)
  const eventId = at.eventId as EventId
  const log = pino({ level: 'fatal' })
  // The first node commits the status and one chunk, and does nothing more.
  const lane = server.node.lanes.lane(scope, eventId)
  let chunks = 0
  const dying = new CancelledEvents({
    database: server.node.database,
    lanes: {
      lane: () =>
        ({
          submit: (command: Parameters<typeof lane.submit>[0]) => {
            chunks += 1
            return chunks === 1 ? lane.submit(command) : new Promise(() => {})
          },
        }) as unknown as typeof lane,
    },
    log,
  })
  await server.database.sql(`update events set status = 'published' where id = $1`, [at.eventId])
  const exclusive = await lane.exclusive(async (tx, give) => {
    await tx.query(`update events set status = 'cancelled' where organization_id = $1 and id = $2`, [eventId])
    return give({
      kind: 'event_changed',
      commandId: '01970000-0000-7000-8000-000000000001' as never,
      actor: { person: null, ip: null, source: 'system' },
      status: 'cancelled',
    })
  })
  expect(exclusive.ok).toBe(true)
  void dying.end({ scope, eventId })
  await waitUntil('the first chunk is committed', () => chunks === 2)
  expect(await reasons(at)).toEqual([
    { status: 'active', end_reason: null, count: 2_500 },
    { status: 'cancelled', end_reason: 'event_cancelled', count: 2_000 },
  ])
  // Between two chunks no hold can be used.
  const [left] = await server.database.sql<{ id: string }>(
    `select id from seat_holds where event_id = $1 and status = 'active' limit 1`,
    [at.eventId],
  )
  const extended = await send('POST', `/api/holds/${left!.id}/extend`, anna.token)
  expect(extended.body).toMatchObject({ code: 'event_not_available', current_status: 'cancelled' })

  const { database, lanes } = second.node
  await new CancelledEvents({ database, lanes, log }).look()
  expect(await reasons(at)).toEqual([{ status: 'cancelled', end_reason: 'event_cancelled', count: 4_500 }])
})

it('a draft that is cancelled has no holds to end', async () => {
  const at = await openHall(server.request, ours.tokens.organizer, { isDraft: true })
  expect((await cancel(at)).status).toBe(200)
})
