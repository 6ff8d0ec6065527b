import { setTimeout as delay } from 'node:timers/promises'
import type { RedisServer } from '@voelgoed/testing/redis/server'
import { keysOf } from './copies.ts'
import type { Fault, Scene } from './fault.ts'
import type { LabRedis } from './lab-redis.ts'

export const REDIS_FAULT_NAMES = [
  'redis-kill',
  'redis-pause',
  'redis-flush',
  'redis-memory',
  'redis-types',
  'redis-read-only',
  'redis-restore',
  'redis-partition',
  'redis-slow',
  'redis-jitter',
  'redis-failover',
] as const
type RedisFaultName = (typeof REDIS_FAULT_NAMES)[number]

/** A read of a node waits for 50 ms, a write for 250 (docs/operate/warm-tier.md). */
const TOO_LATE_MS = 300
/** Late, and not too late for a write. */
const LATE_MS = 180
/** A Cluster replaces a master that is silent for 2 s: one that is back sooner stays the master. */
const SOON_MS = 500
/** No hall of the lab has as many seats. */
const NO_BITMAP = 'x'.repeat(1_000)
const FAILED_OVER_WITHIN_MS = 20_000
const POLL_MS = 50

const withoutProxy = ({ redis }: Pick<Scene, 'redis'>) =>
  redis?.kind === 'cluster' ? 'nodes talk to the servers of a Cluster without a proxy' : null

/** These harm Redis and the lines to it: no caller may notice any of it. */
export const REDIS_FAULTS: Readonly<Record<RedisFaultName, Fault>> = {
  'redis-kill': {
    about: 'Redis killed, and started again with nothing in it',
    of: 'redis',
    async strike(scene) {
      const server = await anyMaster(scene)
      const ms = await goneFor(scene)
      await server.kill()
      await delay(ms)
      await server.restart()
      return `for ${ms} ms`
    },
  },
  'redis-pause': {
    about: 'Redis does not answer (SIGSTOP), then goes on',
    of: 'redis',
    async strike(scene) {
      const server = await anyMaster(scene)
      // A Cluster would replace it after 2 s: that is a fault of its own.
      const ms = scene.random.between(300, scene.redis!.kind === 'cluster' ? 1_200 : 4_000)
      server.freeze()
      await delay(ms)
      server.thaw()
      return `for ${ms} ms`
    },
  },
  'redis-flush': {
    about: 'Redis loses all its keys and scripts',
    of: 'redis',
    async strike(scene) {
      await onMasters(scene, async server => {
        await server.command('FLUSHALL')
        await server.command('SCRIPT', 'FLUSH')
      })
      return 'at once'
    },
  },
  'redis-memory': {
    about: 'Redis is out of memory',
    of: 'redis',
    async strike(scene) {
      await configure(scene, ['maxmemory-policy', 'noeviction', 'maxmemory', '1'])
      await delay(2_500)
      await configure(scene, ['maxmemory', '0'])
      return 'for 2.5 s'
    },
  },
  'redis-types': {
    about: 'another program puts values of other types under our keys, and numbers that are none',
    of: 'redis',
    async strike(scene) {
      const { random, events } = scene
      const redis = redisOf(scene)
      let spoilt = 0
      for (const event of events()) {
        const keys = keysOf(event)
        const { key, words } = random.pick([
          ...[keys.seq, keys.bitmap, keys.occupancy].map(key => ({ key, words: ['LPUSH', key, 'x'] })),
          { key: keys.holds, words: ['SET', keys.holds, 'x'] },
          { key: keys.seq, words: ['HSET', keys.seq, 'epoch', 'x', 'seq', '-1'] },
          { key: keys.bitmap, words: ['SET', keys.bitmap, NO_BITMAP] },
        ])
        await redis.ask(event.eventId, 'UNLINK', key).catch(() => null)
        await redis.ask(event.eventId, ...words).then(
          () => {
            spoilt += 1
          },
          () => {},
        )
      }
      return `${spoilt} keys`
    },
  },
  'redis-read-only': {
    about: 'Redis takes no writes: the replica of a server that is gone, or short of replicas',
    of: 'redis',
    async strike(scene) {
      const isReplica = scene.redis?.kind === 'one' && scene.random.chance(0.5)
      if (isReplica) {
        await onMasters(scene, server => server.command('REPLICAOF', '127.0.0.1', '1'))
        await delay(2_500)
        await redisOf(scene).servers[0]!.command('REPLICAOF', 'NO', 'ONE')
        return 'a replica, for 2.5 s'
      }
      await configure(scene, ['min-replicas-to-write', '9'])
      await delay(2_500)
      await configure(scene, ['min-replicas-to-write', '0'])
      return 'short of replicas, for 2.5 s'
    },
  },
  'redis-restore': {
    about: 'Redis killed, and started again with what it had some seconds before',
    of: 'redis',
    async strike(scene) {
      const server = await anyMaster(scene)
      const ms = scene.random.between(500, 3_000)
      await server.takeSnapshot()
      await delay(ms)
      await server.kill()
      await delay(await goneFor(scene))
      await server.restore()
      return `${ms} ms older`
    },
  },
  'redis-partition': {
    about: 'one node is cut off from Redis, the others are not',
    of: 'redis',
    impossible: withoutProxy,
    async strike({ random }, node) {
      const { proxy } = node.redis!
      const ms = random.between(500, 7_000)
      const isSilent = random.chance(0.5)
      if (isSilent) proxy!.silence()
      else proxy!.shut()
      await delay(ms)
      proxy!.open()
      return `node ${node.index} for ${ms} ms, ${isSilent ? 'without a word' : 'refused'}`
    },
  },
  'redis-slow': {
    about: 'every answer of Redis is later than a node waits for it',
    of: 'redis',
    async strike(scene) {
      const { redis, random } = scene
      if (redis!.kind === 'cluster') return stammer(scene, 3_000)
      for (const proxy of redis!.proxies) {
        proxy.lateMs = { asked: () => 0, answered: () => TOO_LATE_MS + random.below(200) }
      }
      await delay(3_000)
      for (const proxy of redis!.proxies) proxy.lateMs = null
      return 'for 3 s'
    },
  },
  'redis-jitter': {
    about: 'what one node tells Redis is late by up to 180 ms, so that the others overtake it',
    of: 'redis',
    impossible: withoutProxy,
    async strike({ random, nodes }) {
      const late = random.pick(nodes.filter(({ isForReaders }) => !isForReaders))
      late.redis!.proxy!.lateMs = { asked: () => random.between(LATE_MS / 2, LATE_MS), answered: () => 0 }
      await delay(2_500)
      late.redis!.proxy!.lateMs = null
      return `node ${late.index} for 2.5 s`
    },
  },
  'redis-failover': {
    about: 'a master of the Cluster is killed, and its replica lacks its last 0.6 s',
    of: 'redis',
    impossible: ({ redis }) => (redis?.kind === 'cluster' ? null : 'there is only one server'),
    async strike(scene) {
      const redis = redisOf(scene)
      const master = await anyMaster(scene)
      const replica = await replicaOf(redis, master)
      if (!replica) return 'no replica was there to take over'
      replica.freeze()
      await delay(600)
      await master.kill()
      replica.thaw()
      await until(async () => (await replica.info('role')) === 'master')
      await master.restart()
      await until(async () => (await master.info('master_link_status')) === 'up')
      return `port ${master.port}`
    },
  },
}

