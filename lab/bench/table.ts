import { formatBytes, formatMs, formatTable } from '../format.ts'
import type { Percentiles } from './load/percentiles.ts'

type Figure = number | string | null | undefined

/** One measurement. */
export interface Row {
  /** Rows of the same name are rounds of one measurement: their medians are shown. */
  readonly what: string
  /** The end of a name is the unit: Ms, Seconds, PerSecond, Cores, Bytes, Percent; others are numbers. */
  readonly figures: Readonly<Record<string, Figure>>
  /** Answers that should not have been given, by status and code. */
  readonly others?: Readonly<Record<string, number>>
}

export interface Table {
  /** docs/evidence.md quotes it by this name. */
  readonly quote: string
  readonly rows: readonly Row[]
  readonly ratios: readonly Ratio[]
  readonly notes?: readonly string[]
  /** Only these of its figures are quoted, and no notes; all of it without this. */
  readonly quoted?: readonly string[]
}

/** A figure of each row, to the same figure of another row of the same run, and of the same round. */
export interface Ratio {
  readonly name: string
  readonly figure: string
  /** The name of the other row. Undefined: there is nothing to compare with. */
  to(what: string): string | undefined
}

/** To the first row of the table. */
export function toFirst(rows: readonly Row[], figure: string): Ratio {
  return { name: `${headingOf(figure)} to the first`, figure, to: () => rows[0]?.what }
}

/** A wider table has a column for each row. */
const WIDEST = 15

/** As docs/evidence.md has it. */
export function printQuote({ quoted, ...table }: Table): string {
  if (!quoted) return printTable(table)
  const rows = table.rows.map(row => {
    const figures = Object.entries(row.figures).filter(([name]) => quoted.includes(name))
    return { ...row, figures: Object.fromEntries(figures) }
  })
  return printTable({ ...table, rows, notes: [] })
}

export function printTable({ rows, ratios, notes = [] }: Table): string {
  const names = [...new Set(rows.map(({ what }) => what))]
  const rounds = new Map(names.map(name => [name, rows.filter(({ what }) => what === name)]))
  const columns = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))]
  const shown = columns.filter(column => rows.some(({ figures }) => figures[column] != null))
  const cells = (name: string) => [
    ...ratios.map(ratio => ratioOf(name, ratio, rounds)),
    ...shown.map(column => formatted(column, middle(column, rounds.get(name)!))),
  ]
  const heads = [...ratios.map(({ name }) => name), ...shown.map(headingOf)]
  const lines = names.map(name => [name, ...cells(name)])
  const table =
    heads.length <= WIDEST
      ? formatTable(['', ...heads], lines)
      : formatTable(
          ['', ...names],
          heads.map((head, at) => [head, ...lines.map(line => line[at + 1]!)]),
        )
  return [table, ...notes].join('\n')
}

export function problemsOf({ rows }: Table): string[] {
  return rows.flatMap(({ what, others }) =>
    Object.entries(others ?? {}).map(([answer, count]) => `${what}: ${count} × ${answer}`),
  )
}

/** p50 and p99 as figures, under a name of theirs. */
export function spread(name: string, { p50Ms, p99Ms }: Percentiles): Readonly<Record<string, number>> {
  return name === '' ? { p50Ms, p99Ms } : { [`${name}P50Ms`]: p50Ms, [`${name}P99Ms`]: p99Ms }
}

/** The most that a figure reached in rows whose names begin so. Null: none was measured. */
export function best(rows: readonly Row[], start: string, figure = 'perSecond'): number | null {
  const values = rows
    .filter(({ what }) => what.startsWith(start))
    .flatMap(({ figures }) => (typeof figures[figure] === 'number' ? [figures[figure]] : []))
  return values.length === 0 ? null : Math.max(...values)
}

export function times(one: number | null, other: number | null): string {
  return one === null || !other ? 'not measured' : `${(one / other).toFixed(1)} ×`
}

export function percent(one: number | null, other: number | null): string {
  return one === null || !other ? 'not measured' : `${((100 * one) / other).toFixed(0)} %`
}

export function rate(value: number | null): string {
  return value === null ? 'not measured' : `${Math.round(value).toLocaleString('en')}/s`
}

export function formatted(name: string, value: Figure): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (name.endsWith('Ms')) return value < 10 ? `${value.toFixed(2)} ms` : formatMs(value)
  if (name.endsWith('PerSecond') || name === 'perSecond') return Math.round(value).toLocaleString('en')
  if (name.endsWith('Seconds')) return `${value.toFixed(1)} s`
  if (name.endsWith('Cores')) return value.toFixed(2)
  if (name.endsWith('Bytes')) return formatBytes(value)
  if (name.endsWith('Percent')) return `${value.toFixed(1)} %`
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(1)
}

/** `refusedPerSecond` is headed "refused/s", `openP50Ms` "open p50". */
function headingOf(name: string): string {
  const words = name
    .replace(/PerSecond$|^perSecond$/, '/s')
    .replace(/(Ms|Seconds|Bytes|Percent)$/, '')
    .replaceAll(/([A-Z])/g, letter => ` ${letter.toLowerCase()}`)
  return words.trim()
}

/** The median of all rounds; of a longest wait the longest. */
function middle(name: string, rounds: readonly Row[]): Figure {
  const values = rounds.map(({ figures }) => figures[name])
  const numbers = values.filter(value => typeof value === 'number')
  if (numbers.length < values.length || numbers.length < 2) return values.find(value => value != null)
  return name.startsWith('longest') ? Math.max(...numbers) : median(numbers)
}

function ratioOf(name: string, { figure, to }: Ratio, rounds: ReadonlyMap<string, readonly Row[]>): string {
  const others = rounds.get(to(name) ?? '')
  if (!others) return ''
  const ratios = rounds.get(name)!.flatMap(({ figures }, round) => {
    const [one, other] = [figures[figure], (others[round] ?? others[0]!).figures[figure]]
    return typeof one === 'number' && typeof other === 'number' && other > 0 ? [one / other] : []
  })
  if (ratios.length === 0) return ''
  const text = median(ratios).toFixed(2)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  return ratios.length === 1 ? text : `${text} (${least.toFixed(2)}–${most.toFixed(2)})`
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[at]! : (sorted[at - 1]! + sorted[at]!) / 2
}
