import { readFile, writeFile } from 'node:fs/promises'
import { drawChart } from './bench/chart.ts'
import { checkout } from './bench/checkout.ts'
import { type CommandLine, readCommandLine, Usage, type Verbs } from './bench/command-line.ts'
import { engine } from './bench/engine/engine.ts'
import { feed } from './bench/feed.ts'
import { holds } from './bench/holds/holds.ts'
import { describeMachine, readCommit } from './bench/machine.ts'
import { map } from './bench/map/map.ts'
import { onsale } from './bench/onsale.ts'
import { summarizeProfiles } from './bench/profile.ts'
import { asBlock, fillIn } from './bench/quotes.ts'
import type { Report } from './bench/scenario.ts'
import { Stage } from './bench/stage/stage.ts'
import { printQuote, printTable, problemsOf } from './bench/table.ts'

/** Several installations are compared in a smaller hall, so that there may be many events. */
const ONE_HALL = { seats: '20000', guests: '2000' }

/** Measures the real server from outside: `npm run bench -- --help`. */
const verbs: Verbs = {
  scenarios: { holds, onsale, feed, checkout, engine, map },
  presets: {
    workers: [
      'holds',
      {
        parts: 'server',
        on: '1,1x2,1x4',
        loads: 'each,each10',
        connections: '500',
        seconds: '10',
        ...ONE_HALL,
      },
    ],
    nodes: [
      'holds',
      {
        ...{
          parts: 'server,harm',
          on: '1,2,1+redis,2+notify,2+redis',
          loads: 'each,each10,fight',
          rounds: '3',
        },
        ...{ connections: '200', contended: '200', seconds: '3', ...ONE_HALL },
      },
    ],
    best: [
      'holds',
      { parts: 'server,rush', loads: 'each,best1,best2,best4', on: '1', connections: '200', ...ONE_HALL },
    ],
    carts: ['holds', { parts: 'carts', on: '1,1x2,2,2+redis', seconds: '8', ...ONE_HALL }],
    size: ['holds', { parts: 'size' }],
    checkouts: ['checkout', { parts: 'checkouts' }],
    scans: ['checkout', { parts: 'scans' }],
    layouts: ['engine', { parts: 'layouts' }],
    allocation: ['engine', { parts: 'allocation' }],
    reap: ['engine', { parts: 'reap' }],
    warm: ['engine', { parts: 'warm' }],
  },
}
/** `all`: one after another on one Postgres, each as it is by default. The map needs a browser. */
const ALL = ['holds', 'onsale', 'feed', 'size', 'checkout', 'engine', 'workers', 'nodes', 'best', 'carts']

// Each process that is started listens for the end of this one.
process.setMaxListeners(100)

const args = process.argv.slice(2)
const isAll = args[0] === 'all'
const commands = (isAll ? ALL : [args[0] ?? '']).map(verb => readOrExplain([verb, ...args.slice(1)]))
const [command] = commands as [CommandLine]
const say = (line: string) => process.stdout.write(`${line}\n`)
const stage = new Stage({
  quick: command.input.quick,
  seed: command.input.seed,
  workers: command.workers,
  settings: command.postgres,
  server: command.server ?? null,
  profile: command.profile ?? null,
  say,
})
const reports: Record<string, Report> = {}
let postgres: string | null
try {
  for (const { verb, scenario, input } of commands) {
    if (isAll) say(`\n== ${verb}`)
    const running = scenario.run({ ...input, stage, say })
    // The others are measured all the same.
    reports[verb] = await (isAll ? running.catch(failed) : running)
  }
  postgres = await stage.postgresVersion()
} finally {
  await stage.close()
}
const tables = Object.values(reports).flatMap(report => report.tables)
const problems = [
  ...tables.flatMap(problemsOf),
  ...Object.values(reports).flatMap(report => report.problems ?? []),
]
const machine = describeMachine(postgres)
const machineLine =
  `${machine.cpu}, ${machine.cores} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB, ${machine.os}, ` +
  `Node ${machine.node}${postgres === null ? '' : `, Postgres ${postgres}`}`
const given = Object.entries(command.postgres).map(([setting, value]) => `, ${setting} = ${value}`)
const serverCommit = command.server === undefined ? null : (readCommit(command.server) ?? 'unknown')
if (serverCommit !== null) given.push(`; the server is that of commit ${serverCommit}`)
const runLine =
  `Version ${machine.version}, commit ${machine.commit ?? 'unknown'}, seed ${command.input.seed}, ${machine.at}` +
  given.join('')
const quotes = {
  ...Object.fromEntries(tables.map(table => [table.quote, asBlock(printQuote(table))])),
  ...Object.assign({}, ...Object.values(reports).map(report => report.quotes)),
  [`${isAll ? 'all' : command.verb}.run`]: `${machineLine}. ${runLine}`,
}
for (const table of tables) say(`\n${printTable(table)}`)
say(`\n${machineLine}\n${runLine}`)
for (const problem of problems) say(`PROBLEM: ${problem}`)
if (command.json !== undefined) {
  const { workers, options, input } = command
  const settings = { quick: input.quick, workers, postgres: command.postgres, ...(!isAll && { options }) }
  const report = {
    verb: args[0],
    machine,
    seed: input.seed,
    ...settings,
    serverCommit,
    tables,
    problems,
    quotes,
  }
  await writeFile(command.json, `${JSON.stringify(report, null, 2)}\n`)
  say(`Written to ${command.json}`)
}
if (command.svg !== undefined) {
  const chart = Object.values(reports).find(report => report.chart)?.chart
  if (chart) await writeFile(command.svg, drawChart(chart))
  say(chart ? `Drawn in ${command.svg}` : `There is no picture of ${args[0]}.`)
}
if (command.evidence !== undefined) {
  await writeFile(command.evidence, fillIn(await readFile(command.evidence, 'utf8'), quotes))
  say(`Figures filled in in ${command.evidence}`)
}
if (command.profile !== undefined) say(`\n${await summarizeProfiles(command.profile)}`)
process.exitCode = problems.length === 0 ? 0 : 1

function readOrExplain(line: readonly string[]) {
  try {
    return readCommandLine(line, verbs)
  } catch (error) {
    if (!(error instanceof Usage)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

function failed(error: Error): Report {
  return { tables: [], problems: [error.stack ?? error.message] }
}
