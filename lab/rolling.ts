import { parseArgs } from 'node:util'
import { formatMs } from './format.ts'
import { orUsage } from './or-usage.ts'
import { roll } from './rolling/run.ts'
import { wholeNumber } from './whole-number.ts'

const USAGE = `npm run rolling -- [--requests 10000] [--buyers 8] [--readers 20] [--drain 5] [--workers 1]
  two nodes behind HAProxy are replaced in turn while buyers are at them; --drain 0 shows what that would cost`

const { values } = orUsage(process.argv.slice(2), USAGE, () =>
  parseArgs({
    options: {
      requests: { type: 'string', default: '10000' },
      buyers: { type: 'string', default: '8' },
      readers: { type: 'string', default: '20' },
      drain: { type: 'string', default: '5' },
      workers: { type: 'string', default: '1' },
    },
  }),
)
const say = (line: string) => process.stdout.write(`${line}\n`)
const report = await roll({
  requests: wholeNumber('requests', values.requests),
  buyers: wholeNumber('buyers', values.buyers),
  readers: wholeNumber('readers', values.readers),
  drainSeconds: wholeNumber('drain', values.drain),
  workers: wholeNumber('workers', values.workers),
  say,
})
const sorted = report.latenciesMs.toSorted((a, b) => a - b)
const at = (share: number) =>
  formatMs(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
const failed = [...report.failed.values()].reduce((sum, count) => sum + count, 0)
for (const [what, count] of report.failed) say(`${count} × ${what}`)
say(
  `${report.requests} requests in ${report.seconds.toFixed(0)} s while ${report.replaced} nodes were replaced: ${failed} failed. ` +
    `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}. Readers of the live feed came back ${report.resumed} times.`,
)
process.exitCode = failed === 0 ? 0 : 1
