import { assert } from '@voelgoed/core/result'
import { HoldHistory } from '../../../server/modules/holds/hold-history.ts'
import { verify } from '../../../server/modules/operations/verify/verify.ts'
import { percentiles } from '../load/percentiles.ts'
import type { FiguresOf, TaskOptions } from '../stage/in-process.ts'
import { assertHeld, Buyers, giveBack, shuffledOrdinals } from './buyers.ts'
import type { Ground } from './ground.ts'
import { usedBytes } from './memory.ts'
import { writeHistory } from './write-history.ts'

const WARM_UP = 20

/** Measures what an event with so many seats and such a history costs. */
export async function measureSize(ground: Ground, options: TaskOptions<'size'>): Promise<FiguresOf<'size'>> {
  const { seats, history, samples } = options
  const eventId = await ground.event(await ground.layout(seats))
  const writtenFrom = performance.now()
  await writeHistory(ground, eventId, history)
  const historySeconds = (performance.now() - writtenFrom) / 1000
  await ground.sql('vacuum analyze')
  await ground.checkpoint()
  const token = await ground.guest()
  await ground.restart()

  const before = await usedBytes()
  const startedAt = performance.now()
  const lane = ground.lane(eventId)
  await lane.ready()
  const startUpMs = performance.now() - startedAt
  const stateBytes = (await usedBytes()) - before

  // Given back at once: a hall of a hundred seats must not run out of them.
  const buyers = new Buyers(1_000)
  const ordinals = shuffledOrdinals(seats, ground.seed)
  const holds = [] as number[]
  for (let count = -WARM_UP; count < samples; count += 1) {
    const wish = buyers.wish(ordinals[(count + WARM_UP) % seats]!)
    const began = performance.now()
    assertHeld(await lane.submit(wish))
    if (count >= 0) holds.push(performance.now() - began)
    await lane.submit(giveBack(wish))
  }
  const read = async (path: string, accept: string) => {
    const times = [] as number[]
    for (let count = -WARM_UP; count < samples; count += 1) {
      const began = performance.now()
      const response = await ground.node.app.fastify.inject({
        url: `/api/events/${eventId}/${path}`,
        headers: { authorization: `Bearer ${token}`, accept },
      })
      if (response.statusCode !== 200) throw new Error(`${path} gave ${response.statusCode}`)
      if (count >= 0) times.push(performance.now() - began)
    }
    return percentiles(times)
  }
  const availability = await read('availability', 'application/octet-stream')
  const occupancy = await read('occupancy', 'application/json')
  const violations = options.verify ? await countViolations(ground) : null
  return {
    startUpMs,
    stateBytes,
    hold: percentiles(holds),
    availability,
    occupancy,
    historySeconds,
    violations,
  }
}

async function countViolations(ground: Ground): Promise<number> {
  // Commands were given to the lane directly, and history to the tables:
  // no user behind them has ever signed in. Those whose holds have ended are in the history.
  const caughtUp = await new HoldHistory({ database: ground.node.database, onEnded: () => {} }).catchUp(
    ground.scope,
    null,
  )
  assert(caughtUp.ok, 'the history is not far behind')
  await ground.sql(`insert into users (organization_id, id, role)
    select organization_id, user_id, 'customer'::user_role from event_seats where user_id is not null
    union select organization_id, user_id, 'customer'::user_role from hold_history on conflict do nothing`)
  const report = await verify(ground.databaseUrl)
  for (const { name, violations, examples } of report.checks) {
    if (violations > 0)
      process.stderr.write(`${name}: ${violations}, such as ${JSON.stringify(examples[0])}\n`)
  }
  return report.violations
}
