import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { holds } from './bench/holds.ts'
import { layouts } from './bench/layouts.ts'
import { describeMachine } from './bench/machine.ts'
import type { Verb } from './bench/verb.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * Measures the real server from outside.
 *
 *   npm run bench -- <verb> [--json FILE] [--seed 1] [options of the verb]
 */
const verbs: Readonly<Record<string, Verb>> = { layouts, holds }

const [name = '', ...args] = process.argv.slice(2)
const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
if (!verb) {
  const lines = Object.entries(verbs).map(([known, { summary, options }]) => {
    const own = Object.entries(options).map(([option, { default: value }]) => `[--${option} ${value}]`)
    return `  ${known} ${own.join(' ')}\n      ${summary}`
  })
  process.stderr.write(`npm run bench -- <verb> [--json FILE] [--seed 1]\n${lines.join('\n')}\n`)
  process.exit(2)
}

const { values } = parseArgs({
  args,
  options: { json: { type: 'string' }, seed: { type: 'string', default: '1' }, ...verb.options },
})
const { json, ...options } = values as { json?: string } & Record<string, string>
const say = (line: string) => process.stdout.write(`${line}\n`)
const seed = wholeNumber('seed', options.seed!)
const machine = describeMachine()
const { table, figures } = await verb.run({ options, seed, say })
say(`\n${table}\n`)
say(
  `${machine.cpu}, ${machine.cores} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB, Node ${machine.node}`,
)
say(`Commit ${machine.commit ?? 'unknown'}, seed ${seed}`)
if (json !== undefined) {
  await writeFile(json, `${JSON.stringify({ verb: name, machine, seed, options, figures }, null, 2)}\n`)
  say(`Written to ${json}`)
}
