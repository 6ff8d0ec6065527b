import { type Plan, type PlanWishes, planWith } from './plan.ts'
import { fingerprintOf } from './report.ts'
import { simulate } from './run.ts'

/** Seeds for one worker. */
export interface Order extends PlanWishes {
  readonly firstSeed: number
  readonly seeds: number
}

/** Adds up the runs of an order; after one that found something no more were run. */
export interface Report {
  readonly failed: Plan | null
  readonly processorSeconds: number
  readonly steps: number
  readonly operations: number
  readonly entries: number
  /** Fingerprints, one of each run: of its steps, and of how the events were at its end. */
  readonly interleavings: readonly number[]
  readonly endings: readonly number[]
}

export async function runOrder({ firstSeed, seeds, ...wishes }: Order): Promise<Report> {
  const total = { steps: 0, operations: 0, entries: 0 }
  const before = process.cpuUsage()
  const processorSeconds = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  const interleavings: number[] = []
  const endings: number[] = []
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const run = await simulate(planWith(seed, wishes))
    total.steps += run.steps
    total.operations += run.operations
    total.entries += run.entries
    interleavings.push(fingerprintOf(run))
    endings.push(run.endsAs)
    if (run.findings.length === 0) continue
    return { ...total, processorSeconds: processorSeconds(), interleavings, endings, failed: run.plan }
  }
  return { ...total, processorSeconds: processorSeconds(), interleavings, endings, failed: null }
}
