import { randomUUID } from 'node:crypto'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { postgresWork } from '@voelgoed/engine/reaper/work'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime } from '@voelgoed/kit/base/time'
import { ALL_HOLDS, historyWritten } from '@voelgoed/testing/all-holds'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { sell, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CancelledEvents } from '../checkout/cancelled-events.ts'

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
const reasons = async (at: Hall) => {
  await historyWritten(server.database)
  return server.database.sql<{ status: string; end_reason: string | null; count: number }>(
    `select status, end_reason, count(*)::int as count from ${ALL_HOLDS} h where event_id = $1
     group by 1, 2 order by status::hold_status, 2`,
    [at.eventId],
  )
}

/** The one who cancels an event waits for its holds to end, but not long. */
const noneIsHeld = (at: Hall) =>
  waitUntil('no hold is left', async () => {
    const held = await server.database.sql(
      `select 1 from event_seats where event_id = $1 and status = 'held' limit 1`,
      [at.eventId],
    )
    return held.length === 0
  })

/** As a node leaves it that died right after it had cancelled the event. */
const cancelOnly = async (at: Hall) => {
  const eventId = at.eventId as EventId
  const lane = server.node.lanes.lane(TenantScope.of(ours.id as OrganizationId), eventId)
  const result = await lane.exclusive(async (tx, give) => {
    await tx.query(`update events set status = 'cancelled' where organization_id = $1 and id = $2`, [eventId])
    return give({
      kind: 'event_changed',
      commandId: randomUUID() as CommandId,
      actor: { person: null, ip: null, source: 'system' },
      status: 'cancelled',
    })
  })
  expect(result.ok).toBe(true)
}
/** These events can't end a hold. */
const withoutEnds = async (events: readonly Hall[], work: () => Promise<void>) => {
  const ids = events.map(({ eventId }) => `'${eventId}'`).join(', ')
  await server.database.sql(`create function refuse_end() returns trigger language plpgsql as
    $$ begin raise exception 'out of order' using errcode = 'lock_not_available'; end $$`)
  await server.database.sql(`create trigger no_end before insert on journal for each row
    when (new.event_id in (${ids}) and new.packed like '%"event_cancelled"%') execute function refuse_end()`)
  try {
    await work()
  } finally {
    await server.database.sql('drop function refuse_end cascade')
  }
}

it('cancelling ends all holds, those in payment too; what was sold stays sold', async () => {
  const at = await hall(40)
  const [sold, , held] = await take(at, 0, 30)
  await sell(server, ours, at.eventId, sold!)
  expect((await cancel(at)).body.data.status).toBe('cancelled')
  await noneIsHeld(at)
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
    work: postgresWork(server.node.database),
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
  await cancelOnly(at)
  void dying.end({ scope, eventId })
  await waitUntil('the first chunk is committed', () => chunks === 2)
  expect(await reasons(at)).toEqual([
    { status: 'active', end_reason: null, count: 2_500 },
    { status: 'cancelled', end_reason: 'event_cancelled', count: 2_000 },
  ])
  // Between two chunks no hold can be used.
  const [left] = await server.database.sql<{ id: string }>(
    `select id from ${ALL_HOLDS} h where event_id = $1 and status = 'active' limit 1`,
    [at.eventId],
  )
  const extended = await send('POST', `/api/holds/${left!.id}/extend`, anna.token)
  expect(extended.body).toMatchObject({ code: 'event_not_available', current_status: 'cancelled' })

  const { database, lanes } = second.node
  await new CancelledEvents({ work: postgresWork(database), lanes, log }).look()
  expect(await reasons(at)).toEqual([{ status: 'cancelled', end_reason: 'event_cancelled', count: 4_500 }])
})

it('a cancelled event is archived when its holds have ended: until then the answer says to wait', async () => {
  const at = await hall(10)
  await take(at, 0, 3)
  await cancelOnly(at)
  const archive = () => send('POST', `/api/admin/events/${at.eventId}/archive`, ours.tokens.organizer)
  await withoutEnds([at], async () => {
    const refused = await archive()
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'invalid_transition',
      current_status: 'cancelled',
      allowed: ['archive'],
      detail: expect.stringContaining('in a moment'),
    })
  })
  const archived = await waitUntil('it can be archived', async () => {
    const answer = await archive()
    return answer.status === 200 && answer
  })
  expect(archived.body.data.status).toBe('archived')
  expect(await reasons(at)).toEqual([{ status: 'cancelled', end_reason: 'event_cancelled', count: 3 }])
})

it('events that fail keep none of the others waiting: they are passed over', async () => {
  const failing: Hall[] = []
  // As many as are looked at together.
  for (let event = 0; event < 16; event += 1) failing.push(await hall(1))
  const good = await hall(1)
  for (const at of [...failing, good]) {
    await take(at, 0, 1)
    await cancelOnly(at)
  }
  const { database, lanes } = server.node
  const log = pino({ level: 'fatal' })
  // An event that failed is passed over for a second: here none of them is over before the look is.
  const time = { ...processTime, now: () => 0 }
  const job = new CancelledEvents({ work: postgresWork(database), lanes, log, time })
  await withoutEnds(failing, async () => {
    await job.look()
    expect(await reasons(good)).toEqual([{ status: 'cancelled', end_reason: 'event_cancelled', count: 1 }])
    expect(await reasons(failing[0]!)).toEqual([{ status: 'active', end_reason: null, count: 1 }])
  })
  // Another node, which has passed over none of them.
  await new CancelledEvents({ work: postgresWork(database), lanes, log }).look()
  for (const at of failing) expect(await reasons(at)).toMatchObject([{ end_reason: 'event_cancelled' }])
})

it('a draft that is cancelled has no holds to end', async () => {
  const at = await openHall(server.request, ours.tokens.organizer, { isDraft: true })
  expect((await cancel(at)).status).toBe(200)
})
