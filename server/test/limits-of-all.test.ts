import { createHash, randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import { OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import { AddressLimitsOfAll } from '@voelgoed/kit/http/address-limits-of-all'
import { OwnSessionLimits, SessionLimitsOfAll } from '@voelgoed/kit/http/session-limits'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { addressLimitKey, sessionLimitKey } from '@voelgoed/kit/redis/keys'
import { LimitCounts } from '@voelgoed/kit/redis/limit-counts'
import { startRedisCluster } from '@voelgoed/testing/redis/cluster'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const log = pino({ level: 'silent' })
let redis: RedisServer
let address: string
beforeAll(async () => {
  redis = await RedisServer.start()
})
beforeEach(() => {
  address = randomUUID()
})
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close()
})
afterAll(() => redis.stop())

const connections: RedisConnection[] = []

/** One node: what it counts itself, and what Redis counts for all. Its own clock stands still. */
async function node(...urls: readonly string[]) {
  const connection = new RedisConnection(urls.length > 0 ? urls : [redis.url], log, { halfOpenAfterMs: 100 })
  connections.push(connection)
  await waitUntil('it is connected', () => connection.state === 'ok')
  const clock = { now: 0, elapsed: () => clock.now }
  const calls: number[] = []
  const counts = new LimitCounts({
    read: (script, keys, ...words) => {
      calls.push(keys.length)
      return connection.read(script, keys, ...words)
    },
  })
  const limits = new AddressLimitsOfAll(new OwnAddressLimits(clock), counts)
  return { clock, calls, counts, limits, breaker: connection.breaker }
}

type Node = Awaited<ReturnType<typeof node>>

/** So many at once; how many of them were allowed. */
async function signIns({ limits }: Node, count: number): Promise<number> {
  const waits = await Promise.all(Array.from({ length: count }, () => limits.take('sign_in', address)))
  return waits.filter(wait => wait === null).length
}

/**
 * Returns what a round has seen in which Redis answered all questions of these nodes, within so many
 * milliseconds. Where Redis is late a node decides alone, and no test holds the clock of Redis: then there is
 * another round, of another address.
 */
function inTime<T extends object>(
  withinMs: number,
  nodes: () => Promise<readonly Node[]>,
  round: (...nodes: Node[]) => Promise<T>,
): Promise<T> {
  return waitUntil(`a round within ${withinMs} ms`, async () => {
    const all = await nodes()
    const unanswered = () => all.map(({ counts }) => counts.counts.unanswered).join()
    address = randomUUID()
    const before = unanswered()
    const began = systemClock.elapsed()
    const seen = await round(...all)
    return systemClock.elapsed() - began < withinMs && unanswered() === before && seen
  })
}

/** 30 sign-ins in 300 s are one more in 10 s. */
const ONE_MORE_MS = 10_000
const oneNode = async () => [await node()]
const twoNodes = async () => [await node(), await node()]

