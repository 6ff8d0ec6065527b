import { NO_REDIS } from '@voelgoed/testing/redis/program'
import { formatBytes, formatMs } from '../../format.ts'
import { type Baselines, startBaselines } from '../baselines/start.ts'
import type { Chart } from '../chart.ts'
import type { Report, Scenario, ScenarioInput } from '../scenario.ts'
import { best, percent, type Row, rate, spread, type Table, times } from '../table.ts'
import { measureCarts } from './carts.ts'
import { INSTALLATION, Installation } from './installation.ts'
import { baseline, LOAD, type Measurement, measureLoad, ours, readLoad } from './measure-load.ts'
import { measureRush } from './rush.ts'
import { measureSizes } from './size.ts'

const PARTS = ['process', 'pgbench', 'server', 'usual', 'halls', 'harm', 'carts', 'rush', 'size'] as const

/**
 * Durable holds a second, and refusals: the lane in process, the server over HTTP in several installations,
 * and what they are compared with. All on one Postgres that waits for the disk, one after another.
 */
export const holds: Scenario = {
  summary:
    'holds a second in process and over HTTP, beside pgbench, the usual algorithm and an empty route, in several installations',
  options: {
    parts: {
      default: 'process,pgbench,server,usual,halls',
      quick: 'process,pgbench,server,usual,halls,carts,rush,size',
      help: `of ${PARTS.join(', ')}`,
      words: new RegExp(`^(${PARTS.join('|')})$`),
    },
    on: {
      ...{ default: '1', quick: '1', words: INSTALLATION },
      help: 'installations: nodes, x processes of each, +redis, or +notify where Redis is not the bus',
    },
    loads: {
      ...{ default: 'each,zipf,one', quick: 'each,zipf,one', words: LOAD },
      help: 'each seat once (each10: of ten events), zipf, one seat, a fight of four for each, best4 side by side',
    },
    rounds: { default: '1', quick: '1', help: 'of every figure of installations, in turn' },
    seconds: { default: '5', quick: '0', help: 'of each measurement' },
    connections: { default: '1,50,500,2000', quick: '10', help: 'over HTTP, each for seats of its own' },
    contended: { default: '50,500', quick: '10', help: 'connections that want the same seats' },
    concurrent: { default: '256,512', quick: '32', help: 'commands at once in process' },
    clients: { default: '8,32', quick: '2', help: 'of pgbench' },
    seats: { default: '200000', quick: '1000', help: 'of an event, where each is asked for once' },
    popular: { default: '2000', quick: '1000', help: 'seats of an event, where they are wanted by Zipf' },
    guests: { default: '2000', quick: '40', help: 'buyers' },
    'harm-seconds': { default: '9', quick: '2', help: 'with a Redis that is killed or paused after a third' },
    'harm-rounds': { default: '2', quick: '1', help: 'of the figures with a harm' },
    tries: { default: '1000', quick: '20', help: 'holds, each with a cart after it' },
    readers: { default: '16', quick: '4', help: 'who read all the time, beside as many who hold' },
    rush: { default: '1000', quick: '20', help: 'buyers who ask for the best four seats at one moment' },
    sizes: { default: '100,10000,200000', quick: '100', help: 'seats of events, by history' },
    history: { default: '0,1000,1000000', quick: '250', help: 'holds that were made and given back before' },
    samples: { default: '300', quick: '20', help: 'of each figure by size' },
    verify: { default: '1', quick: '1', help: '0: npm run verify does not look at the database afterwards' },
  },
  async run(input) {
    const has = (part: (typeof PARTS)[number]) => input.words('parts').includes(part)
    const rows: Row[] = []
    const quotes: Record<string, string> = {}
    const tables: Table[] = []
    const problems: string[] = []
    if (has('process')) rows.push(...(await inProcess(input)))
    if (has('pgbench')) rows.push(...(await pgbench(input)))
    if (has('server') || has('harm')) rows.push(...(await onInstallations(input, has)))
    if (has('usual')) rows.push(...(await usual(input)))
    if (rows.length > 0) {
      const first = rows.find(({ what }) => /^(one|\d) node/.test(what))?.what.split(', ')[0] ?? ''
      tables.push(tableOf(input.verb, rows, first))
      if (input.verb === 'holds') Object.assign(quotes, quotesOf(rows, first))
    }
    if (has('halls')) {
      const halls = await inHalls(input)
      tables.push(halls.table)
      Object.assign(quotes, halls.quotes)
    }
    for (const [part, measure] of [
      ['carts', measureCarts],
      ['rush', measureRush],
      ['size', measureSizes],
    ] as const) {
      if (!has(part)) continue
      const report: Report = await measure(input)
      tables.push(...report.tables)
      problems.push(...(report.problems ?? []))
      Object.assign(quotes, report.quotes)
    }
    return { tables, problems, quotes, ...(rows.length > 0 && { chart: chartOf(rows) }) }
  },
}

