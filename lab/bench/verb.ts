/** One thing that `npm run bench` can measure. */
export interface Verb {
  readonly summary: string
  /** Options of its own, as node:util's parseArgs wants them. `--json` and `--seed` are every verb's. */
  readonly options: Readonly<Record<string, VerbOption>>
  run(input: VerbInput): Promise<VerbOutput>
}

type VerbOption =
  | { readonly type: 'string'; readonly default: string }
  | { readonly type: 'boolean'; readonly default: false }

export interface VerbInput {
  readonly options: Readonly<Record<string, string>>
  readonly seed: number
  readonly say: (line: string) => void
}

export interface VerbOutput {
  /** For people. */
  readonly table: string
  /** For machines: every figure. */
  readonly figures: unknown
}
