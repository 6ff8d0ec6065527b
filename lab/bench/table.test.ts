import { describe, expect, it } from 'vitest'
import {
  percent,
  printTable,
  problemsOf,
  type Row,
  rate,
  spread,
  type Table,
  times,
  toFirst,
} from './table.ts'

const row = (what: string, perSecond: number, more: Row['figures'] = {}): Row => ({
  what,
  figures: { perSecond, ...more },
})
const table = (rows: readonly Row[]): Table => ({ quote: 'a', rows, ratios: [toFirst(rows, 'perSecond')] })

describe('a table of figures', () => {
  it('shows the median of all rounds, and ratios within each of them', () => {
    const rows = [row('one', 100), row('two', 150), row('one', 200), row('two', 100), row('one', 300)]
    const [head, , one, two] = printTable(table([...rows, row('two', 900)])).split('\n')
    expect(head).toMatch(/ \/s to the first +\/s$/)
    expect(one).toMatch(/^one +1\.00 \(1\.00–1\.00\) +200$/)
    expect(two).toMatch(/^two +1\.50 \(0\.50–3\.00\) +150$/)
  })

  it('gives figures the unit that their names end with, and leaves out what was not measured', () => {
    const figures = { ...spread('hold', { p50Ms: 1.234, p95Ms: 2, p99Ms: 123.4 }), copyBytes: 2_000_000 }
    const text = printTable(table([row('one', 1_234, { ...figures, serverCores: null, taken: 1_000 })]))
    expect(text).toMatch(/hold p50 +hold p99 +copy +taken/)
    expect(text).toMatch(/1,234 +1\.23 ms +123 ms +2\.0 MB +1,000/)
    expect(text).not.toContain('cores')
  })

  it('is turned when it is too wide', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`figure${index}`, index]))
    const [head, , first] = printTable(table([row('one', 1, many), row('two', 2, many)])).split('\n')
    expect(head).toMatch(/^ +one +two$/)
    expect(first).toMatch(/to the first +1\.00 +2\.00$/)
  })

  it('shows the longest wait of all rounds, which is in one of them only', () => {
    const rows = [20, 60, 40].map(longestMs => row('one', 100, { longestMs }))
    expect(printTable(table(rows))).toMatch(/ 60\.0 ms$/)
  })

  it('says where there is nothing to compare with', () => {
    const ratios = [{ name: 'to pgbench', figure: 'perSecond', to: () => undefined }]
    expect(printTable({ ...table([row('one', 100)]), ratios })).toMatch(/^one +100$/m)
    const said = [times(100, null), times(null, 100), times(100, 0), percent(0, 0), rate(null)]
    expect(new Set(said)).toEqual(new Set(['not measured']))
  })

  it('has a problem for each answer that should not have been given', () => {
    const others = { 409: 1, 'hold 503 busy': 2 }
    const rows = [row('one', 100), { ...row('two', 100), others }]
    expect(problemsOf(table(rows))).toEqual(['two: 1 × 409', 'two: 2 × hold 503 busy'])
  })
})
