import { healthz } from '@voelgoed/contract/running'
import { buildBuyersPage } from '../bench/map/page.ts'
import { Caller } from '../call-route.ts'
import { formatBytes } from '../format.ts'
import { type Complaint, type Memory, type SpawnedServer, spawnServer } from '../spawn-server.ts'
import { askInTime } from './ask-in-time.ts'
import { isBusy, judge } from './check-answer.ts'
import { sendGiants } from './giants.ts'
import { type Ground, prepareGround, refreshGround } from './ground.ts'
import { attackWithLongTexts, type LongTextOptions, type LongTextReport } from './long-texts.ts'
import { type HostileRequest, makeRequest } from './make-request.ts'
import { Tally } from './tally.ts'
import { type Answer, type Outcome, Wire } from './wire.ts'

export interface HostileOptions {
  readonly seed: number
  /** Requests `first` … `first + requests − 1` of the seed. */
  readonly first?: number
  readonly requests: number
  readonly seconds: number
  readonly connections?: number
  /** Bodies as large as a route allows, sent at the end. */
  readonly giants?: number
  /** Texts as long as a body allows, in every field, sent last. */
  readonly texts?: LongTextOptions | null
  readonly say: (line: string) => void
}

export interface HostileReport {
  readonly tally: Tally
  readonly seconds: number
  readonly memory: {
    readonly startBytes: number
    readonly peakBytes: number
    readonly endBytes: number
  } | null
  /** The server's log said this at level warn. */
  readonly warnings: readonly string[]
  /** These things must not be, in words; the first ones have the request that caused them. */
  readonly violations: readonly string[]
  readonly texts: LongTextReport | null
  readonly outcomes: readonly { request: HostileRequest; outcome: Outcome }[]
}

const A_ROUND = 2_500
const SHOWN_OF_A_KIND = 3
const SHOWN_LOG_LINES = 10
/** Enough to know that something is wrong throughout. */
const TOO_MANY_VIOLATIONS = 5_000
/**
 * 32 connections with 2 MB each in flight, and the thread of the layout compiler: V8 lets its heap grow to
 * what one large layout needed, and keeps it while the thread is busy. Measured in six runs: 250 to 670 MB. A
 * leak of 10 kB a request exceeds this in 100,000.
 */
const MAX_GROWTH_BYTES = 1_000_000_000

/** Attacks a server of its own in rounds; between them it must work as if nothing had happened. */
export async function runHostile(options: HostileOptions): Promise<HostileReport> {
  const { say } = options
  say(`Seed ${options.seed}. Starting a server …`)
  // Without it the server has a page of its own at /, which is no answer of the contract.
  await buildBuyersPage()
  const server = await spawnServer()
  const caller = new Caller(server.url)
  try {
    const ground = await prepareGround(caller, server.rootKey)
    say(`Attacking ${server.url} with ${options.requests.toLocaleString('en')} requests …`)
    return await attack(options, server, caller, ground)
  } finally {
    caller.close()
    await server.stop()
  }
}

