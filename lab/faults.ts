import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { describeMachine } from './bench/machine.ts'
import { asBlock, fillIn } from './bench/quotes.ts'
import { QUICK_TIMES } from './crowd/checkout/quick-times.ts'
import { WORKLOAD_NAMES, WORKLOADS, type WorkloadName } from './crowd/workloads.ts'
import { runMutants } from './mutants/run-mutants.ts'
import { buildCopy } from './mutants/scratch.ts'
import { checkGenerated } from './nemesis/check-generated.ts'
import { startLabPostgres } from './nemesis/lab-postgres.ts'
import { LabRedis } from './nemesis/lab-redis.ts'
import { FAULT_NAMES, type FaultName, impossibleFaults, usualFaults } from './nemesis/nemesis.ts'
import { figuresOf, printReport, quoteOf } from './nemesis/report.ts'
import { runFaults } from './nemesis/run.ts'
import { orUsage } from './or-usage.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * Harms nodes and their Postgres while a crowd is at them, and judges by what the crowd heard. Exit code 1:
 * something that must always be true was not; the evidence is printed, and the history stays.
 */
const USAGE = `npm run faults -- [--seconds 60] [--seed 1] [--workload ${WORKLOAD_NAMES.join(',')}|none]
                  [--faults kill,delay,…|none] [--nodes 2] [--clients 200] [--think 400] [--gap 2500]
                  [--checkouts 0] [--buyers 32] [--events 12]
                  [--json FILE] [--history FOLDER] [--evidence docs/evidence.md]
npm run faults -- checkout                  from holds to seats: as --workload none --seconds 0 --checkouts 2000
npm run faults -- --faults failover         Postgres loses its last commits; not among the usual faults,
                                            because answers just before it may be wrong without a fault
npm run faults -- --redis [cluster]         nodes have a Redis, or a Cluster of six, which is harmed too
npm run faults -- --mutants [--only TEXT]   the judges' own proof: docs/mutants.md; with --redis or checkout only
                                            the mutants that take a run with Redis, or with checkouts
npm run faults -- --generated 1000000       how long the checker takes

Faults: ${FAULT_NAMES.join(', ')}`

const args = process.argv.slice(2)
const isCheckout = args[0] === 'checkout'
const { values, positionals } = orUsage(args.slice(isCheckout ? 1 : 0), USAGE, () =>
  parseArgs({
    args: args.slice(isCheckout ? 1 : 0),
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: isCheckout ? '0' : '60' },
      seed: { type: 'string', default: '1' },
      workload: { type: 'string', default: isCheckout ? 'none' : 'all' },
      faults: { type: 'string', default: 'all' },
      nodes: { type: 'string', default: '2' },
      clients: { type: 'string', default: '200' },
      think: { type: 'string', default: '400' },
      gap: { type: 'string', default: '2500' },
      checkouts: { type: 'string', default: isCheckout ? '2000' : '0' },
      buyers: { type: 'string', default: '32' },
      events: { type: 'string', default: '12' },
      json: { type: 'string' },
      redis: { type: 'boolean', default: false },
      /** Keeps the history here whatever comes out. */
      history: { type: 'string' },
      /** Writes the figures into a document that quotes them. */
      evidence: { type: 'string' },
      /** Proves that the judges catch the bugs we say we do not have. */
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
const number = (
  option: 'seconds' | 'seed' | 'nodes' | 'clients' | 'think' | 'gap' | 'checkouts' | 'buyers' | 'events',
) => wholeNumber(option, values[option])
const count = number('checkouts')
/**
 * Not beside checkouts unless they are named: a small disk is full of them before the nemesis fills it; and
 * the simulator has the clock of its node, so a payment that is due would be so in ten minutes.
 */
const NOT_WITH_CHECKOUTS: readonly FaultName[] = ['disk', 'clock']
const faults =
  values.faults === 'all'
    ? usualFaults({ withRedis: values.redis }).filter(
        name => count === 0 || !NOT_WITH_CHECKOUTS.includes(name),
      )
    : chosen<FaultName>('faults', values.faults, FAULT_NAMES)
const workloads = chosen<WorkloadName>('workload', values.workload, WORKLOAD_NAMES)
const seed = number('seed')
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
  if (values.redis || (values.mutants && !isCheckout)) redis = await LabRedis.start(kind)
  process.exitCode = (await (values.mutants ? runProof() : runOnce())) ? 0 : 1
} finally {
  await redis?.stop()
  await postgres.stop()
}

function runProof(): Promise<boolean> {
  const only = values.only ?? null
  const kind = isCheckout ? 'checkout' : values.redis ? 'redis' : 'all'
  return runMutants({ postgres, redis, seed, only, kind, say })
}

async function runOnce(): Promise<boolean> {
  const leftOut = impossibleFaults(faults, { postgres, redis })
  for (const line of leftOut) say(`Left out: ${line}`)
  const copy = count > 0 ? await buildCopy(QUICK_TIMES) : null
  const report = await runFaults({
    postgres,
    seconds: number('seconds'),
    seed,
    workloads: workloads.map(name => WORKLOADS[name]),
    faults,
    nodes: number('nodes'),
    clients: number('clients'),
    thinkMs: number('think'),
    gapMs: number('gap'),
    tidyWithinMs: 60_000,
    agreeWithinMs: 5_000,
    verify: true,
    ...(redis && { redis }),
    // Messages are sent again, payments looked up: seconds. A machine may be slow.
    ...(copy && {
      root: copy.root,
      checkouts: { count, buyers: number('buyers'), events: number('events'), settledWithinMs: 120_000 },
    }),
    ...(values.history !== undefined && { folder: values.history }),
    progress: say,
  }).finally(() => copy?.remove())
  say(printReport(report))
  if (values.json !== undefined) {
    const [version] = await postgres.sql<{ server_version: string }>('show server_version')
    const machine = describeMachine(version!.server_version)
    const options = { ...values, workloads, faults, skipped: leftOut }
    await writeFile(values.json, `${JSON.stringify({ machine, options, ...figuresOf(report) }, null, 2)}\n`)
  }
  if (values.evidence !== undefined) {
    const command = `npm run faults -- ${args.filter(isNoFile).join(' ')}`.trim()
    const quotes = { [isCheckout ? 'faults.checkouts' : 'faults.holds']: asBlock(quoteOf(report, command)) }
    await writeFile(values.evidence, fillIn(await readFile(values.evidence, 'utf8'), quotes))
  }
  return report.findings.isEmpty
}

/** A command is quoted as it was given, without the files that it writes. */
function isNoFile(arg: string, index: number): boolean {
  const isFile = (one: string | undefined) => /^--(json|evidence|history)$/.test(one ?? '')
  return !isFile(arg) && !isFile(args[index - 1])
}
