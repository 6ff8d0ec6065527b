import type { Variant } from '../../baselines/protocol.ts'
import type { Baselines } from '../../baselines/start.ts'
import { Random } from '../../random.ts'
import { NO_REDIS } from '../../redis/program.ts'
import type { Workload } from '../stage/in-process.ts'
import { treeSeconds } from '../stage/processor-time.ts'
import type { VerbInput } from '../verb.ts'
import { measureLoad } from './measure-load.ts'
import type { HoldsRow } from './rows.ts'

/** Faster than this a transaction for each request isn't: enough seats are made for it. */
const MOST_PER_SECOND = 12_000

/**
 * The empty route, and the usual algorithm in both of its variants,
 * under the same loads by the same generator.
 */
export async function measureBaselines(
  { stage, say, seed, quick, list, number }: VerbInput,
  { baselines, seconds, add }: { baselines: Baselines; seconds: number; add: (row: HoldsRow) => void },
): Promise<void> {
  const generator = stage.generator()
  const random = new Random(seed, 1)
  const ids = (count: number) => Array.from({ length: count }, () => random.uuid())
  const tokens = ids(number('guests'))
  const { pid } = await stage.postgres()
  const used = () => ({ server: baselines.cpuSeconds(), postgres: treeSeconds(pid) })
  const warmUpSeconds = quick ? 0.1 : 2
  const distinct = ids(Math.ceil((seconds + warmUpSeconds) * MOST_PER_SECOND))
  const popular = ids(number('popular'))

  const measure = async (
    system: 'empty' | Variant,
    options: { workload: Workload; connections: number; forSeconds?: number },
  ) => {
    const { workload, connections, forSeconds = seconds } = options
    const seatIds = workload === 'each' ? distinct : popular
    const most = forSeconds * MOST_PER_SECOND
    const events = { each: 1, zipf: Math.ceil(most / (2 * popular.length)), one: 1 }[workload]
    // The empty route looks at nothing: it has a name for every seat, as often as they are asked for.
    const eventIds = ids(system === 'empty' ? 100 : events)
    if (system !== 'empty') await baselines.prepare({ eventIds, seatIds })
    const ports = [baselines.ports[system]!]
    const order = { ports, connections, seconds: forSeconds, seed, workload, tokens, eventIds, seatIds }
    return measureLoad(system, { generator, order: { ...order, keyed: false }, used })
  }
  const warmUp = (system: 'empty' | Variant) =>
    measure(system, { workload: 'each', connections: 20, forSeconds: warmUpSeconds })

  await warmUp('empty')
  const asMany = [...new Set([...list('connections'), ...list('contended')])].sort((a, b) => a - b)
  for (const connections of asMany) {
    say(`An empty route, ${connections} connections …`)
    add(await measure('empty', { workload: 'each', connections }))
  }

  const variants: Variant[] = ['rowLock', 'redis']
  for (const variant of variants) {
    if (baselines.ports[variant] === null) {
      say(NO_REDIS)
      continue
    }
    const name = variant === 'redis' ? 'The usual algorithm' : 'The usual algorithm without Redis'
    await warmUp(variant)
    for (const workload of ['each', 'zipf', 'one'] as const) {
      for (const connections of list('contended')) {
        say(`${name}, ${workload}, ${connections} connections …`)
        add(await measure(variant, { workload, connections }))
      }
    }
    say(`${name} in process …`)
    const eventIds = ids(1)
    await baselines.prepare({ eventIds, seatIds: distinct })
    const before = used()
    const concurrent = Math.min(64, list('concurrent')[0]!)
    const driven = await baselines.drive({ variant, concurrent, seconds, eventIds, seatIds: distinct })
    const after = used()
    add({
      system: `${variant}InProcess`,
      workload: 'each',
      atOnce: concurrent,
      ...driven,
      refusedPerSecond: 0,
      serverSeconds: before.server === null || after.server === null ? null : after.server - before.server,
      postgresSeconds:
        before.postgres === null || after.postgres === null ? null : after.postgres - before.postgres,
      load: null,
      others: {},
    })
  }
}
