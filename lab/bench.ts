import { readFile, writeFile } from 'node:fs/promises'
import { all } from './bench/all.ts'
import { allocation } from './bench/allocation/main.ts'
import { best } from './bench/best.ts'
import { carts } from './bench/carts.ts'
import { drawChart } from './bench/chart.ts'
import { checkouts } from './bench/checkouts.ts'
import { readCommandLine, Usage } from './bench/command-line.ts'
import { feed } from './bench/feed.ts'
import { holds } from './bench/holds/main.ts'
import { layouts } from './bench/layouts.ts'
import { describeMachine, readCommit } from './bench/machine.ts'
import { map } from './bench/map/main.ts'
import { nodes } from './bench/nodes/main.ts'
import { onsale } from './bench/onsale/main.ts'
import { summarizeProfiles } from './bench/profile.ts'
import { fillIn } from './bench/quotes.ts'
import { reap } from './bench/reap.ts'
import { scans } from './bench/scans.ts'
import { size } from './bench/size.ts'
import { Stage } from './bench/stage/stage.ts'
import type { Verb } from './bench/verb.ts'
import { warm } from './bench/warm.ts'
import { workers } from './bench/workers.ts'

/** Measures the real server from outside: `npm run bench -- --help`. */
const onPostgres: Readonly<Record<string, Verb>> = {
  holds,
  onsale,
  feed,
  size,
  reap,
  workers,
  nodes,
  warm,
  layouts,
  best,
  checkouts,
  scans,
  carts,
}
// `map` needs a browser: it is measured by itself.
const verbs: Readonly<Record<string, Verb>> = { ...onPostgres, allocation, map, all: all(onPostgres) }

// Each process that is started listens for the end of this one.
process.setMaxListeners(100)

const command = readOrExplain()
const { name, verb, options, input } = command
const say = (line: string) => process.stdout.write(`${line}\n`)
const { quick, seed } = input
const stage = new Stage({
  quick,
  seed,
  workers: command.workers,
  settings: command.postgres,
  server: command.server ?? null,
  profile: command.profile ?? null,
  say,
})
let output: Awaited<ReturnType<Verb['run']>>
let postgres: string | null
try {
  output = await verb.run({ ...input, stage, say })
  postgres = await stage.postgresVersion()
} finally {
  await stage.close()
}
const { table, figures, problems, quotes, chart } = output
const machine = describeMachine(postgres)
const machineLine =
  `${machine.cpu}, ${machine.cores} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB, ${machine.os}, ` +
  `Node ${machine.node}${postgres === null ? '' : `, Postgres ${postgres}`}`
const given = Object.entries(command.postgres).map(([setting, value]) => `, ${setting} = ${value}`)
const serverCommit = command.server === undefined ? null : (readCommit(command.server) ?? 'unknown')
if (serverCommit !== null) given.push(`; the server is that of commit ${serverCommit}`)
const runLine =
  `Version ${machine.version}, commit ${machine.commit ?? 'unknown'}, seed ${input.seed}, ${machine.at}` +
  given.join('')
say(`\n${table}\n`)
say(machineLine)
say(runLine)
for (const problem of problems) say(`PROBLEM: ${problem}`)
if (command.json !== undefined) {
  const report = {
    verb: name,
    machine,
    seed: input.seed,
    quick: input.quick,
    workers: command.workers,
    settings: command.postgres,
    serverCommit,
    options,
    figures,
    problems,
    quotes,
  }
  await writeFile(command.json, `${JSON.stringify(report, null, 2)}\n`)
  say(`Written to ${command.json}`)
}
if (command.svg !== undefined) {
  if (chart) await writeFile(command.svg, drawChart(chart))
  say(chart ? `Drawn in ${command.svg}` : `There is no picture of ${name}.`)
}
if (command.evidence !== undefined) {
  const text = await readFile(command.evidence, 'utf8')
  const run = { [`${name}.run`]: `${machineLine}. ${runLine}` }
  await writeFile(command.evidence, fillIn(text, { ...quotes, ...run }))
  say(`Figures filled in in ${command.evidence}`)
}
if (command.profile !== undefined) say(`\n${await summarizeProfiles(command.profile)}`)
process.exitCode = problems.length === 0 ? 0 : 1

function readOrExplain() {
  try {
    return readCommandLine(process.argv.slice(2), verbs)
  } catch (error) {
    if (!(error instanceof Usage)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}
