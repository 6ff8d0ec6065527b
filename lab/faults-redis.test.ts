import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabPostgres, startLabPostgres } from './faults/lab-postgres.ts'
import { LabRedis } from './faults/lab-redis.ts'
import { runFaults } from './faults/run.ts'
import { WORKLOADS } from './faults/workloads.ts'

/** `npm run faults -- --redis`, as short as it can be; with `--mutants` it shows what it catches. */
describe('a short run of the fault test with Redis', () => {
  let postgres: LabPostgres
  let redis: LabRedis
  beforeAll(async () => {
    redis = await LabRedis.start('one')
    postgres = await startLabPostgres({ smallDisk: false })
  }, 120_000)
  afterAll(async () => {
    await postgres?.stop()
    await redis?.stop()
  }, 60_000)

  it('finds no violation while Redis loses its keys, is spoilt, cut off and late', async () => {
    const seed = 20
    const report = await runFaults({
      ...{ postgres, redis, seed, seconds: 5, nodes: 2, clients: 12, thinkMs: 100, gapMs: 100 },
      workloads: [WORKLOADS.groups, WORKLOADS.mixed],
      faults: ['redis-flush', 'redis-types', 'redis-jitter', 'redis-restore'],
      tidyWithinMs: 60_000,
      agreeWithinMs: 60_000,
      equalWithinMs: 60_000,
      verify: false,
      progress: () => {},
    })
    const { faults, reads } = report.history
    const { redis: figures } = report.check
    console.log(`seed ${seed}: ${reads.length} reads, ${faults.map(({ fault }) => fault).join(', ')}`)
    expect(report.findings.all).toEqual([])
    expect(faults.length).toBeGreaterThan(0)
    expect(figures!.fromRedis).toBeGreaterThan(0)
    expect(figures!.copies).toBeGreaterThan(0)
  }, 400_000)
})
