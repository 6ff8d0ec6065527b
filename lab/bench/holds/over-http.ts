import { reserveSeat } from '@voelgoed/core/contract/holds'
import type { Workload } from '../stage/in-process.ts'
import { treeSeconds } from '../stage/processor-time.ts'
import type { Site } from '../stage/site.ts'
import type { VerbInput } from '../verb.ts'
import { measureLoad } from './measure-load.ts'
import type { HoldsRow } from './rows.ts'

/** Faster than this it isn't: enough events are made for it. */
const MOST_PER_SECOND = 30_000

/** The real server, started as in production, and a crowd of guests on this machine. */
export async function measureHttp(
  input: VerbInput,
  seconds: number,
  add: (row: HoldsRow) => void,
): Promise<void> {
  input.say('Starting the server …')
  await input.stage.withSite(site => measureOn(site, input, seconds, add))
}

async function measureOn(
  site: Site,
  { stage, say, seed, quick, list, number }: VerbInput,
  seconds: number,
  add: (row: HoldsRow) => void,
): Promise<void> {
  const [seats, popular] = [number('seats'), number('popular')]
  const guests = await site.guests(number('guests'))
  const { pid } = await stage.postgres()
  const used = () => ({ server: site.cpuSeconds(), postgres: treeSeconds(pid) })

  const order = async (workload: Workload, connections: number, forSeconds: number, keyed = true) => {
    const hall = await site.hall(workload === 'each' ? seats : popular)
    const most = forSeconds * MOST_PER_SECOND
    const count = { each: most / seats, zipf: most / (2 * popular), one: 1 }[workload]
    const eventIds: string[] = []
    while (eventIds.length < count) eventIds.push(await hall.openEvent())
    if (workload === 'one') {
      // Not by one of the crowd: that buyer would get it again and again.
      const params = { event: eventIds[0]!, seat: hall.seatIds[0]! }
      await site.caller.get(reserveSeat, { token: site.organizer, params })
    }
    const { ports } = site
    const { seatIds } = hall
    return {
      ports,
      connections,
      seconds: forSeconds,
      seed,
      workload,
      keyed,
      tokens: guests,
      eventIds,
      seatIds,
    }
  }
  const measure = async (workload: Workload, connections: number, keyed = true) => {
    const load = await order(workload, connections, seconds, keyed)
    say(`Over HTTP, ${workload}, ${connections} connections${keyed ? '' : ', without keys'} …`)
    await site.database.checkpoint()
    add(
      await measureLoad(keyed ? 'http' : 'httpWithoutKeys', {
        generator: stage.generator(),
        order: load,
        used,
      }),
    )
  }

  await stage.generator().give('closedLoop', await order('each', quick ? 10 : 50, quick ? 0.2 : 5))
  for (const connections of list('connections')) {
    await measure('each', connections)
    await measure('each', connections, false)
  }
  for (const workload of ['zipf', 'one'] as const) {
    for (const connections of list('contended')) await measure(workload, connections)
  }
}
