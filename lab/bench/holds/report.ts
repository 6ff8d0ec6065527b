import { formatBytes, formatMs, formatTable } from '../../format.ts'
import type { FiguresOf, Percentiles } from './in-process.ts'
import type { HttpFigures } from './over-http.ts'

export interface InProcessRun extends FiguresOf<'throughput'> {
  readonly concurrent: number
  /** Processor time of Postgres; null where there is no /proc. */
  readonly postgresSeconds: number | null
}

export interface PgbenchRun {
  readonly clients: number
  /** Whether holds update what they share: the event's ledger and the counters of zones. */
  readonly counters: boolean
  readonly figures: FiguresOf<'pgbench'>
  readonly postgresSeconds: number | null
}

export interface HoldsFigures {
  readonly postgres: Readonly<Record<string, string>>
  readonly inProcess: readonly InProcessRun[]
  readonly http: readonly HttpFigures[]
  readonly pgbench: readonly PgbenchRun[]
  /** The best of each to the best of pgbench, without and with counters; null without a pgbench. */
  readonly ratios: Readonly<Record<'inProcess' | 'http', Ratios>> | null
  readonly latency: FiguresOf<'latency'> & { readonly ratioAlone: number; readonly ratioTogether: number }
  readonly memory: FiguresOf<'memory'>
}

interface Ratios {
  readonly withoutCounters: number
  readonly withCounters: number
}

export function compare(
  inProcess: readonly InProcessRun[],
  http: readonly HttpFigures[],
  pgbench: readonly PgbenchRun[],
): HoldsFigures['ratios'] {
  const best = (list: readonly { perSecond: number }[]) => Math.max(...list.map(({ perSecond }) => perSecond))
  const ofPgbench = (counters: boolean) =>
    best(pgbench.flatMap(run => (run.figures && run.counters === counters ? [run.figures] : [])))
  const [withoutCounters, withCounters] = [ofPgbench(false), ofPgbench(true)]
  if (!Number.isFinite(withoutCounters) || !Number.isFinite(withCounters)) return null
  const ratios = (of: number) => ({ withoutCounters: of / withoutCounters, withCounters: of / withCounters })
  return { inProcess: ratios(best(inProcess)), http: ratios(best(http)) }
}

export const NO_PGBENCH =
  'There is no pgbench here to compare with: on Debian it comes with postgresql-15 or postgresql-contrib.'

export function printHolds(figures: HoldsFigures): string {
  const { inProcess, http, pgbench, ratios, latency, memory } = figures
  const best = ratios && Math.max(...inProcess.map(run => run.perSecond)) / ratios.inProcess.withoutCounters
  const row = (name: string, run: { perSecond: number } & Partial<Percentiles>, cores: string[]) => [
    name,
    Math.round(run.perSecond).toLocaleString('en'),
    best === null ? '' : (run.perSecond / best).toFixed(1),
    ...[run.p50Ms, run.p95Ms, run.p99Ms].map(ms => (ms === undefined ? '' : formatMs(ms))),
    ...cores,
  ]
  const throughput = formatTable(
    ['', 'holds/s', 'to pgbench', 'p50', 'p95', 'p99', 'server', 'Postgres', 'load'],
    [
      ...inProcess.map(run =>
        row(`in process, ${run.concurrent} at once`, run, [
          cores(run.cpuSeconds, run),
          cores(run.postgresSeconds, run),
          '',
        ]),
      ),
      ...http.map(run =>
        row(`HTTP, ${run.connections} connections`, run, [
          cores(run.serverSeconds, run),
          cores(run.postgresSeconds, run),
          cores(run.cpuSeconds, run),
        ]),
      ),
      ...pgbench.flatMap(({ clients, counters, figures, postgresSeconds }) =>
        figures
          ? [
              row(`pgbench, ${clients} clients${counters ? ', shared counters' : ''}`, figures, [
                '',
                cores(postgresSeconds, { seconds: figures.holds / figures.perSecond }),
                '',
              ]),
            ]
          : [],
      ),
    ],
  )
  const refused = http.flatMap(run => Object.entries(run.refused))
  const { alone, together } = latency
  return [
    throughput,
    'The last three columns are processor cores in use. pgbench: one transaction for each hold, over TCP, the same',
    'rows; without shared counters it is the fastest that can be written, and what the ratios are to.',
    ...(ratios ? [] : [NO_PGBENCH]),
    ...(refused.length > 0
      ? [`Not 201: ${refused.map(([status, count]) => `${status} × ${count}`).join(', ')}`]
      : []),
    '',
    formatTable(
      ['latency of a hold, in process', 'p50', 'p95', 'p99'],
      [
        ['one at a time, small hall', ...percentiles(alone.few)],
        ['one at a time, large hall', ...percentiles(alone.many)],
        ['together, small hall', ...percentiles(together.few)],
        ['together, large hall', ...percentiles(together.many)],
      ],
    ),
    `Large to small: ${latency.ratioAlone.toFixed(2)} one at a time, ${latency.ratioTogether.toFixed(2)} together.`,
    '',
    `Memory of the large event, half of it held: ${formatBytes(memory.totalBytes)}. The seats of the layout, shared by`,
    `its events: ${formatBytes(memory.seatMapBytes)}; an event without holds: ${formatBytes(memory.emptyEventBytes)}; ` +
      `a hold: ${Math.round(memory.bytesPerHold)} B.`,
  ].join('\n')
}

function percentiles({ p50Ms, p95Ms, p99Ms }: Percentiles): string[] {
  return [p50Ms, p95Ms, p99Ms].map(formatMs)
}

function cores(cpuSeconds: number | null, { seconds }: { seconds: number }): string {
  return cpuSeconds === null ? 'unknown' : (cpuSeconds / seconds).toFixed(2)
}
