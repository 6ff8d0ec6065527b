import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { programArguments } from '../../scripts/build/programs.mjs'
import { formatTable } from '../format.ts'
import type { Mutant } from '../mutants/mutant.ts'
import { MUTANTS } from '../mutants/mutants.ts'
import { buildCopy } from '../mutants/scratch.ts'

/** Files of which the simulator runs the real code. */
const REAL =
  /^core\/event\/(?!packed)|^kit\/(?:jobs\/passed-over|postgres\/unknown-commit)\.ts$|^server\/modules\/(?:checkout\/cancelled-events|live\/feed)\.ts$|^engine\/(?:bus|facts|lane|ports|proofs|reaper|round|view)(?!.*(?:event-source|find-rows|hall-maker|load-event|open-event|refusal-proofs|seat-maps)).*\.ts$/

/**
 * Runs each mutant that patches code which the simulator runs, in a copy of the source. Some break rules that
 * no buyer of the simulator meets: those stay for the fault runs. Says after how many runs each was caught.
 */
export async function runMutants(options: {
  readonly seeds: number
  readonly only: string | null
  readonly atOnce: number
  say(line: string): void
}): Promise<void> {
  const chosen = MUTANTS.filter(
    ({ name, patches }) => patches.some(({ file }) => REAL.test(file)) && name.includes(options.only ?? ''),
  )
  const caught = new Map<string, readonly string[]>()
  const waiting = [...chosen]
  const work = async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const row = await runMutant(mutant, options.seeds)
      options.say(`${mutant.name}: ${row.join(' ')}`)
      caught.set(mutant.name, row)
    }
  }
  await Promise.all(Array.from({ length: options.atOnce }, work))
  const rows = chosen.map(({ name }) => [name, ...caught.get(name)!])
  options.say(formatTable(['mutant', 'runs until caught', 'by the rule'], rows))
}

async function runMutant(mutant: Mutant, seeds: number): Promise<readonly string[]> {
  const scratch = await buildCopy(mutant.patches)
  try {
    const args = [...programArguments('simulate', scratch.root), '--first', '--seeds', String(seeds)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
    const [runs = '', rule = ''] = (said.trimEnd() || 'could not be run').split('\n').at(-1)!.split('\t')
    return [runs, rule]
  } finally {
    await scratch.remove()
  }
}
