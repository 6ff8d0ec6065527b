import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { compileForProcesses } from '../../../scripts/compiled.ts'
import { describeMachine } from '../../bench/machine.ts'
import { asBlock, fillIn } from '../../bench/quotes.ts'
import { runCheckoutMutants } from '../../mutants/run-checkout-mutants.ts'
import { orUsage } from '../../or-usage.ts'
import { wholeNumber } from '../../whole-number.ts'
import { startLabPostgres } from '../lab-postgres.ts'
import { LabRedis } from '../lab-redis.ts'
import { FAULT_NAMES, type FaultName, impossibleFaults, usualFaults } from '../nemesis.ts'
import { quickCopy } from './copy.ts'
import { figuresOf, printCheckouts, quoteOf } from './report.ts'
import { runCheckouts } from './run.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

const USAGE = `npm run faults -- checkout [--checkouts 2000] [--seed 1] [--faults kill,…|none] [--nodes 2] [--redis]
                           [--buyers 32] [--events 12] [--gap 2500] [--json FILE] [--history FOLDER]
                           [--evidence docs/evidence.md]
npm run faults -- checkout --mutants [--only TEXT]   docs/mutants.md`

export async function checkoutCommand(args: string[]): Promise<number> {
  const { values } = orUsage(args, USAGE, () =>
    parseArgs({
      args,
      options: {
        checkouts: { type: 'string', default: '2000' },
        seed: { type: 'string', default: '1' },
        faults: { type: 'string', default: 'all' },
        nodes: { type: 'string', default: '2' },
        buyers: { type: 'string', default: '32' },
        events: { type: 'string', default: '12' },
        gap: { type: 'string', default: '2500' },
        redis: { type: 'boolean', default: false },
        json: { type: 'string' },
        /** Writes the figures into a document that quotes them. */
        evidence: { type: 'string' },
        history: { type: 'string' },
        /** Proves that the checker catches the bugs we say we do not have. */
        mutants: { type: 'boolean', default: false },
        only: { type: 'string' },
      },
    }),
  )
  const faults = chosen(values.faults, values.redis)
  const forget = await compileForProcesses()
  const postgres = await startLabPostgres({ smallDisk: faults.includes('disk') })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void postgres.stop().finally(() => process.exit(130)))
  }
  if (values.mutants) {
    const options = { postgres, seed: wholeNumber('seed', values.seed), only: values.only ?? null, say }
    try {
      return (await runCheckoutMutants(options)) ? 0 : 1
    } finally {
      await postgres.stop()
      await forget()
    }
  }
  const copy = await quickCopy()
  let redis: LabRedis | null = null
  try {
    if (values.redis) redis = await LabRedis.start('one')
    for (const line of impossibleFaults(faults, { postgres, redis })) say(`Left out: ${line}`)
    const report = await runCheckouts({
      postgres,
      ...(redis && { redis }),
      checkouts: wholeNumber('checkouts', values.checkouts),
      seed: wholeNumber('seed', values.seed),
      faults,
      nodes: wholeNumber('nodes', values.nodes),
      buyers: wholeNumber('buyers', values.buyers),
      events: wholeNumber('events', values.events),
      gapMs: wholeNumber('gap', values.gap),
      root: copy.root,
      // Messages are sent again, payments looked up: seconds. A machine may be slow.
      quietWithinMs: 120_000,
      ...(values.history !== undefined && { folder: values.history }),
      verify: true,
      progress: say,
    })
    say(printCheckouts(report))
    if (values.json !== undefined) {
      const [version] = await postgres.sql<{ server_version: string }>('show server_version')
      const machine = describeMachine(version!.server_version)
      const figures = { machine, options: { ...values, faults }, ...figuresOf(report) }
      await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
    }
    if (values.evidence !== undefined) {
      const command = `npm run faults -- checkout ${asGiven(args)}`.trim()
      const text = await readFile(values.evidence, 'utf8')
      await writeFile(
        values.evidence,
        fillIn(text, { 'faults.checkouts': asBlock(quoteOf(report, command)) }),
      )
    }
    return report.findings.isEmpty ? 0 : 1
  } finally {
    await redis?.stop()
    await postgres.stop()
    await copy.remove()
    await forget()
  }
}

/** What was asked for, without the files that are written. */
function asGiven(args: readonly string[]): string {
  const isFile = (arg: string | undefined) => /^--(json|evidence|history)$/.test(arg ?? '')
  return args.filter((arg, index) => !isFile(arg) && !isFile(args[index - 1])).join(' ')
}

/**
 * Not unless they are named: a small disk is full of checkouts before the nemesis fills it; and the simulator
 * has the clock of its node, so a payment that is due would be so in ten minutes.
 */
const NOT_USUAL: readonly FaultName[] = ['disk', 'clock']

function chosen(text: string, withRedis: boolean): FaultName[] {
  if (text === 'none') return []
  if (text === 'all') return usualFaults({ withRedis }).filter(name => !NOT_USUAL.includes(name))
  const wanted = text.split(',')
  const unknown = wanted.find(name => !FAULT_NAMES.some(known => known === name))
  if (unknown === undefined) return FAULT_NAMES.filter(name => wanted.includes(name))
  process.stderr.write(`--faults: there is no ${JSON.stringify(unknown)}, only ${FAULT_NAMES.join(', ')}\n`)
  process.exit(2)
}
