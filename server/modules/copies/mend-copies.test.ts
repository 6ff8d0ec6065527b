import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { ok } from '@voelgoed/core/result'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { eventKeys } from '@voelgoed/kit/redis/keys'
import { oneOfEverything } from '@voelgoed/testing/example'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MendCopies, type MendCopiesDeps } from './mend-copies.ts'
import type { Compared } from './registry.ts'

const log = pino({ level: 'silent' })

patientRedis()

/** Time that tests move. */
class TestTime implements Time {
  ms = 1_000
  now = () => this.ms
  soon = (run: () => void) => void setImmediate(run)
  after = () => () => {}
  every = () => () => {}
}

let redisServer: RedisServer
let redis: Redis
beforeAll(async () => {
  redisServer = await RedisServer.start()
  redis = new Redis(redisServer.url)
})
afterAll(async () => {
  redis?.disconnect()
  await redisServer.stop()
})

describe('one event a minute is compared with Postgres', () => {
  let server: TestServer
  let ours: TestOrganization
  let scope: TenantScope
  const events: string[] = []
  beforeAll(async () => {
    server = await startTestServer({ REDIS_URL: redisServer.url })
    ours = await server.organization()
    scope = TenantScope.of(ours.id as OrganizationId)
  })
  afterAll(() => server?.close())
  beforeEach(() => void events.splice(0))

  /** Mends the copies of one event alone, and keeps what it found. */
  async function mender() {
    const { event: eventId } = await oneOfEverything(server, ours)
    const view = server.node.lanes.inMemory(scope, eventId as EventId)!
    const { lanes, registry } = server.node
    const mending = new MendCopies({
      lanes: { views: () => [view], lane: (...of) => lanes.lane(...of) },
      store: { pointsOf: async () => new Map() },
      registry,
      redis: null,
      log,
      onCompared: (tier, result) => events.push(`${tier} ${result}`),
      onFound: (tier, fault) => events.push(`found ${tier} ${fault}`),
      onMended: tier => events.push(`mended ${tier}`),
    })
    await waitUntil('the copy is there', async () => {
      const compared = await registry.compare({ scope, eventId: eventId as EventId }, 'this node')
      return compared.ok && compared.value.status === 'ok'
    })
    return { mending, view, keys: eventKeys(scope, eventId as EventId) }
  }

  it('finds nothing where all is right', async () => {
    const { mending } = await mender()
    await mending.sample()
    expect(events).toEqual(['memory same', 'redis same'])
  })

  it('finds a wrong seat in memory, and mends it', async () => {
    const { mending, view } = await mender()
    view.state.seatStatus[2] = 3
    await mending.sample()
    expect(events).toEqual(['memory different', 'found memory different', 'mended memory', 'redis same'])
    expect(view.state.seatStatus[2]).toBe(0)
    events.splice(0)
    await mending.sample()
    expect(events).toEqual(['memory same', 'redis same'])
  })

  it('finds a bit that has changed in Redis, and mends it', async () => {
    const { mending, keys } = await mender()
    await redis.call('BITFIELD', keys.seats, 'SET', 'u2', '#2', '2')
    await mending.sample()
    expect(events).toEqual(['memory same', 'redis different', 'found redis different', 'mended redis'])
    expect(await redis.call('BITFIELD', keys.seats, 'GET', 'u2', '#2')).toEqual([0])
  })
})

