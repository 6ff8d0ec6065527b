import { randomUUID } from 'node:crypto'
import { RedisBus } from '@voelgoed/engine/bus/redis-bus'
import { processTime } from '@voelgoed/kit/base/time'
import { Announcements } from '@voelgoed/kit/postgres/announcements'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { PubSub } from '@voelgoed/kit/redis/pub-sub'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { startRedisCluster } from '@voelgoed/testing/redis/cluster'
import { RedisProxy } from '@voelgoed/testing/redis/proxy'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

patientRedis()

const log = pino({ level: 'silent' })
let database: TestDatabase
let redis: RedisServer
let proxy: RedisProxy
beforeAll(async () => {
  database = await createTestDatabase()
  redis = await RedisServer.start()
})
beforeEach(async () => {
  proxy = await RedisProxy.start(redis.url)
})
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
  await proxy.close()
})
afterAll(async () => {
  await database.drop()
  await redis.stop()
})

const nodes: TestNode[] = []
const organization = randomUUID()
const event = randomUUID()

/** The bus of one node. */
class TestNode {
  readonly bus: RedisBus
  readonly postgres: Announcements
  readonly heard: number[] = []
  began = 0
  unpublished = 0
  /** The node's clock is ahead by this much when it measures the age of what it remembers of other nodes. */
  aheadMs = 0
  readonly connection: RedisConnection

  constructor(urls: readonly string[]) {
    // Redis is tried again sooner than in operation.
    this.connection = new RedisConnection(urls, log, { halfOpenAfterMs: 200 })
    const redis = {
      publish: (channel: string, text: string) =>
        this.connection.publish(channel, text).catch(error => {
          this.unpublished += 1
          throw error
        }),
      subscriber: () => this.connection.subscriber(),
    }
    const pubSub = new PubSub({ redis, time: processTime, log })
    const now = () => processTime.now() + this.aheadMs
    this.postgres = new Announcements(database.url, log, now)
    this.bus = new RedisBus(pubSub, this.postgres, log)
    this.bus.onHeard((_organization, ofEvent, seq) => {
      if (ofEvent === event) this.heard.push(seq)
    })
    this.bus.onListening(() => {
      this.began += 1
    })
    nodes.push(this)
  }

  static async start(...urls: readonly string[]): Promise<TestNode> {
    const node = new TestNode(urls)
    node.bus.start()
    await waitUntil('it hears by Redis', () => node.bus.isListening && node.bus.isByRedis)
    return node
  }

  tell(seq: number): void {
    this.bus.tell(organization, event, seq)
  }

  /** Until then it may tell by Redis alone, and the look every two seconds finds what another node missed. */
  knowsThatAnotherRelies(): Promise<boolean> {
    return waitUntil('it knows that a node relies on Postgres', () => this.postgres.isReliedOn)
  }

  hears(seq: number): Promise<boolean> {
    return waitUntil(`${seq} is heard`, () => this.heard.includes(seq))
  }

  async stop(): Promise<void> {
    await this.bus.stop()
    this.connection.close()
  }
}

/** Both hear each other, whatever way. */
async function hearEachOther(a: TestNode, b: TestNode, seq: number): Promise<void> {
  a.tell(seq)
  b.tell(seq + 1)
  await Promise.all([b.hears(seq), a.hears(seq + 1)])
}

it('while every node hears Redis, none tells by Postgres', async () => {
  const [a, b] = [await TestNode.start(redis.url), await TestNode.start(redis.url)]
  // Both relied on Postgres until they heard Redis.
  a.aheadMs = b.aheadMs = 15_000
  await hearEachOther(a, b, 1)
  expect([a.bus.told, b.bus.told]).toEqual([
    { redis: 1, postgres: 0 },
    { redis: 1, postgres: 0 },
  ])
})

it('a node that alone is cut off from Redis hears the others, and they hear it', async () => {
  const [a, b] = [await TestNode.start(redis.url), await TestNode.start(proxy.url)]
  a.aheadMs = b.aheadMs = 15_000
  proxy.shut()
  await waitUntil('b goes on by Postgres', () => b.bus.isListening && !b.bus.isByRedis)
  expect(b.began).toBe(2)
  expect(a.bus.isByRedis).toBe(true)
  await a.knowsThatAnotherRelies()
  await hearEachOther(a, b, 1)
  proxy.open()
  await waitUntil('b hears Redis again', () => b.bus.isByRedis)
  await hearEachOther(a, b, 3)
})