describe('limits by address', () => {
  it('nodes share one limit, and the questions of one turn go out together', async () => {
    const seen = await inTime(1_000, twoNodes, async (one, two) => ({
      allowed: [await signIns(one!, 20), await signIns(two!, 20)],
      calls: [[...one!.calls], [...two!.calls]],
      waits: [
        await two!.limits.take('sign_in', address),
        await two!.limits.take('sign_up', address),
        await two!.limits.take('sign_in', randomUUID()),
      ],
    }))
    expect(seen.allowed).toEqual([20, 10])
    expect(seen.calls).toEqual([[20], [20]])
    // The next one in 10 s.
    expect(seen.waits).toEqual([10, null, null])
  })

  it('an address that is beyond its limit at one node costs Redis nothing', async () => {
    const one = await node()
    expect(await signIns(one, 30)).toBe(30)
    expect(await signIns(one, 5)).toBe(0)
    expect(one.calls).toEqual([30])
  })

  it('what is refused does not count, here and in Redis; what is given back can be taken by another node', async () => {
    const allowed = await inTime(ONE_MORE_MS, twoNodes, async (one, two) => {
      const first = [await signIns(one!, 30), await signIns(two!, 25)]
      for (let given = 0; given < 20; given += 1) one!.limits.giveBack('sign_in', address)
      const { counts } = one!.counts
      await waitUntil('Redis has them back', () => counts.allowed + counts.unanswered === 50)
      return [...first, await signIns(two!, 30)]
    })
    expect(allowed).toEqual([30, 0, 20])
  })

  it('a key lives for as long as it says something', async () => {
    const { one, key, ttl, least } = await inTime(30_000, oneNode, async one => {
      const began = systemClock.elapsed()
      await signIns(one!, 3)
      const { key } = addressLimitKey('sign_in', address)
      const ttl = Number(await redis.command('PTTL', key))
      return { one: one!, key, ttl, least: Math.floor(30_000 - (systemClock.elapsed() - began)) - 1 }
    })
    expect(ttl).toBeGreaterThanOrEqual(least)
    expect(ttl).toBeLessThanOrEqual(30_000)
    for (let given = 0; given < 3; given += 1) one.limits.giveBack('sign_in', address)
    await waitUntil('nothing is left of it', async () => (await redis.command('EXISTS', key)) === 0)
  })

  it.each([
    ['a list', ['RPUSH', '%', 'a']],
    ['a text', ['SET', '%', 'until tomorrow']],
    ['no number', ['SET', '%', 'nan']],
  ])('%s under our key is no count, and does not stay', async (_, words) => {
    const allowed = await inTime(ONE_MORE_MS, twoNodes, async (one, two) => {
      const { key } = addressLimitKey('sign_in', address)
      await redis.command(...words.map(word => (word === '%' ? key : word)))
      return [await signIns(one!, 1), await signIns(two!, 30)]
    })
    expect(allowed).toEqual([1, 29])
  })

  it('a count from a clock that was ahead keeps an address waiting for no longer than one interval', async () => {
    const waits = await inTime(ONE_MORE_MS, oneNode, async one => {
      await redis.command('SET', addressLimitKey('sign_in', address).key, '1e300')
      return [await one!.limits.take('sign_in', address)]
    })
    expect(waits).toEqual([10])
  })

  it('without Redis each node counts by itself, and Redis counts again when it is back', async () => {
    const [one, two] = [await node(), await node()]
    await redis.kill()
    expect(await signIns(one, 40)).toBe(30)
    expect(await signIns(two, 40)).toBe(30)
    await redis.restart()
    one.clock.now += 300_000
    two.clock.now += 300_000
    await waitUntil('Redis answers', async () => {
      await one.limits.take('guest', address)
      await two.limits.take('guest', address)
      return one.counts.counts.allowed > 0 && two.counts.counts.allowed > 0
    })
    const again = async () => [one, two]
    const allowed = await inTime(ONE_MORE_MS, again, async () => [
      await signIns(one, 20),
      await signIns(two, 20),
    ])
    expect(allowed).toEqual([20, 10])
  })

  it('a frozen Redis costs a caller one time-out at most, and nothing once the breaker is open', async () => {
    const one = await node()
    redis.freeze()
    try {
      const ask = async () => expect(await one.limits.take('sign_in', address)).toBe(null)
      for (let asked = 0; asked < 5; asked += 1) await ask()
      expect(one.breaker.calls).toMatchObject({ failed: 5, refused: 0 })
      // It may try again at any moment from then on: one caller waits, and all others are refused at once.
      for (let asked = 0; asked < 20; asked += 1) await ask()
      expect(one.breaker.calls.refused).toBeGreaterThan(0)
      expect(one.counts.counts).toMatchObject({ allowed: 0, refused: 0, unanswered: 25 })
    } finally {
      redis.thaw()
    }
  })

  it('a Redis that may not be written to: the node counts', async () => {
    const one = await node()
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    try {
      expect(await signIns(one, 40)).toBe(30)
    } finally {
      await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    }
  })

  it('many addresses at once in a Cluster', async () => {
    const cluster = await startRedisCluster()
    try {
      const nodes = [await node(...cluster.url.split(',')), await node(...cluster.url.split(','))]
      // Before every master is found, a question may be left without an answer as well.
      const allowed = await inTime(
        ONE_MORE_MS,
        async () => nodes,
        async () => {
          const addresses = Array.from({ length: 8 }, () => randomUUID())
          const parts = new Set(addresses.map(one => addressLimitKey('sign_up', one).part))
          expect(parts.size).toBeGreaterThan(1)
          const counted: number[] = []
          for (const { limits } of nodes) {
            const taking = addresses.flatMap(one =>
              Array.from({ length: 20 }, () => limits.take('sign_up', one)),
            )
            counted.push((await Promise.all(taking)).filter(wait => wait === null).length)
          }
          return counted
        },
      )
      expect(allowed).toEqual([160, 80])
    } finally {
      await cluster.stop()
    }
  })
})

