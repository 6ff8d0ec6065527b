import { startBaselines } from '../../baselines/start.ts'
import type { Workload } from '../stage/in-process.ts'
import type { Verb, VerbInput } from '../verb.ts'
import { measureBaselines } from './baselines.ts'
import { measureHttp } from './over-http.ts'
import { chartOf, printHolds, problemsOf, quotesOf } from './report.ts'
import { type HoldsFigures, type HoldsRow, NO_PGBENCH, ratiosOf } from './rows.ts'

/**
 * Durable holds a second, and refusals: the lane in process, the server over HTTP, and what they are compared
 * with. All on one Postgres that waits for the disk; each on a new database, one after another.
 */
export const holds: Verb = {
  summary:
    'holds a second in process and over HTTP, beside pgbench, the usual algorithm and an empty route; latency; memory',
  options: {
    seconds: { default: '5', quick: '0', help: 'of each measurement' },
    connections: { default: '1,50,500,2000', quick: '10', help: 'over HTTP, each for seats of its own' },
    contended: { default: '50,500', quick: '10', help: 'connections that want the same seats' },
    concurrent: { default: '256,512', quick: '32', help: 'commands at once in process' },
    clients: { default: '8,32', quick: '2', help: 'of pgbench' },
    seats: { default: '200000', quick: '1000', help: 'of an event, where each is asked for once' },
    popular: { default: '2000', quick: '1000', help: 'seats of an event, where they are wanted by Zipf' },
    guests: { default: '2000', quick: '10', help: 'buyers' },
  },
  async run(input) {
    const figures = await measure(input)
    return {
      table: printHolds(figures),
      figures,
      problems: problemsOf(figures),
      quotes: quotesOf(figures),
      chart: chartOf(figures),
    }
  },
}

/** In process more than this is not reached: enough events are made for it. */
const MOST_PER_SECOND = 60_000
/** Refused from memory they are much quicker; then events run out and it ends early, which does no harm. */
const MOST_WISHES_PER_SECOND = 100_000
const SHORTEST_SECONDS = 0.1

async function measure(input: VerbInput): Promise<HoldsFigures> {
  const { stage, say, seed, quick, list, number } = input
  const seconds = number('seconds') || SHORTEST_SECONDS
  const seats = number('seats')
  const rows: HoldsRow[] = []
  const add = (row: HoldsRow) => {
    rows.push(row)
    const refused =
      row.refusedPerSecond > 0 ? `, ${Math.round(row.refusedPerSecond).toLocaleString('en')} refusals` : ''
    say(`  ${Math.round(row.perSecond).toLocaleString('en')} holds${refused} a second`)
  }

  const inProcess = async (workload: Workload, concurrent: number) => {
    say(`In process, ${workload}, ${concurrent} at once …`)
    const popular = number('popular')
    const warmUpHolds = workload === 'each' ? (quick ? 100 : 20_000) : popular
    const events = {
      each: Math.ceil((warmUpHolds + seconds * MOST_PER_SECOND) / seats),
      zipf: Math.min(50, 1 + Math.ceil((seconds * MOST_WISHES_PER_SECOND) / (2 * popular))),
      one: 1,
    }[workload]
    const measured = await stage.inProcess('throughput', {
      workload,
      seconds,
      concurrent,
      seats: workload === 'each' ? seats : popular,
      events,
      warmUpHolds,
    })
    const { figures, postgresSeconds } = measured
    add({
      system: 'inProcess',
      workload,
      atOnce: concurrent,
      ...figures,
      serverSeconds: figures.cpuSeconds,
      postgresSeconds,
      load: null,
      others: {},
    })
  }
  const pgbench = async (clients: number, counters: boolean) => {
    say(`pgbench, ${clients} clients, ${counters ? 'with' : 'without'} shared counters …`)
    const options = { seconds, clients, seats: Math.min(seats, 20_000), counters }
    const { figures, postgresSeconds } = await stage.inProcess('pgbench', options)
    if (!figures) return say(`  ${NO_PGBENCH}`)
    add({
      system: counters ? 'pgbenchCounters' : 'pgbench',
      workload: 'each',
      atOnce: clients,
      holds: figures.holds,
      seconds: figures.holds / figures.perSecond,
      perSecond: figures.perSecond,
      refusedPerSecond: 0,
      p50Ms: null,
      p95Ms: null,
      p99Ms: null,
      serverSeconds: null,
      postgresSeconds,
      load: null,
      others: {},
    })
  }

  for (const concurrent of list('concurrent')) await inProcess('each', concurrent)
  for (const clients of list('clients')) await pgbench(clients, false)
  await measureHttp(input, seconds, add)
  for (const clients of list('clients')) await pgbench(clients, true)
  await inProcess('zipf', list('concurrent')[0]!)
  await inProcess('one', list('concurrent')[0]!)
  const baselines = await startBaselines(await stage.postgres(), { mayFetchRedis: !quick })
  try {
    await measureBaselines(input, { baselines, seconds, add })
  } finally {
    await baselines.stop()
  }

  say('Latency in a small hall and in a large one …')
  const size = quick ? { few: 100, holds: 50, concurrent: 8 } : { few: 100, holds: 3_000, concurrent: 64 }
  const latency = await stage.inProcess('latency', { ...size, many: seats })
  say('Memory …')
  const memory = await stage.inProcess('memory', { seats, holds: seats / 2 })
  const { alone, together } = latency.figures
  return {
    seed,
    postgres: (await stage.postgres()).settings,
    redis: baselines.redisVersion,
    rows,
    ratios: ratiosOf(rows),
    latency: {
      ...latency.figures,
      ratioAlone: alone.many.p50Ms / alone.few.p50Ms,
      ratioTogether: together.many.p50Ms / together.few.p50Ms,
    },
    memory: memory.figures,
  }
}
