import { setTimeout as delay } from 'node:timers/promises'
import { readOccupancy } from '@voelgoed/core/contract/holds'
import type { ClosedLoopFigures, EachAnswer } from '../load/closed-loop.ts'
import { percentiles } from '../load/percentiles.ts'
import { treeSeconds } from '../stage/processor-time.ts'
import type { VerbInput } from '../verb.ts'
import { backAfterMs } from './back.ts'
import type { Deployment, Harm, Setup } from './deployments.ts'

/** Seats of their own on one event, or on several; or the same seats, wanted by several buyers at once. */
export const LOADS = ['one event', 'ten events', 'a fight'] as const
export type Load = (typeof LOADS)[number]

/** One figure of one round. With a harm: from the harm on. */
export interface NodesFigures {
  readonly setup: Setup
  readonly load: Load
  readonly harm: Harm | null
  readonly round: number
  readonly perSecond: number
  readonly refusedPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Answers other than 201, and other than 409 in a fight, by status. */
  readonly errors: Readonly<Record<string, number>>
  /** Processor cores in use. Null where there is no /proc, or no such process at the end. */
  readonly nodeCores: number | null
  readonly redisCores: number | null
  readonly postgresCores: number | null
  readonly loadCores: number
  /** After how long the p99 of a second was as before the harm; null: not within the measurement. */
  readonly backMs: number | null
}

/** Faster than this it isn't: enough events are made for it. */
const MOST_PER_SECOND = 6_000
/** With the few connections of a short run. */
const QUICK_MOST_PER_SECOND = 2_000
/** What was left to do of the last measurement is over when all processes together use less than this. */
const QUIET_CORES = 0.1
const QUIET_WITHIN_MS = 3_000
const QUIET_LOOK_MS = 200
/** The harm comes after this part of the measurement. */
const HARMED_AFTER = 1 / 3

export async function measureOn(
  deployment: Deployment,
  what: { load: Load; harm: Harm | null; round: number; seconds: number },
  { stage, seed, number, quick }: VerbInput,
): Promise<NodesFigures> {
  const { site, setup } = deployment
  const { load, harm, seconds, round } = what
  const events = load === 'ten events' ? number('events') : 1
  const hall = await site.hall(number('seats') / (load === 'ten events' ? 5 : 1))
  const eventIds: string[] = []
  const most = seconds * (quick ? QUICK_MOST_PER_SECOND : MOST_PER_SECOND)
  while (eventIds.length < events || eventIds.length * hall.seatIds.length < most) {
    for (let one = 0; one < events; one += 1) eventIds.push(await hall.openEvent())
  }
  // Every node has them in memory before it is asked for holds.
  const token = site.customer
  for (const event of eventIds) {
    for (const caller of deployment.callers) await caller.get(readOccupancy, { token, params: { event } })
  }
  await site.database.checkpoint()
  const { pid } = await stage.postgres()
  const used = () => ({
    nodes: site.cpuSeconds(),
    redis: deployment.redisSeconds(),
    postgres: treeSeconds(pid),
  })
  if (!quick) await untilQuiet(() => sum(Object.values(used())))

  const before = used()
  const measuring = stage.generator().give('closedLoop', {
    ports: site.ports,
    connections: number('connections'),
    seconds,
    seed,
    workload: load === 'a fight' ? 'fight' : 'each',
    keyed: true,
    tokens: await site.guests(number('guests')),
    eventIds,
    eventsAtOnce: events,
    seatIds: hall.seatIds,
    fromAddresses: true,
    wantsEach: harm !== null,
  })
  const harmedAt = harm && (await harmInTime(deployment, harm, seconds))
  const figures = await measuring
  const after = used()
  const cores = (name: keyof typeof before) => {
    const [from, to] = [before[name], after[name]]
    return from === null || to === null ? null : (to - from) / figures.seconds
  }
  const { 409: refused, ...failed } = figures.others
  return {
    setup,
    load,
    harm,
    round,
    ...(harmedAt === null ? { ...pick(figures), backMs: null } : sinceHarm(figures.each!, harmedAt)),
    errors: load === 'a fight' ? failed : figures.others,
    nodeCores: cores('nodes'),
    redisCores: cores('redis'),
    postgresCores: cores('postgres'),
    loadCores: figures.load.cpuSeconds / figures.load.seconds,
  }
}

async function harmInTime(deployment: Deployment, harm: Harm, seconds: number): Promise<number> {
  await delay(seconds * 1_000 * HARMED_AFTER)
  const at = performance.timeOrigin + performance.now()
  await deployment.harm(harm)
  return at
}

type Speed = Pick<NodesFigures, 'perSecond' | 'refusedPerSecond' | 'p50Ms' | 'p99Ms' | 'longestMs'>

function pick({ perSecond, refusedPerSecond, p50Ms, p99Ms, longestMs }: ClosedLoopFigures): Speed {
  return { perSecond, refusedPerSecond, p50Ms, p99Ms, longestMs }
}

function sinceHarm(each: EachAnswer, harmedAt: number): Speed & Pick<NodesFigures, 'backMs'> {
  const first = each.at.findIndex(at => at >= harmedAt)
  const ms = first < 0 ? new Float64Array() : each.ms.subarray(first)
  const holds = first < 0 ? 0 : each.isHold.subarray(first).reduce((count, one) => count + one, 0)
  const seconds = ((each.at.at(-1) ?? harmedAt) - harmedAt) / 1_000
  const { p50Ms, p99Ms } = percentiles(ms)
  return {
    perSecond: seconds > 0 ? holds / seconds : 0,
    refusedPerSecond: seconds > 0 ? (ms.length - holds) / seconds : 0,
    p50Ms,
    p99Ms,
    longestMs: ms.reduce((longest, one) => Math.max(longest, one), 0),
    backMs: backAfterMs(each, harmedAt),
  }
}

/** Copies, histories and checkpoints of what came before must not be a part of this. */
async function untilQuiet(usedSeconds: () => number): Promise<void> {
  const giveUpAt = performance.now() + QUIET_WITHIN_MS
  for (let before = usedSeconds(); performance.now() < giveUpAt; ) {
    await delay(QUIET_LOOK_MS)
    const after = usedSeconds()
    if (after - before < (QUIET_CORES * QUIET_LOOK_MS) / 1_000) return
    before = after
  }
}

function sum(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((total, one) => total + (one ?? 0), 0)
}
