import { afterAll, beforeAll, expect, it } from 'vitest'
import { quickCopy } from './faults/checkout/copy.ts'
import { runCheckouts } from './faults/checkout/run.ts'
import { type LabPostgres, startLabPostgres } from './faults/lab-postgres.ts'
import type { Scratch } from './mutants/scratch.ts'

let postgres: LabPostgres
let copy: Scratch
beforeAll(async () => {
  ;[postgres, copy] = await Promise.all([startLabPostgres({ smallDisk: false }), quickCopy()])
}, 120_000)
afterAll(async () => {
  await postgres?.stop()
  await copy?.remove()
}, 60_000)

/** `npm run faults -- checkout`, as short as it can be. */
it('the books balance while a node is killed and Postgres restarted', async () => {
  const seed = 13
  const report = await runCheckouts({
    ...{ postgres, seed, checkouts: 80, nodes: 2, buyers: 24, events: 3, root: copy.root },
    ...{
      faults: ['kill', 'restart-postgres'],
      strikes: 2,
      gapMs: 200,
      quietWithinMs: 120_000,
      verify: false,
    },
    progress: () => {},
  })
  const { ways, log, findings, events } = report
  console.log(
    `seed ${seed}: ${ways.checkouts} checkouts of ${events} events, ${log.faults.map(({ fault }) => fault).join(', ')};`,
    [...ways.ways].map(([way, count]) => `${way} ${count}`).join(', '),
  )
  expect(findings.all).toEqual([])
  expect(log.faults.map(({ fault }) => fault).sort()).toEqual(['kill', 'restart-postgres'])
  expect(ways.checkouts).toBeGreaterThanOrEqual(80)
  expect(ways.tickets).toBeGreaterThan(0)
  expect(ways.captured).toBeGreaterThan(ways.givenBack)
}, 240_000)
