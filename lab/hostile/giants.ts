import type { Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { healthz } from '@voelgoed/contract/running'
import type { Caller } from '../call-route.ts'
import { formatBytes, formatMs } from '../format.ts'
import { Random } from '../random.ts'
import type { SpawnedServer } from '../spawn-server.ts'
import { judge } from './check-answer.ts'
import { encode, setBody, setHeader } from './draft.ts'
import type { Schema } from './from-schema.ts'
import type { Ground } from './ground.ts'
import { authorization, goodToken, honestDraft, pathOf } from './honest.ts'
import { watchOthers } from './watch-others.ts'
import { Wire } from './wire.ts'

/** One body as large as its route allows, with one list or object of it filled with nonsense. */
interface Giant {
  readonly route: Route
  readonly where: string
  readonly before: string
  readonly one: (index: number) => string
  readonly after: string
}

/** Other callers must not notice. On a busy machine they may wait a second for other reasons. */
const MAX_STALL_MS = 2_000

/**
 * Sends the largest bodies that are let in, one at a time, and asks meanwhile whether the server still serves
 * others. Returns violations.
 */
export async function sendGiants(
  { seed, giants, say }: { seed: number; giants: number; say: (line: string) => void },
  server: SpawnedServer,
  caller: Caller,
  ground: Ground,
): Promise<string[]> {
  const violations: string[] = []
  const random = new Random(seed, -1)
  const all = routes.filter(route => route.bodyLimitBytes && route.body).map(giantsOf)
  const wire = new Wire(server.port)
  for (let count = 0; count < giants && server.ended === null; count += 1) {
    const giant = random.pick(random.pick(all))
    const name = `${giant.route.method} ${giant.route.path} with ${giant.where}`
    const { outcome, verdict, bytes, ms, stallMs } = await send(giant, wire, caller, ground, random)
    say(
      `Giant of ${formatBytes(bytes)}: ${name}: ${verdict.result} after ${formatMs(ms)}, others waited ${formatMs(stallMs)} at most`,
    )
    if (verdict.violation) violations.push(`giant, ${name}: ${verdict.violation}`)
    if (stallMs > MAX_STALL_MS) violations.push(`giant, ${name}: others waited ${formatMs(stallMs)}`)
    if (outcome.end === 'silent') break
  }
  wire.close()
  return violations
}

async function send(giant: Giant, wire: Wire, caller: Caller, ground: Ground, random: Random) {
  const { route } = giant
  const draft = honestDraft(route, ground, random)
  draft.path = pathOf(route, ground.ours, random)
  draft.alone = true
  draft.mayClose = true
  draft.mustBeRefused = false
  setHeader(draft, 'authorization', authorization(goodToken(route, ground, random)))
  setHeader(draft, 'idempotency-key', null)
  setBody(draft, write(giant))
  const request = { index: -1, attack: 'giant', route, draft, bytes: encode(draft) }

  let isDone = false
  const watching = watchOthers(
    () => caller.call(healthz),
    () => isDone,
  )
  const startedAt = performance.now()
  const outcome = await wire.exchange({
    bytes: request.bytes,
    isHead: false,
    alone: true,
    incomplete: false,
  })
  const ms = performance.now() - startedAt
  isDone = true
  const bytes = draft.body!.length
  return { outcome, verdict: judge(request, outcome), bytes, ms, stallMs: Math.max(0, ...(await watching)) }
}

function write({ route, before, one, after }: Giant): Buffer {
  const room = route.bodyLimitBytes! - before.length - after.length
  const count = Math.floor(room / (one(9_999_999).length + 1))
  return Buffer.from(before + Array.from({ length: count }, (_, index) => one(index)).join() + after)
}

const ITEMS: readonly (() => string)[] = [() => '1', () => '{}', () => '""']

function giantsOf(route: Route): Giant[] {
  const unknown = {
    route,
    where: 'unknown members',
    before: '{',
    one: (index: number) => `"k${index}":0`,
    after: '}',
  }
  return [
    unknown,
    ...listsOf(route.body as Schema).flatMap(path => ITEMS.map(one => inList(route, path, one))),
  ]
}

function inList(route: Route, path: readonly string[], one: () => string): Giant {
  const open = path.map(key => (key === '*' ? '[' : `{${JSON.stringify(key)}:`)).join('')
  const close = path
    .map(key => (key === '*' ? ']' : '}'))
    .reverse()
    .join('')
  return { route, where: `${one()} in /${path.join('/')}`, before: `${open}[`, one, after: `]${close}` }
}

/** The way to every list of a schema; `*` stands for the first item of one. */
function listsOf(schema: Schema, path: readonly string[] = []): string[][] {
  const own = schema.type === 'array' ? [[...path]] : []
  return [
    ...own,
    ...(schema.items ? listsOf(schema.items, [...path, '*']) : []),
    ...(schema.anyOf ?? []).flatMap(option => listsOf(option, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, member]) => listsOf(member, [...path, key])),
  ]
}
