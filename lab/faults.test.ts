import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { QUICK_TIMES } from './crowd/checkout/quick-times.ts'
import { WORKLOADS } from './crowd/workloads.ts'
import type { History } from './judge/history.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { tryOut } from './mutants/run-mutants.ts'
import { buildCopy, type Scratch } from './mutants/scratch.ts'
import { type LabPostgres, startLabPostgres } from './nemesis/lab-postgres.ts'
import { LabRedis } from './nemesis/lab-redis.ts'
import { runFaults } from './nemesis/run.ts'

/** `npm run faults`, as short as it can be: the quickest faults, and a crowd that a slow machine can bear. */
describe('a short run of the fault test', () => {
  let postgres: LabPostgres
  let redis: LabRedis
  let copy: Scratch
  beforeAll(async () => {
    redis = await LabRedis.start('one')
    ;[postgres, copy] = await Promise.all([startLabPostgres({ smallDisk: false }), buildCopy(QUICK_TIMES)])
  })
  afterAll(async () => {
    await postgres?.stop()
    await redis?.stop()
    await copy?.remove()
  })

  it('finds no violation while nodes, Postgres and Redis are harmed, and the books balance', async () => {
    const seed = 20
    const report = await runFaults({
      ...{ postgres, redis, root: copy.root, seed, seconds: 4, nodes: 2, clients: 12, thinkMs: 100 },
      workloads: [WORKLOADS.stampede, WORKLOADS.groups, WORKLOADS.mixed],
      checkouts: { count: 60, buyers: 16, events: 3, settledWithinMs: WITHIN_MS },
      faults: ['kill', 'cut-after-commit', 'cut-before-commit', 'jitter', 'redis-flush', 'redis-restore'],
      ...{ strikes: 4, gapMs: 200, isEnough: isEnoughToJudge },
      ...{ tidyWithinMs: WITHIN_MS, agreeWithinMs: WITHIN_MS, equalWithinMs: WITHIN_MS, verify: false },
      progress: () => {},
    })
    const { operations, faults } = report.history
    const { check, sales } = report
    console.log(
      `seed ${seed}: ${operations.length} operations, ${faults.map(({ fault }) => fault).join(', ')};`,
      [...sales!.ways.ways].map(([way, count]) => `${way} ${count}`).join(', '),
    )
    expect(report.findings.all).toEqual([])
    expect(faults.length).toBeGreaterThanOrEqual(4)
    expect(operations.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(20)
    expect(check.entries).toBeGreaterThan(20)
    expect(check.messages).toBeGreaterThan(0)
    expect(check.windows.checked).toBeGreaterThan(0)
    expect(check.redis!.fromRedis).toBeGreaterThan(0)
    expect(check.redis!.copies).toBeGreaterThan(0)
    expect(sales!.ways.checkouts).toBeGreaterThanOrEqual(60)
    expect(sales!.ways.tickets).toBeGreaterThan(0)
    expect(sales!.ways.captured).toBeGreaterThan(sales!.ways.givenBack)
  })

  it('catches a planted bug: of several seats those are held that are free', async () => {
    const { name, patches } = MUTANTS.find(mutant => mutant.name === 'part of a group')!
    const planted = { name, patches, scenario: 'groups' } as const
    const { caughtBy } = await tryOut({ postgres, redis: null, seed: 1 }, planted, 3)
    expect(caughtBy).toBe('18: a command takes effect as a whole')
  })
})

/** There is of everything what is looked at below, however slow the machine is. */
function isEnoughToJudge({ operations, feed, reads, copies, heard }: History): boolean {
  const isSold = new Set(heard.flatMap(({ order, orderStatus }) => (orderStatus === 'paid' ? [order] : [])))
  const kept = new Set(
    heard.flatMap(({ order, total = 0 }) => (total > 0 && isSold.has(order) ? [order] : [])),
  )
  for (const { kind, order } of heard) if (kind === 'refund') kept.delete(order)
  const held = operations.flatMap(({ outcome, answer }) => (outcome === 'ok' ? (answer.holds ?? []) : []))
  return (
    new Set(held.map(({ id }) => id)).size > 20 &&
    operations.filter(({ outcome }) => outcome === 'ok').length > 20 &&
    kept.size > 2 &&
    feed.length > 0 &&
    copies.length > 0 &&
    reads.some(({ tier }) => tier === 'redis')
  )
}
