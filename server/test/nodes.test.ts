import { randomUUID } from 'node:crypto'
import { ok, refuse } from '@voelgoed/core/result'
import type { Database } from '@voelgoed/kit/postgres/database'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { deafLane, holdSeat } from '@voelgoed/testing/deaf-lane'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { foundOrganization, type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { type ServerProcess, startProcess } from '@voelgoed/testing/process'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { seeded } from '@voelgoed/testing/seeded'
import { gather, stampedeForPlaces, stampedeForSeat } from '@voelgoed/testing/stampede'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const connections = new Connections(100)
const processes: ServerProcess[] = []
let database: TestDatabase
let a: string
let b: string
let organization: { id: string; slug: string; organizer: string }
let buyers: Buyer[]
let listenerOfB: number

beforeAll(async () => {
  database = await createTestDatabase()
  const start = async () => {
    const server = startProcess({
      DATABASE_URL: database.url,
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_LIMITS: 'off',
      VOELGOED_DEMO: '0',
    })
    processes.push(server)
    return server.ready()
  }
  // One after the other, so that it is known whose connection is whose.
  a = await start()
  const [ofA] = await waitUntil('a listens', async () => (await listeners()).length === 1 && listeners())
  b = await start()
  const both = await waitUntil('b listens', async () => (await listeners()).length === 2 && listeners())
  listenerOfB = both.find(pid => pid !== ofA)!
  organization = await foundOrganization(via(a), ROOT_KEY)
  buyers = await createBuyers(database, organization.id, 500)
})

afterAll(async () => {
  connections.close()
  for (const server of processes) {
    server.child.kill('SIGTERM')
    await server.exited()
  }
  await database?.drop()
})

const via = (url: string) => (method: string, path: string, options?: object) =>
  connections.send(method, url + path, options)
const hall = (plan: object = {}) =>
  openHall(via(a), organization.organizer, { ...plan, event: { seating_overrides: UNLIMITED } })
const reserve = (url: string, at: Hall, seat: number, { token }: Buyer, key?: string) =>
  connections.send('POST', `${url}${at.url}/seats/${at.seats[seat]}/reserve`, {
    token,
    ...(key && { headers: { 'idempotency-key': key } }),
  })
const statusAt = async (url: string, at: Hall, seat: number, { token }: Buyer) =>
  (await connections.send('GET', `${url}${at.url}/seats/${at.seats[seat]}`, { token })).body.data.status
const buyer = (index: number) => buyers[index]!

/** The connections on which nodes hear each other. */
async function listeners(): Promise<number[]> {
  const rows = await database.sql<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'voelgoed_listen'`,
  )
  return rows.map(({ pid }) => pid)
}

describe('two processes on one database', () => {
  it('what happens on one is seen on the other, soon and without being asked for', async () => {
    const at = await hall()
    expect(await statusAt(b, at, 0, buyer(1))).toBe('available')
    const { hold_id } = (await reserve(a, at, 0, buyer(0))).body.data
    await waitUntil('b knows', async () => (await statusAt(b, at, 0, buyer(1))) === 'held')
    expect(await statusAt(b, at, 0, buyer(0))).toBe('held_by_me')
    // Given back on the other node than it was taken on.
    const { token } = buyer(0)
    const released = await connections.send('DELETE', `${b}/api/holds/${hold_id}`, { token })
    expect(released.body.data).toMatchObject({ status: 'cancelled', released_count: 1 })
    await waitUntil('a knows', async () => (await statusAt(a, at, 0, buyer(1))) === 'available')
    const mine = await connections.send('GET', `${a}/api/holds`, { token })
    expect(mine.body.data).toEqual([])
  })

  it('a decision is right at once, on whichever node: no caller waits for news', async () => {
    const at = await hall({ seats: 60, perRow: 20 })
    await statusAt(b, at, 0, buyer(1))
    for (let seat = 0; seat < 60; seat += 1) {
      const [first, second] = seat % 2 === 0 ? [a, b] : [b, a]
      expect((await reserve(first, at, seat, buyer(0))).status).toBe(201)
      expect((await reserve(second, at, seat, buyer(1))).body.code).toBe('seat_held_by_another_user')
      expect((await reserve(second, at, seat, buyer(0))).status).toBe(200)
    }
  })

  it('a seat that is released on one is free on the other at once, with a key or without', async () => {
    const at = await hall({ seats: 40, perRow: 20 })
    const holds: string[] = []
    for (let seat = 0; seat < 40; seat += 1)
      holds.push((await reserve(a, at, seat, buyer(0))).body.data.hold_id)
    await waitUntil('b knows', async () => (await statusAt(b, at, 39, buyer(1))) === 'held')
    for (let seat = 0; seat < 40; seat += 1) {
      const { token } = buyer(0)
      const released = await connections.send('DELETE', `${a}/api/holds/${holds[seat]}`, { token })
      expect(released.status).toBe(200)
      const key = seat % 2 === 0 ? randomUUID() : undefined
      // The release was answered: b, which may not have heard of it, must not refuse.
      expect((await reserve(b, at, seat, buyer(1), key)).status).toBe(201)
    }
  })

  it('a change of the event on one holds for the very next wish on the other', async () => {
    const at = await hall()
    expect((await reserve(b, at, 0, buyer(0))).status).toBe(201)
    const close = { sale_end: '2020-01-01T00:00:00.000Z' }
    const url = `${a}/api/admin/events/${at.eventId}`
    const changed = await connections.send('PATCH', url, { token: organization.organizer, body: close })
    expect(changed.status).toBe(200)
    expect((await reserve(b, at, 1, buyer(0))).body.code).toBe('event_sales_closed')
  })

  it('a crowd on both at once: one seat goes to one, a hundred places to those who fit', async () => {
    const at = await hall({ seats: 1, standing: 100 })
    const crowd = { connections, urls: [a, b], buyers, hall: at, random: seeded('two processes') }
    await gather(crowd)
    await stampedeForSeat(crowd, 0)
    await stampedeForPlaces(crowd, { zoneId: at.zones[1]!, capacity: 100 })
    await expectSound(database)
  })

  it('who signs out on one is out on the other', async () => {
    const guest = await connections.send('POST', `${a}/api/sessions/guest`, {
      body: { organization: organization.slug },
    })
    const { token } = guest.body.data
    const status = async (url: string) =>
      (await connections.send('GET', `${url}/api/session`, { token })).status
    expect([await status(a), await status(b)]).toEqual([200, 200])
    expect((await connections.send('DELETE', `${a}/api/session`, { token })).status).toBe(204)
    expect(await status(a)).toBe(401)
    await waitUntil('b knows', async () => (await status(b)) === 401)
  })
})

describe('a node that loses the connection on which it tells the others', () => {
  const terminate = (pid: number) => database.sql('select pg_terminate_backend($1)', [pid])

  for (const [isWatched, who] of [
    [true, 'an event that a reader watches'],
    [false, 'an event that no reader watches'],
  ] as const) {
    it(`what it does meanwhile to ${who} reaches them all the same`, async () => {
      const at = await hall()
      const reader = isWatched && (await FeedReader.open(`${b}${at.url}/live`, { token: buyer(1).token }))
      try {
        const mine = (await reserve(a, at, 0, buyer(0))).body.data.hold_id
        await waitUntil('b knows', async () => (await statusAt(b, at, 0, buyer(1))) === 'held')
        const ofA = (await listeners()).filter(pid => pid !== listenerOfB)
        expect(ofA).toHaveLength(1)
        await terminate(ofA[0]!)
        await waitUntil('it is gone', async () => !(await listeners()).includes(ofA[0]!))
        const url = `${a}/api/holds/${mine}`
        const released = await connections.send('DELETE', url, { token: buyer(0).token })
        expect(released.status).toBe(200)
        await waitUntil('it listens again', async () => (await listeners()).length === 2)
        // Nothing more happens to this event: b has no other occasion to learn of it.
        await waitUntil('b knows', async () => (await statusAt(b, at, 0, buyer(1))) === 'available')
        if (reader) await waitUntil('b tells', () => reader.messages.at(-1)!.data.occupancy.held === 0)
        expect((await reserve(b, at, 0, buyer(1))).status).toBe(201)
      } finally {
        if (reader) reader.close()
      }
    })
  }

  it('what others do while it is deaf it knows as soon as it hears again', async () => {
    const at = await hall()
    await statusAt(a, at, 0, buyer(1))
    await statusAt(b, at, 0, buyer(1))
    for (const pid of await listeners()) await terminate(pid)
    expect((await reserve(a, at, 0, buyer(0))).status).toBe(201)
    await waitUntil('b knows', async () => (await statusAt(b, at, 0, buyer(1))) === 'held')
  })
})

describe('a lane that hears nothing', () => {
  let node: ListeningNode
  beforeAll(async () => {
    node = await startListeningNode(database.url)
  })
  afterAll(() => node.close())

  it('tells its followers of what others did before it tells of what it did after, also after work that failed', async () => {
    const at = await hall()
    // The reading of what was missed can be held up.
    let letGo = () => {}
    let isHeldUp = false
    const slow: Database = {
      ...node.node.database,
      tenant: async (scope, work, options) => {
        const isReadingJournal = options === undefined
        if (isReadingJournal && !isHeldUp) {
          isHeldUp = true
          await new Promise<void>(resolve => {
            letGo = resolve
          })
        }
        return node.node.database.tenant(scope, work, options)
      },
    }
    const { lane, told, toldAt } = deafLane(slow, organization.id, at.eventId)
    const seqBefore = (await lane.ready())!.seq
    expect((await reserve(a, at, 0, buyer(0))).status).toBe(201)
    // Work that fails: what the lane decided on is thrown away, with what it had read under the lock.
    await lane.exclusive(() => Promise.reject(new Error('a fault'))).catch(() => {})
    expect([told, lane.view!.seq]).toEqual([[], seqBefore])
    const catchingUp = lane.sync()
    await waitUntil('it reads what it missed', () => isHeldUp)
    const holding = lane.submit(holdSeat(buyer(1).userId, 1))
    // If it does not wait for what is being read, it is told too early by now: it asked for the lock before.
    expect((await reserve(a, at, 2, buyer(2))).status).toBe(201)
    letGo()
    await Promise.all([catchingUp, holding])
    await waitUntil('all are told', () => told.flat().length === 3)
    const seqs = told.flatMap(changes => changes!.map(change => change.seq))
    expect(seqs).toEqual([...seqs].sort((x, y) => x - y))
    // And of a state that is no further than what it is told.
    expect(toldAt).toEqual(told.map(changes => changes!.at(-1)!.seq))
  })

  it('tells what others did even when it only refuses', async () => {
    const at = await hall()
    const { lane, told } = deafLane(node.node.database, organization.id, at.eventId)
    await lane.ready()
    expect((await reserve(a, at, 0, buyer(0))).status).toBe(201)
    const refused = await lane.submit(holdSeat(buyer(1).userId, 0))
    expect(refused).toMatchObject({ outcome: { problem: { kind: 'seat_held_by_another_user' } } })
    await waitUntil('it is told', () => told.flat().length === 1)

    expect((await reserve(a, at, 1, buyer(0))).status).toBe(201)
    const nothing = await lane.exclusive(async () => refuse({ kind: 'event_not_found' }))
    expect(nothing.ok).toBe(false)
    await waitUntil('it is told', () => told.flat().length === 2)
  })

  it('and is hopelessly behind can still be used for everything', async () => {
    const at = await hall({ seats: 2_000, perRow: 100 })
    const { lane } = deafLane(node.node.database, organization.id, at.eventId)
    await lane.ready()
    const url = `${a}/api/admin/events/${at.eventId}/seats`
    const body = { seat_ids: at.seats, reason: 'camera' }
    for (let round = 0; round < 11; round += 1) {
      const path = `${url}/${round % 2 === 0 ? 'block' : 'unblock'}`
      const reply = await connections.send('POST', path, { token: organization.organizer, body })
      expect(reply.status).toBe(200)
      // Postgres does this by itself, in its own time.
      if (round === 0) await database.sql('analyze event_seats')
    }
    expect(await lane.exclusive(async () => ok('done'))).toEqual(ok('done'))
    const answer = await lane.submit(holdSeat(buyer(1).userId, 1))
    expect(answer).toMatchObject({ kind: 'decided', outcome: { problem: { kind: 'seat_not_available' } } })
  })
})
