import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabPostgres, startLabPostgres } from './faults/lab-postgres.ts'
import { runFaults } from './faults/run.ts'
import { WORKLOADS } from './faults/workloads.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { tryOut } from './mutants/run-mutants.ts'

/** `npm run faults`, as short as it can be: the quickest faults, and a crowd that a slow machine can bear. */
describe('a short run of the fault test', () => {
  let postgres: LabPostgres
  beforeAll(async () => {
    postgres = await startLabPostgres({ smallDisk: false })
  }, 120_000)
  afterAll(() => postgres?.stop(), 60_000)

  it('finds no violation while commits are cut off, backends terminated and nodes made to meet', async () => {
    const seed = 20
    const report = await runFaults({
      postgres,
      seed,
      seconds: 6,
      workloads: [WORKLOADS.stampede, WORKLOADS.ga, WORKLOADS.mixed],
      faults: ['cut-after-commit', 'cut-before-commit', 'terminate', 'jitter'],
      nodes: 2,
      clients: 15,
      thinkMs: 100,
      gapMs: 300,
      tidyWithinMs: 60_000,
      agreeWithinMs: 60_000,
      verify: false,
      progress: () => {},
    })
    const { operations, faults } = report.history
    console.log(
      `seed ${seed}: ${operations.length} operations, ${faults.map(({ fault }) => fault).join(', ')}`,
    )
    expect(report.findings.all).toEqual([])
    expect(faults.length).toBeGreaterThan(0)
    expect(operations.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(20)
    expect(report.check.entries).toBeGreaterThan(20)
    expect(report.check.messages).toBeGreaterThan(0)
    expect(report.check.windows.checked).toBeGreaterThan(0)
  }, 180_000)

  it('catches a planted bug: of several seats those are held that are free', async () => {
    const { name, patches } = MUTANTS.find(mutant => mutant.name === 'part of a group')!
    const { caughtBy } = await tryOut(
      { postgres, redis: null, seed: 1 },
      { name, patches, scenario: 'groups' },
      3,
    )
    expect(caughtBy).toBe('18: a command takes effect as a whole')
  }, 240_000)
})
