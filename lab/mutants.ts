import { parseArgs } from 'node:util'
import { runTestedMutants } from './mutants/run-tested-mutants.ts'
import { orUsage } from './or-usage.ts'

const USAGE = `npm run mutants -- [--only TEXT]   the mutants that tests show, each in a copy: docs/mutants.md`

const { values } = orUsage(process.argv.slice(2), USAGE, () =>
  parseArgs({ options: { only: { type: 'string' } } }),
)
const isProof = await runTestedMutants(values.only ?? null, line => process.stdout.write(`${line}\n`))
process.exitCode = isProof ? 0 : 1
