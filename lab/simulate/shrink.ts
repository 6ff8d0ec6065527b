import type { Plan } from './plan.ts'
import type { Run } from './run.ts'

/** The smallest run of the same seed that still finds something: fewer faults, buyers, commands, nodes. */
export async function shrink(failed: Run, run: (plan: Plan) => Promise<Run>): Promise<Run> {
  let best = failed
  for (;;) {
    const smaller = await firstThatFails(smallerPlans(best.plan), run)
    if (!smaller) return best
    best = smaller
  }
}

function smallerPlans(plan: Plan): Plan[] {
  const { faults, buyers, commands, nodes, readers, events } = plan
  return [
    ...faults.map(fault => ({ ...plan, faults: faults.filter(other => other !== fault) })),
    ...(buyers > 1 ? [{ ...plan, buyers: buyers - 1 }] : []),
    ...(commands > 1 ? [{ ...plan, commands: commands - 1 }] : []),
    ...(readers > 0 ? [{ ...plan, readers: readers - 1 }] : []),
    ...(events > 1 ? [{ ...plan, events: events - 1 }] : []),
    ...(nodes > 1 ? [{ ...plan, nodes: nodes - 1 }] : []),
  ]
}

async function firstThatFails(
  plans: readonly Plan[],
  run: (plan: Plan) => Promise<Run>,
): Promise<Run | null> {
  for (const plan of plans) {
    const one = await run(plan)
    if (one.findings.length > 0) return one
  }
  return null
}
