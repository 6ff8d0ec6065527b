import { randomUUID } from 'node:crypto'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { RedisBus } from '@voelgoed/engine/bus/redis-bus'
import type { Bus } from '@voelgoed/engine/ports/bus'
import { processTime } from '@voelgoed/kit/base/time'
import type { Ask } from '@voelgoed/kit/postgres/announcement-messages'
import { Announcements } from '@voelgoed/kit/postgres/announcements'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { PubSub } from '@voelgoed/kit/redis/pub-sub'
import { type RedisCluster, startRedisCluster } from '@voelgoed/testing/redis/cluster'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Notices } from './bus.ts'
import { Process, Scheduler } from './scheduler.ts'

/** Lanes ask this of the bus. Each bus that there is must behave alike. */
interface Ground {
  /** The buses belong to two nodes. */
  readonly a: Bus
  readonly b: Bus
  /** Resolves when both listen. */
  listen(): Promise<void>
  /** Node b loses what it listens with, and maybe node a as well; they listen again by themselves. */
  breakB(): Promise<void>
  stop(): Promise<void>
}

const log = pino({ level: 'silent' })
let database: TestDatabase
let redis: RedisServer
let cluster: RedisCluster | null = null
beforeAll(async () => {
  database = await createTestDatabase()
  redis = await RedisServer.start()
})
afterAll(async () => {
  await database.drop()
  await redis.stop()
  await cluster?.stop()
})

async function onPostgres(): Promise<Ground> {
  const node = () => new Announcements(database.url, log)
  const [a, b] = [node(), node()]
  return {
    a,
    b,
    async listen() {
      a.start()
      await waitUntil('a listens', () => a.isListening)
      b.start()
      await waitUntil('b listens', () => b.isListening)
    },
    breakB: breakPostgres,
    stop: async () => void (await Promise.all([a.stop(), b.stop()])),
  }
}

