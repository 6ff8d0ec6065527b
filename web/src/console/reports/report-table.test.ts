import { readCsv } from '@voelgoed/core/csv'
import { decimalText } from '@voelgoed/core/prices/currency'
import { expect, it } from 'vitest'
import { type Column, csvOf, percentText, soldSince } from './report-table.ts'

interface Row {
  readonly name: string
  readonly sold: number
}
const COLUMNS: readonly Column<Row>[] = [
  { head: 'Zone', text: row => row.name },
  { head: 'Sold', text: row => `${row.sold} tickets`, plain: row => String(row.sold), is: 'number' },
]

it('a table as a file has plain numbers, and no formulas', () => {
  const text = csvOf(COLUMNS, [{ name: '=1+1', sold: 1_200 }])
  expect(readCsv(text, 10).records.map(record => record.cells)).toEqual([
    ['Zone', 'Sold'],
    [`'=1+1`, '1200'],
  ])
})

it('a share of nothing is a dash', () => {
  expect(percentText(1, 8, String)).toBe('12.5 %')
  expect(percentText(0, 0, String)).toBe('–')
})

it('counts the last hours of a series', () => {
  const series = [
    { from: '2027-01-01T00:00:00Z', sold: 5 },
    { from: '2027-01-01T23:00:00Z', sold: 2 },
    { from: '2027-01-02T00:00:00Z', sold: 3 },
  ]
  expect(soldSince(series, 24, Date.parse('2027-01-02T00:30:00Z'))).toBe(5)
})

it('money in a file is exact, in the digits of its currency', () => {
  const amounts = [
    [45_000, 'ZAR'],
    [5, 'ZAR'],
    [-105, 'ZAR'],
    [450, 'JPY'],
    [12_345, 'KWD'],
  ] as const
  expect(amounts.map(([amount, currency]) => decimalText(amount, currency))).toEqual([
    '450.00',
    '0.05',
    '-1.05',
    '450',
    '12.345',
  ])
})
