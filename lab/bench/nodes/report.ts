import { formatMs, formatTable } from '../../format.ts'
import { asBlock } from '../quotes.ts'
import { BASELINE, nameOf, type Setup } from './deployments.ts'
import type { NodesFigures } from './measure.ts'

/** All rounds of one figure: medians, and the ratios to what was measured in the same round. */
export interface NodesRow extends Omit<NodesFigures, 'round' | 'errors' | 'backMs'> {
  readonly rounds: number
  readonly errors: Readonly<Record<string, number>>
  /** To one node without Redis. */
  readonly toBaseline: Ratio
  /** To as many nodes without Redis. Null: that is what it is itself, or it was not measured. */
  readonly toWithoutRedis: Ratio | null
  /** The longest of all rounds; `never`: in one of them it did not come back. Null: nothing was harmed. */
  readonly backMs: number | 'never' | null
}

interface Ratio {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function summarize(figures: readonly NodesFigures[]): NodesRow[] {
  const byRow = new Map<string, NodesFigures[]>()
  for (const one of figures) {
    const key = keyOf(one)
    byRow.set(key, [...(byRow.get(key) ?? []), one])
  }
  return [...byRow.values()].map(rounds => {
    const { setup, load, harm } = rounds[0]!
    const ratioTo = (other: Setup): Ratio | null => {
      const ratios = rounds.flatMap(one => {
        const those = figures.filter(
          ({ setup, load, harm, round }) =>
            harm === null && round === one.round && load === one.load && isSame(setup, other),
        )
        return those.length === 0 ? [] : [one.perSecond / mean(those.map(({ perSecond }) => perSecond))]
      })
      if (ratios.length === 0) return null
      return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
    }
    const middle = (name: keyof NodesFigures) => median(rounds.map(one => one[name] as number))
    const cores = (name: 'nodeCores' | 'redisCores' | 'postgresCores') => {
      const known = rounds.map(one => one[name]).filter(one => one !== null)
      return known.length === 0 ? null : median(known)
    }
    const errors: Record<string, number> = {}
    for (const one of rounds) {
      for (const [status, count] of Object.entries(one.errors)) errors[status] = (errors[status] ?? 0) + count
    }
    const backs = rounds.map(({ backMs }) => backMs)
    return {
      ...{ setup, load, harm, errors },
      rounds: rounds.length,
      perSecond: middle('perSecond'),
      refusedPerSecond: middle('refusedPerSecond'),
      p50Ms: middle('p50Ms'),
      p99Ms: middle('p99Ms'),
      longestMs: Math.max(...rounds.map(({ longestMs }) => longestMs)),
      nodeCores: cores('nodeCores'),
      redisCores: cores('redisCores'),
      postgresCores: cores('postgresCores'),
      loadCores: middle('loadCores'),
      toBaseline: ratioTo(BASELINE)!,
      toWithoutRedis: setup.redis ? ratioTo({ ...setup, redis: false, bus: 'postgres', gate: false }) : null,
      backMs: harm === null ? null : backs.includes(null) ? 'never' : Math.max(...backs.map(Number)),
    }
  })
}

export function printNodes(rows: readonly NodesRow[]): string {
  return [
    formatTable(
      [
        ...['', 'holds/s', 'refusals/s', 'to one node', 'to without Redis', 'p50', 'p99', 'longest'],
        ...['errors', 'nodes', 'Redis', 'Postgres', 'load', 'back after'],
      ],
      rows.map(row => [
        titleOf(row),
        round(row.perSecond),
        row.refusedPerSecond > 0 ? round(row.refusedPerSecond) : '',
        ratio(row.toBaseline),
        row.toWithoutRedis ? ratio(row.toWithoutRedis) : '',
        ...[row.p50Ms, row.p99Ms, row.longestMs].map(formatMs),
        round(Object.values(row.errors).reduce((sum, count) => sum + count, 0)),
        ...[row.nodeCores, row.redisCores, row.postgresCores, row.loadCores].map(cores),
        row.backMs === null ? '' : row.backMs === 'never' ? 'never' : formatMs(row.backMs),
      ]),
    ),
    'Medians of all rounds; ratios within a round, in brackets the least and the most; the longest wait and the errors',
    'of all rounds. Holds with keys, limits by address and session on. A fight: four buyers ask for each seat, right',
    'after one another, at all nodes. Killed and paused: figures from that moment on, and after how long the p99 of a',
    'second was as before. Nodes, Redis, Postgres and load are processor cores in use, and share the machine.',
  ].join('\n')
}

export function problemsOf(figures: readonly NodesFigures[]): string[] {
  return figures.flatMap(one =>
    Object.entries(one.errors).map(([status, count]) => `${titleOf(one)}: ${count} answers of ${status}`),
  )
}

export function quotesOf(rows: readonly NodesRow[]): Record<string, string> {
  return { 'nodes.table': asBlock(printNodes(rows)) }
}

function titleOf({ setup, load, harm }: Pick<NodesFigures, 'setup' | 'load' | 'harm'>): string {
  return `${load}: ${nameOf(setup)}${harm ? `, Redis ${harm}` : ''}`
}

/** Where nothing is harmed, rounds with harm and rounds without count alike. */
function keyOf(one: NodesFigures): string {
  return titleOf(one)
}

function isSame(one: Setup, other: Setup): boolean {
  return nameOf(one) === nameOf(other)
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}

function ratio({ median, least, most }: Ratio): string {
  return `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function cores(value: number | null): string {
  return value === null ? '' : value.toFixed(2)
}
