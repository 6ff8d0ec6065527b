import { formatBytes, formatMs, formatTable } from '../format.ts'
import type { Percentiles } from './load/percentiles.ts'
import { asBlock } from './quotes.ts'
import type { FiguresOf } from './stage/in-process.ts'
import type { Verb } from './verb.ts'

/** An event in Redis: what it takes there, and what nodes that have just started gain by it. */
export const warm: Verb = {
  summary: 'memory and keys of an event in Redis; the first answers of a new node from Redis and without it',
  options: {
    seats: { default: '200000', quick: '200', help: 'of the event' },
    holds: { default: '100000', quick: '100', help: 'that live' },
    samples: { default: '5', quick: '1', help: 'nodes that are started, with Redis and without' },
  },
  async run({ number, stage, say }) {
    const options = { seats: number('seats'), holds: number('holds'), samples: number('samples') }
    const what = `${options.seats.toLocaleString('en')} seats, ${options.holds.toLocaleString('en')} holds`
    say(`${what} …`)
    const { figures } = await stage.inProcess('warm', options)
    const table = printTable(what, figures)
    return {
      table,
      figures: { ...options, ...figures },
      problems: figures.keysLeft === 0 ? [] : [`${figures.keysLeft} keys are left of an archived event`],
      quotes: {
        'warm.table': asBlock(table),
        'warm.memory': formatBytes(figures.bytes),
        'warm.availability': both(figures.availability),
      },
    }
  },
}

function printTable(what: string, figures: FiguresOf<'warm'>): string {
  const { availability, layout, map } = figures
  const row = (name: string, { redis, postgres }: Record<'redis' | 'postgres', Percentiles>) => [
    name,
    formatMs(redis.p50Ms),
    formatMs(postgres.p50Ms),
  ]
  return [
    formatTable(
      ['first answer of a new node', 'from Redis', 'without Redis'],
      [
        row('availability, two bits a seat', availability),
        row(`layout, ${formatBytes(layout.bytes)}`, layout),
        row(`map, ${formatBytes(map.bytes)}`, map),
      ],
    ),
    `${what}: ${figures.keys.toLocaleString('en')} keys and ${formatBytes(figures.bytes)} in Redis,`,
    `whole ${formatMs(figures.untilCopiedMs)} after the last hold; ${figures.keysLeft} keys after the event was archived.`,
    'Medians, through every layer of the server but the network; documents compressed with Brotli.',
  ].join('\n')
}

function both({ redis, postgres }: Record<'redis' | 'postgres', Percentiles>): string {
  return `${formatMs(redis.p50Ms)} from Redis, ${formatMs(postgres.p50Ms)} without it`
}
