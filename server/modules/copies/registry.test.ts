import { randomUUID } from 'node:crypto'
import type { EventId, OrganizationId, SeatId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { eventKeys } from '@voelgoed/kit/redis/keys'
import { oneOfEverything } from '@voelgoed/testing/example'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

patientRedis()

/** Two nodes on one Postgres and one Redis. */
let redisServer: RedisServer
let redis: Redis
let server: TestServer
let other: ListeningNode
let ours: TestOrganization
let scope: TenantScope
beforeAll(async () => {
  redisServer = await RedisServer.start()
  redis = new Redis(redisServer.url)
  const env = { REDIS_URL: redisServer.url }
  server = await startTestServer(env)
  other = await startListeningNode(server.database.url, env)
  ours = await server.organization()
  scope = TenantScope.of(ours.id as OrganizationId)
})
afterAll(async () => {
  await other?.close()
  await server?.close()
  redis?.disconnect()
  await redisServer.stop()
})

/** An event with something of everything, in the memory of both nodes and in Redis. */
async function event() {
  const made = await oneOfEverything(server, ours)
  const eventId = made.event as EventId
  await other.node.lanes.read(scope, eventId)
  const url = `/api/admin/events/${eventId}/registry`
  const read = async () => (await server.request('GET', url, { token: ours.tokens.support })).body.data
  const reconcile = (key: string = randomUUID(), token = ours.tokens.organizer) =>
    server.request('POST', `${url}/reconcile`, { token, headers: { 'idempotency-key': key } })
  await waitUntil('all agree', async () => (await read()).status === 'ok')
  const view = {
    here: server.node.lanes.inMemory(scope, eventId)!,
    there: other.node.lanes.inMemory(scope, eventId)!,
  }
  return { made, eventId, url, read, reconcile, view, keys: eventKeys(scope, eventId) }
}

describe('the registry', () => {
  it('has Postgres, Redis and every node, each with its count, seq, epoch and age', async () => {
    const at = await event()
    const found = await at.read()
    const { seq } = at.view.here
    expect(found).toMatchObject({
      ...{ hot_count: 2, redis_count: 2, postgres_count: 2, consistent: true, status: 'ok' },
      seq: { hot: seq, redis: seq, postgres: seq },
      epoch: { hot: 1, redis: 1, postgres: 1 },
      standing: { hot: 'same', redis: 'same' },
      redis_copy: 'read',
    })
    expect(found.age_ms.hot).toBe(found.age_ms.postgres)
    expect(found.age_ms.redis).toBe(found.age_ms.postgres)
    expect(found.nodes).toHaveLength(2)
    for (const node of found.nodes) {
      expect(node).toMatchObject({ answered: true, seq, epoch: 1, count: 2, standing: 'same' })
    }
    // The answers of the nodes are deleted once they are read.
    expect(await server.database.sql('select from node_reports')).toEqual([])
  })

  const harms: Readonly<Record<string, [(at: Event) => unknown, object]>> = {
    'a seat in memory': [at => at.view.here.state.seatStatus.fill(3, 2, 3), { hot: 'different' }],
    'a counter in memory': [
      at => {
        at.view.here.state.zones[1]!.held += 1
      },
      { hot: 'different' },
    ],
    'a bit in Redis': [
      at => redis.call('BITFIELD', at.keys.seats, 'SET', 'u2', '#2', '2'),
      { redis: 'different' },
    ],
    'a counter in Redis': [at => redis.hincrby(at.keys.occupancy, 'held', 1), { redis: 'different' }],
    'when a hold runs out in Redis': [
      async at => {
        const [holdId] = await redis.zrange(at.keys.holds, '0', '0')
        await redis.zincrby(at.keys.holds, 5_000, holdId!)
      },
      { redis: 'different' },
    ],
    'the key of a seat in Redis': [
      at => redis.del(at.keys.seatHold(at.made.seat as SeatId)),
      { redis: 'different' },
    ],
    'the type of a key in Redis': [
      async at => {
        await redis.del(at.keys.holds)
        await redis.set(at.keys.holds, 'nothing of ours')
      },
      { redis: 'different' },
    ],
  }

  it('is not consistent when anything is another; a reconciliation mends it', async () => {
    const at = await event()
    for (const [name, [harm, found]] of Object.entries(harms)) {
      // The jobs of the two nodes may find it first, before either request: then it is done again.
      const done = await waitUntil(`${name} is found by a reconciliation`, async () => {
        await harm(at)
        const seen = await at.read()
        if (seen.consistent) return null
        expect(seen, name).toMatchObject({ consistent: false, status: 'stale', standing: found })
        const reply = await at.reconcile()
        return reply.body.data.before.consistent ? null : reply
      })
      expect(done.body.data, name).toMatchObject({ consistent: true, before: { consistent: false } })
      expect(done.body.data.after, name).toMatchObject({ standing: { hot: 'same', redis: 'same' } })
    }
    expect(await at.read()).toMatchObject({ consistent: true, status: 'ok' })
  })

  it('tells of another node that is wrong, and loads the event again there', async () => {
    const at = await event()
    const wrong = at.view.there.state
    wrong.seatStatus[2] = 3
    const found = await at.read()
    expect(found).toMatchObject({
      consistent: false,
      status: 'stale',
      standing: { hot: 'same', redis: 'same' },
    })
    expect(found.nodes.map((node: { standing: string }) => node.standing)).toEqual(['same', 'different'])
    const done = await at.reconcile()
    expect(done.body.data).toMatchObject({ consistent: true, memory_was_right: true })
    // Before the answer, not some time later.
    expect(at.view.there.state).not.toBe(wrong)
    expect(at.view.there.state.seatStatus[2]).toBe(0)
    // It may have called a Redis degraded that was late with one answer.
    await expect.poll(() => at.read()).toMatchObject({ consistent: true, status: 'ok' })
  })

  it('loads an event again once for all who ask meanwhile', async () => {
    const at = await event()
    const lane = server.node.lanes.lane(scope, at.eventId)
    const reloading = vi.spyOn(lane, 'reload')
    const all = await Promise.all(Array.from({ length: 8 }, () => at.reconcile()))
    expect(all.map(({ status }) => status)).toEqual(Array(8).fill(200))
    // One reload had begun when the others came, and one more serves all of them.
    expect(reloading.mock.calls.length).toBeLessThanOrEqual(2)
    reloading.mockRestore()
  })

  it('is not asked in a loop: an organization has twenty looks a minute, and another one its own', async () => {
    // Its clock stands still: a look that is allowed again after three seconds is not allowed again here.
    const clock = { ...systemClock, elapsed: () => 0 }
    const limited = await startListeningNode(server.database.url, { VOELGOED_LIMITS: 'on' }, { clock })
    const theirs = await server.organization()
    const look = async (token: string) => {
      const url = `${limited.url}/api/admin/events/${randomUUID()}/registry`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      return answer.status
    }
    const statuses: number[] = []
    for (let count = 0; count < 22; count += 1) statuses.push(await look(ours.tokens.support))
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(404))
    expect(statuses.at(-1)).toBe(429)
    expect(await look(theirs.tokens.support)).toBe(404)
    await limited.close()
  })

  it('compares while sales go on, each copy at the seq that it has', async () => {
    const at = await event()
    const token = ours.tokens.organizer
    const body = { seat_ids: [at.view.here.state.seats.seatIds.at(2)], reason: 'camera' }
    let isOver = false
    let changes = 0
    const changing = (async () => {
      for (; !isOver; changes += 1) {
        const verb = changes % 2 === 0 ? 'block' : 'unblock'
        await server.request('POST', `/api/admin/events/${at.eventId}/seats/${verb}`, { token, body })
      }
    })()
    for (let count = 0; count < 10 || changes < 5; count += 1) {
      const { standing, nodes } = await at.read()
      expect(standing.hot).toBe('same')
      expect(['same', null]).toContain(standing.redis)
      for (const node of nodes) expect(node.standing).toBe('same')
    }
    at.view.there.state.seatStatus[0] = 3
    const { nodes } = await at.read()
    expect(nodes.map((node: { standing: string }) => node.standing)).toEqual(['same', 'different'])
    isOver = true
    await changing
    expect(changes).toBeGreaterThan(4)
    await at.reconcile()
  })

  it('shows a node that does not answer as such, and does not wait for it without an end', async () => {
    const at = await event()
    const frozen = randomUUID()
    // It was there just now, however long the requests take: one that is silent for ten seconds is not asked.
    await server.database.sql(
      `insert into nodes (id, version, events_in_memory, bus, redis, seen_at)
       values ($1, '0', 1, 'postgres', 'off', now() + interval '1 hour')`,
      [frozen],
    )
    const found = await at.read()
    expect(found).toMatchObject({ consistent: true, status: 'degraded' })
    expect(found.nodes).toContainEqual({
      ...{ node_id: frozen, answered: false, seq: null, epoch: null, count: null, standing: null },
      age_ms: expect.any(Number),
    })
    await server.database.sql('delete from nodes where id = $1', [frozen])
  })

  it('says degraded and never fails without Redis', async () => {
    const at = await event()
    await redisServer.freeze()
    try {
      const found = await at.read()
      expect(found).toMatchObject({ consistent: true, status: 'degraded', redis_copy: 'unavailable' })
      expect((await at.reconcile()).status).toBe(200)
    } finally {
      redisServer.thaw()
    }
    await waitUntil('it is back', async () => (await at.read()).status === 'ok')
  })

  it('knows an event that was never on sale, and none of another organization', async () => {
    const at = await event()
    const stranger = await server.organization()
    const theirs = await server.request('GET', at.url, { token: stranger.tokens.admin })
    const never = await server.request('GET', `/api/admin/events/${randomUUID()}/registry`, {
      token: stranger.tokens.admin,
    })
    expect([theirs.status, theirs.body.code]).toEqual([404, 'event_not_found'])
    expect(theirs.body.code).toBe(never.body.code)
    expect((await at.reconcile(randomUUID(), stranger.tokens.admin)).status).toBe(404)
    const draft = await server.request('POST', '/api/admin/events', {
      token: ours.tokens.organizer,
      body: { name: 'Later', venue_id: at.made.venue, layout_id: at.made.layout },
    })
    const url = `/api/admin/events/${draft.body.data.id}/registry`
    expect((await server.request('GET', url, { token: ours.tokens.support })).body.data).toMatchObject({
      ...{ hot_count: null, redis_count: null, postgres_count: 0, consistent: true, status: 'ok' },
      epoch: { hot: null, redis: null, postgres: null },
    })
  })
})

type Event = Awaited<ReturnType<typeof event>>

describe('a reconciliation', () => {
  it('is audited once, and the same key gives the same answer', async () => {
    const at = await event()
    const entries = async () => {
      const url = `/api/admin/audit?action=registry_reconciled&entity_id=${at.eventId}`
      return (await server.request('GET', url, { token: ours.tokens.admin })).body.data
    }
    at.view.here.state.seatStatus[2] = 3
    const first = await at.reconcile('once')
    expect(first.body.data).toMatchObject({ memory_was_right: false, other_nodes_told: true })
    const again = await at.reconcile('once')
    expect(again.body).toEqual(first.body)
    expect(await entries()).toMatchObject([
      { changes: { status: ['stale', 'ok'], consistent: [false, true], memory_was_right: false } },
    ])
    expect((await at.reconcile('twice')).body.data.memory_was_right).toBe(true)
    expect(await entries()).toHaveLength(2)
    expect((await at.reconcile(randomUUID(), ours.tokens.support)).status).toBe(403)
  })
})
