import { readAvailability } from '@voelgoed/contract/holds'
import { bodyLimitOf } from '@voelgoed/contract/route'
import { importWhitelist } from '@voelgoed/contract/whitelist'
import type { Caller } from '../call-route.ts'
import { formatBytes, formatMs } from '../format.ts'
import { Random } from '../random.ts'
import type { SpawnedServer } from '../spawn-server.ts'
import { askInTime } from './ask-in-time.ts'
import { judge, type Verdict } from './check-answer.ts'
import type { Ground } from './ground.ts'
import { LAYOUT_ROUTES } from './honest.ts'
import type { HostileRequest } from './make-request.ts'
import { Tally } from './tally.ts'
import { FILLS, longTextRequest, TEXT_FIELDS, type TextField } from './text-fields.ts'
import { watchOthers } from './watch-others.ts'
import { type Outcome, Wire } from './wire.ts'

export interface LongTextOptions {
  /** In each round every field gets one kind of text, and in the next round another. */
  readonly rounds: number
  readonly seconds: number
  /** Where a body may be larger than this, it is not filled further. */
  readonly maxBytes?: number
  /** The lab watches the honest caller for so long without an attack, before it and again after it. */
  readonly baseSeconds: number
}

export interface LongTextReport {
  readonly fields: number
  readonly attacked: readonly TextField[]
  readonly seconds: number
  readonly tally: Tally
  /** The honest caller waited this long without the attack, and below that during it. */
  readonly base: Waits
  readonly during: Waits
  /** These texts were sent when the honest caller waited longest, the worst first. */
  readonly worst: readonly { readonly ms: number; readonly sent: string }[]
  readonly violations: readonly string[]
}

/** In milliseconds. */
export interface Waits {
  readonly requests: number
  readonly longest: number
  readonly p99: number
}

export const ALL_KINDS = FILLS.length

/** Made before they are sent, so that this process is free to measure: many small ones, or one large. */
const BATCH_BYTES = 4 * 1024 * 1024
const CONNECTIONS = 4
const PAUSE_MS = 3
const WARM_UP_MS = 1_000
const SHOWN_VIOLATIONS = 10
const SHOWN_WORST = 5

/** So that the large bodies, which take most of the time, come last. */
const SMALL_FIRST = [...TEXT_FIELDS].sort((a, b) => roomOf(a) - roomOf(b))

function roomOf({ part, route }: TextField): number {
  return part === 'body' ? bodyLimitOf(route) : 0
}

interface Sent {
  readonly field: TextField
  readonly request: HostileRequest
}

/** Fills every text field of every route with as much as is let in, while an honest buyer goes on asking. */
export async function attackWithLongTexts(
  { seed, texts, say }: { seed: number; texts: LongTextOptions; say: (line: string) => void },
  server: SpawnedServer,
  caller: Caller,
  ground: Ground,
): Promise<LongTextReport> {
  const { rounds, seconds, baseSeconds, maxBytes = Number.POSITIVE_INFINITY } = texts
  const random = new Random(seed, -2)
  const tally = new Tally()
  const violations: string[] = []
  const attacked = new Set<TextField>()
  const during: number[] = []
  const worst: { ms: number; sent: string }[] = []
  const wires = Array.from({ length: CONNECTIONS }, () => new Wire(server.port))
  const buyer = { token: ground.ours.tokens.customer, params: { event: ground.ours.ids.event![0]! } }
  const ask = () =>
    caller.get(readAvailability, buyer).catch((error: Error) => {
      violations.push(`an honest request failed: ${error.message}`)
    })
  const watch = (isDone: () => boolean) => watchOthers(ask, isDone, PAUSE_MS)

  const send = async (wire: Wire, { field, request }: Sent) => {
    const { bytes } = request
    const outcome = await askInTime(wire, {
      bytes,
      isHead: false,
      alone: false,
      incomplete: false,
    })
    const verdict = judgeLongText(request, outcome)
    attacked.add(field)
    tally.add(request, outcome, verdict)
    if (verdict.violation === null) return
    violations.push(`${nameOf({ field, request })}: ${verdict.violation}`)
    if (violations.length <= SHOWN_VIOLATIONS) say(`VIOLATION: ${violations[violations.length - 1]}`)
  }
  const sendBatch = async (batch: readonly Sent[]) => {
    let next = 0
    let isDone = false
    const watching = watch(() => isDone)
    const work = async (wire: Wire) => {
      while (next < batch.length) await send(wire, batch[next++]!)
    }
    await Promise.all(wires.map(work))
    isDone = true
    const waits = await watching
    during.push(...waits)
    const ms = Math.max(...waits)
    const [largest] = [...batch].sort((a, b) => sizeOf(b.request) - sizeOf(a.request))
    const others = batch.length > 1 ? `, or ${batch.length - 1} others of the same batch` : ''
    worst.push({ ms, sent: `${nameOf(largest!)}${others}` })
    worst.sort((a, b) => b.ms - a.ms).splice(SHOWN_WORST)
  }

  await watch(until(WARM_UP_MS))
  const base = await watch(until(baseSeconds * 1_000))
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1_000
  const mayGoOn = () => elapsed() < seconds && server.ended === null
  let batch: Sent[] = []
  let batchBytes = 0
  const flush = async () => {
    if (batch.length > 0) await sendBatch(batch)
    batch = []
    batchBytes = 0
  }
  for (let round = 0; round < rounds && mayGoOn(); round += 1) {
    for (const [at, field] of SMALL_FIRST.entries()) {
      if (!mayGoOn()) break
      const fill = FILLS[(round + at) % FILLS.length]!
      const request = longTextRequest(field, fill, { ground, random, maxBytes })
      if (batchBytes + sizeOf(request) > BATCH_BYTES) await flush()
      batch.push({ field, request })
      batchBytes += sizeOf(request)
    }
    await flush()
    say(
      `Long texts, round ${round + 1}: ${tally.requests.toLocaleString('en')} requests, ${formatBytes(tally.sentBytes)}, others waited ${formatMs(worst[0]?.ms ?? 0)} at most`,
    )
  }
  const lasted = elapsed()
  base.push(...(await watch(until(baseSeconds * 1_000))))
  for (const wire of wires) wire.close()
  return {
    fields: TEXT_FIELDS.length,
    attacked: [...attacked],
    seconds: lasted,
    tally,
    base: summarize(base),
    during: summarize(during),
    worst,
    violations,
  }
}

const REFUSALS = ['400', '401', '403', '404', '413']

function judgeLongText(request: HostileRequest, outcome: Outcome): Verdict {
  const verdict = judge(request, outcome)
  if (verdict.violation !== null || REFUSALS.includes(verdict.result)) return verdict
  // A layout's own rules judge what it may hold anywhere (metadata, documents of others), and the whitelist
  // judges the text of a CSV file line by line.
  const isJudgedInside = LAYOUT_ROUTES.includes(request.route) || request.route === importWhitelist
  if (verdict.result === '422' && isJudgedInside) return verdict
  return { ...verdict, violation: `answered with ${verdict.result}` }
}

function until(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() >= end
}

function sizeOf({ bytes }: HostileRequest): number {
  return bytes.reduce((sum, piece) => sum + piece.length, 0)
}

function nameOf({ field, request }: Sent): string {
  const { route, where, kind } = field
  const name = kind === 'key' ? `${where} (its name)` : where
  return `${formatBytes(sizeOf(request))} to ${route.method} ${route.path}, ${name}, ${request.attack}`
}

function summarize(waits: readonly number[]): Waits {
  const sorted = [...waits].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
  return { requests: sorted.length, longest: at(1), p99: at(0.99) }
}
