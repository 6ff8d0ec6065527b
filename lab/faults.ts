import { parseArgs } from 'node:util'
import { startLabPostgres } from './faults/lab-postgres.ts'
import { FAULT_NAMES, type FaultName } from './faults/nemesis.ts'
import { printReport } from './faults/report.ts'
import { runFaults } from './faults/run.ts'
import { WORKLOAD_NAMES, WORKLOADS, type WorkloadName } from './faults/workloads.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    workload: { type: 'string', default: 'all' },
    faults: { type: 'string', default: 'all' },
    nodes: { type: 'string', default: '2' },
    clients: { type: 'string', default: '200' },
    think: { type: 'string', default: '400' },
    json: { type: 'string' },
    /** Keeps the history here whatever comes out. */
    history: { type: 'string' },
  },
})
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
const faults = chosen<FaultName>('faults', values.faults, FAULT_NAMES)
const workloads = chosen<WorkloadName>('workload', values.workload, WORKLOAD_NAMES)
const postgres = await startLabPostgres({ smallDisk: faults.includes('disk') })
try {
  const report = await runFaults({
    postgres,
    seconds: wholeNumber('seconds', values.seconds),
    seed: wholeNumber('seed', values.seed),
    workloads: workloads.map(name => WORKLOADS[name]),
    faults,
    nodes: wholeNumber('nodes', values.nodes),
    clients: wholeNumber('clients', values.clients),
    thinkMs: wholeNumber('think', values.think),
    gapMs: 2_500,
    tidyWithinMs: 60_000,
    verify: true,
    ...(values.history !== undefined && { folder: values.history }),
    progress: say,
  })
  say(printReport(report))
  process.exitCode = report.findings.isEmpty ? 0 : 1
} finally {
  await postgres.stop()
}