it('a connection that carries nothing any more is noticed, and what was missed can be looked for', async () => {
  const [a, b] = [await TestNode.start(redis.url), await TestNode.start(proxy.url)]
  a.aheadMs = 15_000
  proxy.silence()
  a.tell(1)
  await waitUntil('b goes on by Postgres', () => b.began === 2 && b.bus.isListening && !b.bus.isByRedis)
  await a.knowsThatAnotherRelies()
  await hearEachOther(a, b, 2)
})

it('a Redis that is frozen, and goes on: nodes hear each other all the time', async () => {
  const [a, b] = [await TestNode.start(redis.url), await TestNode.start(redis.url)]
  a.aheadMs = b.aheadMs = 15_000
  redis.freeze()
  try {
    // The first is told by Redis, in vain, and then by Postgres.
    await hearEachOther(a, b, 1)
    expect([a.bus.isByRedis, b.bus.isByRedis]).toEqual([false, false])
    await waitUntil('both listen', () => a.bus.isListening && b.bus.isListening)
    await hearEachOther(a, b, 3)
  } finally {
    redis.thaw()
  }
  await waitUntil('both hear Redis', () => a.bus.isByRedis && b.bus.isByRedis)
  await hearEachOther(a, b, 5)
})

it('a Redis that is killed, and starts again empty', async () => {
  const [a, b] = [await TestNode.start(redis.url), await TestNode.start(redis.url)]
  await redis.kill()
  await waitUntil('both go on by Postgres', () =>
    [a, b].every(({ bus }) => bus.isListening && !bus.isByRedis),
  )
  await hearEachOther(a, b, 1)
  await redis.restart()
  await waitUntil('both hear Redis', () => a.bus.isByRedis && b.bus.isByRedis)
  await hearEachOther(a, b, 3)
})

it('a node that uses Postgres alone is told as well', async () => {
  const a = await TestNode.start(redis.url)
  a.aheadMs = 15_000
  const heard: number[] = []
  const plain = new Announcements(database.url, log)
  plain.onHeard((_organization, _event, seq) => heard.push(seq))
  plain.start()
  try {
    await waitUntil('it is told', () => {
      a.tell(1)
      return heard.includes(1)
    })
    plain.tell(organization, event, 2)
    await a.hears(2)
  } finally {
    await plain.stop()
  }
})

it('a node that listens to Postgres again tells there too, because it may not have heard who relies on it', async () => {
  const heard: number[] = []
  const plain = new Announcements(database.url, log)
  plain.onHeard((_organization, _event, seq) => heard.push(seq))
  plain.start()
  try {
    await waitUntil('it listens', () => plain.isListening)
    const a = await TestNode.start(redis.url)
    a.aheadMs = 15_000
    await database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'voelgoed_listen' and datname = current_database()
       order by backend_start desc limit 1`,
    )
    await waitUntil('it listens again', () => a.began === 2)
    a.tell(1)
    await waitUntil('the other hears', () => heard.includes(1))
  } finally {
    await plain.stop()
  }
})

it('a user of Redis that may not publish: the nodes go on by Postgres, and all else uses Redis', async () => {
  await redis.command('ACL', 'SETUSER', 'silent', 'on', '>secret', '~*', '&*', '+@all', '-spublish')
  const node = new TestNode([redis.url.replace('//', '//silent:secret@')])
  node.bus.start()
  await waitUntil('several beats are refused', () => node.unpublished >= 12)
  expect([node.bus.isListening, node.bus.isByRedis]).toEqual([true, false])
  expect(node.connection.breaker.changes.open).toBe(0)
  // A machine without time answers one of them too late.
  const range = () => node.connection.range('voelgoed:nothing', 0, 0).catch(() => null)
  expect(await waitUntil('Redis answers', range)).toEqual([])
})

it('a Cluster that loses a master: nodes hear each other before, meanwhile and afterwards', async () => {
  const cluster = await startRedisCluster()
  try {
    const urls = cluster.url.split(',')
    const [a, b] = [await TestNode.start(...urls), await TestNode.start(...urls)]
    await hearEachOther(a, b, 1)
    await (await cluster.masterOf('voelgoed:platform:bus:{1}')).kill()
    await hearEachOther(a, b, 3)
    await waitUntil('both hear Redis', () => a.bus.isByRedis && b.bus.isByRedis)
    a.aheadMs = b.aheadMs = 15_000
    await hearEachOther(a, b, 5)
  } finally {
    for (const node of nodes.splice(0)) await node.stop()
    await cluster.stop()
  }
})
