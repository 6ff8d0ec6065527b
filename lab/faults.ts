import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { describeMachine } from './bench/machine.ts'
import { checkGenerated } from './faults/check-generated.ts'
import { checkoutCommand } from './faults/checkout/command.ts'
import { startLabPostgres } from './faults/lab-postgres.ts'
import { LabRedis } from './faults/lab-redis.ts'
import { FAULT_NAMES, type FaultName, impossibleFaults, usualFaults } from './faults/nemesis.ts'
import { figuresOf, printReport } from './faults/report.ts'
import { runFaults } from './faults/run.ts'
import { WORKLOAD_NAMES, WORKLOADS, type WorkloadName } from './faults/workloads.ts'
import { runMutants } from './mutants/run-mutants.ts'
import { orUsage } from './or-usage.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * Harms nodes and their Postgres while a crowd is at them, and judges by what the crowd heard. Exit code 1:
 * something that must always be true was not; the evidence is printed, and the history stays.
 */
const USAGE = `npm run faults -- [--seconds 60] [--seed 1] [--workload ${WORKLOAD_NAMES.join(',')}]
                  [--faults kill,delay,…] [--nodes 2] [--clients 200] [--think 400]
                  [--json FILE] [--history FOLDER]
npm run faults -- --faults failover         Postgres loses its last commits; not among the usual faults,
                                            because answers just before it may be wrong without a fault
npm run faults -- --redis [cluster]         nodes have a Redis, or a Cluster of six, which is harmed too
npm run faults -- --mutants [--only TEXT]   the checker's own proof: docs/mutants.md; with --redis only
                                            the mutants that take a run with Redis
npm run faults -- --generated 1000000       how long the checker takes
npm run faults -- checkout …                from holds to seats: npm run faults -- checkout --help

Faults: ${FAULT_NAMES.join(', ')}`

if (process.argv[2] === 'checkout') process.exit(await checkoutCommand(process.argv.slice(3)))
const { values, positionals } = orUsage(process.argv.slice(2), USAGE, () =>
  parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      workload: { type: 'string', default: 'all' },
      faults: { type: 'string', default: 'all' },
      nodes: { type: 'string', default: '2' },
      clients: { type: 'string', default: '200' },
      think: { type: 'string', default: '400' },
      json: { type: 'string' },
      redis: { type: 'boolean', default: false },
      /** Keeps the history here whatever comes out. */
      history: { type: 'string' },
      /** Proves that the checker catches the bugs we say we do not have. */
      mutants: { type: 'boolean', default: false },
      only: { type: 'string' },
      /**
       * Only checks a history of so many operations, made up and without a fault: how long the checker takes.
       */
      generated: { type: 'string' },
    },
  }),
)
const say = (line: string) => process.stdout.write(`${line}\n`)
function chosen<Name extends string>(option: string, text: string, names: readonly Name[]): Name[] {
  if (text === 'all') return [...names]
  if (text === 'none') return []
  const wanted = text.split(',')
  const unknown = wanted.find(name => !names.some(known => known === name))
  if (unknown === undefined) return names.filter(name => wanted.includes(name))
  process.stderr.write(`--${option}: there is no ${JSON.stringify(unknown)}, only ${names.join(', ')}\n`)
  process.exit(2)
}
const faults =
  values.faults === 'all'
    ? [...usualFaults({ withRedis: values.redis })]
    : chosen<FaultName>('faults', values.faults, FAULT_NAMES)
const workloads = chosen<WorkloadName>('workload', values.workload, WORKLOAD_NAMES)
const seed = wholeNumber('seed', values.seed)
if (values.generated !== undefined) {
  say(checkGenerated(wholeNumber('generated', values.generated), seed))
  process.exit(0)
}
const [kind = 'one', ...others] = positionals
if (
  (kind !== 'one' && kind !== 'cluster') ||
  others.length > 0 ||
  (positionals.length > 0 && !values.redis)
) {
  process.stderr.write('after --redis there may be the word cluster, and nothing else\n')
  process.exit(2)
}
const postgres = await startLabPostgres({ smallDisk: faults.includes('disk') && !values.mutants })
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void postgres.stop().finally(() => process.exit(130)))
}
let redis: LabRedis | null = null
try {
  if (values.redis || values.mutants) redis = await LabRedis.start(kind)
  process.exitCode = (await (values.mutants ? runProof() : runOnce())) ? 0 : 1
} finally {
  await redis?.stop()
  await postgres.stop()
}

function runProof(): Promise<boolean> {
  const only = values.only ?? null
  return runMutants({ postgres, redis, seed, only, onlyWithRedis: values.redis, say })
}

async function runOnce(): Promise<boolean> {
  const leftOut = impossibleFaults(faults, { postgres, redis })
  for (const line of leftOut) say(`Left out: ${line}`)
  const report = await runFaults({
    postgres,
    seconds: wholeNumber('seconds', values.seconds),
    seed,
    workloads: workloads.map(name => WORKLOADS[name]),
    faults,
    nodes: wholeNumber('nodes', values.nodes),
    clients: wholeNumber('clients', values.clients),
    thinkMs: wholeNumber('think', values.think),
    gapMs: 2_500,
    tidyWithinMs: 60_000,
    agreeWithinMs: 5_000,
    verify: true,
    ...(redis && { redis }),
    ...(values.history !== undefined && { folder: values.history }),
    progress: say,
  })
  say(printReport(report))
  if (values.json !== undefined) {
    const [version] = await postgres.sql<{ server_version: string }>('show server_version')
    const machine = describeMachine(version!.server_version)
    const options = { ...values, workloads, faults, skipped: leftOut }
    await writeFile(values.json, `${JSON.stringify({ machine, options, ...figuresOf(report) }, null, 2)}\n`)
  }
  return report.findings.isEmpty
}
