import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { runMutants } from './simulate/mutants.ts'
import { FAULTS, type Fault, type Plan, planFor } from './simulate/plan.ts'
import { fingerprintOf, storyOf } from './simulate/report.ts'
import { simulate } from './simulate/run.ts'
import { shrink } from './simulate/shrink.ts'

/**
 * Runs the real lanes of a few nodes on a simulated database, in virtual time, and judges each run
 * (docs/simulator.md). Exit code 1: something that must always be true was not; the shortest story that shows
 * it is printed, with the command that repeats it.
 *
 *   npm run simulate -- [--seeds 1000] [--seed 1]            so many runs, from this seed on
 *                       [--nodes 3] [--buyers 4] [--commands 5] [--faults crash,lost-commits|none]
 *   npm run simulate -- --first                              stops at the first finding, and tells no story
 *   npm run simulate -- --mutants [--only TEXT]              after how many runs each known bug is caught
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string' },
    buyers: { type: 'string' },
    commands: { type: 'string' },
    faults: { type: 'string' },
    first: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const say = (line: string) => void process.stdout.write(`${line}\n`)
const seeds = wholeNumber('seeds', values.seeds)
const firstSeed = wholeNumber('seed', values.seed)
const faults = values.faults === undefined ? null : chosenFaults(values.faults)

if (values.mutants) await runMutants({ seeds, only: values.only ?? null, say })
else process.exitCode = (await runSeeds()) ? 0 : 1

async function runSeeds(): Promise<boolean> {
  const began = performance.now()
  const used = process.cpuUsage()
  const traces = new Set<string>()
  const total = { runs: 0, steps: 0, operations: 0, entries: 0 }
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const run = await simulate(planOf(seed))
    total.runs += 1
    total.steps += run.steps
    total.operations += run.operations
    total.entries += run.entries
    traces.add(fingerprintOf(run))
    if (run.findings.length === 0) continue
    if (values.first) say(`after ${total.runs} runs: ${run.findings[0]!.rule}`)
    else say(storyOf(await shrink(run, simulate)))
    return false
  }
  if (values.first) {
    say(`not in ${total.runs} runs`)
    return true
  }
  const { user, system } = process.cpuUsage(used)
  const perSecond = (seconds: number) => (total.runs / seconds).toFixed(0)
  say(`Seeds ${firstSeed} to ${firstSeed + seeds - 1}: nothing found`)
  say(`${total.runs} runs, ${traces.size} of them different; ${total.steps} steps`)
  say(`${total.operations} requests, ${total.entries} entries in the journals`)
  say(
    `${perSecond((performance.now() - began) / 1e3)} runs a second, ` +
      `${perSecond((user + system) / 1e6)} a second of processor time`,
  )
  return true
}

function planOf(seed: number): Plan {
  const plan = planFor(seed)
  const number = (name: 'nodes' | 'buyers' | 'commands') => {
    const given = values[name]
    return given === undefined ? plan[name] : wholeNumber(name, given)
  }
  return {
    seed,
    nodes: number('nodes'),
    buyers: number('buyers'),
    commands: number('commands'),
    faults: faults ?? plan.faults,
  }
}

function chosenFaults(given: string): Fault[] {
  if (given === 'none') return []
  const wanted = given.split(',').map(name => name.replace('-', ' '))
  const unknown = wanted.find(name => !FAULTS.some(fault => fault === name))
  if (unknown === undefined) return FAULTS.filter(fault => wanted.includes(fault))
  const names = FAULTS.map(fault => fault.replace(' ', '-'))
  process.stderr.write(`--faults: there is no ${JSON.stringify(unknown)}, only ${names.join(', ')}, none\n`)
  process.exit(2)
}
