import { decimalText } from '@voelgoed/core/prices/currency'
import type { Desk } from '../kit/desk.svelte.ts'
import type { FunnelRow } from './funnel-rows.ts'
import { type Column, percentText } from './report-table.ts'

/** Columns that several tables have, in the words and the numbers of who reads them. */
export function columnsFor(desk: Desk) {
  const words = desk.words.reports
  const n = desk.format.number

  function count<Row>(head: string, of: (row: Row) => number): Column<Row> {
    return { head, text: row => n(of(row)), plain: row => String(of(row)), is: 'number' }
  }

  /** In the file without a currency sign: 450.00. A dash: nothing is known. */
  function money<Row>(
    head: string,
    currency: string,
    of: (row: Row) => number | null | undefined,
  ): Column<Row> {
    return {
      head,
      text: row => {
        const amount = of(row)
        return amount === null || amount === undefined ? '–' : desk.format.money(amount, currency)
      },
      plain: row => {
        const amount = of(row)
        return amount === null || amount === undefined ? '' : decimalText(amount, currency)
      },
      is: 'number',
    }
  }

  function share<Row>(head: string, part: (row: Row) => number, whole: (row: Row) => number): Column<Row> {
    return { head, text: row => percentText(part(row), whole(row), n), is: 'number' }
  }

  const day = <Row extends { readonly day: string }>(): Column<Row> => {
    return { head: words.day, text: row => desk.format.date(row.day), plain: row => row.day }
  }

  const funnel: readonly Column<FunnelRow>[] = [
    { head: words.figure, text: row => row.name },
    count(words.count, row => row.count),
    {
      head: words.portion,
      text: row => (row.of === null ? '' : percentText(row.count, row.of, n)),
      is: 'number',
    },
  ]

  return { count, money, share, day, funnel }
}
