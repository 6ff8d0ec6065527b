import { parseArgs } from 'node:util'
import { formatBytes, formatMs } from './format.ts'
import { ALL_KINDS, type LongTextReport, type Waits } from './hostile/long-texts.ts'
import { describeExchange, type HostileReport, runHostile } from './hostile/run.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * Sends hostile requests to every route of the contract and watches that the server refuses them in its own
 * words, stays up, stays honest and stays small.
 *
 *   npm run hostile -- [--requests 100000] [--seed 1] [--seconds 600] [--giants 8] [--texts 11]
 *                      [--text-seconds 600] [--text-bytes 16000000] [--only 4711]
 *   npm run hostile -- --requests 0 --giants 0       only the long texts
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '600' },
    /** Bodies as large as a route allows, at the end. */
    giants: { type: 'string', default: '8' },
    /** Rounds in which every text field of every route gets a text as long as its body allows; 0: none. */
    texts: { type: 'string', default: String(ALL_KINDS) },
    'text-seconds': { type: 'string', default: '600' },
    /** Bodies that may be larger are filled no further than this. */
    'text-bytes': { type: 'string', default: '1000000000' },
    /** One request of a seed, shown with its answer. */
    only: { type: 'string' },
  },
})
/** A long text may make a caller who has nothing to do with it wait this much longer. */
const MAX_BEYOND_BASE_MS = 100
const say = (line: string) => process.stdout.write(`${line}\n`)
const only = values.only === undefined ? null : wholeNumber('only', values.only)
const wanted = only === null ? wholeNumber('requests', values.requests) : 1
const rounds = wholeNumber('texts', values.texts)
const textSeconds = wholeNumber('text-seconds', values['text-seconds'])
const textBytes = wholeNumber('text-bytes', values['text-bytes'])
const report = await runHostile({
  seed: wholeNumber('seed', values.seed),
  first: only ?? 0,
  requests: wanted,
  seconds: wholeNumber('seconds', values.seconds),
  giants: only === null ? wholeNumber('giants', values.giants) : 0,
  texts:
    only === null && rounds > 0
      ? { rounds, seconds: textSeconds, maxBytes: textBytes, baseSeconds: 10 }
      : null,
  say,
})
for (const { request, outcome } of report.outcomes) say(describeExchange(request, outcome))
if (only === null) print(report)
const problems = [...report.violations, ...(report.texts ? longTextProblems(report.texts) : [])]
say(problems.length === 0 ? 'No violations.' : `${problems.length} VIOLATIONS.`)
process.exitCode = problems.length === 0 ? 0 : 1

function print({ tally, seconds, memory, warnings, texts, violations }: HostileReport): void {
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
  if (texts) printLongTexts(texts)
  for (const [violation, times] of countAlike(violations)) say(`VIOLATION × ${times}: ${violation}`)
}

function printLongTexts(report: LongTextReport): void {
  const { fields, attacked, seconds, tally, base, during, worst } = report
  const waits = ({ longest, p99, requests }: Waits) =>
    `p99 ${formatMs(p99)}, longest ${formatMs(longest)} (${requests.toLocaleString('en')} requests)`
  say(
    `\nLong texts: ${tally.requests.toLocaleString('en')} requests in ${seconds.toFixed(1)} s, ${formatBytes(tally.sentBytes)}, in ${attacked.length} of ${fields} text fields`,
  )
  say(`  ${tally.printResults()}`)
  say(`  An honest buyer's wait without them: ${waits(base)}`)
  say(`  An honest buyer's wait during them: ${waits(during)}`)
  for (const { ms, sent } of worst) say(`  ${formatMs(ms)} with ${sent}`)
  for (const problem of longTextProblems(report)) say(`VIOLATION: ${problem}`)
}

/** Time is judged here and not in a test: it depends on the machine and on what else runs on it. */
function longTextProblems({ fields, attacked, base, during, worst }: LongTextReport): string[] {
  const beyond = during.longest - base.longest
  return [
    ...(attacked.length < fields ? [`${fields - attacked.length} text fields got no long text`] : []),
    ...(beyond > MAX_BEYOND_BASE_MS
      ? [`an honest buyer waited ${formatMs(beyond)} more than without long texts: ${worst[0]?.sent}`]
      : []),
  ]
}

function countAlike(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
