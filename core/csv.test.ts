import { describe, expect, it } from 'vitest'
import { fromSpreadsheet, readCsv, writeCsv } from './csv.ts'

/** As a spreadsheet with another list separator parts a line: a quote counts where a cell begins. */
const partedBy = (separator: string, text: string) =>
  text.split(separator).flatMap(cell => cell.split(/[\r\n]/))
const RUNS = /^["\s]*[=+\-@＝＋－＠]/

describe('a formula', () => {
  const hostile = [
    '=1+1',
    "x;=cmd|' /C calc'!A0;y",
    'x; =1+1',
    'x;"=1+1',
    'a\r\n=1+1',
    'tab\t=1+1',
    'x;+1',
    'x;-1+1',
    'x;@SUM(1)',
    '＝1+1',
    'x;＠SUM(1)',
    '\t=1',
  ]

  it.each(hostile)('is made text, whatever separates the lists of the spreadsheet: %j', cell => {
    const text = writeCsv([['before', cell, 'after']])
    for (const separator of [';', '\t']) {
      expect(partedBy(separator, text).filter(part => RUNS.test(part))).toEqual([])
    }
    const [record] = readCsv(text, 1).records
    expect(RUNS.test(record!.cells[1]!)).toBe(false)
    expect(fromSpreadsheet(record!.cells[1]!)).toBe(cell)
  })

  it('is neither a number nor a dash in a name', () => {
    expect(writeCsv([['-5', '-12.50', 'Anna-Marie', 'a, -b', 'x;y']])).toBe(
      '-5,-12.50,Anna-Marie,"a, -b","x;y"\r\n',
    )
  })
})
