import { formatMs } from '../../format.ts'
import type { Report, Scenario, ScenarioInput } from '../scenario.ts'
import { spread, toFirst } from '../table.ts'
import { measureChoosing } from './choosing.ts'
import { measureLayouts } from './layouts.ts'

const PARTS = {
  layouts: measureLayouts,
  allocation: measureChoosing,
  reap: measureReaping,
  warm: measureWarm,
} as const

/** Measures the work for events besides holds: layouts, the choice of seats, tidying up, copies in Redis. */
export const engine: Scenario = {
  summary: 'layouts, the choice of the best seats, the tidying up of expired holds, an event in Redis',
  options: {
    parts: {
      ...{ default: Object.keys(PARTS).join(','), quick: Object.keys(PARTS).join(',') },
      ...{
        help: `of ${Object.keys(PARTS).join(', ')}`,
        words: new RegExp(`^(${Object.keys(PARTS).join('|')})$`),
      },
    },
    seats: { default: '2000,20000,200000', quick: '200', help: 'of the layouts' },
    hall: { default: '100000', quick: '2000', help: 'seats of the hall in which deciding is timed' },
    sold: { default: '0,50,90,99', quick: '0,90', help: 'of a hundred seats of it' },
    quantities: { default: '1,2,3,4,5,6,7,8,9,10', quick: '1,4', help: 'wanted' },
    wishes: { default: '1000', quick: '20', help: 'for each of them' },
    theatre: { default: '2000', quick: '200', help: 'seats of the hall that is sold out' },
    halls: { default: '20', quick: '2', help: 'of these, each with buyers of its own' },
    'group-halls': { default: '1200,3600,10000,20000', quick: '1200', help: 'seats of halls with holes' },
    groups: {
      default: '2,5,10,20,30,40,50,60,70,80,90,100',
      quick: '2,70',
      help: 'seats that a group wants',
    },
    expiring: { default: '100000', quick: '500', help: 'holds that run out at once' },
    ttl: { default: '15', quick: '1', help: 'seconds that they live' },
    copied: { default: '200000', quick: '200', help: 'seats of the event in Redis' },
    holds: { default: '100000', quick: '100', help: 'that live in it' },
    samples: { default: '5', quick: '1', help: 'nodes that are started, with Redis and without' },
  },
  async run(input) {
    const reports: Report[] = []
    for (const part of input.words('parts')) reports.push(await PARTS[part as keyof typeof PARTS](input))
    const chart = reports.find(report => report.chart)?.chart
    return {
      tables: reports.flatMap(({ tables }) => tables),
      problems: reports.flatMap(({ problems = [] }) => problems),
      quotes: Object.assign({}, ...reports.map(({ quotes }) => quotes)),
      ...(chart && { chart }),
    }
  },
}

/** A hundred thousand holds of one event run out at once, while others go on buying. */
async function measureReaping({ number, stage, say }: ScenarioInput): Promise<Report> {
  const holds = number('expiring')
  say(`${holds.toLocaleString('en')} holds run out …`)
  const measured = await stage.inProcess('reap', { holds, ttlSeconds: number('ttl') })
  const { figures, postgresSeconds } = measured
  const { untilTidySeconds, perSecond, left, untilHistorySeconds, buyersBefore, buyersMeanwhile } = figures
  const postgresCores = postgresSeconds && postgresSeconds / untilTidySeconds
  const rows = [
    { what: 'others hold seats of the event: before', figures: spread('hold', buyersBefore) },
    {
      what: `while ${holds.toLocaleString('en')} expired holds are tidied up`,
      figures: {
        ...spread('hold', buyersMeanwhile),
        ...{ untilTidySeconds, perSecond, postgresCores, left, untilHistorySeconds },
      },
    },
  ]
  const notes = [
    'An expired hold is free at once, by rule: this is only the tidying up of rows, counters and screens.',
  ]
  return {
    tables: [{ quote: 'reap.table', rows, ratios: [toFirst(rows, 'holdP99Ms')], notes }],
    problems: left === 0 ? [] : [`${left} expired holds are still there`],
    quotes: {
      'reap.seconds': `${untilTidySeconds.toFixed(1)} s`,
      'reap.perSecond': `${Math.round(perSecond).toLocaleString('en')}/s`,
      'reap.buyers': `${formatMs(buyersBefore.p99Ms)} → ${formatMs(buyersMeanwhile.p99Ms)}`,
    },
  }
}

/** An event in Redis: how much it takes there, and what nodes that have just started gain by it. */
async function measureWarm({ number, stage, say }: ScenarioInput): Promise<Report> {
  const options = { seats: number('copied'), holds: number('holds'), samples: number('samples') }
  const what = `${options.seats.toLocaleString('en')} seats, ${options.holds.toLocaleString('en')} holds`
  say(`${what} in Redis …`)
  const { figures } = await stage.inProcess('warm', options)
  const { availability, layout, map, keys, bytes, untilCopiedMs, keysLeft } = figures
  const from = (source: 'postgres' | 'redis') => ({
    availabilityMs: availability[source].p50Ms,
    layoutMs: layout[source].p50Ms,
    mapMs: map[source].p50Ms,
  })
  const copy = { keys, copyBytes: bytes, untilCopiedMs, layoutBytes: layout.bytes, mapBytes: map.bytes }
  const rows = [
    { what: 'first answer of a new node, without Redis', figures: from('postgres') },
    { what: 'from Redis', figures: { ...from('redis'), ...copy } },
  ]
  const notes = [
    `${what}; copied so long after the last hold. Medians, through every layer of the server but the network.`,
  ]
  return {
    tables: [{ quote: 'warm.table', rows, ratios: [toFirst(rows, 'availabilityMs')], notes }],
    problems: keysLeft === 0 ? [] : [`${keysLeft} keys are left of an archived event`],
  }
}
