import { wholeNumber } from '../whole-number.ts'
import { measureInProcess } from './holds/in-process.ts'
import { measureHttp } from './holds/over-http.ts'
import { type BenchPostgres, startPostgres } from './holds/postgres.ts'
import {
  compare,
  type HoldsFigures,
  type InProcessRun,
  NO_PGBENCH,
  type PgbenchRun,
  printHolds,
} from './holds/report.ts'
import type { Verb } from './verb.ts'

/**
 * Durable holds a second, uncontended: each of a seat that nobody else asks for. The lane in process, the server
 * over HTTP, and pgbench writing the same rows in a transaction for each hold. All on one Postgres that waits for
 * the disk; each on a new database, one after another.
 */
export const holds: Verb = {
  summary: 'durable holds a second: in process, over HTTP, and pgbench on the same rows; latency; memory',
  options: {
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '1,50,500' },
    concurrent: { type: 'string', default: '256,512' },
    clients: { type: 'string', default: '8,32' },
    seats: { type: 'string', default: '200000' },
    /** Everything, but so small that it only shows that it works. */
    quick: { type: 'boolean', default: false },
  },
  async run({ options, seed, say }) {
    const list = (name: string) => options[name]!.split(',').map(text => wholeNumber(name, text))
    const size: Size =
      String(options.quick) === 'true'
        ? QUICK
        : {
            ...FULL,
            seconds: wholeNumber('seconds', options.seconds!),
            seats: wholeNumber('seats', options.seats!),
            connections: list('connections'),
            concurrent: list('concurrent'),
            clients: list('clients'),
          }
    say('Starting Postgres …')
    const postgres = await startPostgres()
    try {
      const figures = await measure(postgres, { ...size, seed, say })
      return { table: printHolds(figures), figures }
    } finally {
      await postgres.stop()
    }
  },
}

interface Size {
  readonly seconds: number
  readonly seats: number
  readonly connections: readonly number[]
  readonly concurrent: readonly number[]
  readonly clients: readonly number[]
  readonly guests: number
  readonly warmUpHolds: number
  readonly warmUpSeconds: number
  readonly latency: { readonly few: number; readonly holds: number; readonly concurrent: number }
}

const FULL = {
  guests: 2_000,
  warmUpHolds: 20_000,
  warmUpSeconds: 5,
  latency: { few: 100, holds: 3_000, concurrent: 64 },
}
const QUICK: Size = {
  seconds: 1,
  seats: 2_000,
  connections: [1, 10],
  concurrent: [32],
  clients: [2],
  guests: 10,
  warmUpHolds: 100,
  warmUpSeconds: 1,
  latency: { few: 20, holds: 40, concurrent: 8 },
}

/** In process more than this is not reached: enough events are made for it. */
const MOST_PER_SECOND = 40_000

async function measure(
  postgres: BenchPostgres,
  { seed, say, ...size }: Size & { seed: number; say: (line: string) => void },
): Promise<HoldsFigures> {
  const { seconds, seats } = size
  const pgbench: PgbenchRun[] = []
  const measurePgbench = async (clients: number, counters: boolean) => {
    say(`pgbench, ${clients} clients, ${counters ? 'with' : 'without'} shared counters …`)
    const options = { seed, seconds, clients, seats: Math.min(seats, 20_000), counters }
    pgbench.push({ clients, counters, ...(await measureInProcess(postgres, 'pgbench', options)) })
    const { figures } = pgbench.at(-1)!
    say(`  ${figures ? perSecond(figures) : NO_PGBENCH}`)
  }
  const inProcess: InProcessRun[] = []
  for (const concurrent of size.concurrent) {
    say(`In process, ${concurrent} at once …`)
    const events = Math.ceil((size.warmUpHolds + seconds * MOST_PER_SECOND) / seats)
    const options = { seed, seconds, concurrent, seats, events, warmUpHolds: size.warmUpHolds }
    const { figures, postgresSeconds } = await measureInProcess(postgres, 'throughput', options)
    inProcess.push({ concurrent, ...figures, postgresSeconds })
    say(`  ${perSecond(figures)}`)
  }
  for (const clients of size.clients) await measurePgbench(clients, false)
  say('Over HTTP …')
  const http = await measureHttp(postgres, { ...size, seed, say })
  for (const clients of size.clients) await measurePgbench(clients, true)

  say('Latency in a small hall and in a large one …')
  const latency = await measureInProcess(postgres, 'latency', { ...size.latency, many: seats, seed })
  say('Memory …')
  const memory = await measureInProcess(postgres, 'memory', { seats, holds: seats / 2, seed })
  const { alone, together } = latency.figures
  return {
    postgres: postgres.settings,
    inProcess,
    http,
    pgbench,
    ratios: compare(inProcess, http, pgbench),
    latency: {
      ...latency.figures,
      ratioAlone: alone.many.p50Ms / alone.few.p50Ms,
      ratioTogether: together.many.p50Ms / together.few.p50Ms,
    },
    memory: memory.figures,
  }
}

function perSecond(figures: { perSecond: number }): string {
  return `${Math.round(figures.perSecond).toLocaleString('en')} holds a second`
}
