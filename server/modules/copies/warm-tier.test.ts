import { randomUUID } from 'node:crypto'
import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import { decide } from '@voelgoed/core/event/decide'
import { restoreState } from '@voelgoed/core/event/restore'
import { createState, type EventPlan } from '@voelgoed/core/event/state'
import { NOW, planOf, seatRules } from '@voelgoed/core/event/test/hall'
import { play } from '@voelgoed/core/event/test/play'
import { Scene } from '@voelgoed/core/event/test/scene'
import { history } from '@voelgoed/core/event/test/steps'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import type { CommittedFact } from '@voelgoed/engine/facts/fact'
import { CommittedView } from '@voelgoed/engine/view/committed-view'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { eventKeys } from '@voelgoed/kit/redis/keys'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { copyOf, readCopy } from '@voelgoed/testing/redis-copy'
import { seeded } from '@voelgoed/testing/seeded'
import { waitUntil } from '@voelgoed/testing/wait-until'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { WarmTier } from './warm-tier.ts'

patientRedis()

let server: RedisServer
let redis: Redis
const cleanUps: (() => void)[] = []
beforeAll(async () => {
  server = await RedisServer.start()
  redis = new Redis(server.url)
})
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

const log = pino({ level: 'silent' })
const scope = TenantScope.of(randomUUID() as OrganizationId)
const tipOf = (seq: number) => (seq === 0 ? null : (`command ${seq}` as CommandId))

/** One node with an event in memory, and its tier, whose looks happen when the test says so. */
class TestNode {
  readonly view: CommittedView
  readonly tier: WarmTier
  readonly connection: RedisConnection
  readonly doubted: object[] = []
  /** Postgres answers so when the tier asks if it has lost a point. */
  isLost: (node: TestNode) => boolean = () => false
  #look = () => {}

  constructor(plan: EventPlan, eventId: EventId, mostAPart: number) {
    const state = createState(plan)
    const seats = { map: state.seats, rows: [], numbers: [], prices: [] }
    const clockOffset = systemClock.now() - systemClock.elapsed()
    const terms = { zones: [], epoch: 1, lostUpTo: 0, eventRevision: 1, policyRevision: 1, clockOffset }
    this.view = new CommittedView({ scope, eventId }, { state, seats, tip: null, ...terms })
    this.connection = new RedisConnection([server.url], log, { halfOpenAfterMs: 100 })
    const time: Time = {
      now: () => systemClock.elapsed(),
      soon: run => void setImmediate(run),
      after: () => () => {},
      every: (_, run) => {
        this.#look = run
        return () => {}
      },
    }
    this.tier = new WarmTier({
      redis: this.connection,
      time,
      log,
      mostAPart,
      doubt: async (_, known) => {
        this.doubted.push(known)
        return this.isLost(this)
      },
      onWritten: () => {},
    })
    cleanUps.push(() => {
      this.tier.closed()
      this.connection.close()
    })
  }

  look(): void {
    this.#look()
  }

  hear(changes: readonly Change[], isOwn: boolean): void {
    const seq = changes.at(-1)!.seq
    const { eventId } = this.view
    const fact: CommittedFact = { kind: 'committed', scope, eventId, seq, tip: tipOf(seq)!, changes, isOwn }
    this.view.apply(fact)
    this.tier.heard(fact, this.view)
  }

  newEpoch(): void {
    const { terms, point, eventId } = this.view
    this.view.refresh({ ...terms, epoch: terms.epoch + 1 })
    this.tier.heard({ kind: 'start_again', scope, eventId, ...point }, this.view)
  }

  ready(): Promise<unknown> {
    return waitUntil('Redis is connected', () => this.connection.state === 'ok')
  }
}

