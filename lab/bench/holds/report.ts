import { formatBytes, formatMs, formatTable } from '../../format.ts'
import { NO_REDIS } from '../../redis/program.ts'
import type { Chart } from '../chart.ts'
import type { Percentiles } from '../load/percentiles.ts'
import { asBlock } from '../quotes.ts'
import { best, type HoldsFigures, type HoldsRow, NO_PGBENCH, type Ratios, type System } from './rows.ts'

const NAMES: Readonly<Record<System, string>> = {
  inProcess: 'in process',
  http: 'HTTP, with keys',
  httpWithoutKeys: 'HTTP, without keys',
  pgbench: 'pgbench',
  pgbenchCounters: 'pgbench, shared counters',
  redis: 'usual, Redis, HTTP',
  rowLock: 'usual, row lock, HTTP',
  redisInProcess: 'usual, Redis, in process',
  rowLockInProcess: 'usual, row lock, in process',
  empty: 'empty route, HTTP',
}
const WANTS = { each: 'seats of their own', zipf: 'by Zipf', one: 'one seat' } as const

export function printHolds(figures: HoldsFigures): string {
  const { rows, latency, memory } = figures
  const reference = best(rows, 'pgbench')
  const throughput = formatTable(
    [
      '',
      'at once',
      'holds/s',
      'refusals/s',
      'to pgbench',
      'p50',
      'p95',
      'p99',
      'server',
      'Postgres',
      'load',
      'its delay',
    ],
    rows.map(row => [
      `${NAMES[row.system]}, ${WANTS[row.workload]}`,
      row.atOnce.toLocaleString('en'),
      round(row.perSecond),
      row.refusedPerSecond > 0 ? round(row.refusedPerSecond) : '',
      reference === null || row.system === 'empty' || row.workload !== 'each'
        ? ''
        : (row.perSecond / reference).toFixed(2),
      ...[row.p50Ms, row.p95Ms, row.p99Ms].map(ms => (ms === null ? '' : formatMs(ms))),
      cores(row.serverSeconds, row),
      cores(row.postgresSeconds, row),
      row.load ? cores(row.load.cpuSeconds, row) : '',
      row.load ? formatMs(row.load.delayP99Ms) : '',
    ]),
  )
  const { alone, together } = latency
  return [
    throughput,
    'Server, Postgres and load are processor cores in use; "its delay" is the p99 of the load generator\'s own event',
    'loop. pgbench: one transaction for each hold, over TCP, the same rows; without shared counters it is the fastest',
    'that can be written, and what the column is to. The usual algorithm: look-up, lock, insert and update, commit.',
    ...(reference === null ? [NO_PGBENCH] : []),
    ...(figures.redis === null ? [NO_REDIS] : []),
    '',
    formatTable(['best to best, seats of their own', 'ratio'], ratioLines(figures.ratios)),
    '',
    formatTable(
      ['latency of a hold, in process', 'p50', 'p95', 'p99'],
      [
        ['one at a time, small hall', ...shown(alone.few)],
        ['one at a time, large hall', ...shown(alone.many)],
        ['together, small hall', ...shown(together.few)],
        ['together, large hall', ...shown(together.many)],
      ],
    ),
    `Large to small: ${latency.ratioAlone.toFixed(2)} one at a time, ${latency.ratioTogether.toFixed(2)} together.`,
    '',
    `Memory of the large event, half of it held: ${formatBytes(memory.totalBytes)}. The seats of the layout, shared by`,
    `its events: ${formatBytes(memory.seatMapBytes)}; an event without holds: ${formatBytes(memory.emptyEventBytes)}; ` +
      `a hold: ${Math.round(memory.bytesPerHold)} B.`,
  ].join('\n')
}

function ratioLines(ratios: Ratios): [string, string][] {
  const line = (name: string, ratio: number | null): [string, string] => [name, times(ratio)]
  return [
    line('in process to pgbench', ratios.inProcessToPgbench),
    line('in process to pgbench with shared counters', ratios.inProcessToPgbenchCounters),
    line('HTTP to pgbench', ratios.httpToPgbench),
    line('HTTP to pgbench with shared counters', ratios.httpToPgbenchCounters),
    line('in process to the usual algorithm in process', ratios.inProcessToRedis),
    line('in process to the usual algorithm in process, without Redis', ratios.inProcessToRowLock),
    line('HTTP to the usual algorithm over HTTP', ratios.httpToRedis),
    line('HTTP to the usual algorithm over HTTP, without Redis', ratios.httpToRowLock),
    line('HTTP to the empty route', ratios.httpToEmpty),
    ['HTTP with keys to HTTP without', percent(ratios.httpToHttpWithoutKeys)],
    ['refusals of one seat to the empty route', percent(ratios.refusalsToEmpty)],
  ]
}

