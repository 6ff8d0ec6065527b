import type { OwnLoad } from '../load/own-load.ts'
import type { FiguresOf, Workload } from '../stage/in-process.ts'

/** Whose holds they are. */
export type System =
  | 'inProcess'
  /** With a key for each request, as our client sends them; and without. */
  | 'http'
  | 'httpWithoutKeys'
  | 'pgbench'
  /** With the rows that all holds of an event share. */
  | 'pgbenchCounters'
  /** The usual algorithm with Redis, and with a row lock instead; over HTTP, and without it. */
  | 'redis'
  | 'rowLock'
  | 'redisInProcess'
  | 'rowLockInProcess'
  | 'empty'

export interface HoldsRow {
  readonly system: System
  readonly workload: Workload
  /** Connections, clients, or commands under way. */
  readonly atOnce: number
  readonly holds: number
  readonly seconds: number
  readonly perSecond: number
  readonly refusedPerSecond: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  /** Processor time. Null where there is no /proc, or no such process. */
  readonly serverSeconds: number | null
  readonly postgresSeconds: number | null
  readonly load: OwnLoad | null
  /** Answers other than 201, by status. */
  readonly others: Readonly<Record<string, number>>
}

export interface HoldsFigures {
  readonly seed: number
  readonly postgres: Readonly<Record<string, string>>
  /** Its version; null: there was none. */
  readonly redis: string | null
  readonly rows: readonly HoldsRow[]
  readonly ratios: Ratios
  readonly latency: FiguresOf<'latency'> & { readonly ratioAlone: number; readonly ratioTogether: number }
  readonly memory: FiguresOf<'memory'>
}

/** The best of one to the best of the other, uncontended. Null: one of them was not measured. */
export interface Ratios {
  readonly inProcessToPgbench: number | null
  readonly inProcessToPgbenchCounters: number | null
  readonly httpToPgbench: number | null
  readonly httpToPgbenchCounters: number | null
  readonly inProcessToRedis: number | null
  readonly inProcessToRowLock: number | null
  readonly httpToRedis: number | null
  readonly httpToRowLock: number | null
  readonly httpToEmpty: number | null
  readonly httpToHttpWithoutKeys: number | null
  /**
   * Everyone on one seat: refusals a second to the empty route's answers a second, at as many connections.
   */
  readonly refusalsToEmpty: number | null
}

export const NO_PGBENCH =
  'There is no pgbench here to compare with: on Debian it comes with postgresql-15 or postgresql-contrib.'

/** The most that a system reached, whatever was at once. Null: it was not measured. */
export function best(
  rows: readonly HoldsRow[],
  system: System,
  figure: 'perSecond' | 'refusedPerSecond' = 'perSecond',
  workload: Workload = 'each',
): number | null {
  const values = rows
    .filter(row => row.system === system && row.workload === workload)
    .map(row => row[figure])
  return values.length === 0 ? null : Math.max(...values)
}

export function ratiosOf(rows: readonly HoldsRow[]): Ratios {
  const ratio = (one: System, other: System) => divide(best(rows, one), best(rows, other))
  return {
    inProcessToPgbench: ratio('inProcess', 'pgbench'),
    inProcessToPgbenchCounters: ratio('inProcess', 'pgbenchCounters'),
    httpToPgbench: ratio('http', 'pgbench'),
    httpToPgbenchCounters: ratio('http', 'pgbenchCounters'),
    inProcessToRedis: ratio('inProcess', 'redisInProcess'),
    inProcessToRowLock: ratio('inProcess', 'rowLockInProcess'),
    httpToRedis: ratio('http', 'redis'),
    httpToRowLock: ratio('http', 'rowLock'),
    httpToEmpty: ratio('http', 'empty'),
    httpToHttpWithoutKeys: ratio('http', 'httpWithoutKeys'),
    refusalsToEmpty: refusalsToEmpty(rows),
  }
}

function refusalsToEmpty(rows: readonly HoldsRow[]): number | null {
  const shares = rows
    .filter(row => row.system === 'http' && row.workload === 'one')
    .map(row => {
      const empty = rows.find(other => other.system === 'empty' && other.atOnce === row.atOnce)
      return divide(row.refusedPerSecond, empty?.perSecond ?? null)
    })
    .filter(share => share !== null)
  return shares.length === 0 ? null : Math.max(...shares)
}

function divide(one: number | null, other: number | null): number | null {
  return one === null || other === null || other === 0 ? null : one / other
}