async function converge(...nodes: TestNode[]): Promise<void> {
  const view = nodes[0]!.view
  let last: unknown
  await waitUntil('Redis has what the nodes know', async () => {
    for (const node of nodes) node.look()
    last = await readCopy(redis, view).catch(() => null)
    return JSON.stringify(sorted(last)) === JSON.stringify(sorted(copyOf(view)))
  }).catch(() => expect(last).toEqual(copyOf(view)))
  expect(last).toEqual(copyOf(view))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

/** Real histories, as far as the event is on sale, at the time of this run: Redis has a clock too. */
const changesOf = (steps: Parameters<typeof play>[0]): Change[] => {
  const { changes } = play(steps, planOf(), { decide, apply, restore: restoreState })
  const end = changes.findIndex(change => change.kind === 'event_changed' && isOver(change.status))
  const later = systemClock.now() - NOW + 60 * 60_000
  const moved = ['at', 'heldUntil', 'capUntil', 'saleStart', 'saleEnd']
  const text = JSON.stringify(end < 0 ? changes : changes.slice(0, end), (key, value) =>
    moved.includes(key) && typeof value === 'number' ? value + later : value,
  )
  return JSON.parse(text) as Change[]
}
const isOver = (status: string | undefined) =>
  status !== undefined && status !== 'published' && status !== 'live'

type Happening = 'own' | 'other' | 'hear' | 'look' | 'lose a key' | 'lose all' | 'wrong type' | 'old snapshot'
const happening = fc.constantFrom<Happening>(
  ...(['own', 'own', 'own', 'own', 'other', 'other', 'other', 'hear', 'hear', 'look', 'look'] as const),
  ...(['lose a key', 'lose all', 'wrong type', 'old snapshot'] as const),
)

it('a copy that was removed, and is there again because Redis was restored, is removed again', async () => {
  const scene = new Scene()
  scene.now = systemClock.now()
  scene.holdSeats('ann', [0, 1])
  const node = new TestNode(planOf(), randomUUID() as EventId, 5)
  const { eventId } = node.view
  await node.ready()
  node.hear(scene.changes, true)
  node.tier.loaded(node.view)
  await converge(node)
  const before = await dump(eventId)

  const known = scene.changes.length
  scene.changeEvent({ status: 'cancelled' })
  node.hear(scene.changes.slice(known), true)
  const hasCopy = async () => (await redis.exists(eventKeys(scope, eventId).occupancy)) === 1
  const isRemoved = async () => (await redis.keys(`*${eventId}*`)).length === 1
  // All of it: what is restored while holds are still being removed would be left in part.
  await waitUntil('it is removed', isRemoved)
  await redis.flushall()
  for (const [key, value] of before) await redis.restore(key, 0, value, 'REPLACE')
  expect(await hasCopy()).toBe(true)
  await waitUntil('it is removed again', async () => {
    node.look()
    return isRemoved()
  })
  expect(node.tier.behind.events).toBe(0)
})

it('a copy that is to be made again while it is made never lacks what has changed meanwhile', async () => {
  const scene = new Scene()
  scene.now = systemClock.now()
  scene.holdSeats('ann', [0, 1, 2])
  const node = new TestNode(planOf(), randomUUID() as EventId, 1)
  await node.ready()
  node.hear(scene.changes, true)
  node.tier.loaded(node.view)
  await converge(node)

  const write = node.connection.write.bind(node.connection)
  let parts = 0
  const ended: unknown[] = []
  vi.spyOn(node.connection, 'write').mockImplementation(async (script, ...words) => {
    if (script === 'put-event' && parts++ === 1) {
      const known = scene.changes.length
      scene.giveBack('ann', ['h1'])
      node.hear(scene.changes.slice(known), true)
      node.tier.makeAgain(node.view)
    }
    const reply = await write(script, ...words)
    const copy = await readCopy(redis, node.view)
    const isWhole = !JSON.stringify(copy).includes('writer')
    if (isWhole) ended.push(copy)
    return reply
  })
  node.tier.makeAgain(node.view)
  await waitUntil('it was made again', () => ended.length > 0)
  for (const copy of ended) expect(copy).toEqual(copyOf(node.view))
  await converge(node)
})

it('whatever two nodes write and Redis loses, it ends with what they know', async () => {
  const { seed } = seeded('two nodes and a Redis that loses')
  const cases = fc.sample(
    fc.tuple(history, fc.array(happening, { minLength: 20, maxLength: 60 }), fc.nat()),
    { seed, numRuns: Number(process.env.VOELGOED_RUNS ?? 25) },
  )
  for (const [steps, happenings, salt] of cases) {
    const changes = changesOf(steps)
    const eventId = randomUUID() as EventId
    const mostAPart = 1 + (salt % 5)
    const nodes = [
      new TestNode(planOf(), eventId, mostAPart),
      new TestNode(planOf(), eventId, mostAPart),
    ] as const
    for (const node of nodes) await node.ready()
    for (const node of nodes) node.tier.loaded(node.view)
    const keys = eventKeys(scope, eventId)
    const fixed = [keys.seq, keys.seats, keys.holds, keys.occupancy]
    let committed = 0
    let hasLost = false
    let snapshot: [string, Buffer][] | null = null
    const hearAll = (node: TestNode) => {
      const missed = changes.slice(node.view.seq, committed)
      if (missed.length > 0) node.hear(missed, false)
    }
    const commit = (node: TestNode) => {
      hearAll(node)
      const some = changes.slice(committed, committed + 1 + (salt % 4))
      if (some.length === 0) return
      committed += some.length
      node.hear(some, true)
    }
    for (const what of happenings) {
      if (what === 'own') commit(nodes[0])
      else if (what === 'other') commit(nodes[1])
      else if (what === 'hear') hearAll(nodes[salt % 2]!)
      else if (what === 'look') for (const node of nodes) node.look()
      else if (what === 'lose all') {
        snapshot = await dump(eventId)
        await redis.flushall()
      } else if (what === 'lose a key') {
        hasLost = true
        await redis.unlink(fixed[salt % 4]!)
      } else if (what === 'wrong type') {
        hasLost = true
        await redis
          .multi()
          .unlink(fixed[salt % 4]!)
          .rpush(fixed[salt % 4]!, 'not ours')
          .exec()
      } else if (snapshot) {
        hasLost = true
        // As a Redis that starts from its file: no write comes in between.
        const restored = redis.multi().flushall()
        for (const [key, bytes] of snapshot) restored.restore(key, 0, bytes, 'REPLACE')
        await restored.exec()
      }
      if (salt % 3 === 0) await new Promise(setImmediate)
      if (salt % 3 === 1) await redis.ping()
    }
    for (const node of nodes) hearAll(node)
    try {
      if (!hasLost) await converge(...nodes)
      else await convergeButForLeftovers(nodes)
    } catch (error) {
      console.error(JSON.stringify({ happenings, salt, changes: changes.length }))
      throw error
    }
  }
})

/** Keys of holds that a lost ZSET had listed go by themselves: each has its time. */
async function convergeButForLeftovers(nodes: readonly [TestNode, TestNode]): Promise<void> {
  const { view } = nodes[0]
  const due = copyOf(view)
  const withoutLeftovers = async () => {
    const copy = await readCopy(redis, view).catch(() => null)
    return copy && { ...copy, others: pick(copy.others, Object.keys(due.others)) }
  }
  await waitUntil('Redis has what the nodes know', async () => {
    for (const node of nodes) node.look()
    return JSON.stringify(sorted(await withoutLeftovers())) === JSON.stringify(sorted(due))
  }).catch(() => {})
  expect(await withoutLeftovers()).toEqual(due)
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap(name => (name in from ? [[name, from[name]]] : [])))
}

