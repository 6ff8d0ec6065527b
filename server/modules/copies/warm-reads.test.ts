import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { foundOrganization, type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY, sell } from '@voelgoed/testing/harness'
import { losingCommits } from '@voelgoed/testing/lose-commits'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { startRedisCluster } from '@voelgoed/testing/redis/cluster'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { copyOf, readCopy } from '@voelgoed/testing/redis-copy'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'

patientRedis()

const connections = new Connections(20)
let server: RedisServer
let redis: Redis
let database: TestDatabase
let nodes: [ListeningNode, ListeningNode]
let organization: { id: string; organizer: string }
let ann: Buyer
let ben: Buyer

beforeAll(async () => {
  server = await RedisServer.start()
  redis = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null })
  redis.on('error', () => {})
  database = await createTestDatabase()
  nodes = [await newNode(), await newNode()]
  organization = await foundOrganization(via(nodes[0]), ROOT_KEY)
  const [first, second] = await createBuyers(database, organization.id, 2)
  ann = first!
  ben = second!
})
afterAll(async () => {
  connections.close()
  for (const node of nodes) await node.close()
  redis.disconnect()
  await server.stop()
  await database.drop()
})

async function newNode(url = server.url): Promise<ListeningNode> {
  const node = await startListeningNode(database.url, { REDIS_URL: url })
  await isReady(node)
  return node
}
const readiness = async (node: ListeningNode) => {
  const answer = await connections.send('GET', `${node.url}/readyz`)
  return { status: answer.status, redis: answer.body.redis as string }
}
const isReady = (node: ListeningNode) =>
  waitUntil('Redis is there', async () => (await readiness(node)).redis === 'ok')
const via =
  ({ url }: ListeningNode) =>
  (method: string, path: string, options?: object) =>
    connections.send(method, url + path, options)
const hall = (plan: object = {}) =>
  openHall(via(nodes[0]), organization.organizer, {
    seats: 20,
    standing: 10,
    event: { seating_overrides: UNLIMITED },
    ...plan,
  })