/** Every hold was of a seat that could be had, and nothing but a refusal is a refusal. */
export function problemsOf({ rows }: HoldsFigures): string[] {
  return rows.flatMap(row =>
    Object.entries(row.others)
      .filter(([status]) => (row.workload === 'each' ? true : !['200', '409'].includes(status)))
      .map(([status, count]) => `${NAMES[row.system]}, ${WANTS[row.workload]}: ${status} × ${count}`),
  )
}

/** Throughput over latency: the more at once, the further along its line. */
export function chartOf({ rows }: HoldsFigures): Chart {
  const systems: System[] = ['inProcess', 'http', 'httpWithoutKeys', 'redis', 'rowLock', 'empty']
  const series = systems.map(system => ({
    name: NAMES[system],
    points: rows
      .filter(row => row.system === system && row.workload === 'each' && row.p99Ms !== null)
      .sort((a, b) => a.atOnce - b.atOnce)
      .map(row => ({ x: row.perSecond, y: row.p99Ms!, label: String(row.atOnce) })),
  }))
  return {
    title: 'Holds of seats that no other buyer asks for: throughput over latency, by how many at once',
    x: 'holds a second',
    y: 'p99, ms',
    series: series.filter(({ points }) => points.length > 0),
  }
}

export function quotesOf(figures: HoldsFigures): Record<string, string> {
  const { rows, ratios, latency, memory } = figures
  const rate = (system: System, figure: 'perSecond' | 'refusedPerSecond' = 'perSecond', one = false) => {
    const value = best(rows, system, figure, one ? 'one' : 'each')
    return value === null ? 'not measured' : `${round(value)}/s`
  }
  const at = (row: HoldsRow | undefined) => (row?.p99Ms == null ? 'not measured' : formatMs(row.p99Ms))
  const http = rows.filter(row => row.system === 'http' && row.workload === 'each')
  return {
    'holds.table': asBlock(printHolds(figures)),
    'holds.inProcess': rate('inProcess'),
    'holds.http': rate('http'),
    'holds.httpWithoutKeys': rate('httpWithoutKeys'),
    'holds.httpToHttpWithoutKeys': percent(ratios.httpToHttpWithoutKeys),
    'holds.pgbench': rate('pgbench'),
    'holds.pgbenchCounters': rate('pgbenchCounters'),
    'holds.redis': rate('redis'),
    'holds.rowLock': rate('rowLock'),
    'holds.empty': rate('empty'),
    'holds.refusals': rate('http', 'refusedPerSecond', true),
    'holds.refusalsToEmpty': percent(ratios.refusalsToEmpty),
    'holds.inProcessToPgbench': times(ratios.inProcessToPgbench),
    'holds.httpToPgbench': times(ratios.httpToPgbench),
    'holds.inProcessToRedis': times(ratios.inProcessToRedis),
    'holds.inProcessToRowLock': times(ratios.inProcessToRowLock),
    'holds.httpToRedis': times(ratios.httpToRedis),
    'holds.httpToRowLock': times(ratios.httpToRowLock),
    'holds.httpToEmpty': percent(ratios.httpToEmpty),
    'holds.mostConnections': `${http.at(-1)?.atOnce.toLocaleString('en') ?? 'no'} connections, p99 ${at(http.at(-1))}`,
    'holds.largeToSmall': `${latency.ratioAlone.toFixed(2)} one at a time, ${latency.ratioTogether.toFixed(2)} together`,
    'holds.memory': `${formatBytes(memory.totalBytes)}, ${Math.round(memory.bytesPerHold)} B a hold`,
  }
}

function times(ratio: number | null): string {
  return ratio === null ? 'not measured' : `${ratio.toFixed(1)} ×`
}

function percent(share: number | null): string {
  return share === null ? 'not measured' : `${(100 * share).toFixed(0)} %`
}

function shown({ p50Ms, p95Ms, p99Ms }: Percentiles): string[] {
  return [p50Ms, p95Ms, p99Ms].map(formatMs)
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function cores(cpuSeconds: number | null, { seconds }: { seconds: number }): string {
  return cpuSeconds === null ? '' : (cpuSeconds / seconds).toFixed(2)
}
