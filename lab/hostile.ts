import { parseArgs } from 'node:util'
import { formatBytes } from './format.ts'
import { describeExchange, type HostileReport, runHostile } from './hostile/run.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * Sends hostile requests to every route of the contract and watches that the server refuses them in its own
 * words, stays up, stays honest and stays small.
 *
 *   npm run hostile -- [--requests 100000] [--seed 1] [--seconds 600] [--giants 8] [--only 4711]
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '600' },
    /** Bodies as large as a route allows, at the end. */
    giants: { type: 'string', default: '8' },
    /** One request of a seed, shown with its answer. */
    only: { type: 'string' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const only = values.only === undefined ? null : wholeNumber('only', values.only)
const wanted = only === null ? wholeNumber('requests', values.requests) : 1
const report = await runHostile({
  seed: wholeNumber('seed', values.seed),
  first: only ?? 0,
  requests: wanted,
  seconds: wholeNumber('seconds', values.seconds),
  giants: only === null ? wholeNumber('giants', values.giants) : 0,
  say,
})
for (const { request, outcome } of report.outcomes) say(describeExchange(request, outcome))
if (only === null) print(report)
say(report.violations.length === 0 ? 'No violations.' : `${report.violations.length} VIOLATIONS.`)
process.exitCode = report.violations.length === 0 ? 0 : 1

function print({ tally, seconds, memory, warnings, violations }: HostileReport): void {
  say(`\n${tally.print()}\n`)
  const rate = (tally.requests / seconds).toFixed(0)
  say(
    `Seed ${values.seed}: ${tally.requests.toLocaleString('en')} requests in ${seconds.toFixed(1)} s (${rate}/s)`,
  )
  if (tally.requests < wanted) say(`Stopped early, ${wanted - tally.requests} were not sent.`)
  say(`Sent ${formatBytes(tally.sentBytes)}, received ${formatBytes(tally.receivedBytes)}`)
  say(
    memory
      ? `Memory of the server: ${formatBytes(memory.startBytes)} before, ${formatBytes(memory.peakBytes)} at most, ${formatBytes(memory.endBytes)} after`
      : 'Memory of the server: unknown, there is no /proc here',
  )
  for (const [warning, times] of countAlike(warnings)) say(`Warning in the log × ${times}: ${warning}`)
  for (const [violation, times] of countAlike(violations)) say(`VIOLATION × ${times}: ${violation}`)
}

function countAlike(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
