import { parseArgs } from 'node:util'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { printReport } from './print-report.ts'
import { verify } from './verify.ts'

const USAGE = 'npm run verify -- --database postgres://user:password@host:5432/database [--tidy-within 60]'
const TELL_EVERY_MS = 2_000

/**
 * Checks a database of ours from outside, as its owner. Reads only; a server may be running on it.
 *
 *   exit code 0   everything that must be true is true
 *             1   something is not, or expired holds were left untidied for longer than --tidy-within seconds
 *             2   it could not be found out
 */
async function main(): Promise<number> {
  const { database, tidyWithinSeconds } = readArguments()
  let underWay = 'connecting'
  const telling = setInterval(() => process.stderr.write(`${underWay} …\n`), TELL_EVERY_MS).unref()
  const report = await verify(database, {
    tidyWithinSeconds,
    progress(line) {
      underWay = line
    },
  })
  clearInterval(telling)
  process.stdout.write(`${printReport(report)}\n`)
  return report.violations + report.untidy > 0 ? 1 : 0
}

function readArguments(): { database: string; tidyWithinSeconds: number } {
  const { values } = parseArgs({
    options: { database: { type: 'string' }, 'tidy-within': { type: 'string', default: '60' } },
  })
  if (!values.database) throw new StartupError(`--database is missing: ${USAGE}`)
  const seconds = values['tidy-within']
  if (!/^\d{1,9}$/.test(seconds)) {
    throw new StartupError(`--tidy-within must be a whole number of seconds: ${USAGE}`)
  }
  return { database: values.database, tidyWithinSeconds: Number(seconds) }
}

try {
  process.exitCode = await main()
} catch (error) {
  const { message, stack } = error as Error
  const { code } = error as { code?: unknown }
  // Wrong arguments, and what Postgres says, are for the operator; anything else is our fault.
  const isTheirs = error instanceof StartupError || typeof code === 'string'
  process.stderr.write(`verify: ${isTheirs ? message : stack}\n`)
  process.exitCode = 2
}
