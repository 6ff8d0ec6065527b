import type { Lane } from '@voelgoed/engine/lane/lane'
import { percentiles } from '../load/percentiles.ts'
import type { FiguresOf, TaskOptions } from '../stage/in-process.ts'
import { assertHeld, Buyers, shuffledOrdinals } from './buyers.ts'
import type { Ground } from './ground.ts'

/**
 * Measures one hold in a small hall and in a large one, one at a time and some together. The halls take
 * turns, so that whatever else the machine does meanwhile hits both. Every hold is of a seat that was never
 * touched: a small hall that is full is followed by a new one.
 */
export async function measureLatency(
  ground: Ground,
  options: TaskOptions<'latency'>,
): Promise<FiguresOf<'latency'>> {
  const { few, many, holds, concurrent } = options
  const { seed } = ground
  const halls = Math.ceil(holds / few)
  const small = await ground.layout(few)
  const large = await ground.layout(many)
  const buyers = new Buyers(1_000)

  const measure = async (atOnce: number) => {
    const times = { few: [] as number[], many: [] as number[] }
    const largeLane = ground.lane(await ground.event(large))
    await largeLane.ready()
    const largeOrdinals = shuffledOrdinals(many, seed)
    // The first hall is not counted: connections are opened, code is compiled.
    for (let hall = -1; hall < halls; hall += 1) {
      const smallLane = ground.lane(await ground.event(small))
      await smallLane.ready()
      const start = ((hall + 1) * few) % Math.max(1, many - few)
      const ofSmall = await holdEach(smallLane, shuffledOrdinals(few, seed), buyers, atOnce)
      const ofLarge = await holdEach(largeLane, largeOrdinals.slice(start, start + few), buyers, atOnce)
      if (hall < 0) continue
      for (const ms of ofSmall) times.few.push(ms)
      for (const ms of ofLarge) times.many.push(ms)
    }
    return { few: percentiles(times.few), many: percentiles(times.many) }
  }
  return { alone: await measure(1), together: await measure(concurrent) }
}

async function holdEach(
  lane: Lane,
  ordinals: readonly number[],
  buyers: Buyers,
  atOnce: number,
): Promise<number[]> {
  const ms: number[] = []
  let next = 0
  const buy = async () => {
    while (next < ordinals.length) {
      const ordinal = ordinals[next]!
      next += 1
      const began = performance.now()
      assertHeld(await lane.submit(buyers.wish(ordinal)))
      ms.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, buy))
  return ms
}