/** In process more than this is not reached: enough events are made for it. */
const MOST_PER_SECOND = 60_000
/** Refused from memory they are much quicker; then events run out and it ends early, which does no harm. */
const MOST_WISHES_PER_SECOND = 100_000
const SHORTEST_SECONDS = 0.1

function secondsOf({ number }: ScenarioInput): number {
  return number('seconds') || SHORTEST_SECONDS
}

async function inProcess(input: ScenarioInput): Promise<Row[]> {
  const { stage, say, quick, list, number } = input
  const [seconds, seats, popular] = [secondsOf(input), number('seats'), number('popular')]
  const rows: Row[] = []
  const [few] = list('concurrent')
  for (const [workload, concurrent] of [
    ...list('concurrent').map(count => ['each', count] as const),
    ['zipf', few!] as const,
    ['one', few!] as const,
  ]) {
    say(`In process, ${workload}, ${concurrent} at once …`)
    const warmUpHolds = workload === 'each' ? (quick ? 100 : 20_000) : popular
    const events = {
      each: Math.ceil((warmUpHolds + seconds * MOST_PER_SECOND) / seats),
      zipf: Math.min(50, 1 + Math.ceil((seconds * MOST_WISHES_PER_SECOND) / (2 * popular))),
      one: 1,
    }[workload]
    const { figures, postgresSeconds } = await stage.inProcess('throughput', {
      ...{ workload, seconds, concurrent, events, warmUpHolds },
      seats: workload === 'each' ? seats : popular,
    })
    const { perSecond, refusedPerSecond, p50Ms, p95Ms, p99Ms } = figures
    rows.push({
      what: `in process, ${readLoad(workload).name}, ${concurrent} at once`,
      figures: {
        ...{ perSecond, refusedPerSecond: refusedPerSecond || null, p50Ms, p95Ms, p99Ms },
        serverCores: figures.cpuSeconds / figures.seconds,
        postgresCores: postgresSeconds && postgresSeconds / figures.seconds,
      },
    })
  }
  return rows
}

const NO_PGBENCH =
  'There is no pgbench here to compare with: on Debian it comes with postgresql-15 or postgresql-contrib.'

async function pgbench(input: ScenarioInput): Promise<Row[]> {
  const { stage, say, list, number } = input
  const rows: Row[] = []
  for (const counters of [false, true]) {
    for (const clients of list('clients')) {
      say(`pgbench, ${clients} clients, ${counters ? 'with' : 'without'} shared counters …`)
      const options = {
        seconds: secondsOf(input),
        clients,
        seats: Math.min(number('seats'), 20_000),
        counters,
      }
      const { figures, postgresSeconds } = await stage.inProcess('pgbench', options)
      if (!figures) {
        say(`  ${NO_PGBENCH}`)
        return []
      }
      const { perSecond, holds: made } = figures
      rows.push({
        what: `pgbench${counters ? ' with shared counters' : ''}${OWN}, ${clients} at once`,
        figures: { perSecond, postgresCores: postgresSeconds && (postgresSeconds * perSecond) / made },
      })
    }
  }
  return rows
}

/**
 * All installations run all the time and are measured in turn, each round in the opposite order of the one
 * before: a machine that gets slower meanwhile favours none of them.
 */
async function onInstallations(
  input: ScenarioInput,
  has: (part: 'server' | 'harm') => boolean,
): Promise<Row[]> {
  const { stage, words, list, number, quick, say } = input
  const isCompared = words('on').length > 1
  const installations: Installation[] = []
  const rows: Row[] = []
  const measure = async (installation: Installation, measurement: Measurement) => {
    const { harm } = measurement
    const target = ours(installation, input, isCompared)
    const row = await measureLoad(target, measurement, input, async () => harm && installation.harm(harm))
    if (harm) await installation.heal(harm)
    return row
  }
  const inTurn = async (round: number, measurements: readonly Measurement[]) => {
    for (const measurement of measurements) {
      for (const installation of round % 2 === 1 ? installations : installations.toReversed()) {
        rows.push(await measure(installation, measurement))
      }
    }
  }
  const seconds = secondsOf(input)
  const loads = words('loads').map(readLoad)
  const each = readLoad('each')
  try {
    for (const text of words('on')) {
      say(`Starting ${text} …`)
      const installation = await Installation.start(stage, text, { isCompared })
      installations.push(installation)
      // Not measured: code is compiled, buyers sign in, connections are opened.
      await measure(installation, { load: each, connections: quick ? 10 : 50, seconds: quick ? 0.2 : 5 })
    }
    const measurements = loads.flatMap(load =>
      list(load.isContended ? 'contended' : 'connections').flatMap((connections): Measurement[] => {
        const measurement = { load, connections, seconds }
        const isPlain = load.workload === 'each' && !isCompared
        return isPlain ? [measurement, { ...measurement, isKeyless: true }] : [measurement]
      }),
    )
    for (let round = 1; has('server') && round <= number('rounds'); round += 1) {
      say(`Round ${round} …`)
      await inTurn(round, measurements)
    }
    // Apart from the others: nodes that have lost Redis tell each other by both ways for a while.
    const harmed = installations.filter(({ isHarmed }) => isHarmed)
    for (let round = 1; has('harm') && round <= number('harm-rounds'); round += 1) {
      for (const harm of ['killed', 'paused'] as const) {
        say(`Round ${round}, Redis is ${harm} …`)
        const [connections] = list('connections') as [number]
        const load = { load: each, connections, seconds: number('harm-seconds') }
        for (const installation of harmed) rows.push(await measure(installation, { ...load, harm }))
      }
    }
    return rows
  } finally {
    for (const installation of installations) await installation.stop()
  }
}

