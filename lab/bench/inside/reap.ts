import { Reaper } from '@voelgoed/engine/reaper/reaper'
import { postgresWork } from '@voelgoed/engine/reaper/work'
import { systemClock } from '@voelgoed/kit/base/clock'
import { processTime } from '@voelgoed/kit/base/time'
import { pino } from 'pino'
import { percentiles } from '../load/percentiles.ts'
import type { FiguresOf, Reporter, TaskOptions } from '../stage/in-process.ts'
import { assertHeld, Buyers } from './buyers.ts'
import type { Ground } from './ground.ts'

const AT_ONCE = 512
const BEFORE = 200
const TIDY_WITHIN_MS = 120_000

/** Many holds of one event run out while no reaper runs; then one does. */
export async function measureReaping(
  ground: Ground,
  { holds, ttlSeconds }: TaskOptions<'reap'>,
  reporter: Reporter,
): Promise<FiguresOf<'reap'>> {
  await ground.restart({ reaper: 'off' })
  try {
    const seats = Math.min(2 * holds, 200_000)
    const lane = ground.lane(await ground.event(await ground.layout(seats), { ttlSeconds }))
    await lane.ready()
    const buyers = new Buyers(10_000)
    let next = 0
    const buyNext = async () => {
      const ordinal = next
      next += 1
      assertHeld(await lane.submit(buyers.wish(ordinal)))
    }
    const fill = async () => {
      while (next < holds) await buyNext()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, fill))
    const before = [] as number[]
    const timed = async (times: number[]) => {
      const began = performance.now()
      await buyNext()
      times.push(performance.now() - began)
    }
    for (let count = 0; count < BEFORE && next < seats; count += 1) await timed(before)
    const made = next
    await untilNoneIsAlive(ground, lane.eventId)

    const meanwhile = [] as number[]
    let isTidy = false
    const keepBuying = async () => {
      while (!isTidy && next < seats) await timed(meanwhile)
    }
    reporter.mark('begin')
    const startedAt = performance.now()
    const buying = keepBuying()
    const expired = await reapAll(ground, made)
    const seconds = (performance.now() - startedAt) / 1000
    reporter.mark('end')
    isTidy = true
    await buying
    await untilHistoryHas(ground, lane.eventId)
    const untilHistorySeconds = (performance.now() - startedAt) / 1000
    const rows = await ground.sql(
      `select count(*)::int as left from event_seats where event_id = $1 and status = 'held' and ordinal < $2`,
      [lane.eventId, made],
    )
    return {
      expired,
      untilTidySeconds: seconds,
      perSecond: expired / seconds,
      left: Number(rows[0]!.left),
      buyersBefore: percentiles(before),
      buyersMeanwhile: percentiles(meanwhile),
      untilHistorySeconds,
    }
  } finally {
    await ground.restart()
  }
}

/** The reaper as a node has it: it passes an event by whose lock is taken just then, and comes again. */
async function reapAll(ground: Ground, wanted: number): Promise<number> {
  const { database, lanes } = ground.node
  const log = pino({ level: 'warn' }, pino.destination(2))
  let expired = 0
  let reaper: Reaper | null = null
  let bound: NodeJS.Timeout | undefined
  try {
    await new Promise<void>(resolve => {
      const onRun = (run: { expired: number }) => {
        expired += run.expired
        if (expired >= wanted) resolve()
      }
      bound = setTimeout(resolve, TIDY_WITHIN_MS)
      reaper = new Reaper({
        work: postgresWork(database),
        lanes,
        time: processTime,
        clock: systemClock,
        log,
        onRun,
        onFailedRun: () => {},
      })
      reaper.start()
    })
  } finally {
    clearTimeout(bound)
    await (reaper as Reaper | null)?.stop()
  }
  return expired
}

const HISTORY_LOOK_MS = 50

async function untilHistoryHas(ground: Ground, eventId: string): Promise<void> {
  const giveUpAt = performance.now() + TIDY_WITHIN_MS
  while (performance.now() < giveUpAt) {
    const behind = await ground.sql(
      `select from event_ledgers l left join history_cursors c using (organization_id, event_id)
       where l.event_id = $1 and l.seq > coalesce(c.seq, 0)`,
      [eventId],
    )
    if (behind.length === 0) return
    await new Promise(resolve => setTimeout(resolve, HISTORY_LOOK_MS))
  }
}

/** By the clock that judges holds. */
async function untilNoneIsAlive(ground: Ground, eventId: string): Promise<void> {
  for (;;) {
    const rows = await ground.sql(
      `select coalesce(extract(epoch from max(held_until) - clock_timestamp()), 0)::float8 as seconds
       from event_seats where event_id = $1 and status = 'held'`,
      [eventId],
    )
    const seconds = Number(rows[0]!.seconds)
    if (seconds < 0) return
    await new Promise(resolve => setTimeout(resolve, seconds * 1000 + 5))
  }
}