describe('limits by session', () => {
  const scope = TenantScope.of(randomUUID() as OrganizationId)

  /** One process that reports when the test says so. */
  async function sessionsOf({ clock, counts }: Node) {
    let report = () => {}
    const time = {
      every: (_ms: number, run: () => void) => {
        report = run
        return () => {}
      },
    } as unknown as Time
    const limits = new SessionLimitsOfAll(new OwnSessionLimits(clock), counts, { clock, time })
    let answers = 0
    return {
      /** Returns how many of so many at once were allowed. */
      take(session: { scope: TenantScope; tokenHash: Buffer }, count: number): number {
        const waits = Array.from({ length: count }, () => limits.take(session))
        return waits.filter(wait => wait === null).length
      },
      wait: limits.take.bind(limits),
      /** The time of a report has come, and there may be nothing to report. */
      tick: () => report(),
      async report() {
        answers += 1
        report()
        const sum = () => counts.counts.allowed + counts.counts.refused + counts.counts.unanswered
        await waitUntil('Redis has answered', () => sum() === answers)
      },
    }
  }

  const session = () => ({ scope, tokenHash: createHash('sha256').update(randomUUID()).digest() })

  it('what a session got of one process too much, it gets less of all of them', async () => {
    const seen = await inTime(250, twoNodes, async (...nodes) => {
      const [nodeOne, nodeTwo] = nodes as [Node, Node]
      const [one, two] = [await sessionsOf(nodeOne), await sessionsOf(nodeTwo)]
      const buyer = session()
      const bursts = [one.take(buyer, 70)]
      await one.report()
      bursts.push(two.take(buyer, 70))
      await two.report()
      // 120 at 20 a second are 6 s; 3 of them are the burst.
      nodeTwo.clock.now += 1_000
      const wait = two.wait(buyer)
      nodeTwo.clock.now += 2_000
      const afterwards = two.take(buyer, 100)
      // The other process hears of it with its next report.
      nodeOne.clock.now += 250
      const unaware = one.take(buyer, 9)
      await one.report()
      nodeOne.clock.now += 1_000
      return { bursts, wait, afterwards, unaware, aware: one.take(buyer, 5), others: one.take(session(), 5) }
    })
    expect(seen).toEqual({ bursts: [60, 60], wait: 2, afterwards: 60, unaware: 5, aware: 0, others: 5 })
  })

  it('a session that stays within its limit at one process is never refused for its reports', async () => {
    const alone = await node()
    const one = await sessionsOf(alone)
    const buyer = session()
    expect(one.take(buyer, 60)).toBe(60)
    await one.report()
    alone.clock.now += 50
    expect(one.take(buyer, 1)).toBe(1)
  })

  it('costs Redis nothing for sessions that ask now and then', async () => {
    const keyOf = ({ tokenHash }: { tokenHash: Buffer }) => sessionLimitKey(scope, tokenHash).key
    // Redis forgets five requests after a quarter of a second.
    const seen = await inTime(250, oneNode, async alone => {
      const one = await sessionsOf(alone!)
      const [seldom, often] = [session(), session()]
      // Four in a window, again and again.
      for (let tick = 0; tick < 30; tick += 1) {
        if (tick % 12 === 0) one.take(seldom, 4)
        one.tick()
      }
      one.take(often, 3)
      one.tick()
      one.take(often, 2)
      await one.report()
      return {
        seldom: await redis.command('EXISTS', keyOf(seldom)),
        often: await redis.command('EXISTS', keyOf(often)),
        counts: { ...alone!.counts.counts },
      }
    })
    expect(seen).toMatchObject({ seldom: 0, often: 1, counts: { allowed: 1, refused: 0, unanswered: 0 } })
  })

  it('without Redis each process counts by itself', async () => {
    const [nodeOne, nodeTwo] = [await node(), await node()]
    const [one, two] = [await sessionsOf(nodeOne), await sessionsOf(nodeTwo)]
    const buyer = session()
    await redis.kill()
    try {
      for (const process of [one, two]) {
        expect(process.take(buyer, 70)).toBe(60)
        await process.report()
      }
      nodeTwo.clock.now += 3_000
      expect(two.take(buyer, 70)).toBe(60)
    } finally {
      await redis.restart()
    }
  })

  it('its key has its organization and its hash, and goes by itself', async () => {
    const alone = await node()
    const one = await sessionsOf(alone)
    const buyer = session()
    one.take(buyer, 10)
    await one.report()
    const { key } = sessionLimitKey(scope, buyer.tokenHash)
    expect(key).toContain(scope.organizationId)
    expect(Number(await redis.command('PTTL', key))).toBeLessThanOrEqual(500)
  })
})