/** The empty route, and the usual algorithm in both of its variants, under the same loads. */
async function usual(input: ScenarioInput): Promise<Row[]> {
  const { stage, say, quick, list } = input
  const seconds = secondsOf(input)
  const baselines: Baselines = await startBaselines(await stage.postgres(), { mayFetchRedis: !quick })
  const rows: Row[] = []
  try {
    const [each, zipf, one] = ['each', 'zipf', 'one'].map(readLoad)
    const warmUp = { load: each!, connections: 20, seconds: quick ? 0.1 : 2 }
    const empty = baseline('empty', baselines, input)
    await measureLoad(empty, warmUp, input)
    const asMany = [...new Set([...list('connections'), ...list('contended')])].sort((a, b) => a - b)
    for (const connections of asMany) {
      rows.push(await measureLoad(empty, { load: each!, connections, seconds }, input))
    }
    for (const variant of ['rowLock', 'redis'] as const) {
      if (baselines.ports[variant] === null) {
        say(NO_REDIS)
        continue
      }
      const target = baseline(variant, baselines, input)
      await measureLoad(target, warmUp, input)
      for (const load of [each!, zipf!, one!]) {
        for (const connections of list('contended')) {
          rows.push(await measureLoad(target, { load, connections, seconds }, input))
        }
      }
      const concurrent = Math.min(64, list('concurrent')[0]!)
      const { eventIds, seatIds } = await target.prepare(each!, Math.ceil(MOST_PER_SECOND * seconds))
      const driven = await baselines.drive({ variant, concurrent, seconds, eventIds, seatIds })
      const { perSecond, p50Ms, p95Ms, p99Ms } = driven
      const what = `${target.name} in process${OWN}, ${concurrent} at once`
      rows.push({ what, figures: { perSecond, p50Ms, p95Ms, p99Ms } })
    }
    return rows
  } finally {
    await baselines.stop()
  }
}

/** One hold in a small hall and in a large one; and what the large one takes in memory. */
async function inHalls({ stage, number, quick, say }: ScenarioInput): Promise<{
  readonly table: Table
  readonly quotes: Readonly<Record<string, string>>
}> {
  say('Latency in a small hall and in a large one, and memory …')
  const seats = number('seats')
  const size = quick ? { few: 100, holds: 50, concurrent: 8 } : { few: 100, holds: 3_000, concurrent: 64 }
  const { alone, together } = (await stage.inProcess('latency', { ...size, many: seats })).figures
  const memory = (await stage.inProcess('memory', { seats, holds: seats / 2 })).figures
  const { seatMapBytes, emptyEventBytes, bytesPerHold, totalBytes } = memory
  const rows = [
    { what: 'one at a time, small hall', figures: spread('', alone.few) },
    { what: 'one at a time, large hall', figures: spread('', alone.many) },
    { what: 'together, small hall', figures: spread('', together.few) },
    {
      what: 'together, large hall',
      figures: {
        ...spread('', together.many),
        seatMapBytes,
        emptyEventBytes,
        perHoldBytes: bytesPerHold,
        totalBytes,
      },
    },
  ]
  const ratio = (halls: typeof alone) => (halls.many.p50Ms / halls.few.p50Ms).toFixed(2)
  const to = (what: string) => what.replace('large', 'small')
  return {
    table: {
      ...{ quote: 'holds.halls', rows, ratios: [{ name: 'to the small hall', figure: 'p50Ms', to }] },
      notes: [
        'In process. The memory is that of the large hall, half of it held; the seats of a layout are shared.',
      ],
    },
    quotes: {
      'holds.largeToSmall': `${ratio(alone)} one at a time, ${ratio(together)} together`,
      'holds.memory': `${formatBytes(totalBytes)}, ${Math.round(bytesPerHold)} B a hold`,
    },
  }
}

