import { setTimeout as delay } from 'node:timers/promises'
import { reserveSeat } from '@voelgoed/contract/holds'
import { formatMs } from '../format.ts'
import { percentiles } from './load/percentiles.ts'
import type { ReadFigures } from './load/readers.ts'
import type { Scenario, ScenarioInput } from './scenario.ts'
import { tooFewOpenFiles } from './stage/open-files.ts'
import type { Site } from './stage/site.ts'
import { type Row, spread, toFirst } from './table.ts'

/** Readers of one event's live feed while seats are held at a steady pace. */
export const feed: Scenario = {
  summary: 'readers of a live feed: delivered, lost, and how long after the commit',
  options: {
    readers: { default: '100,1000,5000,10000', quick: '20', help: 'at once' },
    changes: { default: '40', quick: '10', help: 'seats that are held meanwhile' },
    'per-second': { default: '4', quick: '50', help: 'of them' },
    seats: { default: '12000', quick: '100', help: 'of the event' },
  },
  async run(input) {
    const rows: Row[] = []
    await input.stage.withSite(async site => {
      for (const readers of input.list('readers')) rows.push(await measure(site, readers, input))
    })
    const each = (value: (figures: Row['figures']) => string) =>
      rows.map(({ what, figures }) => `${what.replace(' readers', '')}: ${value(figures)}`).join('; ')
    const ms = (value: unknown) => formatMs(Number(value))
    return {
      tables: [
        {
          ...{ quote: 'feed.table', rows, ratios: [toFirst(rows, 'arrivalP99Ms')] },
          notes: [
            'Commit to arrival begins when the database says what time it is, under the lock: the commit itself is in it.',
            'All readers are in one process on the same machine: their own delay is in it, too.',
          ],
        },
      ],
      quotes: {
        'feed.arrival': each(({ arrivalP50Ms, arrivalP99Ms }) => `${ms(arrivalP50Ms)} / ${ms(arrivalP99Ms)}`),
        'feed.delivered': each(({ delivered, lost }) => `${delivered?.toLocaleString('en')}, lost ${lost}`),
        'feed.delay': each(({ readersDelayMs }) => ms(readersDelayMs)),
      },
      chart: {
        title: 'The live feed: from commit to arrival by how many read',
        ...{ x: 'readers', y: 'ms' },
        series: ['arrivalP50Ms', 'arrivalP99Ms', 'readersDelayMs'].map(name => ({
          name,
          points: rows.map(({ figures }, at) => ({
            x: input.list('readers')[at]!,
            y: Number(figures[name]),
          })),
        })),
      },
    }
  },
}

const TTL_SECONDS = 7_200
const GUESTS = 100
/** The server refuses a user more streams than this. */
const STREAMS_PER_USER = 10

async function measure(site: Site, readers: number, input: ScenarioInput): Promise<Row> {
  const { stage, say, number } = input
  const warning = tooFewOpenFiles(readers)
  if (warning) say(`  ${warning}`)
  const what = `${readers.toLocaleString('en')} readers`
  say(`${what}: opening …`)
  const tokens = await site.guests(Math.max(GUESTS, Math.ceil(readers / STREAMS_PER_USER)))
  const hall = await site.hall(number('seats'))
  const eventId = await hall.openEvent({ ttlSeconds: TTL_SECONDS })
  const generator = stage.generator()
  const { seconds } = await generator.give('openReaders', { port: site.port, eventId, readers, tokens })
  say(`  ${number('changes')} changes, ${number('per-second')} a second …`)
  const before = site.cpuSeconds()
  const committedAt = await holdSeats(site, eventId, { hall: hall.inOrder, tokens, input })
  const seq = await site.database.count('select seq from event_ledgers where event_id = $1', [eventId])
  const read = await generator.give('closeReaders', { seq })
  const after = site.cpuSeconds()
  const ms = arrivalMs(read, committedAt)
  const lost = readers * committedAt.size - ms.length
  const { outOfOrder, closed, load } = read
  return {
    what,
    figures: {
      untilAllWereConnectedSeconds: seconds,
      ...{ changes: committedAt.size, delivered: ms.length, lost, outOfOrder, closed },
      messages: read.messages.reduce((sum, { at }) => sum + at.length, 0),
      // From the moment the database's clock was read under the lock, which is before the commit.
      ...spread('arrival', percentiles(ms)),
      longestArrivalMs: ms.reduce((most, one) => Math.max(most, one), 0),
      serverCores: before === null || after === null ? null : (after - before) / load.seconds,
      readersCores: load.cpuSeconds / load.seconds,
      readersDelayMs: load.delayP99Ms,
    },
    others: Object.fromEntries(
      Object.entries({
        'change that was lost or came twice': lost,
        'message out of order': outOfOrder,
        closed,
      }).filter(([, count]) => count !== 0),
    ),
  }
}

/** One after another at a steady pace, whatever the answers take. By ordinal: when each was decided. */
async function holdSeats(
  site: Site,
  eventId: string,
  { hall, tokens, input }: { hall: readonly string[]; tokens: readonly string[]; input: ScenarioInput },
): Promise<Map<number, number>> {
  const committedAt = new Map<number, number>()
  const startedAt = performance.now()
  const holding: Promise<void>[] = []
  for (let ordinal = 0; ordinal < input.number('changes'); ordinal += 1) {
    const dueAt = startedAt + (ordinal * 1000) / input.number('per-second')
    await delay(Math.max(0, dueAt - performance.now()))
    const hold = async () => {
      const params = { event: eventId, seat: hall[ordinal]! }
      const { data } = await site.caller.get(reserveSeat, { token: tokens[ordinal % tokens.length]!, params })
      committedAt.set(ordinal, Date.parse(data.held_until) - TTL_SECONDS * 1000)
    }
    holding.push(hold())
  }
  await Promise.all(holding)
  return committedAt
}

/** Counts each change once for each reader that it reached. */
function arrivalMs(read: ReadFigures, committedAt: ReadonlyMap<number, number>): Float64Array {
  const ms: number[] = []
  for (const { ordinals, at } of read.messages) {
    for (const ordinal of ordinals) {
      const since = committedAt.get(ordinal)
      if (since === undefined) throw new Error(`the feed told of seat ${ordinal}, which no buyer held`)
      for (const arrivedAt of at) ms.push(Math.max(0, arrivedAt - since))
    }
  }
  return Float64Array.from(ms)
}
