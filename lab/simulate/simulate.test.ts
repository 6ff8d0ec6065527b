import { describe, expect, it } from 'vitest'
import { planFor, planWith } from './plan.ts'
import { PLANTS } from './plants.ts'
import { fingerprintOf } from './report.ts'
import { simulate } from './run.ts'
import { shrink } from './shrink.ts'

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1)
/** Each planted bug is caught sooner than this. */
const MOST_RUNS = 150

describe('the simulator', () => {
  it('gives the same run for the same seed, to the last step', async () => {
    for (const seed of [1, 2, 3, 414]) {
      const [one, other] = [await simulate(planFor(seed)), await simulate(planFor(seed))]
      expect(one.trace).toEqual(other.trace)
    }
  })

  it('gives different runs for different seeds', async () => {
    const traces = new Set<number>()
    for (const seed of SEEDS.slice(0, 20)) traces.add(fingerprintOf(await simulate(planFor(seed))))
    expect(traces.size).toBe(20)
  })

  it.each([0, 1, 2, 3])('finds nothing wrong with the nodes, quarter %i of the seeds', async quarter => {
    for (const seed of SEEDS.filter(one => one % 4 === quarter)) {
      const { plan, findings } = await simulate(planFor(seed))
      expect({ plan, findings }).toEqual({ plan, findings: [] })
    }
  })

  it('does not blame a stored answer for what was lost after it was first given', async () => {
    const { plan, findings } = await simulate(planWith(80_705, { seatRules: false }))
    expect({ plan, findings }).toEqual({ plan, findings: [] })
  })

  it.each(Object.entries(PLANTS))('notices when %s', async (_, { parts, wishes = {} }) => {
    const isCaught = async (seed: number) =>
      (await simulate(planWith(seed, wishes), parts)).findings.length > 0
    let seed = 1
    while (seed <= MOST_RUNS && !(await isCaught(seed))) seed += 1
    expect(seed).toBeLessThanOrEqual(MOST_RUNS)
  })

  it('tells the shortest story that shows a bug', async () => {
    const { parts } = PLANTS['callers are answered before the commit']!
    const run = (plan: Parameters<typeof simulate>[0]) => simulate(plan, parts)
    const first = await run(planFor(1))
    const shortest = await shrink(first, run)
    expect(shortest.findings.length).toBeGreaterThan(0)
    expect(shortest.trace.length).toBeLessThan(first.trace.length / 2)
    expect((await run(shortest.plan)).trace).toEqual(shortest.trace)
  })
})
