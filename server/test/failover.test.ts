import { randomUUID } from 'node:crypto'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { foundOrganization, type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY, sell } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { losingCommits } from '@voelgoed/testing/lose-commits'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, expect, it } from 'vitest'

const connections = new Connections(20)
let database: TestDatabase
let nodes: ListeningNode[]
let buyers: Buyer[]
let organization: { id: string; organizer: string }
const readers: FeedReader[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = [await startListeningNode(database.url), await startListeningNode(database.url)]
  organization = await foundOrganization(via(nodes[0]!), ROOT_KEY)
  buyers = await createBuyers(database, organization.id, 3)
})
afterAll(async () => {
  for (const reader of readers) reader.close()
  connections.close()
  for (const node of nodes) await node.close()
  await database.drop()
})

const via =
  ({ url }: ListeningNode) =>
  (method: string, path: string, options?: object) =>
    connections.send(method, url + path, options)
const hall = () =>
  openHall(via(nodes[0]!), organization.organizer, { event: { seating_overrides: UNLIMITED } })
const reserve = (node: number, at: Hall, seat: number, buyer: number) =>
  via(nodes[node]!)('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, { token: buyers[buyer]!.token })
const takenOn = async (node: number, at: Hall) => {
  const { body } = await via(nodes[node]!)('GET', `${at.url}/availability`, { token: organization.organizer })
  const seats = body.data.seats as { seat_id: string }[]
  return { seq: body.data.seq as number, seats: seats.map(({ seat_id }) => at.seats.indexOf(seat_id)).sort() }
}
const watch = async (node: number, at: Hall) => {
  const reader = await FeedReader.open(`${nodes[node]!.url}${at.url}/live`, { token: buyers[2]!.token })
  readers.push(reader)
  return reader
}
const firstMessage = async (node: number, at: Hall, lastEventId: number) => {
  const reader = await FeedReader.open(`${nodes[node]!.url}${at.url}/live`, {
    token: buyers[2]!.token,
    lastEventId,
  })
  readers.push(reader)
  return reader.messages[0]!
}
const isReset = (reader: FeedReader) => () => reader.messages.some(({ event }) => event === 'reset')

for (const [writesSoon, what] of [
  [false, 'and nothing is written'],
  [true, 'and the journal is as long as before a moment later'],
] as const) {
  it(`Postgres loses its last commits ${what}: every node and every reader starts again`, async () => {
    const at = await hall()
    const feeds = [await watch(0, at), await watch(1, at)]
    expect((await reserve(0, at, 0, 0)).status).toBe(201)
    const replica = losingCommits(database)
    await replica.save()
    for (const seat of [1, 2, 3]) expect((await reserve(0, at, seat, 0)).status).toBe(201)
    for (const feed of feeds) await feed.upTo(5)
    await replica.lose()
    if (writesSoon) {
      // The first node finds out by itself, at its next command, and goes on from what there is.
      for (const seat of [4, 5, 6, 7]) expect((await reserve(0, at, seat, 1)).status).toBe(201)
    }
    const seq = writesSoon ? 6 : 2
    const seats = writesSoon ? [0, 4, 5, 6, 7] : [0]
    for (const [node, feed] of feeds.entries()) {
      await waitUntil('its readers are told to start again', isReset(feed))
      await waitUntil('it agrees', async () => (await takenOn(node, at)).seq === seq)
      expect(await takenOn(node, at)).toEqual({ seq, seats })
    }
    // The lost seat is free, and the next changes reach everybody.
    expect((await reserve(1, at, 1, 1)).status).toBe(201)
    for (const feed of feeds) {
      await waitUntil('the next change', () => feed.messages.at(-1)!.id === seq + 1)
      expect(feed.messages.at(-1)!.data).toMatchObject({ seq: seq + 1, seats: [[1, 'held']] })
    }
    // A reader that comes back with what is lost is told to start again as well.
    const late = await FeedReader.open(`${nodes[1]!.url}${at.url}/live`, {
      token: buyers[2]!.token,
      lastEventId: 1_000,
    })
    readers.push(late)
    expect(late.messages[0]).toMatchObject({ event: 'reset', id: seq + 1 })
    // Also where the seq exists again: it means something else now.
    for (const node of [0, 1]) {
      expect((await firstMessage(node, at, 3)).event).toBe('reset')
      // Past the lost history a reader goes on as usual.
      if (writesSoon) expect(await firstMessage(node, at, 6)).toMatchObject({ event: 'seats', id: seq + 1 })
    }
    await expectSound(database)
  })
}

it('a node that was started after the loss does not believe a reader that knows what was lost', async () => {
  const at = await hall()
  expect((await reserve(0, at, 0, 0)).status).toBe(201)
  const replica = losingCommits(database)
  await replica.save()
  // The first node tells of three more; the other hears of them before Postgres loses them.
  for (const seat of [1, 2, 3]) expect((await reserve(0, at, seat, 0)).status).toBe(201)
  await waitUntil('both know', async () => (await takenOn(1, at)).seq === 5)
  await replica.lose()
  // As many again, of other seats: what was lost has the same numbers now.
  for (const seat of [4, 5, 6, 7]) expect((await reserve(0, at, seat, 1)).status).toBe(201)
  const young = await startListeningNode(database.url)
  nodes.push(young)
  const node = nodes.length - 1
  expect(await takenOn(node, at)).toEqual({ seq: 6, seats: [0, 4, 5, 6, 7] })
  for (const known of [3, 4, 5]) expect((await firstMessage(node, at, known)).event).toBe('reset')
  expect(await firstMessage(node, at, 6)).toMatchObject({ event: 'seats', id: 6 })
})

it('a seat whose hold was lost is free at once, on a node that does not know yet', async () => {
  const at = await hall()
  expect((await reserve(1, at, 19, 0)).status).toBe(201)
  const replica = losingCommits(database)
  await replica.save()
  const seats = Array.from({ length: 10 }, (_, seat) => seat)
  for (const seat of seats) expect((await reserve(1, at, seat, 0)).status).toBe(201)
  await replica.lose()
  const again = await Promise.all(seats.map(seat => reserve(1, at, seat, 1)))
  expect(again.map(({ status }) => status)).toEqual(seats.map(() => 201))
})

it('a seat whose sale was lost is free at once, on a node that does not know yet', async () => {
  const at = await hall()
  expect((await reserve(1, at, 19, 0)).status).toBe(201)
  const replica = losingCommits(database)
  await replica.save()
  const seats = Array.from({ length: 5 }, (_, seat) => seat)
  for (const seat of seats) {
    const held = await reserve(1, at, seat, 0)
    const sold = await sell(nodes[1]!, organization, at.eventId, held.body.data.hold_id)
    expect(sold).toMatchObject({ kind: 'decided', outcome: { ok: true } })
  }
  expect((await reserve(1, at, 0, 1)).body).toMatchObject({ current_status: 'sold' })
  await replica.lose()
  const again = await Promise.all(seats.map(seat => reserve(1, at, seat, 1)))
  expect(again.map(({ status }) => status)).toEqual(seats.map(() => 201))
})

it('another history at the same seq is no 304, although no seat differs', async () => {
  const at = await openHall(via(nodes[0]!), organization.organizer, {
    standing: 30,
    event: { seating_overrides: UNLIMITED },
  })
  const places = (quantity: number) =>
    via(nodes[0]!)('POST', `${at.url}/holds`, {
      token: buyers[0]!.token,
      body: { zone_id: at.zones[1], quantity },
    })
  const read = async (etag?: string) => {
    const answer = await fetch(`${nodes[0]!.url}${at.url}/availability`, {
      headers: {
        authorization: `Bearer ${organization.organizer}`,
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    })
    await answer.arrayBuffer()
    return {
      status: answer.status,
      etag: answer.headers.get('etag')!,
      seq: answer.headers.get('voelgoed-seq'),
    }
  }
  const replica = losingCommits(database)
  await replica.save()
  expect((await places(3)).status).toBe(201)
  const before = await read()
  expect(await read(before.etag)).toEqual({ ...before, status: 304 })
  await replica.lose()
  expect((await places(4)).status).toBe(201)
  const after = await read(before.etag)
  expect([after.status, after.seq]).toEqual([200, before.seq])
})

it('an event that is lost as a whole: its readers are let go, and it is not found', async () => {
  const replica = losingCommits(database)
  await replica.save()
  const at = await hall()
  const feed = await watch(1, at)
  await replica.lose()
  await waitUntil('the reader is let go', () => feed.isClosed)
  expect((await reserve(0, at, 0, 0)).status).toBe(404)
  expect((await reserve(1, at, 0, 0)).status).toBe(404)
})

/** Through one of the nodes, as staff. */
async function ask(node: number, method: string, path: string, body?: object, headers?: object) {
  const token = organization.organizer
  const options = { token, ...(body && { body }), ...(headers && { headers }) }
  const answer = await via(nodes[node]!)(method, path, options)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body.data
}

it('another version of a layout with the number of a lost one: all nodes give the same seats', async () => {
  const { layoutId, venueId } = await hall()
  const seats = Array.from({ length: 4 }, () => randomUUID())
  /** The next version, with an event on it that is on sale. */
  const eventOn = async (node: number, seatIds: readonly string[]) => {
    const row = seatIds.map((seat_id, place) => ({
      seat_id,
      row: 'A',
      number: place + 1,
      coordinates: { x: place, y: 0 },
    }))
    const zones = [{ name: 'Stalls', zone_type: 'reserved_seating', seats: row }]
    const { version } = await ask(node, 'PUT', `/api/admin/layouts/${layoutId}`, { config: { zones } })
    await ask(node, 'POST', `/api/admin/layouts/${layoutId}/versions/${version}/activate`)
    const on = { name: 'Play', venue_id: venueId, layout_id: layoutId, layout_version: version }
    const { id } = await ask(node, 'POST', '/api/admin/events', on)
    await ask(node, 'POST', `/api/admin/events/${id}/publish`)
    return { version, url: `/api/events/${id}` }
  }
  const replica = losingCommits(database)
  await replica.save()
  const lost = await eventOn(0, seats)
  // The node has the seats of the lost version in memory.
  await ask(0, 'GET', `${lost.url}/availability`)
  await replica.lose()
  const found = await eventOn(1, [...seats].reverse())
  expect(found.version).toBe(lost.version)
  const hold = (node: number, buyer: number) =>
    via(nodes[node]!)('POST', `${found.url}/seats/${seats[0]}/reserve`, { token: buyers[buyer]!.token })
  expect((await hold(1, 0)).status).toBe(201)
  expect((await hold(0, 1)).body).toMatchObject({ code: 'seat_held_by_another_user' })
  await expectSound(database)
})

it('another overlay with the revision of a lost one: buyers see the one that there is', async () => {
  const at = await openHall(via(nodes[0]!), organization.organizer, { standing: 10 })
  const close = (zone: number) => {
    const overrides = { disabled_zones: [at.zones[zone]] }
    const path = `/api/admin/events/${at.eventId}/layout`
    return ask(0, 'PUT', path, { overrides }, { 'if-match': '*' })
  }
  const shown = async () => {
    const { zones } = await ask(0, 'GET', `${at.url}/layout`)
    return zones.map((zone: { zone_id: string }) => zone.zone_id)
  }
  const replica = losingCommits(database)
  await replica.save()
  await close(0)
  expect(await shown()).toEqual([at.zones[1]])
  await replica.lose()
  await close(1)
  expect(await shown()).toEqual([at.zones[0]])
})
