import { parseArgs } from 'node:util'
import type { Verb, VerbInput } from './verb.ts'

export interface CommandLine {
  readonly name: string
  readonly verb: Verb
  readonly json: string | undefined
  readonly svg: string | undefined
  readonly evidence: string | undefined
  readonly profile: string | undefined
  /** Of the server. */
  readonly workers: number
  /** The checkout whose server is measured. */
  readonly server: string | undefined
  /** Settings of Postgres beside the usual ones. */
  readonly postgres: Readonly<Record<string, string>>
  /** As they were given or are by default. */
  readonly options: Readonly<Record<string, string>>
  readonly input: Pick<VerbInput, 'list' | 'number' | 'quick' | 'seed'>
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

/** How it is used, and what was wrong with how it was. */
export class Usage extends Error {}

/** Throws Usage when it is asked for, or needed. */
export function readCommandLine(args: readonly string[], verbs: Readonly<Record<string, Verb>>): CommandLine {
  const [name = '', ...rest] = args
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (!verb)
    throw explain(verbs, /^(|--help|-h)$/.test(name) ? null : `there is no verb ${JSON.stringify(name)}`)
  const only = { [name]: verb }
  const own = Object.fromEntries(
    Object.keys(verb.options).map(option => [option, { type: 'string' as const }]),
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
  for (const [option, { default: standard, quick: small }] of Object.entries(verb.options)) {
    options[option] = (values[option] as string | undefined) ?? (quick ? small : standard)
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
  const list = (option: string) => options[option]!.split(',').map(text => whole(option, text))
  for (const option of Object.keys(options)) list(option)
  const text = (option: string) => values[option] as string | undefined
  return {
    name,
    verb,
    json: text('json'),
    svg: text('svg'),
    evidence: text('evidence'),
    profile: text('profile'),
    workers: whole('workers', String(values.workers)),
    postgres: settings(String(values.postgres)),
    server: text('server'),
    options,
    input: {
      list,
      number: option => list(option)[0]!,
      quick,
      seed: whole('seed', String(values.seed)),
    },
  }
}

function explain(verbs: Readonly<Record<string, Verb>>, mistake: string | null): Usage {
  const lines = Object.entries(verbs).flatMap(([name, { summary, options }]) => [
    '',
    `  ${name}: ${summary}`,
    ...Object.entries(options).map(
      ([option, { default: value, help }]) => `    --${`${option} ${value}`.padEnd(36)} ${help}`,
    ),
  ])
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
