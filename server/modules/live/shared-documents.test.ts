import { Connections } from '@voelgoed/testing/connections'
import { foundOrganization, type Hall, openHall } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'

patientRedis()

const connections = new Connections(10)
let server: RedisServer
let redis: Redis
let database: TestDatabase
let organization: { id: string; organizer: string }
let first: ListeningNode
const nodes: ListeningNode[] = []

beforeAll(async () => {
  server = await RedisServer.start()
  redis = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null })
  redis.on('error', () => {})
  database = await createTestDatabase()
  first = await newNode()
  organization = await foundOrganization(via(first), ROOT_KEY)
})
afterAll(async () => {
  connections.close()
  for (const node of nodes) await node.close()
  redis.disconnect()
  await server.stop()
  await database.drop()
})

async function newNode(): Promise<ListeningNode> {
  const node = await startListeningNode(database.url, { REDIS_URL: server.url })
  nodes.push(node)
  const isReady = async () => (await connections.send('GET', `${node.url}/readyz`)).body.redis === 'ok'
  await waitUntil('Redis is there', isReady)
  return node
}
const via =
  ({ url }: ListeningNode) =>
  (method: string, path: string, options?: object) =>
    connections.send(method, url + path, options)
const hall = (event: object = {}) =>
  openHall(via(first), organization.organizer, { seats: 20, standing: 10, event })

async function document(node: ListeningNode, at: Hall, form: 'layout' | 'map', encoding = 'br') {
  const answer = await fetch(`${node.url}${at.url}/${form}`, {
    headers: { authorization: `Bearer ${organization.organizer}`, 'accept-encoding': encoding },
  })
  expect(answer.status).toBe(200)
  return { etag: answer.headers.get('etag'), bytes: Buffer.from(await answer.arrayBuffer()) }
}
const metric = async (node: ListeningNode, query: string) => {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return seriesValue(parsePrometheusText(text), query)
}
const finds = (node: ListeningNode, outcome: string) =>
  metric(node, `voelgoed_shared_document_finds_total{outcome="${outcome}"}`)
const writes = (node: ListeningNode) =>
  metric(node, 'voelgoed_shared_document_writes_total{outcome="written"}')
const keysOf = (at: Hall) => redis.keys(`voelgoed:org:${organization.id}:layout:{${at.layoutId}}:*`)
/** Made by the first node, and in Redis. */
async function kept(at: Hall, form: 'layout' | 'map') {
  const before = await writes(first)
  const made = await document(first, at, form)
  await waitUntil('it is in Redis', async () => (await writes(first)) === before + 1)
  return made
}

it('a node that has just started takes documents from Redis, byte for byte', async () => {
  const at = await hall()
  const made = { layout: await kept(at, 'layout'), map: await kept(at, 'map') }
  const young = await newNode()
  for (const form of ['layout', 'map'] as const) expect(await document(young, at, form)).toEqual(made[form])
  expect(await finds(young, 'found')).toBe(2)
  expect(await metric(young, 'voelgoed_layout_document_seconds_count{from="redis"}')).toBe(2)
  expect(await metric(young, 'voelgoed_layout_document_seconds_count{from="made"}')).toBe(0)
  // From memory then.
  await document(young, at, 'layout')
  expect(await finds(young, 'found')).toBe(2)
  const keys = await keysOf(at)
  expect(keys).toHaveLength(2)
  for (const key of keys) expect(await redis.ttl(key)).toBeGreaterThan(86_000)
})

it('what an event changes about its zones is another document; events without changes share one', async () => {
  const at = await hall()
  await kept(at, 'layout')
  const body = { name: 'Again', venue_id: at.venueId, layout_id: at.layoutId }
  const create = async (more: object) => {
    const answer = await via(first)('POST', '/api/admin/events', {
      token: organization.organizer,
      body: { ...body, ...more },
    })
    expect(answer.status, answer.text).toBe(201)
    return { ...at, url: `/api/events/${answer.body.data.id}` }
  }
  const same = await create({})
  const other = await create({ overrides: { disabled_zones: [at.zones[1]] } })
  const young = await newNode()
  expect((await document(young, same, 'layout')).bytes).toEqual((await document(first, at, 'layout')).bytes)
  expect(await finds(young, 'found')).toBe(1)
  const changed = await document(young, other, 'layout')
  expect(await finds(young, 'absent')).toBe(1)
  expect(changed.bytes).not.toEqual((await document(first, at, 'layout')).bytes)
})

it('a version that was made again after a loss is not the one before', async () => {
  const at = await hall()
  await kept(at, 'map')
  await database.sql(
    `update layout_versions set created_at = created_at + interval '1 second' where layout_id = $1`,
    [at.layoutId],
  )
  const young = await newNode()
  await document(young, at, 'map')
  expect(await finds(young, 'found')).toBe(0)
  expect(await finds(young, 'absent')).toBe(1)
})

it.each([
  ['another type', (key: string) => redis.multi().del(key).hset(key, 'a', 'b').exec()],
  ['half of it', async (key: string) => redis.set(key, (await redis.getBuffer(key))!.subarray(0, 200))],
  ['one bit less', async (key: string) => redis.setbit(key, 900, 1 - (await redis.getbit(key, 900)))],
  ['nothing', (key: string) => redis.set(key, '')],
])('with %s under its key a document is made, and written again', async (_, harm) => {
  const at = await hall()
  const made = await kept(at, 'layout')
  const [key] = await keysOf(at)
  await harm(key!)
  const young = await newNode()
  expect(await document(young, at, 'layout')).toEqual(made)
  expect(await finds(young, 'unreadable')).toBe(1)
  await waitUntil('it is written again', async () => (await writes(young)) === 1)
  const younger = await newNode()
  expect(await document(younger, at, 'layout')).toEqual(made)
  expect(await finds(younger, 'found')).toBe(1)
})

it('with a Redis that is frozen, and one that is gone, documents are made as ever', async () => {
  const at = await hall()
  const made = await kept(at, 'layout')
  const map = await kept(at, 'map')
  const young = await newNode()
  server.freeze()
  expect(await document(young, at, 'layout')).toEqual(made)
  expect(await finds(young, 'unavailable')).toBe(1)
  server.thaw()
  await server.kill()
  expect(await document(young, at, 'map')).toEqual(map)
  expect(await finds(young, 'unavailable')).toBe(2)
  await server.restart()
})
