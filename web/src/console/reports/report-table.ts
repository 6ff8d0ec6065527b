import { writeCsv } from '@voelgoed/core/csv'

/** A column of a report: as people read it, and as programs do. */
export interface Column<Row> {
  readonly head: string
  readonly text: (row: Row) => string
  /** In the file; left out: what people read. */
  readonly plain?: (row: Row) => string
  /** The class of its cells, in the table. */
  readonly is?: 'number'
}

export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return writeCsv([
    columns.map(({ head }) => head),
    ...rows.map(row => columns.map(({ text, plain = text }) => plain(row))),
  ])
}

/** A part as a share of the whole: 0.125 is 12.5 %. A dash when there is no whole. */
export function percentText(part: number, whole: number, number: (value: number) => string): string {
  return whole === 0 ? '–' : `${number(Math.round((1000 * part) / whole) / 10)} %`
}

/** Tickets of the last `hours` hours of a series of hours, up to `now` in milliseconds. */
export function soldSince(
  series: readonly { readonly from: string; readonly sold: number }[],
  hours: number,
  now: number,
): number {
  const since = now - hours * 3_600_000
  return series.reduce((total, step) => (Date.parse(step.from) >= since ? total + step.sold : total), 0)
}
