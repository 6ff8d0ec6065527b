import { readFileSync } from 'node:fs'

/** Each in a file of its own, with a header that says what it takes and returns. */
const NAMES = [
  'look-at-event',
  'put-event',
  'begin-event',
  'forget-holds',
  'remove-event',
  'read-event',
  'read-seat',
  'count-limits',
  'gate',
] as const

export type ScriptName = (typeof NAMES)[number]

/** What a script starts with: functions that several of them use. */
const PARTS: Readonly<Partial<Record<ScriptName, string>>> = {
  'put-event': 'parts/forget-hold',
  'forget-holds': 'parts/forget-hold',
}

/** As ioredis takes them: it sends a script's hash, and the script itself only when the server lacks it. */
export const SCRIPTS: Readonly<Record<string, { readonly lua: string }>> = Object.fromEntries(
  NAMES.map(name => [name, { lua: [PARTS[name] ?? [], name].flat().map(read).join('') }]),
)

function read(name: string): string {
  return readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
}
