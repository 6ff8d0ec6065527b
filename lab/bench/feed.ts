import { setTimeout as delay } from 'node:timers/promises'
import { reserveSeat } from '@voelgoed/core/contract/holds'
import { formatMs, formatTable } from '../format.ts'
import type { Chart } from './chart.ts'
import type { OwnLoad } from './load/own-load.ts'
import { type Percentiles, percentiles } from './load/percentiles.ts'
import type { ReadFigures } from './load/readers.ts'
import { asBlock } from './quotes.ts'
import { tooFewOpenFiles } from './stage/open-files.ts'
import type { Site } from './stage/site.ts'
import type { Verb, VerbInput } from './verb.ts'

/** Readers of one event's live feed while seats are held at a steady pace. */
export const feed: Verb = {
  summary: 'readers of a live feed: delivered, lost, and how long after the commit',
  options: {
    readers: { default: '100,1000,5000,10000', quick: '20', help: 'at once' },
    changes: { default: '40', quick: '10', help: 'seats that are held meanwhile' },
    'per-second': { default: '4', quick: '50', help: 'of them' },
    seats: { default: '12000', quick: '100', help: 'of the event' },
  },
  async run(input) {
    const figures: FeedFigures[] = []
    await input.stage.withSite(async site => {
      for (const readers of input.list('readers')) figures.push(await measure(site, readers, input))
    })
    return {
      table: printTable(figures),
      figures,
      problems: problemsOf(figures),
      quotes: quotesOf(figures),
      chart: chartOf(figures),
    }
  },
}

interface FeedFigures {
  readonly readers: number
  readonly changes: number
  readonly openSeconds: number
  /** Changes that came to a reader; several may come in one message. */
  readonly delivered: number
  readonly messages: number
  readonly lost: number
  readonly outOfOrder: number
  readonly closed: number
  /** From the moment the database's clock was read under the lock, which is before the commit, to arrival. */
  readonly arrival: Percentiles
  readonly slowestMs: number
  readonly serverSeconds: number | null
  /** The readers' own. */
  readonly load: OwnLoad
}

const TTL_SECONDS = 7_200
const GUESTS = 100
/** The server refuses a user more streams than this. */
const STREAMS_PER_USER = 10

async function measure(site: Site, readers: number, input: VerbInput): Promise<FeedFigures> {
  const { stage, say, number } = input
  const warning = tooFewOpenFiles(readers)
  if (warning) say(`  ${warning}`)
  say(`${readers.toLocaleString('en')} readers: opening …`)
  const tokens = await site.guests(Math.max(GUESTS, Math.ceil(readers / STREAMS_PER_USER)))
  const hall = await site.hall(number('seats'))
  const eventId = await hall.openEvent({ ttlSeconds: TTL_SECONDS })
  const generator = stage.generator()
  const { seconds: openSeconds } = await generator.give('openReaders', {
    port: site.port,
    eventId,
    readers,
    tokens,
  })
  say(`  ${number('changes')} changes, ${number('per-second')} a second …`)
  const before = site.cpuSeconds()
  const committedAt = await holdSeats(site, eventId, { hall: hall.inOrder, tokens, input })
  const seq = await site.database.count('select seq from event_ledgers where event_id = $1', [eventId])
  const read = await generator.give('closeReaders', { seq })
  const after = site.cpuSeconds()
  const ms = arrivalMs(read, committedAt)
  return {
    readers,
    changes: committedAt.size,
    openSeconds,
    delivered: ms.length,
    messages: read.messages.reduce((sum, { at }) => sum + at.length, 0),
    lost: readers * committedAt.size - ms.length,
    outOfOrder: read.outOfOrder,
    closed: read.closed,
    arrival: percentiles(ms),
    slowestMs: ms.reduce((most, one) => Math.max(most, one), 0),
    serverSeconds: before === null || after === null ? null : after - before,
    load: read.load,
  }
}

/** One after another at a steady pace, whatever the answers take. By ordinal: when each was decided. */
async function holdSeats(
  site: Site,
  eventId: string,
  { hall, tokens, input }: { hall: readonly string[]; tokens: readonly string[]; input: VerbInput },
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

/** Of each change to each reader. */
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

function printTable(figures: readonly FeedFigures[]): string {
  const line = (name: string, value: (one: FeedFigures) => string) => [name, ...figures.map(value)]
  return [
    formatTable(
      ['', ...figures.map(({ readers }) => `${number(readers)} readers`)],
      [
        line('until all were connected', ({ openSeconds }) => `${openSeconds.toFixed(1)} s`),
        line('changes', ({ changes }) => number(changes)),
        line('delivered', ({ delivered }) => number(delivered)),
        line('lost', ({ lost }) => number(lost)),
        line('commit to arrival, p50', ({ arrival }) => formatMs(arrival.p50Ms)),
        line('commit to arrival, p95', ({ arrival }) => formatMs(arrival.p95Ms)),
        line('commit to arrival, p99', ({ arrival }) => formatMs(arrival.p99Ms)),
        line('the slowest', ({ slowestMs }) => formatMs(slowestMs)),
        line('cores of the server', one =>
          one.serverSeconds === null ? 'unknown' : (one.serverSeconds / one.load.seconds).toFixed(2),
        ),
        line('cores of the readers', ({ load }) => (load.cpuSeconds / load.seconds).toFixed(2)),
        line("the readers' own delay: p50 · p99 · most", ({ load }) =>
          [load.delayP50Ms, load.delayP99Ms, load.delayMaxMs].map(formatMs).join(' · '),
        ),
      ],
    ),
    'Commit to arrival begins when the database says what time it is, under the lock: the commit itself is in it. All',
    'readers are in one process on the same machine: their own delay is in it, too.',
  ].join('\n')
}

function problemsOf(figures: readonly FeedFigures[]): string[] {
  return figures.flatMap(({ readers, lost, outOfOrder, closed }) => [
    ...(lost === 0 ? [] : [`${number(readers)} readers: ${lost} changes were lost or came twice`]),
    ...(outOfOrder === 0 ? [] : [`${number(readers)} readers: ${outOfOrder} messages were not in order`]),
    ...(closed === 0 ? [] : [`${number(readers)} readers: ${closed} connections were closed`]),
  ])
}

function chartOf(figures: readonly FeedFigures[]): Chart {
  const series = (name: string, pick: (one: FeedFigures) => number) => ({
    name,
    points: figures.map(one => ({ x: one.readers, y: pick(one) })),
  })
  return {
    title: 'The live feed: from commit to arrival by how many read',
    x: 'readers',
    y: 'ms',
    series: [
      series('p50', ({ arrival }) => arrival.p50Ms),
      series('p99', ({ arrival }) => arrival.p99Ms),
      series("the readers' own delay p99", ({ load }) => load.delayP99Ms),
    ],
  }
}

function quotesOf(figures: readonly FeedFigures[]): Record<string, string> {
  const each = (value: (one: FeedFigures) => string) =>
    figures.map(one => `${number(one.readers)}: ${value(one)}`).join('; ')
  return {
    'feed.table': asBlock(printTable(figures)),
    'feed.arrival': each(({ arrival }) => `${formatMs(arrival.p50Ms)} / ${formatMs(arrival.p99Ms)}`),
    'feed.delivered': each(({ delivered, lost }) => `${number(delivered)}, lost ${number(lost)}`),
    'feed.delay': each(({ load }) => formatMs(load.delayP99Ms)),
  }
}

function number(value: number): string {
  return value.toLocaleString('en')
}
