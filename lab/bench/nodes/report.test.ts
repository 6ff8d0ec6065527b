import { describe, expect, it } from 'vitest'
import { BASELINE, type Setup } from './deployments.ts'
import type { NodesFigures } from './measure.ts'
import { printNodes, problemsOf, summarize } from './report.ts'

const TWO: Setup = { nodes: 2, redis: false, bus: 'postgres', gate: false }
const WITH_REDIS: Setup = { nodes: 2, redis: true, bus: 'redis', gate: false }

function figure(
  setup: Setup,
  round: number,
  perSecond: number,
  more: Partial<NodesFigures> = {},
): NodesFigures {
  return {
    ...{ setup, round, perSecond, load: 'one event', harm: null, refusedPerSecond: 0, p50Ms: 5, p99Ms: 9 },
    ...{ longestMs: 20, errors: {}, nodeCores: 1, redisCores: null, postgresCores: 0.5, loadCores: 0.2 },
    ...{ backMs: null, ...more },
  }
}

describe('figures of several nodes', () => {
  it('are compared with what was measured in the same round', () => {
    // The machine gets slower by half: within each round the two nodes are equal to one.
    const rows = summarize([
      ...[figure(BASELINE, 1, 4_000), figure(TWO, 1, 4_000)],
      ...[figure(TWO, 2, 2_000), figure(BASELINE, 2, 2_000)],
      figure(WITH_REDIS, 2, 1_800),
    ])
    expect(rows.map(({ toBaseline }) => toBaseline.median)).toEqual([1, 1, 0.9])
    expect(rows.map(row => row.toWithoutRedis?.median ?? null)).toEqual([null, null, 0.9])
  })

  it('tell the worst of what must not be seldom', () => {
    const harmed = (round: number, backMs: number | null, longestMs: number) =>
      figure(WITH_REDIS, round, 1_000, { harm: 'killed', backMs, longestMs, errors: { 503: 1 } })
    const all = [figure(BASELINE, 1, 1_000), figure(BASELINE, 2, 1_000), harmed(1, 300, 60), harmed(2, 0, 40)]
    const [, row] = summarize(all)
    expect(row).toMatchObject({ backMs: 300, longestMs: 60, errors: { 503: 2 }, rounds: 2 })
    expect(printNodes([row!])).toContain('Redis killed')
    expect(problemsOf(all)).toHaveLength(2)
    expect(summarize([...all, harmed(2, null, 1)])[1]!.backMs).toBe('never')
  })
})
