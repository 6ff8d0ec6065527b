import { createHash } from 'node:crypto'
import { commandLineOf } from './plan.ts'
import type { Run } from './run.ts'

/** Runs with the same fingerprint had the same events in the same order. */
export function fingerprintOf({ trace }: Run): string {
  const hash = createHash('sha1')
  for (const { who, what } of trace) hash.update(`${who} ${what}\n`)
  return hash.digest('base64')
}

/** What is wrong, the story of the run, and how to see it again. */
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
