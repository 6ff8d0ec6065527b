import { randomUUID } from 'node:crypto'
import { decide } from '@voelgoed/core/event/decide'
import { createState } from '@voelgoed/core/event/state'
import { openPolicy, planOf } from '@voelgoed/core/event/test/hall'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RedisServer } from '../../lab/redis/server.ts'
import { CommittedView } from '../src/lane/committed-view.ts'
import type { GatePass } from '../src/lane/gate.ts'
import { RedisConnection } from '../src/redis/connection.ts'
import { eventKeys } from '../src/redis/keys.ts'
import { TenantScope } from '../src/tenant.ts'
import type { Time } from '../src/time.ts'
import { RedisGate } from '../src/warm/gate.ts'
import { holdSeat } from './kit/deaf-lane.ts'
import { waitUntil } from './kit/wait-until.ts'

let server: RedisServer
let redis: Redis
const cleanUps: (() => unknown)[] = []
beforeAll(async () => {
  server = await RedisServer.start()
  redis = new Redis(server.url)
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

const scope = TenantScope.of(randomUUID() as OrganizationId)
const [ANNA, BERT] = [randomUUID(), randomUUID()]

interface TestGate {
  readonly gate: RedisGate
  readonly view: CommittedView
  readonly said: string[]
  /** The timers of the gate that are due by then. */
  later(): void
  enter(...wishes: readonly (readonly [string, ...number[]])[]): Promise<GatePass | null>
}

/** A node's gate, with the event in its memory. */
async function newGate(eventId: EventId, url = server.url): Promise<TestGate> {
  const said: string[] = []
  const log = pino({ level: 'info' }, { write: line => void said.push(JSON.parse(line).msg) })
  const connection = new RedisConnection([url], log, { halfOpenAfterMs: 50 })
  cleanUps.push(() => connection.close())
  await waitUntil('Redis is connected', () => connection.state === 'ok')
  const state = createState(planOf({ policy: openPolicy }))
  const clockOffset = Date.now() - performance.now()
  const terms = { zones: [], epoch: 1, lostUpTo: 0, eventRevision: 1, policyRevision: 1, clockOffset }
  const seats = { map: state.seats, rows: [], numbers: [], prices: [] }
  const view = new CommittedView({ scope, eventId }, { state, seats, tip: null, ...terms })
  const timers: (() => void)[] = []
  const time: Time = {
    now: () => performance.now(),
    soon: run => void setImmediate(run),
    after: (_, run) => {
      timers.push(run)
      return () => {}
    },
    every: () => () => {},
  }
  const gate = new RedisGate({ redis: connection, time, log, onLook: () => {} })
  return {
    gate,
    view,
    said,
    later: () => {
      for (const run of timers.splice(0)) run()
    },
    enter: (...wishes) => gate.enter({ scope, eventId, view, heardSeq: view.seq }, wishes.map(asCommand)),
  }
}

function asCommand([user, ...ordinals]: readonly [string, ...number[]]) {
  return { ...holdSeat(user, ordinals[0]!), ordinals, holdIds: ordinals.map(() => randomUUID() as never) }
}

const newEvent = () => randomUUID() as EventId
const writingOf = (eventId: EventId) => eventKeys(scope, eventId).writing
const marksOf = async (eventId: EventId) => Object.keys(await redis.hgetall(writingOf(eventId))).sort()

/** As if the mark of a seat were older. Returns how long it would have counted, in ms. */
async function runOut(eventId: EventId, ordinal: number): Promise<number> {
  const mark = (await redis.hget(writingOf(eventId), String(ordinal)))!
  const [seconds = 0] = (await redis.time()).map(Number)
  await redis.hset(writingOf(eventId), ordinal, mark.replace(/ \d+$/, ` ${seconds * 1_000 - 1}`))
  return Number(mark.split(' ').at(-1)) - seconds * 1_000
}

/** What the view of a node has after another buyer took the seat. */
function take(view: CommittedView, user: string, ordinal: number): void {
  const outcome = decide(view.state, holdSeat(user, ordinal), Date.now())
  if (!outcome.ok) throw new Error(outcome.problem.kind)
  const { changes } = outcome.value
  const seq = changes.at(-1)!.seq
  const tip = randomUUID() as CommandId
  view.apply({ kind: 'committed', scope, eventId: view.eventId, seq, tip, changes, isOwn: false })
}

/** The copy of the event, as far as the gate reads it. */
async function copy(eventId: EventId, point: { epoch: number; seq: number }, held: number): Promise<void> {
  const { seq, seats } = eventKeys(scope, eventId)
  await redis.hset(seq, { ...point, tip: 'x' })
  await redis.bitfield(seats, 'SET', 'u2', `#${held}`, 1)
}

describe('a seat that another node is writing', () => {
  it('is refused to other buyers, until the batch is over', async () => {
    const eventId = newEvent()
    const [one, other] = [await newGate(eventId), await newGate(eventId)]
    const pass = await one.enter([ANNA, 0], [BERT, 1])
    expect(pass!.refusals.size).toBe(0)
    const refused = await other.enter([BERT, 0], [BERT, 2], [ANNA, 3, 1])
    expect([...refused!.refusals]).toEqual([
      [0, { kind: 'seat_held_by_another_user', seatIds: ['seat-0'], expiresIn: 1 }],
      [2, { kind: 'seat_held_by_another_user', seatIds: ['seat-1'], expiresIn: 1 }],
    ])
    expect(other.gate.counts).toMatchObject({ writing: 2, passedOpen: 0 })
    // Nor is the seat marked that the refused buyer wanted besides.
    expect(await marksOf(eventId)).toEqual(['0', '1', '2'])
    pass!.leave()
    await waitUntil('the marks are gone', async () => (await marksOf(eventId)).join() === '2')
    expect((await other.enter([BERT, 0]))!.refusals.size).toBe(0)
  })

  it('passes for the buyer for whom it is written: only Postgres knows what became of that', async () => {
    const eventId = newEvent()
    const [one, other] = [await newGate(eventId), await newGate(eventId)]
    await one.enter([ANNA, 0])
    expect((await other.enter([ANNA, 0]))!.refusals.size).toBe(0)
    // The mark is still the first node's.
    const pass = await other.enter([BERT, 0])
    expect(pass!.refusals.size).toBe(1)
  })

  it('passes on the same node, where batches come one after another', async () => {
    const one = await newGate(newEvent())
    await one.enter([ANNA, 0])
    expect((await one.enter([BERT, 0]))!.refusals.size).toBe(0)
  })

  it('is free again after five seconds, if its node never said that the batch is over', async () => {
    const eventId = newEvent()
    const [one, other] = [await newGate(eventId), await newGate(eventId)]
    await one.enter([ANNA, 0])
    expect((await other.enter([BERT, 0]))!.refusals.size).toBe(1)
    expect(await redis.pttl(writingOf(eventId))).toBeLessThanOrEqual(5_000)
    expect(await runOut(eventId, 0)).toBeLessThanOrEqual(6_000)
    expect((await other.enter([BERT, 0]))!.refusals.size).toBe(0)
  })

  it('is refused for the reason that memory has, if there is one', async () => {
    const eventId = newEvent()
    const [one, other] = [await newGate(eventId), await newGate(eventId)]
    // Seat 6 is for members.
    await one.enter([ANNA, 6])
    expect((await other.enter([BERT, 6]))!.refusals.size).toBe(0)
  })

  it('of another organization or another event is another seat', async () => {
    const one = await newGate(newEvent())
    await one.enter([ANNA, 0])
    const other = await newGate(newEvent())
    expect((await other.enter([BERT, 0]))!.refusals.size).toBe(0)
  })
})

it('a batch never removes the mark of another', async () => {
  const eventId = newEvent()
  const [one, other, third] = [await newGate(eventId), await newGate(eventId), await newGate(eventId)]
  const slow = await one.enter([ANNA, 0])
  await runOut(eventId, 0)
  expect((await other.enter([BERT, 0]))!.refusals.size).toBe(0)
  slow!.leave()
  // The next batch of that node would remove them.
  await one.enter([ANNA, 5])
  expect((await third.enter([ANNA, 0]))!.refusals.size).toBe(1)
})

it('there is one script for each batch, which removes the marks of the one before', async () => {
  const eventId = newEvent()
  const one = await newGate(eventId)
  const scripts = async () =>
    Number((await redis.info('commandstats')).match(/cmdstat_evalsha:calls=(\d+)/)?.[1])
  await (await one.enter([ANNA, 0]))!.leave()
  await waitUntil('the marks are gone', async () => (await marksOf(eventId)).length === 0)
  const before = await scripts()
  for (let batch = 0; batch < 10; batch += 1) {
    const wishes = Array.from({ length: 6 }, (_, ordinal) => [ANNA, ordinal] as const)
    const pass = await one.enter(...wishes)
    if (batch < 9) pass!.leave()
  }
  expect((await scripts()) - before).toBe(10)
  expect(await one.enter()).toBeNull()
})

describe('a seat that is held by the word of Redis', () => {
  it('is refused if memory says so too, whose hold it is', async () => {
    const eventId = newEvent()
    const node = await newGate(eventId)
    await copy(eventId, { epoch: 1, seq: 1 }, 0)
    // Not in memory: it may be this buyer's.
    expect((await node.enter([BERT, 0]))!.refusals.size).toBe(0)
    take(node.view, ANNA, 0)
    expect((await node.enter([ANNA, 0]))!.refusals.size).toBe(0)
    const pass = await node.enter([BERT, 0])
    expect(pass!.refusals.get(0)).toEqual({
      ...{ kind: 'seat_held_by_another_user', seatIds: ['seat-0'], expiresIn: 1 },
    })
    expect(node.gate.counts.held).toBe(1)
  })

  it.each([
    ['older than what this node has heard of', { epoch: 1, seq: 0 }, {}],
    ['of another epoch', { epoch: 2, seq: 1 }, {}],
    ['being written', { epoch: 1, seq: 1 }, { writer: 'x' }],
  ])('is not, if the copy is %s', async (_, point, more) => {
    const eventId = newEvent()
    const node = await newGate(eventId)
    await copy(eventId, { ...point, ...more }, 0)
    take(node.view, ANNA, 0)
    expect((await node.enter([BERT, 0]))!.refusals.size).toBe(0)
  })
})

describe('whatever goes wrong, the batch goes on', () => {
  async function expectOpen(node: TestGate): Promise<void> {
    const startedAt = performance.now()
    const pass = await node.enter([BERT, 0])
    expect(pass!.refusals.size).toBe(0)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    pass!.leave()
  }
  /** A Redis of its own, with a mark of another node on seat 0. */
  async function marked(): Promise<{ own: RedisServer; node: TestGate }> {
    const own = await RedisServer.start()
    cleanUps.push(() => own.stop())
    const eventId = newEvent()
    const [one, node] = [await newGate(eventId, own.url), await newGate(eventId, own.url)]
    await one.enter([ANNA, 0])
    expect((await node.enter([BERT, 0]))!.refusals.size).toBe(1)
    return { own, node }
  }

  it('Redis is killed, and comes back', async () => {
    const { own, node } = await marked()
    await own.kill()
    await expectOpen(node)
    expect(node.gate.counts.passedOpen).toBe(1)
    expect(node.said).toContain('the gate lets everything pass')
    await own.restart()
    await waitUntil('the gate works again', async () => {
      await node.enter([BERT, 1])
      return node.said.includes('the gate works again')
    })
  })

  it('Redis is frozen', async () => {
    const { own, node } = await marked()
    own.freeze()
    cleanUps.unshift(() => own.thaw())
    await expectOpen(node)
    expect(node.gate.counts.passedOpen).toBe(1)
  })

  it('Redis takes no writes', async () => {
    const { own, node } = await marked()
    await own.command('REPLICAOF', '127.0.0.1', '1')
    const pass = await node.enter([BERT, 0], [BERT, 1])
    expect(pass!.refusals.size).toBe(0)
    expect(node.gate.counts.passedOpen).toBe(1)
  })

  it('Redis is out of memory', async () => {
    const { own, node } = await marked()
    await own.command('CONFIG', 'SET', 'maxmemory', '1')
    const pass = await node.enter([BERT, 1])
    expect(pass!.refusals.size).toBe(0)
    expect(node.gate.counts.passedOpen).toBe(1)
  })

  it('something else is under its keys', async () => {
    const { own, node } = await marked()
    const { writing, seq, seats } = eventKeys(scope, node.view.eventId)
    for (const key of [writing, seq, seats]) {
      await own.command('DEL', key)
      await own.command('RPUSH', key, 'not ours')
    }
    expect((await node.enter([BERT, 0]))!.refusals.size).toBe(0)
    // The marks are in order again, the copy is for others to mend.
    expect(node.gate.counts.passedOpen).toBe(0)
    expect(String(await own.command('TYPE', writing))).toContain('hash')
  })

  it.each([
    ['nothing', null],
    ['too little', []],
    ['a word', ['OK']],
    ['half of a seat', [['0']]],
    ['a seat that was not asked for', [['7', 'writing']]],
    ['a reason that there is not', [['0', 'sold']]],
  ])('the answer is %s', async (_, reply) => {
    const node = await newGate(newEvent())
    const log = pino({ level: 'silent' })
    const stub = { read: async () => reply }
    const gate = new RedisGate({ redis: stub, time: stubTime, log, onLook: () => {} })
    const { view } = node
    const pass = await gate.enter({ scope, eventId: view.eventId, view, heardSeq: 0 }, [holdSeat(BERT, 0)])
    expect(pass!.refusals.size).toBe(0)
    expect(gate.counts.passedOpen).toBe(1)
  })
})

it('counts the refusals of seats that were free', async () => {
  const eventId = newEvent()
  const [one, other] = [await newGate(eventId), await newGate(eventId)]
  await one.enter([ANNA, 0, 1])
  await other.enter([BERT, 0], [BERT, 1])
  // The other node got one of the two seats for its buyer.
  take(other.view, ANNA, 1)
  other.later()
  expect(other.gate.counts).toMatchObject({ lookedBack: 2, premature: 1 })
})

const stubTime: Time = { now: () => 0, soon: () => {}, after: () => () => {}, every: () => () => {} }
