import type { Chart } from './chart.ts'
import type { Stage } from './stage/stage.ts'

/** One thing that `npm run bench` can measure. */
export interface Verb {
  readonly summary: string
  /**
   * Options of its own. `--json`, `--svg`, `--evidence`, `--profile`,
   * `--seed` and `--quick` are every verb's.
   */
  readonly options: Readonly<Record<string, VerbOption>>
  run(input: VerbInput): Promise<VerbOutput>
}

/** Whole numbers, one or several with commas between them. */
export interface VerbOption {
  readonly default: string
  /** With `--quick`: everything, but so small that it only shows that it works. */
  readonly quick: string
  readonly help: string
}

export interface VerbInput {
  /** The numbers of an option. */
  list(option: string): readonly number[]
  /** Its only number. */
  number(option: string): number
  readonly quick: boolean
  readonly seed: number
  readonly stage: Stage
  say(line: string): void
}

export interface VerbOutput {
  /** For people. */
  readonly table: string
  /** For machines: every figure. */
  readonly figures: unknown
  /** What must not be, and was: answers of 5xx, lost messages, counts that do not agree. */
  readonly problems: readonly string[]
  /** What docs/evidence.md quotes, by name. */
  readonly quotes: Readonly<Record<string, string>>
  readonly chart?: Chart
}
