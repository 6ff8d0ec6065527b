import { parseArgs } from 'node:util'
import type { Scenario, ScenarioInput } from './scenario.ts'

export interface CommandLine {
  /** As it was called. */
  readonly verb: string
  readonly scenario: Scenario
  readonly json: string | undefined
  readonly svg: string | undefined
  readonly evidence: string | undefined
  readonly profile: string | undefined
  /** The server runs with so many workers. */
  readonly workers: number
  /** The checkout whose server is measured. */
  readonly server: string | undefined
  /** Settings of Postgres beside the usual ones. */
  readonly postgres: Readonly<Record<string, string>>
  /** As they were given or are by default. */
  readonly options: Readonly<Record<string, string>>
  readonly input: Pick<ScenarioInput, 'verb' | 'words' | 'list' | 'number' | 'quick' | 'seed'>
}

const COMMON = {
  json: { type: 'string' },
  svg: { type: 'string' },
  evidence: { type: 'string' },
  profile: { type: 'string' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string', default: '1' },
  postgres: { type: 'string', default: '' },
  server: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** The command line was wrong: its message says how, and how the program is used. */
export class Usage extends Error {}

/** A scenario with some of its options set: what is given on the command line goes before them. */
type Preset = readonly [scenario: string, options: Readonly<Record<string, string>>]

export interface Verbs {
  readonly scenarios: Readonly<Record<string, Scenario>>
  readonly presets: Readonly<Record<string, Preset>>
}

/** Throws Usage when it is asked for, or needed. */
export function readCommandLine(args: readonly string[], verbs: Verbs): CommandLine {
  const [name = '', ...rest] = args
  const preset = Object.hasOwn(verbs.presets, name) ? verbs.presets[name]! : ([name, {}] as const)
  const [of, set] = preset
  const scenario = Object.hasOwn(verbs.scenarios, of) ? verbs.scenarios[of] : undefined
  if (!scenario)
    throw explain(verbs, /^(|--help|-h)$/.test(name) ? null : `there is no verb ${JSON.stringify(name)}`)
  const only = { scenarios: { [of]: scenario }, presets: {} }
  const own = Object.fromEntries(
    Object.keys(scenario.options).map(option => [option, { type: 'string' as const }]),
  )
  let values: Record<string, string | boolean | undefined>
  try {
    values = parseArgs({ args: rest, options: { ...own, ...COMMON } }).values
  } catch (error) {
    throw explain(only, (error as Error).message)
  }
  if (values.help === true) throw explain(only, null)
  const quick = values.quick === true
  const options: Record<string, string> = {}
  for (const [option, { default: standard, quick: small, words }] of Object.entries(scenario.options)) {
    const usual = words
      ? (set[option] ?? (quick ? small : standard))
      : quick
        ? small
        : (set[option] ?? standard)
    options[option] = (values[option] as string | undefined) ?? usual
  }
  const whole = (option: string, text: string) => {
    if (/^\d{1,15}$/.test(text)) return Number(text)
    throw explain(only, `--${option} must be a whole number, not ${JSON.stringify(text)}`)
  }
  const settings = (given: string) =>
    Object.fromEntries(
      given
        .split(',')
        .filter(Boolean)
        .map(setting => {
          const [, name, value] = /^([a-z_]+)=([\w.-]+)$/.exec(setting) ?? []
          if (name !== undefined && value !== undefined) return [name, value] as const
          throw explain(only, `--postgres takes name=value, not ${JSON.stringify(setting)}`)
        }),
    )
  const words = (option: string) => options[option]!.split(',')
  const list = (option: string) => words(option).map(text => whole(option, text))
  for (const [option, { words: pattern }] of Object.entries(scenario.options)) {
    const unknown = pattern && words(option).find(word => !pattern.test(word))
    if (unknown !== undefined) throw explain(only, `--${option} can't be ${JSON.stringify(unknown)}`)
    if (!pattern) list(option)
  }
  const text = (option: string) => values[option] as string | undefined
  return {
    verb: name,
    scenario,
    json: text('json'),
    svg: text('svg'),
    evidence: text('evidence'),
    profile: text('profile'),
    workers: whole('workers', String(values.workers)),
    postgres: settings(String(values.postgres)),
    server: text('server'),
    options,
    input: {
      verb: name,
      words,
      list,
      number: option => list(option)[0]!,
      quick,
      seed: whole('seed', String(values.seed)),
    },
  }
}

function explain({ scenarios, presets }: Verbs, mistake: string | null): Usage {
  const lines = Object.entries(scenarios).flatMap(([name, { summary, options }]) => [
    '',
    `  ${name}: ${summary}`,
    ...Object.entries(options).map(
      ([option, { default: value, help }]) => `    --${`${option} ${value}`.padEnd(36)} ${help}`,
    ),
  ])
  for (const [name, [scenario, options]] of Object.entries(presets)) {
    const set = Object.entries(options).map(([option, value]) => ` --${option} ${value}`)
    lines.push('', `  ${name}: ${scenario}${set.join('')}`)
  }
  const text = [
    ...(mistake === null ? [] : [`bench: ${mistake}`, '']),
    'npm run bench -- <verb> [--quick] [--seed 1] [--workers 1] [--postgres NAME=VALUE,…] [--server FOLDER] [--json FILE] [--svg FILE] [--evidence FILE] [--profile FOLDER] [options]',
    '  --quick          everything, but so small that it only shows that it works',
    '  --workers 1      processes of the server behind its port',
    '  --postgres …     its settings: commit_delay=3000,commit_siblings=0 makes the disk 3 ms slower',
    '  --server FOLDER  measures the server of another checkout, with its packages installed: an earlier commit',
    '  --json FILE      machine, versions, commit, seed and every figure',
    '  --svg FILE       a picture, where there is one',
    '  --profile FOLDER where the time of the server goes; the figures suffer from it',
    '  --evidence FILE  writes the figures into a document that quotes them (docs/evidence.md)',
    ...lines,
  ].join('\n')
  return new Usage(text)
}