async function attack(
  options: HostileOptions,
  server: SpawnedServer,
  caller: Caller,
  ground: Ground,
): Promise<HostileReport> {
  const { seed, first = 0, requests, seconds, connections = 32, giants = 0, texts = null, say } = options
  const tally = new Tally()
  const violations: string[] = []
  const outcomes: HostileReport['outcomes'][number][] = []
  const before = server.memory()
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1_000
  const wires = Array.from({ length: Math.min(connections, requests) }, () => new Wire(server.port))

  const mayGoOn = () =>
    elapsed() < seconds && server.ended === null && violations.length < TOO_MANY_VIOLATIONS
  let next = first
  const last = first + requests
  const attackUntil = async (wire: Wire, bound: number) => {
    while (next < bound && mayGoOn()) {
      const request = makeRequest(seed, next++, ground)
      const { bytes, draft } = request
      const isHead = draft.method === 'HEAD'
      const { alone, incomplete } = draft
      const outcome = await askInTime(wire, { bytes, isHead, alone, incomplete }, ({ answers }) =>
        answers.some(answer => isBusy(request, answer)),
      )
      const verdict = judge(request, outcome)
      tally.add(request, outcome, verdict)
      if (requests === 1) outcomes.push({ request, outcome })
      if (verdict.violation === null) continue
      violations.push(verdict.violation)
      const alike = violations.filter(violation => violation === verdict.violation).length
      if (alike <= SHOWN_OF_A_KIND) say(describeViolation(seed, request, outcome, verdict.violation))
    }
  }

  while (next < last && mayGoOn()) {
    const bound = Math.min(next + A_ROUND, last)
    await Promise.all(wires.map(wire => attackUntil(wire, bound)))
    say(progress(tally, requests, elapsed(), server.memory(), violations.length))
    try {
      await refreshGround(caller, ground)
      await caller.get(healthz)
    } catch (error) {
      violations.push(`an honest request failed: ${(error as Error).message}`)
      say(violations[violations.length - 1]!)
      break
    }
  }
  for (const wire of wires) wire.close()
  const lasted = elapsed()
  const after = server.memory()
  if (mayGoOn()) violations.push(...(await sendGiants({ seed, giants, say }, server, caller, ground)))

  const longTexts =
    texts && mayGoOn() ? await attackWithLongTexts({ seed, texts, say }, server, caller, ground) : null
  if (longTexts) violations.push(...longTexts.violations)

  if (server.ended !== null) violations.push(`the server ended: ${server.ended}`)
  const errors = server.complaints.filter(({ level, text }) => level === 'error' && !isGiantRefused(text))
  for (const { text } of errors.slice(0, SHOWN_LOG_LINES)) say(`In the log: ${text.slice(0, 2_000)}`)
  if (errors.length > 0) violations.push(`${errors.length} errors in the log`)
  const memory = before &&
    after && { startBytes: before.rssBytes, peakBytes: after.peakBytes, endBytes: after.rssBytes }
  if (memory && memory.peakBytes - memory.startBytes > MAX_GROWTH_BYTES) {
    violations.push(`memory grew by ${formatBytes(memory.peakBytes - memory.startBytes)}`)
  }
  const warnings = server.complaints.filter(({ level }) => level === 'warn').map(messageOf)
  return { tally, seconds: lasted, memory, warnings, violations, texts: longTexts, outcomes }
}

function progress(
  tally: Tally,
  of: number,
  seconds: number,
  memory: Memory | null,
  violations: number,
): string {
  const count = (value: number) => value.toLocaleString('en')
  return [
    `${count(tally.requests).padStart(9)} of ${count(of)}`,
    `${(tally.requests / seconds).toFixed(0).padStart(5)}/s`,
    memory ? `memory ${formatBytes(memory.rssBytes)}` : 'memory unknown',
    `${violations} violations`,
  ].join('  ')
}

function describeViolation(
  seed: number,
  request: HostileRequest,
  outcome: Outcome,
  violation: string,
): string {
  return [
    '',
    `VIOLATION: ${violation}`,
    `  attack "${request.attack}" on ${request.route.method} ${request.route.path}`,
    `  again: npm run hostile -- --seed ${seed} --only ${request.index}`,
    describeExchange(request, outcome),
    '',
  ].join('\n')
}

/** Shows what was sent and what came back, shortened. */
export function describeExchange(request: HostileRequest, outcome: Outcome): string {
  const bytes = Buffer.concat(request.bytes)
  return [
    `  sent ${bytes.length} bytes: ${printable(bytes, 1_500)}`,
    ...outcome.answers.slice(0, 3).map(describeAnswer),
    `  then: ${outcome.end}${outcome.error ? ` (${outcome.error})` : ''}`,
  ].join('\n')
}

function describeAnswer(answer: Answer): string {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join(', ')
  return `  answer ${answer.status} (${headers}): ${printable(answer.body, 600)}`
}

function printable(bytes: Buffer, length: number): string {
  const text = JSON.stringify(bytes.subarray(0, length).toString('latin1'))
  return bytes.length > length ? `${text} …` : text
}

/** A giant may be too much for the layout compiler, which then starts again. */
function isGiantRefused(line: string): boolean {
  return line.includes('ERR_WORKER_OUT_OF_MEMORY')
}

function messageOf({ text }: Complaint): string {
  const { msg, err } = JSON.parse(text) as { msg?: string; err?: { message?: string } }
  return err?.message ? `${msg}: ${err.message}` : (msg ?? text)
}
