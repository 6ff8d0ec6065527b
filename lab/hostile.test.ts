import { routes } from '@voelgoed/core/contract/routes'
import { describe, expect, it } from 'vitest'
import { runHostile } from './hostile/run.ts'

describe('hostile requests', () => {
  it('are refused in the words of the contract, on every route, by a server that stays up', async () => {
    const said: string[] = []
    const report = await runHostile({
      seed: 20_261_115,
      requests: 1_500,
      seconds: 60,
      say: line => said.push(line),
    })
    expect(report.violations, said.join('\n')).toEqual([])
    expect(report.tally.requests).toBe(1_500)
    expect([...report.tally.routes.keys()].sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    )
  }, 120_000)
})
