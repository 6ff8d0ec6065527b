import { setTimeout as delay } from 'node:timers/promises'
import { reserveSeat } from '@voelgoed/contract/holds'
import { Random } from '../../random.ts'
import type { Variant } from '../baselines/protocol.ts'
import type { Baselines } from '../baselines/start.ts'
import { backAfterMs } from '../load/back.ts'
import type { ClosedLoopFigures, ClosedLoopOrder } from '../load/closed-loop.ts'
import { percentiles } from '../load/percentiles.ts'
import type { ScenarioInput } from '../scenario.ts'
import { treeSeconds } from '../stage/processor-time.ts'
import type { Row } from '../table.ts'
import type { Harm, Installation } from './installation.ts'

/** A word of --loads. */
export const LOAD = /^(each|zipf|one|fight|best)(\d*)$/

export interface Load {
  readonly name: string
  readonly workload: ClosedLoopOrder['workload']
  /** Events that are on sale at once, or seats that a buyer asks for. */
  readonly number: number
  /** Several buyers want the same seats. */
  readonly isContended: boolean
}

export function readLoad(text: string): Load {
  const [, kind, digits] = LOAD.exec(text)!
  const workload = kind as Load['workload']
  const number = Number(digits || 1)
  const names = {
    each: number === 1 ? 'seats of their own' : `seats of their own of ${number} events`,
    ...{ zipf: 'seats by Zipf', one: 'one seat', fight: 'a fight', best: `the best ${number}` },
  }
  return { name: names[workload], workload, number, isContended: !/each|best/.test(workload) }
}

type Prepared = Pick<ClosedLoopOrder, 'eventIds' | 'seatIds' | 'tokens' | 'fromAddresses'>

/** A server that takes this load: an installation of ours, or a baseline. */
export interface Target {
  readonly name: string
  readonly ports: readonly number[]
  /** Events for so many requests. */
  prepare(load: Load, requests: number): Promise<Prepared>
  /** Processor time so far. */
  used(): { readonly server: number | null; readonly redis?: number | null }
}

/** Faster than this it isn't: enough events are made for it. */
const MOST_PER_SECOND = 20_000
/** With the few connections of a short run. */
const QUICK_MOST_PER_SECOND = 2_000

export function ours(installation: Installation, { number }: ScenarioInput, isCompared: boolean): Target {
  const { site, name } = installation
  return {
    name,
    ports: site.ports,
    used: () => installation.used(),
    async prepare({ workload, number: atOnce }, requests) {
      const events = workload === 'each' ? atOnce : 1
      const seats =
        workload === 'zipf' ? number('popular') : Math.ceil(number('seats') / (events > 1 ? 5 : 1))
      const hall = await site.hall(seats)
      const eventIds: string[] = []
      const wanted = workload === 'one' ? 1 : requests / (seats * (workload === 'zipf' ? 2 : 1))
      while (eventIds.length < wanted) {
        for (let one = 0; one < events; one += 1) eventIds.push(await hall.openEvent())
      }
      if (workload === 'one') {
        // Not by one of the crowd: that buyer would get it again and again.
        const params = { event: eventIds[0]!, seat: hall.seatIds[0]! }
        await site.caller.get(reserveSeat, { token: site.organizer, params })
      }
      await installation.load(eventIds)
      await site.database.checkpoint()
      const tokens = await site.guests(number('guests'))
      return { eventIds, seatIds: hall.seatIds, tokens, fromAddresses: isCompared }
    },
  }
}

/** The empty route looks at nothing: it has a name for every seat, as often as they are asked for. */
const EVENTS_OF_NOTHING = 100

export function baseline(
  variant: Variant | 'empty',
  baselines: Baselines,
  { number, seed }: ScenarioInput,
): Target {
  const random = new Random(seed, variant.length)
  const ids = (count: number) => Array.from({ length: count }, () => random.uuid())
  const names = { empty: 'an empty route', rowLock: 'usual with a row lock', redis: 'usual with Redis' }
  return {
    name: names[variant],
    ports: [baselines.ports[variant]!],
    used: () => ({ server: baselines.cpuSeconds() }),
    async prepare({ workload }, requests) {
      // A transaction for each request is slower than this.
      const most = Math.ceil(requests / 2)
      const seatIds = ids(workload === 'each' ? most : number('popular'))
      const events = { each: 1, zipf: Math.ceil(most / (2 * seatIds.length)), one: 1, fight: 1, best: 1 }
      const eventIds = ids(variant === 'empty' ? EVENTS_OF_NOTHING : events[workload])
      if (variant !== 'empty') await baselines.prepare({ eventIds, seatIds })
      return { eventIds, seatIds, tokens: ids(number('guests')) }
    },
  }
}

