import { randomUUID } from 'node:crypto'
import type { Command } from '@voelgoed/core/event/command'
import type {
  CheckoutId,
  CommandId,
  EventId,
  HoldId,
  OrganizationId,
  TicketId,
  UserId,
} from '@voelgoed/core/ids'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { reapOnce } from '@voelgoed/engine/reaper/reaper'
import { postgresWork } from '@voelgoed/engine/reaper/work'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { PassedOver } from '@voelgoed/kit/jobs/passed-over'
import { ALL_HOLDS, historyWritten } from '@voelgoed/testing/all-holds'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { catchUp, ROOT_KEY } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { holdLedgerLock } from '@voelgoed/testing/ledger-lock'
import { lifeOf, runOut } from '@voelgoed/testing/run-out'
import { setting } from '@voelgoed/testing/seeded'
import { useServer } from '@voelgoed/testing/use-server'
import { PATIENT, waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config.ts'
import { startNode } from '../../node.ts'

/** In two events at once. The reaper needs three rounds for each: one bite, four bites, the rest. */
const MANY = setting('VOELGOED_EXPIRED_HOLDS', 3_000)
const EVENTS = 2
const TTL_SECONDS = 60

/** No reaper runs here; only a test tidies up: a hold ends by rule, not because a job has run. */
const { server, ours } = useServer({ VOELGOED_REAPER: 'off' })
const work = () => postgresWork(server.node.database)
let url: string
let anna: Buyer
let ben: Buyer
const connections = new Connections(10)
const readers: FeedReader[] = []

beforeAll(async () => {
  url = await server.node.listen()
  const buyers = await createBuyers(server.database, ours.id, 2)
  anna = buyers[0]!
  ben = buyers[1]!
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
afterAll(() => connections.close())

const send = (method: string, path: string, { token }: Buyer, body?: unknown) =>
  connections.send(method, `${url}${path}`, { token, body })
const shortHall = (plan: HallPlan = {}) =>
  openHall((method, path, options) => connections.send(method, url + path, options), ours.tokens.organizer, {
    ...plan,
    event: { seating_overrides: { ...UNLIMITED, default_hold_ttl_seconds: TTL_SECONDS } },
  })
/** One more on the same layout. */
async function anotherEvent({ venueId, layoutId }: Hall, fields: object = {}): Promise<Hall> {
  const staff = { userId: '', token: ours.tokens.organizer }
  const body = { name: 'Play', venue_id: venueId, layout_id: layoutId, ...fields }
  const { id } = (await send('POST', '/api/admin/events', staff, body)).body.data
  expect((await send('POST', `/api/admin/events/${id}/publish`, staff)).status).toBe(200)
  return { eventId: id, venueId, layoutId, url: `/api/events/${id}`, seats: [], zones: [] }
}
const reserve = (at: Hall, seat: number, buyer: Buyer) =>
  send('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, buyer)

async function statusInTable(holdId: string): Promise<string> {
  await historyWritten(server.database)
  const [row] = await server.database.sql<{ status: string }>(
    `select status from ${ALL_HOLDS} h where id = $1`,
    [holdId],
  )
  return row!.status
}

function given(userId: string) {
  const person = {
    userId: userId as UserId,
    role: 'customer' as const,
    membershipTier: null,
    membershipStatus: null,
  }
  const actor = { person, ip: null, source: 'web' as const }
  return { commandId: randomUUID() as CommandId, actor }
}

/** Gives a command to the lane, as checkout does. */
async function give(at: Hall, command: Command): Promise<string> {
  const scope = TenantScope.of(ours.id as OrganizationId)
  const answer = await server.node.lanes.lane(scope, at.eventId as EventId).submit(command)
  if (answer.kind !== 'decided') return answer.kind
  return answer.outcome.ok ? 'done' : answer.outcome.problem.kind
}

const startPayment = (at: Hall, { userId }: Buyer, holdId: string, checkoutId: string) =>
  give(at, {
    kind: 'start_payment',
    allowStranding: true,
    ...given(userId),
    holdIds: [holdId as HoldId],
    checkoutId: checkoutId as CheckoutId,
  })
const sell = (at: Hall, { userId }: Buyer, holdId: HoldId, checkoutId: string) =>
  give(at, {
    kind: 'sell',
    allowStranding: true,
    ...given(userId),
    buyer: given(userId).actor.person,
    holds: [{ holdId, againAs: randomUUID() as HoldId, cartToken: null, ended: null }],
    checkoutId: checkoutId as CheckoutId,
    ticketIds: [randomUUID() as TicketId],
  })

describe('a hold that has run out, before the reaper tidied it up', () => {
  afterAll(() => expectSound(server.database))

  it('is in no buyer’s way: the very next request of another buyer gets the seat', async () => {
    const at = await shortHall()
    const mine = (await reserve(at, 0, anna)).body.data.hold_id
    expect((await reserve(at, 0, ben)).status).toBe(409)
    // A reaper would have come by within this time.
    await runOut(server, mine, 300)
    expect(await statusInTable(mine)).toBe('active')
    expect((await reserve(at, 0, ben)).status).toBe(201)
    expect(await statusInTable(mine)).toBe('expired')
  })

  it('neither can be extended nor paid for, and gives way to its owner’s next one', async () => {
    const at = await shortHall()
    const mine = (await reserve(at, 0, anna)).body.data.hold_id
    await runOut(server, mine)
    const extended = await send('POST', `/api/holds/${mine}/extend`, anna)
    expect([extended.status, extended.body.code]).toEqual([410, 'hold_expired'])
    expect(await startPayment(at, anna, mine, randomUUID())).toBe('hold_expired')
    const again = await reserve(at, 0, anna)
    expect(again.status).toBe(201)
    expect(again.body.data.hold_id).not.toBe(mine)
    const late = await send('POST', `/api/holds/${mine}/extend`, anna)
    expect([late.status, late.body.code]).toEqual([410, 'hold_expired'])
  })

  it('is not listed, not held for the map, and released as what it is: expired', async () => {
    const at = await shortHall({ standing: 4 })
    const mine = (await reserve(at, 0, anna)).body.data.hold_id
    const body = { zone_id: at.zones[1], quantity: 4 }
    const places = (await send('POST', `${at.url}/holds`, anna, body)).body.data.holds[0].hold_id
    await runOut(server, places)
    expect((await send('GET', `/api/holds?event_id=${at.eventId}`, anna)).body.data).toEqual([])
    expect((await send('GET', `${at.url}/availability`, ben)).body.data.seats).toEqual([])
    expect((await send('GET', `${at.url}/seats/${at.seats[0]}`, ben)).body.data.status).toBe('available')
    expect((await send('POST', `${at.url}/holds`, ben, body)).status).toBe(201)
    const released = await send('DELETE', `/api/holds/${mine}`, anna)
    expect(released.body.data).toEqual({ hold_id: mine, status: 'expired', released_count: 0 })
  })

  it('a request that had to wait for the lock is judged by the time it got it, not by the time it asked', async () => {
    const at = await shortHall()
    const mine = (await reserve(at, 0, anna)).body.data.hold_id
    const release = await holdLedgerLock(server.database.url, at.eventId)
    let hasAnswer = false
    const extending = send('POST', `/api/holds/${mine}/extend`, anna).finally(() => {
      hasAnswer = true
    })
    // It waits for a second only: on a machine that is busy enough it is over before this look at it.
    const isWaiting = async () => hasAnswer || (await server.database.lockWaits()) > 0
    await waitUntil('it waits for the lock', isWaiting)
    await server.database.passes(await lifeOf(server.database, mine))
    await release()
    let extended = await extending
    // On a machine that is busy enough the wait for the lock ends first: that is no extension either.
    if (extended.status === 503) extended = await send('POST', `/api/holds/${mine}/extend`, anna)
    expect([extended.status, extended.body.code]).toEqual([410, 'hold_expired'])
  })

  it('a payment in time keeps the hold past its first end, until it is sold', async () => {
    const at = await shortHall()
    const mine = (await reserve(at, 0, anna)).body.data
    const checkoutId = randomUUID()
    expect(await startPayment(at, anna, mine.hold_id, checkoutId)).toBe('done')
    await server.passes(TTL_SECONDS * 1000)
    expect((await reserve(at, 0, ben)).body.code).toBe('seat_held_by_another_user')
    expect(await sell(at, anna, mine.hold_id, checkoutId)).toBe('done')
    expect((await reserve(at, 0, ben)).body).toMatchObject({
      code: 'seat_not_available',
      current_status: 'sold',
    })
  })

  it('on a node whose clock is ten minutes ahead or behind is judged by the database’s', async () => {
    const off = { VOELGOED_LIMITS: 'off', VOELGOED_REAPER: 'off' }
    const config = parseConfig({
      VOELGOED_WORKERS: '1',
      VOELGOED_ROOT_KEY: ROOT_KEY,
      PORT: '0',
      ...PATIENT,
      ...off,
    })
    for (const offMs of [600_000, -600_000]) {
      const clock = { ...systemClock, now: () => systemClock.now() + offMs }
      const node = await startNode(config, server.database.url, { log: pino({ level: 'fatal' }), clock })
      const there = await node.listen()
      try {
        const at = await shortHall()
        const ask = (buyer: Buyer) =>
          connections.send('POST', `${there}${at.url}/seats/${at.seats[0]}/reserve`, { token: buyer.token })
        const mine = await ask(anna)
        expect(mine.status).toBe(201)
        expect(mine.body.data.expires_in_seconds).toBeGreaterThan(0)
        expect(mine.body.data.expires_in_seconds).toBeLessThanOrEqual(TTL_SECONDS)
        const refused = (await ask(ben)).body
        expect(refused.code).toBe('seat_held_by_another_user')
        expect(refused.expires_in).toBeGreaterThan(0)
        expect(refused.expires_in).toBeLessThanOrEqual(TTL_SECONDS)
        await runOut(server, mine.body.data.hold_id)
        await catchUp(node, server.database)
        expect((await ask(ben)).status).toBe(201)
      } finally {
        await node.drain()
      }
    }
  })
})

describe('tidying up', () => {
  it('ends what has run out, once, and the feed tells of it', async () => {
    const at = await shortHall({ standing: 10 })
    const reader = await FeedReader.open(`${url}${at.url}/live`, { token: ben.token })
    readers.push(reader)
    const mine = (await reserve(at, 3, anna)).body.data.hold_id
    const long = await send('POST', `/api/holds/${mine}/extend`, anna)
    expect(long.status).toBe(200)
    await send('POST', `${at.url}/holds`, ben, { zone_id: at.zones[1], quantity: 2 })
    const short = (await reserve(at, 4, ben)).body.data.hold_id
    await runOut(server, short)
    await reapOnce({ work: work(), lanes: server.node.lanes })
    expect([await statusInTable(mine), await statusInTable(short)]).toEqual(['active', 'expired'])
    const { data } = (await send('GET', `${at.url}/occupancy`, ben)).body
    expect(data).toMatchObject({ held: 1, available: 29 })
    await reader.upTo(data.seq)
    expect(reader.messages.flatMap(message => message.data.seats)).toEqual([
      [3, 'held'],
      [4, 'held'],
      [4, 'available'],
    ])
    expect(reader.messages.at(-1)!.data.occupancy.held).toBe(1)
    // There is nothing more to do.
    const again = await reapOnce({ work: work(), lanes: server.node.lanes })
    expect(again.expired).toBe(0)
  })

  it('passes over sixteen events that fail, tidies up all others, and comes back later', async () => {
    const first = await shortHall()
    const halls = [first]
    const short = { seating_overrides: { ...UNLIMITED, default_hold_ttl_seconds: TTL_SECONDS } }
    while (halls.length < 17) halls.push(await anotherEvent(first, short))
    const holds: string[] = []
    for (const at of halls) {
      holds.push((await reserve({ ...at, seats: first.seats }, 0, anna)).body.data.hold_id)
    }
    const last = holds.at(-1)!
    await runOut(server, last)
    // The oldest come first: without passing over, no other event would ever have its turn.
    const bad = new Set(halls.slice(0, 16).map(({ eventId }) => eventId))
    const tried: string[] = []
    const { lanes } = server.node
    const failing = {
      lane: (scope: TenantScope, eventId: EventId) =>
        bad.has(eventId)
          ? {
              submit: async () => {
                tried.push(eventId)
                return { kind: 'refused', refusal: { kind: 'internal_error' } }
              },
            }
          : lanes.lane(scope, eventId),
    } as unknown as Lanes
    let now = 0
    const passedOver = new PassedOver(() => now)
    const reap = () => reapOnce({ work: work(), lanes: failing }, passedOver)

    expect((await reap()).failures).toBe(16)
    expect(await statusInTable(last)).toBe('expired')
    expect([tried.length, passedOver.size]).toEqual([16, 16])
    // Not again at once, but after a second; then after two.
    await reap()
    expect(tried).toHaveLength(16)
    now += 1_000
    await reap()
    now += 1_000
    await reap()
    expect(tried).toHaveLength(32)
    now += 1_000
    bad.clear()
    expect((await reap()).failures).toBe(0)
    expect(await Promise.all(holds.map(statusInTable))).toEqual(holds.map(() => 'expired'))
    expect(passedOver.size).toBe(0)
  })

  it(`${MANY.toLocaleString('en')} holds that have run out`, async () => {
    const seats = MANY / EVENTS
    const first = await shortHall({ seats, perRow: 500, isLarge: true })
    const halls = [first]
    while (halls.length < EVENTS) halls.push(await anotherEvent(first))
    for (const at of halls) await insertExpiredHolds(at, seats)
    await waitUntil('everything is tidied up', async () => {
      await reapOnce({ work: work(), lanes: server.node.lanes })
      return (await countOf(halls, 'active')) === 0
    })
    await historyWritten(server.database)
    expect(await countOf(halls, 'expired')).toBe(MANY)
    for (const at of halls) {
      const { data } = (await send('GET', `${at.url}/occupancy`, ben)).body
      expect(data).toMatchObject({ held: 0, available: seats, seq: 1 + 2 * seats })
      const [left] = await server.database.sql(
        `select (select count(*)::int from journal_entries where event_id = $1) as entries,
           (select count(*)::int from event_seats where event_id = $1 and status = 'available' and version = 2) as free,
           (select next_expiry from event_ledgers where event_id = $1) as next_expiry`,
        [at.eventId],
      )
      expect(left).toEqual({ entries: 1 + 2 * seats, free: seats, next_expiry: null })
    }
  })
})

async function countOf(halls: readonly Hall[], status: string): Promise<number> {
  const [row] = await server.database.sql<{ count: number }>(
    `select count(*)::int as count from ${ALL_HOLDS} h where event_id = any ($1::uuid[]) and status = $2`,
    [halls.map(at => at.eventId), status],
  )
  return row!.count
}

/** A hold of every seat that ended a minute ago: what the lane would have written, only sooner. */
async function insertExpiredHolds(at: Hall, seats: number): Promise<void> {
  const { sql } = server.database
  const [made] = await sql<{ at: number }>(
    'select (floor(extract(epoch from clock_timestamp() - interval $$1 minute$$) * 1000) - 1000)::float8 as at',
  )
  const createdAt = made!.at
  const command = randomUUID()
  await sql(
    `insert into event_seats (organization_id, event_id, ordinal, status, version, version_before, hold_id, user_id,
       created_at, held_until, cap_until, source, last_seq)
     select $1, $2, s.ordinal, 'held', 1, 0, gen_random_uuid(), $3, to_timestamp($4::float8 / 1000),
       to_timestamp(($4::float8 + 1000) / 1000), to_timestamp(($4::float8 + 301000) / 1000), 'web', s.ordinal + 2
     from seats s where s.layout_id = $5`,
    [ours.id, at.eventId, anna.userId, createdAt, at.layoutId],
  )
  await sql(
    `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
       packed)
     select organization_id, event_id, min(last_seq), max(last_seq), created_at, $2::uuid, $2::uuid, false, 1,
       json_build_array(json_build_array(json_build_array($2::uuid, user_id, 'web')),
         json_agg(json_build_array(0, 0, 0, hold_id, ordinal, 1, 0, 1, 0, null, null, 1000, 301000) order by ordinal),
         json_build_array())
     from event_seats where event_id = $1 group by organization_id, event_id, user_id, created_at`,
    [at.eventId, command],
  )
  // The first entry is that the event went on sale, which has to come first in time as well.
  await sql('update journal set at = to_timestamp($2::float8 / 1000) where event_id = $1 and first_seq = 1', [
    at.eventId,
    createdAt,
  ])
  await sql('update zone_counts set held = $2 where event_id = $1', [at.eventId, seats])
  // Postgres does this by itself, in its own time.
  await sql('analyze')
  await sql(
    `update event_ledgers l set seq = $2, tip = $4, next_expiry = to_timestamp(($3::float8 + 1000) / 1000)
     where event_id = $1`,
    [at.eventId, seats + 1, createdAt, command],
  )
  const scope = TenantScope.of(ours.id as OrganizationId)
  await server.node.lanes.lane(scope, at.eventId as EventId).sync()
}