const reserve = async (at: Hall, seat: number, buyer = ann, node: ListeningNode = nodes[0]) => {
  const answer = await via(node)('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, { token: buyer.token })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.hold_id as string
}
const viewOn = (node: ListeningNode, at: Hall) =>
  node.node.lanes.inMemory(TenantScope.of(organization.id as OrganizationId), at.eventId as EventId)
const isCopied = (at: Hall, node: ListeningNode = nodes[0], from = redis) =>
  waitUntil('Redis has what the node knows', async () => {
    const view = viewOn(node, at)
    if (!view) return false
    const copy = await readCopy(from, view).catch(() => null)
    return copy && equal(copy, copyOf(view))
  })
const equal = (a: unknown, b: unknown) => {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}
/**
 * Meanwhile the nodes write nothing to Redis: each looks every other second whether its copies are right,
 * and would mend what a test has done to one before another node has read it.
 */
async function whileNothingIsWritten(work: () => Promise<void>): Promise<void> {
  const { write } = RedisConnection.prototype
  let letGo = () => {}
  const over = new Promise<void>(resolve => {
    letGo = resolve
  })
  RedisConnection.prototype.write = async function (...asked) {
    await over
    return write.apply(this, asked)
  }
  try {
    await work()
  } finally {
    RedisConnection.prototype.write = write
    letGo()
  }
}
const bits = (node: ListeningNode, at: Hall) =>
  fetch(`${node.url}${at.url}/availability`, {
    headers: { authorization: `Bearer ${ann.token}`, accept: 'application/octet-stream' },
  })
const seat = (node: ListeningNode, at: Hall, seatId: string) =>
  fetch(`${node.url}${at.url}/seats/${seatId}`, {
    headers: { authorization: `Bearer ${ann.token}` },
  }).then(async answer => ({
    tier: answer.headers.get('voelgoed-tier'),
    data: ((await answer.json()) as { data: { status: string; expires_in_seconds?: number } }).data,
  }))

it('a node without the event answers availability from Redis, byte for byte, and loads it meanwhile', async () => {
  const at = await hall()
  await reserve(at, 0)
  await sell(nodes[0], organization, at.eventId, await reserve(at, 3))
  const block = { token: organization.organizer, body: { seat_ids: [at.seats[5]], reason: 'camera' } }
  expect((await via(nodes[0])('POST', `/api/admin/events/${at.eventId}/seats/block`, block)).status).toBe(200)
  await isCopied(at)
  const hot = await bits(nodes[0], at)
  const cold = await bits(nodes[1], at)
  expect([hot, cold].map(answer => answer.headers.get('voelgoed-tier'))).toEqual(['hot', 'redis'])
  for (const name of ['etag', 'voelgoed-seq']) expect(cold.headers.get(name)).toBe(hot.headers.get(name))
  expect(Buffer.from(await cold.arrayBuffer())).toEqual(Buffer.from(await hot.arrayBuffer()))
  await waitUntil('it is loaded', () => viewOn(nodes[1], at))
  expect((await bits(nodes[1], at)).headers.get('voelgoed-tier')).toBe('hot')
})

it.each([
  ['held', 0, { status: 'held', expires_in_seconds: expect.any(Number) }],
  ['mine', 1, { status: 'held_by_me', expires_in_seconds: expect.any(Number) }],
  ['sold', 2, { status: 'sold' }],
  ['free', 4, { status: 'available' }],
  ['of a closed zone', null, { status: 'blocked' }],
] as const)('a node without the event tells a seat that is %s from Redis', async (_, index, expected) => {
  const loge = randomUUID()
  const closed = randomUUID()
  const seats = [{ seat_id: closed, row: 'L', number: 1, coordinates: { x: 0, y: 90 } }]
  const zone = { zone_id: loge, name: 'Loge', zone_type: 'reserved_seating', seats }
  const event = { seating_overrides: UNLIMITED, overrides: { disabled_zones: [loge] } }
  const at = await hall({ zones: [zone], event })
  await reserve(at, 0, ben)
  await reserve(at, 1, ann)
  await sell(nodes[0], organization, at.eventId, await reserve(at, 2, ben))
  await isCopied(at)
  const seatId = index === null ? closed : at.seats[index]!
  const { tier, data } = await seat(nodes[1], at, seatId)
  expect({ tier, data }).toEqual({ tier: 'redis', data: { seat_id: seatId, ...expected } })
})

it('a reader who was told something from Redis is not told less by memory, which was loaded before', async () => {
  const at = await hall()
  await reserve(at, 0)
  await isCopied(at)
  const { database: door, lanes } = nodes[1].node
  const { tenant } = door
  let letGo = () => {}
  const opened = new Promise<void>(resolve => {
    letGo = resolve
  })
  const held: Promise<unknown>[] = []
  Object.assign(door, {
    tenant: async (...words: Parameters<typeof tenant>) => {
      const found = tenant(...words)
      held.push(found)
      await found
      await opened
      return found
    },
  })
  const loading = lanes.lane(TenantScope.of(organization.id as OrganizationId), at.eventId as EventId).ready()
  await waitUntil('the event was read', () => held.length > 0)
  await Promise.all(held)
  Object.assign(door, { tenant })

  await reserve(at, 1)
  await isCopied(at)
  const told = await bits(nodes[1], at)
  expect(told.headers.get('voelgoed-tier')).toBe('redis')
  const asked: (string | undefined)[] = []
  nodes[1].node.app.fastify.server.once('request', ({ url }: IncomingMessage) => {
    setImmediate(() => asked.push(url))
  })
  // Asked while it is loaded: this kind of read is never answered from Redis.
  const waiting = fetch(`${nodes[1].url}${at.url}/occupancy`, {
    headers: { authorization: `Bearer ${ann.token}` },
  })
  await waitUntil('it waits', () => asked.includes(`${at.url}/occupancy`))
  letGo()
  await loading
  const next = await bits(nodes[1], at)
  expect(next.headers.get('voelgoed-tier')).not.toBe('redis')
  const seq = Number(told.headers.get('voelgoed-seq'))
  expect(Number(next.headers.get('voelgoed-seq'))).toBe(seq)
  const { data } = (await (await waiting).json()) as { data: { seq: number } }
  expect(data.seq).toBe(seq)
})

it('a copy that was made under another policy is passed over, until it is made again', async () => {
  const at = await hall()
  await reserve(at, 0)
  await isCopied(at)
  const { organizer: token } = organization
  const policy = (await via(nodes[0])('GET', '/api/admin/policy', { token })).body.data
  const put = async (body: object) => {
    expect((await via(nodes[0])('PUT', '/api/admin/policy', { token, body })).status).toBe(200)
  }
  try {
    await whileNothingIsWritten(async () => {
      await put({ ...policy, enforce_accessibility_rules: !policy.enforce_accessibility_rules })
      const read = await bits(nodes[1], at)
      expect([read.status, read.headers.get('voelgoed-tier')]).toEqual([200, 'postgres'])
    })
    await isCopied(at, nodes[1])
  } finally {
    await put(policy)
  }
})

it('a copy that is behind, or of another epoch, is passed over', async () => {
  const [behind, other] = [await hall(), await hall()]
  for (const at of [behind, other]) {
    await reserve(at, 0)
    await isCopied(at)
  }
  const seq = (at: Hall) => `voelgoed:org:${organization.id}:event:{${at.eventId}}:seq`
  await whileNothingIsWritten(async () => {
    await redis.hset(seq(behind), 'seq', '1')
    await redis.hset(seq(other), 'epoch', '7')
    for (const at of [behind, other]) {
      expect((await bits(nodes[1], at)).headers.get('voelgoed-tier')).not.toBe('redis')
    }
  })
  for (const at of [behind, other]) await isCopied(at)
})

it('a bitmap that is longer than the hall is not believed', async () => {
  const at = await hall()
  const other = await hall()
  for (const each of [at, other]) {
    await reserve(each, 0)
    await isCopied(each)
  }
  const bitmap = ({ eventId }: Hall) => `voelgoed:org:${organization.id}:event:{${eventId}}:seats:bitmap`
  await whileNothingIsWritten(async () => {
    await redis.append(bitmap(at), 'x')
    expect((await seat(nodes[1], at, at.seats[0]!)).tier).not.toBe('redis')
    expect((await bits(nodes[1], at)).headers.get('voelgoed-tier')).not.toBe('redis')
    await redis.append(bitmap(other), 'x')
    expect((await bits(nodes[1], other)).headers.get('voelgoed-tier')).not.toBe('redis')
  })
})

it('a hold that has run out and is not tidied up is free, by the clock of the database', async () => {
  const at = await hall()
  await reserve(at, 0)
  await isCopied(at)
  // As if its time were over: the reaper, and the clock of Redis, do not know yet.
  const holds = `voelgoed:org:${organization.id}:event:{${at.eventId}}:seat_holds`
  const [hold] = await redis.zrange(holds, '0', '0')
  await whileNothingIsWritten(async () => {
    await redis.zadd(holds, systemClock.now() - 1, hold!)
    const cold = await bits(nodes[1], at)
    expect(cold.headers.get('voelgoed-tier')).toBe('redis')
    expect(Buffer.from(await cold.arrayBuffer())[0]! & 3).toBe(0)
  })
})

it('what Postgres has lost is noticed in Redis by a node that never knew it', async () => {
  const at = await hall()
  await reserve(at, 0)
  const replica = losingCommits(database)
  await replica.save()
  await reserve(at, 1)
  await reserve(at, 2)
  await isCopied(at)
  const lost = await newNode()
  try {
    // The nodes that knew it are gone.
    for (const node of nodes) await node.close()
    await replica.lose()
    nodes = [lost, await newNode()]
    const cold = await bits(lost, at)
    expect(cold.headers.get('voelgoed-tier')).toBe('postgres')
    expect(Buffer.from(await cold.arrayBuffer())[0]).toBe(1)
    await isCopied(at)
    expect(viewOn(lost, at)!.epochPoint.epoch).toBeGreaterThan(1)
  } finally {
    if (nodes[0] !== lost) await lost.close()
  }
})

it('a Redis that is killed, or frozen, costs no caller an error; the copy is right again afterwards', async () => {
  const at = await hall()
  await reserve(at, 0)
  await isCopied(at)
  await server.kill()
  for (let index = 1; index < 8; index += 1) await reserve(at, index)
  expect(await readiness(nodes[0])).toEqual({ status: 200, redis: 'degraded' })
  const unseen = await hall()
  expect((await bits(nodes[1], unseen)).headers.get('voelgoed-tier')).toBe('postgres')
  await server.restart()
  await isCopied(at)
  await isReady(nodes[0])

  server.freeze()
  try {
    const frozen = [await hall(), await hall()]
    for (const one of frozen) expect((await bits(nodes[1], one)).status).toBe(200)
    for (let index = 8; index < 14; index += 1) await reserve(at, index)
  } finally {
    server.thaw()
  }
  await isCopied(at)
})

it('two nodes that sell the same event leave one copy, which is right', async () => {
  const at = await hall()
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => reserve(at, index, index % 2 ? ann : ben, nodes[index % 2])),
  )
  await waitUntil('both know it', () => nodes.every(node => viewOn(node, at)?.state.holds.size === 20))
  await isCopied(at)
})