describe('what stays behind', () => {
  let connection: RedisConnection
  beforeAll(async () => {
    connection = new RedisConnection([redisServer.url], log)
    await waitUntil('Redis is connected', () => connection.state === 'ok')
  })
  afterAll(() => connection.close())

  const scope = TenantScope.of('0197a000-0000-7000-8000-00000000000a' as OrganizationId)
  const fine = { claim: {}, standing: 'same', ageMs: 0 }

  /** Events that only say where they are. */
  function looking(count: number, { withRedis = false } = {}) {
    const time = new TestTime()
    const happened: string[] = []
    const compared: string[] = []
    const views = Array.from({ length: count }, (_, index) => {
      const eventId = `0197a000-0000-7000-8000-0000000000${index + 10}` as EventId
      const point: EpochPoint = { epoch: 1, seq: 5, tip: null }
      return { scope, eventId, epochPoint: point, seq: 5, state: { settings: { status: 'live' } } }
    })
    const wanted = new Map<EventId, EpochPoint>(views.map(view => [view.eventId, view.epochPoint]))
    const deps: MendCopiesDeps = {
      lanes: {
        views: () => views as unknown as CommittedView[],
        lane: () => ({ reload: async () => void happened.push('loads again') }) as never,
      },
      store: { pointsOf: async () => wanted as never },
      registry: {
        compare: async ({ eventId }) => {
          compared.push(eventId.slice(-2))
          const redis = withRedis ? { kind: 'read', tier: fine } : null
          return ok({ hot: fine, redis, postgres: { isOnSale: true } } as unknown as Compared)
        },
        remakeCopy: async () => void happened.push('makes the copy again'),
      },
      redis: withRedis ? connection : null,
      log,
      time,
      onCompared: () => {},
      onFound: (tier, fault) => happened.push(`found ${tier} ${fault}`),
      onMended: tier => happened.push(`mended ${tier}`),
    }
    const mending = new MendCopies(deps)
    const at = async (ms: number) => {
      time.ms = 1_000 + ms
      await mending.look()
      return happened.splice(0)
    }
    return { mending, views, wanted, time, at, compared }
  }

  it('in memory for 30 s is loaded again, not before', async () => {
    const { views, wanted, at, mending } = looking(2)
    expect(await at(0)).toEqual([])
    wanted.set(views[1]!.eventId, { epoch: 1, seq: 6, tip: null })
    expect(await at(5_000)).toEqual([])
    expect(mending.lagging).toEqual({ memory: 1, redis: 0 })
    expect(await at(34_999)).toEqual([])
    expect(await at(35_000)).toEqual(['found memory stale', 'loads again', 'mended memory'])
  })

  it('counts from the last time that it caught up: an event that moves all the time is not stale', async () => {
    const { views, wanted, at } = looking(1)
    const [view] = views
    for (let step = 1; step < 20; step += 1) {
      wanted.set(view!.eventId, { epoch: 1, seq: 5 + 10 * step, tip: null })
      expect(await at(step * 10_000)).toEqual([])
      // It has what it lacked at the last look, and lacks something new.
      view!.epochPoint = { epoch: 1, seq: 5 + 10 * step, tip: null }
    }
  })

  it('of an older epoch is stale, however far it is', async () => {
    const { views, wanted, at } = looking(1)
    wanted.set(views[0]!.eventId, { epoch: 2, seq: 1, tip: null })
    expect(await at(0)).toEqual([])
    expect(await at(30_000)).toEqual(['found memory stale', 'loads again', 'mended memory'])
  })

  it('in Redis for 30 s is made again; nothing is, while Redis does not answer', async () => {
    const { at, mending } = looking(1, { withRedis: true })
    expect(await at(0)).toEqual([])
    expect(mending.lagging).toEqual({ memory: 0, redis: 1 })
    expect(await at(30_000)).toEqual(['found redis stale', 'makes the copy again', 'mended redis'])
    expect(await at(31_000)).toEqual([])
    Object.defineProperty(connection, 'state', { value: 'degraded', configurable: true })
    expect(await at(70_000)).toEqual([])
    Reflect.deleteProperty(connection, 'state')
    expect(await at(71_000)).toEqual([])
  })

  it('each event is compared in turn', async () => {
    const { mending, time, compared } = looking(3)
    for (let count = 0; count < 7; count += 1) {
      time.ms += 60_000
      await mending.sample()
    }
    expect(compared).toEqual(['10', '11', '12', '10', '11', '12', '10'])
  })
})
