import { QUICK_TIMES } from '../crowd/checkout/quick-times.ts'
import { formatTable } from '../format.ts'
import type { LabPostgres } from '../nemesis/lab-postgres.ts'
import type { LabRedis } from '../nemesis/lab-redis.ts'
import { runFaults } from '../nemesis/run.ts'
import { BOOKS_MUTANTS } from './books.ts'
import type { Mutant, ScenarioName } from './mutant.ts'
import { MUTANTS } from './mutants.ts'
import { SCENARIOS } from './scenarios.ts'
import { buildCopy } from './scratch.ts'

interface MutantResult {
  readonly name: string
  readonly scenario: ScenarioName
  /** Null: nothing was found. */
  readonly caughtBy: string | null
  /** Where the history is, if something was found in the original. */
  readonly folder: string | null
  readonly tries: number
  readonly seconds: number
}

interface MutantOptions {
  readonly postgres: LabPostgres
  /** Null: there is none; what takes one can't be tried out. */
  readonly redis: LabRedis | null
  readonly seed: number
  /** Only those with one of these in their names, with commas between, and without the original. */
  readonly only: string | null
  /** All, or only those whose run has a Redis, or checkouts. */
  readonly kind: 'all' | 'redis' | 'checkout'
  say(line: string): void
}

/** Chance may hide a race: then once more, and for longer. */
const TRIES = 3

/**
 * The checker's own proof. First the original, in every scenario that a mutant is shown in: nothing may be
 * found. Then each mutant: something must be.
 */
export async function runMutants(options: MutantOptions): Promise<boolean> {
  const { only, say } = options
  const wanted = only?.split(',') ?? ['']
  const isOfKind = (scenario: ScenarioName) => {
    const { withRedis, checkouts } = SCENARIOS[scenario]
    return { all: true, redis: withRedis === true, checkout: checkouts !== undefined }[options.kind]
  }
  const mutants = [...MUTANTS, ...BOOKS_MUTANTS].flatMap(({ name, scenario, patches }) => {
    if (scenario === null || !wanted.some(text => name.includes(text))) return []
    return isOfKind(scenario) ? [{ name, scenario, patches }] : []
  })
  const results: MutantResult[] = []
  const tell = (result: MutantResult, expected: 'clean' | 'caught') => {
    const outcome = result.caughtBy === null ? 'clean ' : 'caught'
    const verdict = outcome.trim() === expected ? outcome : `${outcome.trim().toUpperCase()} (!)`
    say(`${verdict}  ${result.name}: ${result.caughtBy ?? '–'} (${result.seconds.toFixed(0)} s)`)
    if (result.folder !== null) say(`        the history is in ${result.folder}`)
    results.push(result)
  }
  let isProof = true
  const scenarios = only === null ? [...new Set(mutants.map(({ scenario }) => scenario))] : []
  for (const scenario of scenarios) {
    const result = await tryOut(options, { name: `the original, ${scenario}`, scenario, patches: [] }, 1)
    tell(result, 'clean')
    isProof &&= result.caughtBy === null
  }
  for (const mutant of mutants) {
    const result = await tryOut(options, mutant, TRIES)
    tell(result, 'caught')
    isProof &&= result.caughtBy !== null
  }
  say('')
  say(
    formatTable(
      ['mutant', 'scenario', 'tries', 'seconds', ''],
      results.map(({ name, scenario, tries, seconds, caughtBy }) => [
        name,
        scenario,
        String(tries),
        seconds.toFixed(0),
        caughtBy ?? 'clean',
      ]),
    ),
  )
  const names = new Set(mutants.map(({ name }) => name))
  const caught = results.filter(({ name, caughtBy }) => caughtBy !== null && names.has(name)).length
  say(`\n${caught} of ${mutants.length} mutants caught, seed ${options.seed}.`)
  return isProof
}

let databases = 0

/** The original without patches, or a mutant: what the checker says of it. */
export async function tryOut(
  { postgres, redis, seed }: Pick<MutantOptions, 'postgres' | 'redis' | 'seed'>,
  mutant: Pick<Mutant, 'name' | 'patches'> & { readonly scenario: ScenarioName },
  most: number,
): Promise<MutantResult> {
  const { withRedis, checkouts, ...scenario } = SCENARIOS[mutant.scenario]
  if (withRedis && !redis) throw new Error(`${mutant.name} takes a run with Redis`)
  const patches = [...(checkouts ? QUICK_TIMES : []), ...mutant.patches]
  const scratch = patches.length === 0 ? null : await buildCopy(patches)
  const started = performance.now()
  try {
    for (let tries = 1; ; tries += 1) {
      databases += 1
      await postgres.useNewDatabase(`mutant_${databases}`)
      await redis?.forget()
      const report = await runFaults({
        postgres,
        seed: seed + tries - 1,
        ...scenario,
        seconds: scenario.seconds * tries,
        ...(checkouts && { checkouts: { ...checkouts, count: checkouts.count * tries } }),
        nodes: 2,
        gapMs: 100,
        agreeWithinMs: withRedis ? 20_000 : 60_000,
        equalWithinMs: 20_000,
        ...(withRedis && redis && { redis }),
        verify: mutant.patches.length === 0,
        ...(scratch && { root: scratch.root }),
        // A finding in the original is a bug of ours, or of the checker: the evidence stays.
        isKept: mutant.patches.length === 0,
        progress: () => {},
      })
      const [first] = report.findings.all
      if (first || tries === most) {
        return {
          name: mutant.name,
          scenario: mutant.scenario,
          caughtBy: first ? `${first.violation.invariant}: ${first.violation.rule}` : null,
          folder: report.folder,
          tries,
          seconds: (performance.now() - started) / 1000,
        }
      }
    }
  } finally {
    await scratch?.remove()
  }
}