/** In the name of a row, after that of what was measured. */
const OWN = `, ${readLoad('each').name}`

function tableOf(verb: string, rows: readonly Row[], first: string): Table {
  const toFastest = (start: string) => {
    const most = best(rows, start)
    const fastest = rows.find(
      ({ what, figures }) => what.startsWith(start) && figures.perSecond === most,
    )?.what
    const to = (what: string) => (what.includes(OWN) ? fastest : undefined)
    return fastest === undefined ? [] : [{ name: `to ${start.split(',')[0]}`, figure: 'perSecond', to }]
  }
  const to = (what: string) => [first, ...what.split(', ').slice(1)].join(', ')
  const toChosen = {
    name: 'to chosen seats',
    figure: 'perSecond',
    to: (what: string) => what.replace(/the best \d+/, OWN.slice(2)),
  }
  return {
    ...(verb === 'nodes'
      ? { quote: 'nodes.ratios', quoted: ['perSecond', 'p99Ms'] }
      : { quote: `${verb}.table` }),
    rows,
    ratios: [
      ...toFastest('pgbench, '),
      ...toFastest('an empty route, '),
      ...(first === '' ? [] : [{ name: `to ${first}`, figure: 'perSecond', to }]),
      ...(rows.some(({ what }) => what.includes('the best')) ? [toChosen] : []),
    ],
    notes: [
      'Over HTTP with keys, as our client asks. Server, Redis, Postgres and load are processor cores in use; the delay is',
      "the p99 of the load generator's own event loop. pgbench: one transaction for each hold, over TCP, the same rows;",
      'without shared counters it is the fastest that can be written. The usual algorithm: look-up, lock, insert and',
      'update, commit. Redis killed or paused: from that moment on, and when the p99 of a second was as before.',
    ],
  }
}

function quotesOf(rows: readonly Row[], first: string): Record<string, string> {
  const lane = best(rows, `in process${OWN}`)
  const http = best(rows, `${first}${OWN}`)
  const transactions = best(rows, 'pgbench, ')
  const [redis, rowLock] = [best(rows, `usual with Redis${OWN}`), best(rows, `usual with a row lock${OWN}`)]
  const wishes = rows.filter(({ what }) => what.startsWith(`${first}, one seat`))
  const share = wishes.map(({ what, figures }) => {
    const empty = best(rows, `an empty route${OWN}${what.slice(what.lastIndexOf(', '))}`)
    return { refused: Number(figures.refusedPerSecond), empty }
  })
  const refusals = best(wishes, '', 'refusedPerSecond')
  const most = share.reduce((one, other) => (other.refused > (one?.refused ?? 0) ? other : one), share[0])
  const last = rows.findLast(({ what }) => what.startsWith(`${first}${OWN}`))
  const p99 = last?.figures.p99Ms
  const many = last ? last.what.split(', ').at(-1)!.replace('at once', 'connections') : 'no connections'
  return {
    'holds.inProcess': rate(lane),
    'holds.http': rate(http),
    'holds.pgbench': rate(transactions),
    'holds.redis': rate(redis),
    'holds.rowLock': rate(rowLock),
    'holds.empty': rate(best(rows, 'an empty route')),
    'holds.refusals': rate(refusals),
    'holds.refusalsToEmpty': percent(most?.refused ?? null, most?.empty ?? null),
    'holds.inProcessToPgbench': times(lane, transactions),
    'holds.httpToPgbench': times(http, transactions),
    'holds.inProcessToRedis': times(lane, best(rows, 'usual with Redis in process')),
    'holds.inProcessToRowLock': times(lane, best(rows, 'usual with a row lock in process')),
    'holds.httpToRedis': times(http, redis),
    'holds.httpToRowLock': times(http, rowLock),
    'holds.mostConnections': `${many}, p99 ${typeof p99 === 'number' ? formatMs(p99) : 'not measured'}`,
  }
}

/** Throughput over latency: the more at once, the further along its line. */
function chartOf(rows: readonly Row[]): Chart {
  const own = rows.filter(({ what, figures }) => figures.p99Ms != null && !/Zipf|one seat|fight/.test(what))
  const nameOf = (what: string) => what.replace(/, [\d,]+ at once$/, '')
  const names = [...new Set(own.map(({ what }) => nameOf(what)))]
  return {
    title: 'Holds of seats that no other buyer asks for: throughput over latency, by how many at once',
    x: 'holds a second',
    y: 'p99, ms',
    series: names.map(name => ({
      name,
      points: own
        .filter(({ what }) => nameOf(what) === name)
        .map(({ what, figures }) => ({
          x: Number(figures.perSecond),
          y: Number(figures.p99Ms),
          label: /([\d,]+) at once$/.exec(what)![1]!,
        })),
    })),
  }
}