export interface Measurement {
  readonly load: Load
  readonly connections: number
  readonly seconds: number
  /** Without an Idempotency-Key: not as our client asks. Baselines know none. */
  readonly isKeyless?: true
  /** The figures are those from the harm on, which comes after a third of the time. */
  readonly harm?: Harm
}

/** Applies a load to a server over HTTP, and looks what it cost whom. */
export async function measureLoad(
  target: Target,
  { load, connections, seconds, isKeyless, harm }: Measurement,
  { stage, seed, quick, say }: ScenarioInput,
  harmNow: () => Promise<void> = async () => {},
): Promise<Row> {
  const requests = seconds * (quick ? QUICK_MOST_PER_SECOND : MOST_PER_SECOND)
  const prepared = await target.prepare(load, requests)
  const { pid } = await stage.postgres()
  const used = () => ({ ...target.used(), postgres: treeSeconds(pid) })
  if (!quick) await untilQuiet(used)
  const before = used()
  const measuring = stage.generator().give('closedLoop', {
    ...{ ports: target.ports, connections, seconds, seed, ...prepared },
    ...{ workload: load.workload, keyed: !isKeyless, wantsEach: harm !== undefined },
    ...(load.workload === 'best' ? { quantity: load.number } : { eventsAtOnce: load.number }),
  })
  const harmedAt = harm ? await harmAfter((seconds * 1_000) / 3, harmNow) : null
  const figures = await measuring
  const after = used()
  const cores = (name: keyof typeof before) => {
    const [from, to] = [before[name], after[name]]
    return from == null || to == null ? null : (to - from) / figures.seconds
  }
  const { 200: _had, 409: _refused, ...failed } = figures.others
  // A hall that is full refuses the best seats, as a contended one does.
  const mayBeRefused = load.isContended || load.workload === 'best'
  const row = {
    what: [
      [target.name, isKeyless && 'without keys', harm].filter(Boolean).join(' '),
      ...[load.name, `${connections.toLocaleString('en')} at once`],
    ].join(', '),
    figures: {
      ...(harmedAt === null ? speedOf(figures) : sinceHarm(figures, harmedAt)),
      serverCores: cores('server'),
      redisCores: cores('redis'),
      postgresCores: cores('postgres'),
      loadCores: figures.load.cpuSeconds / figures.load.seconds,
      loadDelayMs: figures.load.delayP99Ms,
    },
    others: mayBeRefused ? failed : figures.others,
  }
  const { perSecond, refusedPerSecond } = row.figures
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  say(`  ${row.what}: ${whole(perSecond)} holds, ${whole(refusedPerSecond ?? 0)} refusals a second`)
  return row
}

function speedOf({ perSecond, refusedPerSecond, p50Ms, p95Ms, p99Ms, longestMs }: ClosedLoopFigures) {
  const refused = refusedPerSecond > 0 ? refusedPerSecond : null
  return { perSecond, refusedPerSecond: refused, p50Ms, p95Ms, p99Ms, longestMs, back: null as string | null }
}

async function harmAfter(ms: number, harmNow: () => Promise<void>): Promise<number> {
  await delay(ms)
  const at = performance.timeOrigin + performance.now()
  await harmNow()
  return at
}

function sinceHarm({ each }: ClosedLoopFigures, harmedAt: number): ReturnType<typeof speedOf> {
  const { at, ms: all, isHold } = each!
  const first = at.findIndex(one => one >= harmedAt)
  const ms = first < 0 ? new Float64Array() : all.subarray(first)
  const holds = first < 0 ? 0 : isHold.subarray(first).reduce((count, one) => count + one, 0)
  const seconds = Math.max(0.001, ((at.at(-1) ?? harmedAt) - harmedAt) / 1_000)
  const back = backAfterMs(each!, harmedAt)
  return {
    perSecond: holds / seconds,
    refusedPerSecond: null,
    ...percentiles(ms),
    longestMs: ms.reduce((longest, one) => Math.max(longest, one), 0),
    back: back === null ? 'never' : `${Math.round(back)} ms`,
  }
}

/** The last measurement has nothing left to do when all processes together use less than this. */
const QUIET_CORES = 0.1
const QUIET_WITHIN_MS = 3_000
const QUIET_LOOK_MS = 200

/** Copies, histories and checkpoints of what came before must not be a part of this. */
async function untilQuiet(used: () => Readonly<Record<string, number | null>>): Promise<void> {
  const all = () => Object.values(used()).reduce<number>((sum, one) => sum + (one ?? 0), 0)
  const giveUpAt = performance.now() + QUIET_WITHIN_MS
  for (let before = all(); performance.now() < giveUpAt; ) {
    await delay(QUIET_LOOK_MS)
    const after = all()
    if (after - before < (QUIET_CORES * QUIET_LOOK_MS) / 1_000) return
    before = after
  }
}
