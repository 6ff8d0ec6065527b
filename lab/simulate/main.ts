import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { runMutants } from './mutants.ts'
import { FAULTS, type Fault, type Plan, type PlanWishes, planWith } from './plan.ts'
import { storyOf } from './report.ts'
import { simulate } from './run.ts'
import { shrink } from './shrink.ts'
import { runInWorkers } from './workers.ts'

/**
 * Runs the real lanes of a few nodes on a simulated database, in virtual time, and judges each run
 * (docs/simulator.md). Exit code 1: something that must always be true was not; the shortest story that shows
 * it is printed, with the command that repeats it.
 *
 *   npm run simulate -- [--seeds 1000] [--seed 1]            so many runs, from this seed on
 *                       [--workers 2]                        in so many processes; as many as there are cores
 *                       [--nodes 3] [--buyers 4] [--commands 5] [--faults crash,lost-commits|none]
 *                       [--seat-rules yes|no]
 *   npm run simulate -- --first                              how many runs it takes to find something
 *   npm run simulate -- --mutants [--only TEXT]              after how many runs each known bug is caught
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string' },
    buyers: { type: 'string' },
    commands: { type: 'string' },
    readers: { type: 'string' },
    events: { type: 'string' },
    rush: { type: 'boolean' },
    'seat-rules': { type: 'string' },
    faults: { type: 'string' },
    workers: { type: 'string' },
    first: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
/** A long run says where it is this often. */
const PROGRESS_EVERY_MS = 60_000
const say = (line: string) => void process.stdout.write(`${line}\n`)
const seeds = wholeNumber('seeds', values.seeds)
const firstSeed = wholeNumber('seed', values.seed)
const workers = wholeNumber('workers', values.workers ?? String(availableParallelism()))
const wishes = wishesGiven()

if (values.mutants) await runMutants({ seeds, only: values.only ?? null, atOnce: workers, say })
else if (values.first) process.exitCode = await runUntilFound()
else process.exitCode = await runSeeds()

async function runSeeds(): Promise<number> {
  const began = performance.now()
  const interleavings = new Set<number>()
  const endings = new Set<number>()
  const total = { runs: 0, steps: 0, operations: 0, entries: 0 }
  let failed: Plan | null = null
  let toldAt = began
  let processorSeconds = 0
  await runInWorkers({ firstSeed, seeds, workers }, wishes, (report, doneBefore) => {
    total.runs += report.interleavings.length
    total.steps += report.steps
    processorSeconds += report.processorSeconds
    total.operations += report.operations
    total.entries += report.entries
    for (const one of report.interleavings) interleavings.add(one)
    for (const one of report.endings) endings.add(one)
    failed ??= report.failed
    if (performance.now() < toldAt + PROGRESS_EVERY_MS) return
    toldAt = performance.now()
    const rate = total.runs / ((toldAt - began) / 1e3)
    const different = `${interleavings.size} different interleavings, ${endings.size} different ends`
    say(`${total.runs} runs, ${rate.toFixed(0)} a second; ${different}; to go on: --seed ${doneBefore}`)
  })
  const seconds = (performance.now() - began) / 1e3
  const rate = `${(total.runs / seconds).toFixed(0)} a second`
  say(
    `${total.runs} runs in ${seconds.toFixed(0)} s, ${rate}; ${(total.runs / processorSeconds).toFixed(0)} a second of processor time`,
  )
  say(`${interleavings.size} different interleavings, ${endings.size} different ends; ${total.steps} steps`)
  say(`${total.operations} requests, ${total.entries} entries in the journals`)
  if (!failed) {
    say(`Seeds ${firstSeed} to ${firstSeed + seeds - 1}: nothing found`)
    return 0
  }
  say(storyOf(await shrink(await simulate(failed), simulate)))
  return 1
}

/** In the order of seeds, for how many it takes. */
async function runUntilFound(): Promise<number> {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const { findings } = await simulate(planWith(seed, wishes))
    if (findings.length === 0) continue
    say(`${seed - firstSeed + 1}\t${findings[0]!.rule}`)
    return 1
  }
  say(`not in ${seeds}\t`)
  return 0
}

function wishesGiven(): PlanWishes {
  const { nodes, buyers, commands, readers, events, faults, rush } = values
  return {
    ...(nodes !== undefined && { nodes: wholeNumber('nodes', nodes) }),
    ...(buyers !== undefined && { buyers: wholeNumber('buyers', buyers) }),
    ...(commands !== undefined && { commands: wholeNumber('commands', commands) }),
    ...(readers !== undefined && { readers: wholeNumber('readers', readers) }),
    ...(events !== undefined && { events: wholeNumber('events', events) }),
    ...(rush !== undefined && { rush }),
    ...(values['seat-rules'] !== undefined && { seatRules: values['seat-rules'] === 'yes' }),
    ...(faults !== undefined && { faults: chosenFaults(faults) }),
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
