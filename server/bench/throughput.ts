import type { Lane } from '../src/engine/lane.ts'
import type { App } from '../src/http/app.ts'
import { assertHeld, Buyers, shuffledOrdinals } from './buyers.ts'
import { openGround } from './ground.ts'
import type { Reporter } from './reporter.ts'
import { percentiles, Times } from './times.ts'

export interface ThroughputOptions {
  readonly url: string
  readonly seed: number
  readonly seconds: number
  readonly concurrent: number
  readonly seats: number
  /** One after another, when seats run out. */
  readonly events: number
  readonly warmUpHolds: number
}

export interface ThroughputFigures {
  readonly holds: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly batchCommands: number
  /** Processor time of this process, everything in it included. */
  readonly cpuSeconds: number
}

/** Holds of distinct seats, straight to the lane, always so many under way. */
export async function measureThroughput(
  options: ThroughputOptions,
  reporter: Reporter,
): Promise<ThroughputFigures> {
  const ground = await openGround(options.url, options)
  try {
    const layout = await ground.layout(options.seats)
    const lanes: Lane[] = []
    for (let event = 0; event < options.events; event += 1) {
      const lane = ground.lane(await ground.event(layout))
      await lane.ready()
      lanes.push(lane)
    }
    const seats = seatsInTurn(lanes, options)
    const { concurrent } = options
    await holdSeats(seats, { concurrent, holds: options.warmUpHolds })
    await ground.checkpoint()
    const batchesBefore = await countBatches(ground.node.app)
    const cpuBefore = process.cpuUsage()
    reporter.mark('begin')
    const { ms, seconds } = await holdSeats(seats, { concurrent, seconds: options.seconds })
    reporter.mark('end')
    const cpu = process.cpuUsage(cpuBefore)
    const batches = (await countBatches(ground.node.app)) - batchesBefore
    return {
      holds: ms.length,
      seconds,
      perSecond: ms.length / seconds,
      ...percentiles(ms),
      batchCommands: ms.length / batches,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
    }
  } finally {
    await ground.close()
  }
}

function* seatsInTurn(
  lanes: readonly Lane[],
  { seats, seed }: ThroughputOptions,
): Generator<{ lane: Lane; ordinal: number }, void> {
  for (const [index, lane] of lanes.entries()) {
    for (const ordinal of shuffledOrdinals(seats, seed + index)) yield { lane, ordinal }
  }
}

/** Until so many are held, or so many seconds have passed, or no seat is left. */
async function holdSeats(
  seats: Iterator<{ lane: Lane; ordinal: number }, void>,
  { concurrent, holds, seconds }: { concurrent: number; holds?: number; seconds?: number },
): Promise<{ ms: Float64Array; seconds: number }> {
  const buyers = new Buyers(10_000)
  const times = new Times()
  let begun = 0
  const startedAt = performance.now()
  const endsAt = startedAt + (seconds ?? Number.POSITIVE_INFINITY) * 1000
  const mostHolds = holds ?? Number.POSITIVE_INFINITY
  const buy = async () => {
    for (;;) {
      const began = performance.now()
      if (began >= endsAt || begun >= mostHolds) return
      begun += 1
      const seat = seats.next().value
      if (!seat) return
      assertHeld(await seat.lane.submit(buyers.wish(seat.ordinal)))
      times.add(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: concurrent }, buy))
  return { ms: times.all, seconds: (performance.now() - startedAt) / 1000 }
}

async function countBatches({ fastify }: App): Promise<number> {
  const { body } = await fastify.inject('/metrics')
  return Number(/^voelgoed_lane_batch_commands_count (\d+)/m.exec(body)?.[1] ?? Number.NaN)
}