function redisOf({ redis }: Scene): LabRedis {
  if (!redis) throw new Error('a fault of Redis in a run without it')
  return redis
}

async function anyMaster(scene: Scene): Promise<RedisServer> {
  return scene.random.pick(await redisOf(scene).masters())
}

async function onMasters(scene: Scene, work: (server: RedisServer) => Promise<unknown>): Promise<void> {
  for (const server of await redisOf(scene).masters()) await work(server)
}

/** On all servers: a master may change meanwhile. */
async function configure(scene: Scene, words: readonly string[]): Promise<void> {
  for (const server of redisOf(scene).servers) await server.command('CONFIG', 'SET', ...words)
}

async function goneFor({ redis, random }: Scene): Promise<number> {
  return redis!.kind === 'cluster' ? random.below(SOON_MS) : random.between(100, 3_000)
}

/** All servers answer for a moment now and then. */
async function stammer(scene: Scene, ms: number): Promise<string> {
  const { servers } = redisOf(scene)
  const end = performance.now() + ms
  while (performance.now() < end) {
    for (const server of servers) server.freeze()
    await delay(TOO_LATE_MS)
    for (const server of servers) server.thaw()
    await delay(10)
  }
  return `now and then, for ${ms / 1000} s`
}

async function replicaOf({ servers }: LabRedis, master: RedisServer): Promise<RedisServer | null> {
  for (const server of servers) {
    const port = await server.info('master_port').catch(() => null)
    const link = await server.info('master_link_status').catch(() => null)
    if (port === String(master.port) && link === 'up') return server
  }
  return null
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + FAILED_OVER_WITHIN_MS
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error('the Cluster did not fail over')
    await delay(POLL_MS)
  }
}
