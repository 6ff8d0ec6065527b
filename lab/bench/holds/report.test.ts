import { expect, it } from 'vitest'
import { printHolds, problemsOf, quotesOf } from './report.ts'
import { type HoldsFigures, type HoldsRow, NO_PGBENCH, ratiosOf } from './rows.ts'

const percentiles = { p50Ms: 1, p95Ms: 2, p99Ms: 3 }
const row: HoldsRow = {
  system: 'http',
  workload: 'each',
  atOnce: 50,
  holds: 10,
  seconds: 1,
  perSecond: 10,
  refusedPerSecond: 0,
  ...percentiles,
  serverSeconds: null,
  postgresSeconds: null,
  load: null,
  others: {},
}

function figuresOf(rows: readonly HoldsRow[]): HoldsFigures {
  const halls = { few: percentiles, many: percentiles }
  return {
    seed: 1,
    postgres: {},
    redis: null,
    rows,
    ratios: ratiosOf(rows),
    latency: { alone: halls, together: halls, ratioAlone: 1, ratioTogether: 1 },
    memory: { seatMapBytes: 1, emptyEventBytes: 1, holdsBytes: 1, bytesPerHold: 1, totalBytes: 3 },
  }
}

it('says so where there is no pgbench and no Redis to compare with', () => {
  const figures = figuresOf([row])
  const text = printHolds(figures)
  expect(text).toContain(NO_PGBENCH)
  expect(text).toContain('There is no Redis here')
  expect(Object.values(quotesOf(figures)).join()).not.toMatch(/NaN|Infinity/)
  expect(text).not.toMatch(/NaN|Infinity/)
})

it('compares refusals with the empty route at as many connections', () => {
  const refusals: HoldsRow = { ...row, workload: 'one', holds: 0, perSecond: 0, refusedPerSecond: 700 }
  const empty: HoldsRow = { ...row, system: 'empty', perSecond: 1_000 }
  const rows = [refusals, empty, { ...empty, atOnce: 1, perSecond: 10 }]
  expect(ratiosOf(rows).refusalsToEmpty).toBeCloseTo(0.7)
})

it('reports the refusal of a seat that no other buyer asks for as a problem', () => {
  expect(problemsOf(figuresOf([row]))).toEqual([])
  expect(problemsOf(figuresOf([{ ...row, others: { 409: 1 } }]))).toHaveLength(1)
  const contended: HoldsRow = { ...row, workload: 'zipf', others: { 200: 1, 409: 5 } }
  expect(problemsOf(figuresOf([contended]))).toEqual([])
  expect(problemsOf(figuresOf([{ ...contended, others: { 500: 1 } }]))).toHaveLength(1)
})
