import { RedisBus } from '@voelgoed/engine/bus/redis-bus'
import { Lanes } from '@voelgoed/engine/lane/lanes'
import { JournalFollower } from '@voelgoed/engine/postgres/journal-follower'
import { Reaper } from '@voelgoed/engine/reaper/reaper'
import { systemClock } from '@voelgoed/kit/base/clock'
import { OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import { OpenStreams } from '@voelgoed/kit/http/open-streams'
import { SessionLimitsOfAll } from '@voelgoed/kit/http/session-limits'
import { DatabaseClock } from '@voelgoed/kit/postgres/database-clock'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { WorkerQueue } from '@voelgoed/kit/threads/worker-queue'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { PATIENT } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { parseConfig } from '../config.ts'
import { CancelledEvents } from '../modules/checkout/cancelled-events.ts'
import { RefundRuns } from '../modules/checkout/jobs/refund-runs.ts'
import { PaymentWork } from '../modules/checkout/payment-work.ts'
import { MendCopies } from '../modules/copies/mend-copies.ts'
import { WarmTier } from '../modules/copies/warm-tier.ts'
import { RefusedAttempts } from '../modules/history/refused-attempts.ts'
import { LiveFeed } from '../modules/live/feed.ts'
import { Snapshots } from '../modules/live/snapshots.ts'
import { MailSender } from '../modules/mail/mail-sender.ts'
import { Heartbeat } from '../modules/operations/heartbeat.ts'
import { Sweeper } from '../modules/operations/sweep.ts'
import { DailyVerify } from '../modules/operations/verify-daily.ts'
import { WebhookSender } from '../modules/payments/fake-bank/webhook-sender.ts'
import { TakeSnapshots } from '../modules/reports/take-snapshots.ts'
import { LastUses } from '../modules/sign-in/last-uses.ts'
import { type Node, startNode } from '../node.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** Classes with a `start` and a `stop`. */
const JOBS = {
  bus: RedisBus,
  'cancelled events': CancelledEvents,
  heartbeat: Heartbeat,
  'journal follower': JournalFollower,
  'mail sender': MailSender,
  'mend copies': MendCopies,
  'payment work': PaymentWork,
  reaper: Reaper,
  'refund runs': RefundRuns,
  'simulated webhooks': WebhookSender,
  'occupancy snapshots': TakeSnapshots,
  sweep: Sweeper,
  verify: DailyVerify,
}

const CLOSED = {
  'live feed': LiveFeed,
  'open streams': OpenStreams,
  lanes: Lanes,
  'limits of all nodes': SessionLimitsOfAll,
  redis: RedisConnection,
  'encoded seats': Snapshots,
  threads: WorkerQueue,
}

/**
 * The names of what began, in stages: a stage holds what began together, and the next one has waited for all
 * of it.
 */
class Stages {
  readonly #stages: Set<string>[] = []
  #open = 0

  // biome-ignore lint/suspicious/noExplicitAny: it wraps methods of any class
  watch(owner: any, method: string, name: string): void {
    const original = owner[method]
    const stages = this
    vi.spyOn(owner, method).mockImplementation(function (this: unknown, ...given: unknown[]) {
      const ended = stages.#began(name)
      const result = original.apply(this, given)
      void Promise.resolve(result).then(ended, ended)
      return result
    })
  }

  #began(name: string): () => void {
    if (this.#open === 0) this.#stages.push(new Set())
    this.#open += 1
    this.#stages.at(-1)!.add(name)
    return () => {
      this.#open -= 1
    }
  }

  /** In each stage in the order of the alphabet: what begins together has no order. */
  take(): string[][] {
    return this.#stages.splice(0).map(names => [...names].sort())
  }

  /** In the order in which they began. */
  get all(): readonly string[] {
    return this.#stages.flatMap(names => [...names])
  }
}

/** A worker of several, with a Redis that is out of reach: it has all there is to start and to stop. */
function startWorker(): Promise<Node> {
  const config = parseConfig({
    PORT: '0',
    REDIS_URL: 'redis://127.0.0.1:1',
    VOELGOED_WORKERS: '1',
    ...PATIENT,
    VOELGOED_PAYMENTS: 'simulator',
  })
  return startNode(config, database.url, {
    log: pino({ level: 'silent' }),
    clock: systemClock,
    worker: {
      number: 1,
      count: 1,
      addressLimits: new OwnAddressLimits(systemClock),
      readMetrics: async () => null,
    },
  })
}

it('a node starts what each node does, and the jobs of the machine when it is told to', async () => {
  const stages = new Stages()
  for (const [name, { prototype }] of Object.entries(JOBS)) stages.watch(prototype, 'start', name)
  const node = await startWorker()
  expect(stages.all[0]).toBe('bus')
  expect(stages.take()).toEqual([
    [
      'bus',
      'cancelled events',
      'heartbeat',
      'journal follower',
      'mend copies',
      'occupancy snapshots',
      'reaper',
      'verify',
    ],
  ])
  const ofTheMachine = [
    ['journal follower', 'mail sender', 'payment work', 'refund runs', 'simulated webhooks', 'sweep'],
  ]
  node.takeJobs()
  expect(stages.take()).toEqual(ofTheMachine)
  node.takeJobs()
  expect(stages.take()).toEqual([])
  await node.drain()
  node.takeJobs()
  expect(stages.take()).toEqual([])
})

it('a node stops in stages: readers, requests, what commands events, the lanes, the rest, Postgres', async () => {
  const node = await startWorker()
  node.takeJobs()
  await node.listen()
  const stages = new Stages()
  for (const [name, { prototype }] of Object.entries(JOBS)) stages.watch(prototype, 'stop', name)
  for (const [name, { prototype }] of Object.entries(CLOSED)) stages.watch(prototype, 'close', name)
  stages.watch(node.app.fastify, 'close', 'requests')
  stages.watch(WarmTier.prototype, 'closed', 'copies in Redis')
  stages.watch(DatabaseClock.prototype, 'stop', 'clock of the database')
  stages.watch(RefusedAttempts.prototype, 'flush', 'refused attempts')
  stages.watch(LastUses.prototype, 'flush', 'last uses')
  stages.watch(Lanes.prototype, 'quiet', 'quiet lanes')
  stages.watch(node.database, 'close', 'database')
  await node.drain()
  const { all } = stages
  expect(all.indexOf('lanes')).toBeLessThan(all.indexOf('bus'))
  expect(stages.take()).toEqual([
    ['live feed', 'open streams'],
    ['requests'],
    ['cancelled events', 'clock of the database', 'heartbeat', 'mend copies', 'reaper', 'refund runs'],
    ['refused attempts'],
    ['last uses'],
    ['bus', 'copies in Redis', 'lanes', 'limits of all nodes'],
    [
      'encoded seats',
      'journal follower',
      'mail sender',
      'occupancy snapshots',
      'payment work',
      'redis',
      'simulated webhooks',
      'sweep',
      'threads',
      'verify',
    ],
    ['quiet lanes'],
    ['database'],
  ])
})
