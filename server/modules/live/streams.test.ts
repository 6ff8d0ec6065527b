import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { ROOT_KEY, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const connections = new Connections(10)
const readers: FeedReader[] = []
let server: TestServer
let ours: TestOrganization
let url: string
let second: ListeningNode
let at: Hall

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  url = await server.node.listen()
  second = await startListeningNode(server.database.url, {
    VOELGOED_LIMITS: 'on',
    VOELGOED_STREAMS_PER_ADDRESS: '15',
    VOELGOED_TRUST_PROXY: '127.0.0.1',
  })
  at = await openHall(
    (method, path, options) => connections.send(method, url + path, options),
    ours.tokens.organizer,
  )
})
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  const left = async () => (await metric(url, 'readers')) + (await metric(second.url, 'readers'))
  await waitUntil('all streams are closed', async () => (await left()) === 0)
})
afterAll(async () => {
  connections.close()
  await second.close()
  await server.close()
})

async function metric(node: string, name: string): Promise<number> {
  const { text } = await connections.send('GET', `${node}/metrics`)
  const found = text.split('\n').find(line => line.startsWith(`voelgoed_feed_${name} `))
  return Number(found!.split(' ')[1])
}

async function open({ token }: Buyer, node = url, from = '203.0.113.1'): Promise<FeedReader> {
  const reader = await FeedReader.open(`${node}${at.url}/live`, { token, from })
  readers.push(reader)
  return reader
}

const buyers = (count: number) => createBuyers(server.database, ours.id, count)
const isOver = (what: string, reader: FeedReader) =>
  waitUntil(`${what}: the stream has ended`, () => reader.isClosed)

describe('how many live streams', () => {
  it('a user has ten on a node; the next is refused until one is closed; other users are not', async () => {
    const [anna, ben] = await buyers(2)
    const refusedBefore = await metric(url, 'readers_refused_total{limit="user"}')
    const opened = []
    for (let count = 0; count < 10; count += 1) opened.push(await open(anna!))
    expect(opened.map(reader => reader.status)).toEqual(Array(10).fill(200))
    const refused = await open(anna!)
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(refused.retryAfter).toBe('10')
    expect((await open(ben!)).status).toBe(200)
    expect(await metric(url, 'readers_refused_total{limit="user"}')).toBe(refusedBefore + 1)
    opened[0]!.close()
    await waitUntil('there is room again', async () => (await open(anna!)).status === 200)
  })

  it('an address has as many as configured, an IPv6 /64 counting as one', async () => {
    const crowd = await buyers(4)
    const from = (place: number) => (place % 2 === 0 ? '2001:db8:1:2::1' : '2001:db8:1:2:ffff::7')
    for (let count = 0; count < 15; count += 1) {
      expect((await open(crowd[count % 2]!, second.url, from(count))).status).toBe(200)
    }
    expect((await open(crowd[2]!, second.url, from(15))).status).toBe(429)
    expect((await open(crowd[2]!, second.url, '2001:db8:1:3::1')).status).toBe(200)
    expect(await metric(second.url, 'readers_refused_total{limit="address"}')).toBe(1)
  })

  it('a request that does not become a stream takes no place', async () => {
    const [anna] = await buyers(1)
    const nowhere = `${url}/api/events/01970000-0000-7000-8000-000000000000/live`
    for (let count = 0; count < 12; count += 1) {
      expect((await FeedReader.open(nowhere, { token: anna!.token })).status).toBe(404)
    }
    expect((await open(anna!)).status).toBe(200)
  })
})

describe('a live stream ends with its session, on every node', () => {
  it('when its user signs out, and only those of that session', async () => {
    const [anna, ben] = await buyers(2)
    const [here, there, other] = [await open(anna!), await open(anna!, second.url), await open(ben!)]
    const endedBefore = await metric(url, 'readers_ended_total')
    expect((await connections.send('DELETE', `${url}/api/session`, { token: anna!.token })).status).toBe(204)
    await isOver('here', here)
    await isOver('there', there)
    expect(other.isClosed).toBe(false)
    expect(await metric(url, 'readers_ended_total')).toBe(endedBefore + 1)
    expect((await open(anna!)).status).toBe(401)
  })

  it('when its user gets another role', async () => {
    const [anna] = await buyers(1)
    const [here, there] = [await open(anna!), await open(anna!, second.url)]
    const path = `${url}/api/platform/organizations/${ours.id}/users/${anna!.userId}`
    const change = (body: object) => connections.send('PATCH', path, { token: ROOT_KEY, body })
    expect((await change({ role: 'scanner' })).status).toBe(200)
    await isOver('here', here)
    await isOver('there', there)
    // The session itself goes on, with the new role.
    expect((await open(anna!)).status).toBe(200)
  })

  it('when it expires, or is deleted without an announcement: found by looking', async () => {
    const [anna, ben, carl] = await buyers(3)
    const [expired, deleted, stays] = [await open(anna!), await open(ben!), await open(carl!)]
    await server.database.sql(`update sessions set expires_at = now() - interval '1 s' where user_id = $1`, [
      anna!.userId,
    ])
    await server.database.sql('delete from sessions where user_id = $1', [ben!.userId])
    // Past the time for which a node believes a session without asking.
    server.clock.advance(31_000)
    await isOver('expired', expired)
    await isOver('deleted', deleted)
    expect(stays.isClosed).toBe(false)
  })
})
