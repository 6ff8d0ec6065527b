import { Fingerprint } from './fingerprint.ts'
import { commandLineOf } from './plan.ts'
import type { Run } from './run.ts'

/** Runs with the same fingerprint had the same steps in the same order. */
export function fingerprintOf({ trace }: Pick<Run, 'trace'>): number {
  const hash = new Fingerprint()
  for (const { who, what } of trace) {
    hash.add(who)
    hash.add(what)
  }
  return hash.value
}

/** Tells what is wrong, the story of the run, and how to see it again. */
export function storyOf(run: Run): string {
  const rules = run.findings.map(({ rule, evidence }) => {
    return [`  ${rule}`, ...evidence.map(one => `    ${JSON.stringify(one)}`)].join('\n')
  })
  const lines = run.trace.map(
    ({ at, who, what }) => `  ${at.toFixed(2).padStart(10)}  ${who.padEnd(5)} ${what}`,
  )
  return [
    `Seed ${run.plan.seed}, ${run.trace.length} steps`,
    ...lines,
    'What must never be:',
    ...rules,
    `Again: ${commandLineOf(run.plan)}`,
  ].join('\n')
}
