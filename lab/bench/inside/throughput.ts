import type { Lane } from '@voelgoed/engine/lane/lane'
import type { LaneAnswer } from '@voelgoed/engine/lane/lane-answer'
import type { App } from '../../../server/node/app.ts'
import { Random } from '../../random.ts'
import { percentiles } from '../load/percentiles.ts'
import { zipf } from '../load/zipf.ts'
import type { FiguresOf, Reporter, TaskOptions } from '../stage/in-process.ts'
import { assertHeld, Buyers, shuffledOrdinals } from './buyers.ts'
import type { Ground } from './ground.ts'

/** Requests for seats, straight to the lane, always so many under way. */
export async function measureThroughput(
  ground: Ground,
  options: TaskOptions<'throughput'>,
  reporter: Reporter,
): Promise<FiguresOf<'throughput'>> {
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
  { seats, workload }: TaskOptions<'throughput'>,
  seed: number,
): Generator<Wish, void> {
  if (workload === 'one') for (;;) yield { lane: lanes[0]!, ordinal: 0 }
  for (const [index, lane] of lanes.entries()) {
    if (workload === 'each') {
      for (const ordinal of shuffledOrdinals(seats, seed + index)) yield { lane, ordinal }
    } else {
      const ordinal = zipf(seats, new Random(seed + index))
      for (let left = 2 * seats; left > 0; left -= 1) yield { lane, ordinal: ordinal() }
    }
  }
}

/** Until so many are answered, or so many seconds have passed, or no request is left. */
async function submitAll(
  wishes: Iterator<Wish, void>,
  { workload }: TaskOptions<'throughput'>,
  limits: { concurrent: number; wishes?: number; seconds?: number },
): Promise<{ ms: number[]; held: number; seconds: number }> {
  const buyers = new Buyers(10_000)
  const times = [] as number[]
  let begun = 0
  let held = 0
  const startedAt = performance.now()
  const endsAt = startedAt + (limits.seconds ?? Number.POSITIVE_INFINITY) * 1000
  const mostWishes = limits.wishes ?? Number.POSITIVE_INFINITY
  const buy = async () => {
    for (;;) {
      const began = performance.now()
      // One in any case: a slow machine may not come to it before a very short time is over.
      if ((began >= endsAt && begun > 0) || begun >= mostWishes) return
      begun += 1
      const wish = wishes.next().value
      if (!wish) return
      const answer = await wish.lane.submit(buyers.wish(wish.ordinal))
      if (workload === 'each') assertHeld(answer)
      if (isHeld(answer)) held += 1
      times.push(performance.now() - began)
      // The engine refuses from memory without a wait, so the loop must yield to other work by itself.
      if (times.length % 256 === 0) await new Promise(setImmediate)
    }
  }
  await Promise.all(Array.from({ length: limits.concurrent }, buy))
  return { ms: times, held, seconds: (performance.now() - startedAt) / 1000 }
}

function isHeld(answer: LaneAnswer): boolean {
  return answer.kind === 'decided' && answer.outcome.ok && answer.outcome.value.changes.length > 0
}

async function countBatches({ fastify }: App): Promise<number> {
  const { body } = await fastify.inject('/metrics')
  return Number(/^voelgoed_lane_batch_commands_count (\d+)/m.exec(body)?.[1] ?? Number.NaN)
}