it('nothing is left of an event that is over, but a mark that goes by itself', async () => {
  const at = await hall()
  await reserve(at, 0)
  await isCopied(at)
  const cancelled = await via(nodes[0])('POST', `/api/admin/events/${at.eventId}/cancel`, {
    token: organization.organizer,
  })
  expect(cancelled.status, cancelled.text).toBe(200)
  let keys: string[] = []
  await waitUntil('all keys but one are gone', async () => {
    keys = await redis.keys(`*${at.eventId}*`)
    return keys.length === 1
  })
  expect(Object.keys(await redis.hgetall(keys[0]!)).sort()).toEqual(['least_epoch', 'least_seq'])
  expect(await redis.pttl(keys[0]!)).toBeGreaterThan(0)
})

it('a Cluster does as well, and replaces a master that is killed', async () => {
  const cluster = await startRedisCluster()
  const node = await newNode(cluster.url)
  const reader = await newNode(cluster.url)
  try {
    const at = await openHall(via(node), organization.organizer, {
      seats: 20,
      event: { seating_overrides: UNLIMITED },
    })
    await reserve(at, 0, ann, node)
    const key = `voelgoed:org:${organization.id}:event:{${at.eventId}}:seq`
    const copied = async () => {
      const master = new Redis((await cluster.masterOf(key)).url)
      try {
        await isCopied(at, node, master)
      } finally {
        master.disconnect()
      }
    }
    await copied()
    const old = await cluster.masterOf(key)
    await old.kill()
    for (let index = 1; index < 5; index += 1) await reserve(at, index, ann, node)
    await waitUntil('there is another master', async () => {
      return (await cluster.masterOf(key).catch(() => old)) !== old
    })
    await copied()
    await isReady(reader)
    const cold = await bits(reader, at)
    expect(cold.headers.get('voelgoed-tier')).toBe('redis')
  } finally {
    await reader.close()
    await node.close()
    await cluster.stop()
  }
})
