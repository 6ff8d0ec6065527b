import type { Chart } from './chart.ts'
import type { Stage } from './stage/stage.ts'
import type { Table } from './table.ts'

/** Something that `npm run bench` can measure. */
export interface Scenario {
  readonly summary: string
  /** Options of its own, besides those that all have (command-line.ts). */
  readonly options: Readonly<Record<string, ScenarioOption>>
  run(input: ScenarioInput): Promise<Report>
}

/** Whole numbers or words, one or several with commas between them. */
interface ScenarioOption {
  readonly default: string
  /** With `--quick`: everything, but so small that it only shows that it works. */
  readonly quick: string
  readonly help: string
  /** Its words; numbers without it. */
  readonly words?: RegExp
}

export interface ScenarioInput {
  /** As it was called: a scenario, or one that is set up in advance. Its quotes begin with it. */
  readonly verb: string
  words(option: string): readonly string[]
  /** The numbers of an option. */
  list(option: string): readonly number[]
  /** Its only number. */
  number(option: string): number
  readonly quick: boolean
  readonly seed: number
  readonly stage: Stage
  say(line: string): void
}

export interface Report {
  readonly tables: readonly Table[]
  /** These must not be, and were: answers of 5xx, lost messages, counts that do not agree. */
  readonly problems?: readonly string[]
  /** Single figures that docs/evidence.md quotes, by name; tables have a name of their own. */
  readonly quotes?: Readonly<Record<string, string>>
  readonly chart?: Chart
}