/** All keys of one moment. */
async function dump(eventId: EventId): Promise<[string, Buffer][]> {
  const script = `local all = {}
    for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
      all[#all + 1] = key
      all[#all + 1] = redis.call('DUMP', key)
    end
    return all`
  const all = (await redis.callBuffer('EVAL', script, 0, `*${eventId}*`)) as Buffer[]
  return all.flatMap((key, index) =>
    index % 2 === 0 ? [[key.toString(), all[index + 1]!] as const] : [],
  ) as [string, Buffer][]
}

/** None that makes the whole copy be written again at once. */
const someChanges = () =>
  fc
    .sample(history, { seed: 7, numRuns: 40 })
    .map(changesOf)
    .filter(changes => changes.every(({ kind }) => kind !== 'event_changed'))
    .sort((a, b) => b.length - a.length)[0]!

it('what another node committed is written when that node could not', async () => {
  const changes = someChanges()
  const node = new TestNode(planOf(), randomUUID() as EventId, 200)
  await node.ready()
  node.tier.loaded(node.view)
  await converge(node)
  // Redis may have the copy before the node hears that it has it; until then the node goes on writing.
  await waitUntil('the node has nothing to write', () => node.tier.behind.events === 0)
  node.hear(changes, false)
  expect(node.tier.behind.events).toBe(1)
  await redis.ping()
  expect((await readCopy(redis, node.view)).point.seq).toBe('0')
  await converge(node)
  expect(node.tier.behind).toEqual({ events: 0, forMs: 0 })
})

it('a policy that shows seats otherwise makes the copy again, with a fact and without one', async () => {
  const scene = new Scene()
  scene.now = systemClock.now()
  scene.holdSeats('ann', [0])
  const node = new TestNode(planOf({ policy: seatRules }), randomUUID() as EventId, 200)
  await node.ready()
  node.tier.loaded(node.view)
  await converge(node)
  const isDone = () => node.tier.behind.events === 0
  await waitUntil('the node has nothing to write', isDone)
  const { rebuilt } = node.tier.counts
  const enforce = (enforce_accessibility_rules: boolean) => {
    const { terms } = node.view
    const policy = { ...seatRules, enforce_accessibility_rules }
    node.view.refresh({ ...terms, policy, policyRevision: terms.policyRevision + 1 })
  }
  const shown = JSON.stringify(copyOf(node.view))
  // The organization's policy changes without a fact.
  enforce(false)
  expect(JSON.stringify(copyOf(node.view))).not.toBe(shown)
  await converge(node)
  await waitUntil('the node has nothing to write', isDone)
  // No change of an event names the policy: it comes with what the node has read.
  enforce(true)
  node.hear(scene.changes, true)
  await waitUntil('the copy is made again', () => node.tier.counts.rebuilt === rebuilt + 2)
  await converge(node)
})