/** The connections of both: which is whose can't be told once one of them has connected again by itself. */
async function breakPostgres(): Promise<void> {
  await database.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'voelgoed_listen' and datname = current_database()`,
  )
}

/** `reachable: false`: both nodes are to use it, and it is not there. */
function onRedis(urls: readonly string[], servers: readonly RedisServer[], reachable = true): Ground {
  const node = () => {
    const connection = new RedisConnection(urls, log)
    const pubSub = new PubSub({ redis: connection, time: processTime, log })
    const bus = new RedisBus(pubSub, new Announcements(database.url, log), log)
    return { connection, pubSub, bus }
  }
  const nodes = [node(), node()] as const
  return {
    a: nodes[0].bus,
    b: nodes[1].bus,
    async listen() {
      for (const { bus, pubSub } of nodes) {
        bus.start()
        await waitUntil('it listens', () => bus.isListening && pubSub.isListening === reachable)
      }
    },
    async breakB() {
      if (!reachable) return breakPostgres()
      for (const server of servers) await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub')
    },
    async stop() {
      for (const { bus, connection } of nodes) {
        await bus.stop()
        connection.close()
      }
    },
  }
}

async function onSimulation(): Promise<Ground> {
  const scheduler = new Scheduler(1)
  const notices = new Notices(scheduler, 1, false)
  const buses = { a: notices.create(new Process('a')), b: notices.create(new Process('b')) }
  let isPumping = true
  const pump = async () => {
    while (isPumping) {
      await scheduler.run(Number.POSITIVE_INFINITY)
      await new Promise(setImmediate)
    }
  }
  return {
    ...buses,
    async listen() {
      notices.listen(buses.a)
      notices.listen(buses.b)
      void pump()
      await waitUntil('both listen', () => buses.a.isListening && buses.b.isListening)
    },
    breakB: async () => notices.goDeaf(buses.b),
    async stop() {
      isPumping = false
    },
  }
}

async function onCluster(): Promise<Ground> {
  cluster ??= await startRedisCluster()
  return onRedis(cluster.url.split(','), cluster.servers)
}

describe.each([
  ['Postgres', onPostgres],
  ['the simulation', onSimulation],
  ['Redis', async () => onRedis([redis.url], [redis])],
  ['a Cluster of Redis', onCluster],
  ['a Redis that is not there', async () => onRedis(['redis://127.0.0.1:1'], [], false)],
])('a bus on %s', (_, prepare) => {
  let on: Ground
  const organization = randomUUID()
  let event: string
  let heard: { a: number[]; b: number[] }
  const began = { a: 0, b: 0 }
  beforeEach(async () => {
    on = await prepare()
    event = randomUUID()
    heard = { a: [], b: [] }
    began.a = began.b = 0
    for (const name of ['a', 'b'] as const) {
      on[name].onHeard((ofOrganization, ofEvent, seq) => {
        if (ofOrganization === organization && ofEvent === event) heard[name].push(seq)
      })
    }
    for (const name of ['a', 'b'] as const) {
      on[name].onListening(() => {
        began[name] += 1
      })
    }
  })
  afterEach(() => on.stop())

  /**
   * A node that is deaf loses what is told meanwhile, and on a slow machine it goes deaf for a moment by
   * itself. Only then it is told, or asked, once more.
   */
  async function comes(what: string, tell: () => unknown, hasCome: () => boolean): Promise<void> {
    const times = () => `${began.a} ${began.b}`
    let toldAt = ''
    await waitUntil(what, async () => {
      if (hasCome()) return true
      if (!on.a.isListening || !on.b.isListening || toldAt === times()) return false
      toldAt = times()
      await tell()
      return false
    })
  }

  it('listens some time after it was started, and says so once', async () => {
    expect([on.a.isListening, on.b.isListening, began.b]).toEqual([false, false, 0])
    await on.listen()
    expect(began.b).toBe(1)
  })

  it('tells every node, the one that tells too', async () => {
    await on.listen()
    await comes(
      'both have heard',
      () => on.a.tell(organization, event, 7),
      () => heard.a.includes(7) && heard.b.includes(7),
    )
  })

  it('of several things to tell of an event, the last is heard', async () => {
    await on.listen()
    const tell = () => {
      for (const seq of [1, 2, 3, 4, 5]) on.a.tell(organization, event, seq)
    }
    await comes('the last is heard', tell, () => heard.b.includes(5))
  })

  it('what is told by a node that does not listen is lost, also when it listens later', async () => {
    on.a.tell(organization, event, 1)
    await on.listen()
    await comes(
      'the second is heard',
      () => on.a.tell(organization, event, 2),
      () => heard.b.includes(2),
    )
    expect(heard.b).not.toContain(1)
  })

  it('asks every other node, and says whether it could', async () => {
    const asked: [string, Ask][] = []
    on.a.onAsked(ask => asked.push(['a', ask]))
    on.b.onAsked(ask => asked.push(['b', ask]))
    const question = (what: Ask['what'], seq: number): Ask => ({
      what,
      organizationId: organization as OrganizationId,
      eventId: event as EventId,
      requestId: randomUUID(),
      seq,
    })
    expect(await on.a.ask(question('reload', 0))).toBe(false)
    await on.listen()
    const [first, second] = [question('reload', 0), question('report', 17)]
    const isAsked = (name: string) => asked.some(([one]) => one === name)
    let could: boolean[] = []
    const ask = async () => {
      could = [await on.a.ask(first), await on.b.ask(second)]
    }
    await comes('both are asked', ask, () => isAsked('a') && isAsked('b'))
    expect(could).toEqual([true, true])
    for (const [name, ask] of asked) expect(ask).toMatchObject(name === 'a' ? second : first)
    expect(heard).toEqual({ a: [], b: [] })
  })

  it('a node that went deaf listens again by itself, says so, and hears what comes then', async () => {
    await on.listen()
    const before = began.b
    await on.breakB()
    await waitUntil('it listens again', () => began.b > before && on.b.isListening)
    await comes(
      'it hears',
      () => on.a.tell(organization, event, 9),
      () => heard.b.includes(9),
    )
  })
})

describe('faults of the simulated bus', () => {
  it('notices are lost, late and doubled, and nodes go deaf; after that all is heard', async () => {
    const scheduler = new Scheduler(3)
    const notices = new Notices(scheduler, 3, true)
    const [a, b] = [notices.create(new Process('a')), notices.create(new Process('b'))]
    const heard: number[] = []
    b.onHeard((_organization, _event, seq) => heard.push(seq))
    let deaf = 0
    b.onListening(() => {
      deaf += 1
    })
    notices.listen(a)
    notices.listen(b)
    await scheduler.run(Number.POSITIVE_INFINITY)
    for (let seq = 1; seq <= 200; seq += 1) {
      scheduler.schedule(seq * 20, null, 'tells', () => a.tell('organization', 'event', seq))
    }
    await scheduler.run(Number.POSITIVE_INFINITY)
    const once = new Set(heard)
    expect(once.size).toBeLessThan(200)
    expect(heard.length).toBeGreaterThan(once.size)
    expect(heard).not.toEqual([...heard].sort((one, other) => one - other))
    expect(deaf).toBeGreaterThan(1)
    notices.heal()
    heard.length = 0
    for (let seq = 1; seq <= 50; seq += 1) a.tell('organization', 'event', seq)
    await scheduler.run(Number.POSITIVE_INFINITY)
    expect(heard.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    )
  })
})
