import { quickCopy } from '../faults/checkout/copy.ts'
import { runCheckouts } from '../faults/checkout/run.ts'
import type { LabPostgres } from '../faults/lab-postgres.ts'
import { formatTable } from '../format.ts'
import { CHECKOUT_MUTANTS } from './checkouts.ts'
import { ENTRY_MUTANTS } from './entry.ts'
import type { Patch } from './mutant.ts'
import { ORDER_MUTANTS } from './orders.ts'

interface Options {
  readonly postgres: LabPostgres
  readonly seed: number
  /** Only those with one of these in their names, with commas between, and without the original. */
  readonly only: string | null
  say(line: string): void
}

interface Tried {
  readonly name: string
  /** Null: nothing was found. */
  readonly caughtBy: string | null
  readonly tries: number
  readonly seconds: number
}

const TRIES = 3
const CHECKOUTS = 160

/** Those of the tests' mutants that the run of checkouts shows as well. */
const MUTANTS = [...CHECKOUT_MUTANTS, ...ORDER_MUTANTS, ...ENTRY_MUTANTS].filter(mutant => mutant.byCheckouts)

/** The original must be clean, and each mutant must be caught. */
export async function runCheckoutMutants(options: Options): Promise<boolean> {
  const { only, say, seed } = options
  const wanted = only?.split(',') ?? ['']
  const mutants = MUTANTS.filter(({ name }) => wanted.some(text => name.includes(text)))
  const results: Tried[] = []
  if (only === null) {
    const original = await tryCheckouts(options, { name: 'the original', patches: [] }, 1)
    say(`${original.caughtBy === null ? 'clean ' : 'CAUGHT (!)'}  the original: ${original.caughtBy ?? '–'}`)
    if (original.caughtBy !== null) return false
  }
  for (const mutant of mutants) {
    const result = await tryCheckouts(options, mutant, TRIES)
    const verdict = result.caughtBy === null ? 'NOT CAUGHT (!)' : 'caught'
    say(`${verdict}  ${result.name}: ${result.caughtBy ?? '–'} (${result.seconds.toFixed(0)} s)`)
    results.push(result)
  }
  const rows = results.map(({ name, tries, seconds, caughtBy }) => [
    ...[name, String(tries), seconds.toFixed(0), caughtBy ?? 'NOT CAUGHT'],
  ])
  say(`\n${formatTable(['mutant', 'tries', 'seconds', ''], rows)}`)
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length
  say(`\n${caught} of ${mutants.length} mutants caught, seed ${seed}.`)
  return caught === mutants.length
}

let databases = 0

/** The original without patches, or a mutant: what the checker says of it. */
async function tryCheckouts(
  { postgres, seed }: Pick<Options, 'postgres' | 'seed'>,
  { name, patches }: { readonly name: string; readonly patches: readonly Patch[] },
  most: number,
): Promise<Tried> {
  const started = performance.now()
  const copy = await quickCopy(patches)
  try {
    for (let tries = 1; ; tries += 1) {
      databases += 1
      await postgres.useNewDatabase(`checkouts_${databases}`)
      const report = await runCheckouts({
        ...{ postgres, seed: seed + tries - 1, checkouts: CHECKOUTS * tries, faults: [], gapMs: 100 },
        // Few, so that buyers want the same seats.
        ...{ nodes: 2, buyers: 24, events: 3, root: copy.root, quietWithinMs: 25_000 },
        ...{ verify: false, isKept: patches.length === 0, progress: () => {} },
      })
      const [first] = report.findings.all
      if (!first && tries < most) continue
      return {
        name,
        caughtBy: first ? `${first.violation.invariant}: ${first.violation.rule}` : null,
        tries,
        seconds: (performance.now() - started) / 1000,
      }
    }
  } finally {
    await copy.remove()
  }
}
