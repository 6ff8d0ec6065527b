import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { formatTable } from '../../format.ts'
import type { Mutant } from '../../mutants/mutant.ts'
import { MUTANTS } from '../../mutants/mutants.ts'
import { createScratch } from '../../mutants/scratch.ts'

/** Files of which the simulator runs the real code. */
const REAL =
  /^core\/event\/|^server\/src\/lane\/(?:lane|round|followers|certain-refusal|rider|hot-event)\.ts$/

/**
 * Runs each mutant that patches code which the simulator runs, in a copy of the source. Some break rules that
 * no buyer of the simulator meets: those stay for the fault runs. Says after how many runs each was caught.
 */
export async function runMutants(options: {
  readonly seeds: number
  readonly only: string | null
  say(line: string): void
}): Promise<void> {
  const chosen = MUTANTS.filter(
    ({ name, patches }) => patches.some(({ file }) => REAL.test(file)) && name.includes(options.only ?? ''),
  )
  const rows: string[][] = []
  for (const mutant of chosen) {
    const caught = await runMutant(mutant, options.seeds)
    options.say(`${mutant.name}: ${caught}`)
    rows.push([mutant.name, caught])
  }
  options.say(formatTable(['mutant', 'caught'], rows))
}

async function runMutant(mutant: Mutant, seeds: number): Promise<string> {
  const scratch = await createScratch(mutant.patches)
  try {
    const arguments_ = ['--import', 'tsx', 'lab/inside/simulate.ts', '--first', '--seeds', String(seeds)]
    const child = spawn(process.execPath, arguments_, {
      cwd: scratch.root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
    return said.trim().split('\n').at(-1) || 'could not be run'
  } finally {
    await scratch.remove()
  }
}