it('a node that loads an event makes the copy again that was made under another policy, at the same seq', async () => {
  const eventId = randomUUID() as EventId
  const before = new TestNode(planOf({ policy: seatRules }), eventId, 200)
  await before.ready()
  before.tier.loaded(before.view)
  await converge(before)
  before.tier.closed()
  const policy = { ...seatRules, enforce_accessibility_rules: false }
  const after = new TestNode(planOf({ policy }), eventId, 200)
  const { terms } = after.view
  after.view.refresh({ ...terms, policy, policyRevision: terms.policyRevision + 1 })
  expect(JSON.stringify(copyOf(after.view))).not.toBe(JSON.stringify(copyOf(before.view)))
  await after.ready()
  after.tier.loaded(after.view)
  await converge(after)
  // A copy that was made under the same policy is as good as its own.
  const { rebuilt } = after.tier.counts
  after.look()
  after.look()
  await waitUntil('the node has nothing to write', () => after.tier.behind.events === 0)
  expect([rebuilt, after.tier.counts.rebuilt]).toEqual([1, 1])
})

it('when Redis has lost everything, one look is enough to make all copies again', async () => {
  const node = new TestNode(planOf(), randomUUID() as EventId, 200)
  await node.ready()
  const views = Array.from({ length: 12 }, () => {
    return new TestNode(planOf(), randomUUID() as EventId, 200).view
  })
  for (const view of views) node.tier.loaded(view)
  const areThere = (what: string) =>
    waitUntil(what, async () => {
      const copies = await Promise.all(views.map(view => readCopy(redis, view)))
      return copies.every(({ point }) => point.seq === '0' && point.writer === undefined)
    })
  await areThere('all copies were made')
  await redis.flushall()
  // Every second look is also at what has nothing to write.
  node.look()
  node.look()
  await areThere('all copies are there again')
})

it('a copy that is ahead is doubted; what was lost is written over in a new epoch', async () => {
  const node = new TestNode(planOf(), randomUUID() as EventId, 200)
  await node.ready()
  node.tier.loaded(node.view)
  await converge(node)
  const { seq } = eventKeys(scope, node.view.eventId)
  await redis.hset(seq, 'seq', '5', 'tip', 'lost')
  node.isLost = () => {
    node.newEpoch()
    return true
  }
  await converge(node)
  expect(node.doubted).toContainEqual({ epoch: 1, seq: 5, tip: 'lost' })
  expect(await redis.hget(seq, 'epoch')).toBe('2')
})

it('a copy that is found at the start is compared with Postgres before it is written over', async () => {
  const eventId = randomUUID() as EventId
  const first = new TestNode(planOf(), eventId, 200)
  await first.ready()
  first.tier.loaded(first.view)
  await converge(first)
  first.tier.closed()
  const second = new TestNode(planOf(), eventId, 200)
  await second.ready()
  second.hear(someChanges(), true)
  second.tier.loaded(second.view)
  await converge(second)
  expect(second.doubted).toEqual([{ epoch: 1, seq: 0, tip: null }])
})

it('too much for a Redis that does not answer is dropped, and written again when it is back', async () => {
  const node = new TestNode(planOf(), randomUUID() as EventId, 200)
  await node.ready()
  node.tier.loaded(node.view)
  await converge(node)
  server.freeze()
  try {
    for (let tries = 0; tries < 5; tries += 1) await node.connection.range('x', 0, 1).catch(() => {})
    expect(node.connection.state).toBe('degraded')
    const holds = { kind: 'seat_hold_extended', seq: 1, at: systemClock.now(), ordinal: null, zoneIndex: 2 }
    const many = Array.from({ length: 20_001 }, (_, index) => ({ ...holds, holdId: `hold ${index}` }))
    const fact = {
      kind: 'committed',
      scope,
      eventId: node.view.eventId,
      seq: 1,
      tip: null,
      isOwn: true,
    } as const
    node.tier.heard({ ...fact, changes: many as never }, node.view)
    expect(node.tier.counts.dropped).toBe(1)
  } finally {
    server.thaw()
  }
  await waitUntil('it is written again', () => {
    node.look()
    return node.tier.counts.rebuilt === 2
  })
  await converge(node)
})
