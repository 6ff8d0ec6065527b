import type { App } from '../../../server/src/http/app.ts'
import type { Lane } from '../../../server/src/lane/lane.ts'
import type { LaneAnswer } from '../../../server/src/lane/lane-answer.ts'
import { assertHeld, Buyers, shuffledOrdinals } from './buyers.ts'
import type { Ground } from './ground.ts'
import type { Reporter } from './reporter.ts'
import { percentiles, Times } from './times.ts'
import { zipfOrdinals } from './zipf-ordinals.ts'

export interface ThroughputOptions {
  /**
   * Each seat once; or by Zipf's law, twice as many requests as seats in each event; or always the same seat.
   */
  readonly workload: 'each' | 'zipf' | 'one'
  readonly seconds: number
  readonly concurrent: number
  readonly seats: number
  /** One after another, when seats run out. */
  readonly events: number
  readonly warmUpHolds: number
}

export interface ThroughputFigures {
  readonly holds: number
  readonly refused: number
  readonly seconds: number
  readonly perSecond: number
  readonly refusedPerSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly batchCommands: number
  /** Processor time of this process, everything in it included. */
  readonly cpuSeconds: number
}

/** Requests for seats, straight to the lane, always so many under way. */
export async function measureThroughput(
  ground: Ground,
  options: ThroughputOptions,
  reporter: Reporter,
): Promise<ThroughputFigures> {
  const layout = await ground.layout(options.seats)
  const lanes: Lane[] = []
  for (let event = 0; event < options.events; event += 1) {
    const lane = ground.lane(await ground.event(layout))
    await lane.ready()
    lanes.push(lane)
  }
  const wishes = wishesOf(lanes, options, ground.seed)
  const { concurrent } = options
  await submitAll(wishes, options, { concurrent, wishes: options.warmUpHolds })
  await ground.checkpoint()
  const batchesBefore = await countBatches(ground.node.app)
  const cpuBefore = process.cpuUsage()
  reporter.mark('begin')
  const { ms, held, seconds } = await submitAll(wishes, options, { concurrent, seconds: options.seconds })
  reporter.mark('end')
  const cpu = process.cpuUsage(cpuBefore)
  const batches = (await countBatches(ground.node.app)) - batchesBefore
  return {
    holds: held,
    refused: ms.length - held,
    seconds,
    perSecond: held / seconds,
    refusedPerSecond: (ms.length - held) / seconds,
    ...percentiles(ms),
    batchCommands: batches === 0 ? 0 : ms.length / batches,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

interface Wish {
  readonly lane: Lane
  readonly ordinal: number
}

function* wishesOf(
  lanes: readonly Lane[],
  { seats, workload }: ThroughputOptions,
  seed: number,
): Generator<Wish, void> {
  if (workload === 'one') for (;;) yield { lane: lanes[0]!, ordinal: 0 }
  for (const [index, lane] of lanes.entries()) {
    const ordinals =
      workload === 'zipf'
        ? zipfOrdinals(seats, 2 * seats, seed + index)
        : shuffledOrdinals(seats, seed + index)
    for (const ordinal of ordinals) yield { lane, ordinal }
  }
}

/** Until so many are answered, or so many seconds have passed, or no request is left. */
async function submitAll(
  wishes: Iterator<Wish, void>,
  { workload }: ThroughputOptions,
  limits: { concurrent: number; wishes?: number; seconds?: number },
): Promise<{ ms: Float64Array; held: number; seconds: number }> {
  const buyers = new Buyers(10_000)
  const times = new Times()
  let begun = 0
  let held = 0
  const startedAt = performance.now()
  const endsAt = startedAt + (limits.seconds ?? Number.POSITIVE_INFINITY) * 1000
  const mostWishes = limits.wishes ?? Number.POSITIVE_INFINITY
  const buy = async () => {
    for (;;) {
      const began = performance.now()
      if (began >= endsAt || begun >= mostWishes) return
      begun += 1
      const wish = wishes.next().value
      if (!wish) return
      const answer = await wish.lane.submit(buyers.wish(wish.ordinal))
      if (workload === 'each') assertHeld(answer)
      if (isHeld(answer)) held += 1
      times.add(performance.now() - began)
      // What is refused from memory is answered at once: others must get their turn all the same.
      if (times.all.length % 256 === 0) await new Promise(setImmediate)
    }
  }
  await Promise.all(Array.from({ length: limits.concurrent }, buy))
  return { ms: times.all, held, seconds: (performance.now() - startedAt) / 1000 }
}

function isHeld(answer: LaneAnswer): boolean {
  return answer.kind === 'decided' && answer.outcome.ok && answer.outcome.value.changes.length > 0
}

async function countBatches({ fastify }: App): Promise<number> {
  const { body } = await fastify.inject('/metrics')
  return Number(/^voelgoed_lane_batch_commands_count (\d+)/m.exec(body)?.[1] ?? Number.NaN)
}
