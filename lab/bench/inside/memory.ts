import { assert } from '@voelgoed/core/result'
import type { Lane } from '@voelgoed/engine/lane/lane'
import type { FiguresOf, TaskOptions } from '../stage/in-process.ts'
import { assertHeld, Buyers, shuffledOrdinals } from './buyers.ts'
import type { Ground } from './ground.ts'

/** Measures the memory of an event that is held by half. Needs --expose-gc. */
export async function measureMemory(
  ground: Ground,
  options: TaskOptions<'memory'>,
): Promise<FiguresOf<'memory'>> {
  const layout = await ground.layout(options.seats)
  const events = [await ground.event(layout), await ground.event(layout)] as const
  // Nothing of them in memory yet, whatever putting them on sale has loaded.
  await ground.restart()
  const [first, second] = events.map(eventId => ground.lane(eventId)) as [Lane, Lane]
  const ordinals = shuffledOrdinals(options.seats, ground.seed).slice(0, options.holds)

  const nothing = await usedBytes()
  await first.ready()
  const withFirst = await usedBytes()
  await second.ready()
  const withSecond = await usedBytes()
  let next = 0
  const buy = async () => {
    while (next < ordinals.length) {
      // A buyer for each, at an address of their own: both are part of what a hold costs.
      const wish = new Buyers(1, { from: next }).wish(ordinals[next]!)
      next += 1
      assertHeld(await second.submit(wish))
    }
  }
  await Promise.all(Array.from({ length: 512 }, buy))
  const held = await usedBytes()
  const { holds, users, ips } = second.view!.state
  const counts = [holds.size, users.size, ips.size]
  assert(
    counts.every(count => count === options.holds),
    'as many holds, buyers and addresses as were made',
  )

  const emptyEventBytes = withSecond - withFirst
  return {
    seatMapBytes: withFirst - nothing - emptyEventBytes,
    emptyEventBytes,
    holdsBytes: held - withSecond,
    bytesPerHold: (held - withSecond) / options.holds,
    totalBytes: held - nothing - emptyEventBytes,
  }
}

/** By everything that is still in use. Needs --expose-gc. */
export async function usedBytes(): Promise<number> {
  assert(globalThis.gc, 'node was started with --expose-gc')
  // Some memory is let go only after a turn of the event loop, and some only after a first collection.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate)
    globalThis.gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
