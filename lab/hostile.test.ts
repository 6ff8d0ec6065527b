import { paramNames } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { describe, expect, it } from 'vitest'
import { runHostile } from './hostile/run.ts'

/** The runs end with their requests: no machine is too slow to send them all in this time. */
const SECONDS = 500

describe('hostile requests', () => {
  it('are refused in the words of the contract, on every route, by a server that stays up', async () => {
    const said: string[] = []
    const report = await runHostile({
      seed: 20_261_115,
      requests: 1_500,
      seconds: SECONDS,
      say: line => said.push(line),
    })
    expect(report.violations, said.join('\n')).toEqual([])
    expect(report.tally.requests).toBe(1_500)
    expect([...report.tally.routes.keys()].sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    )
  })

  it('are refused when they fill a text field, in every text field of every route', async () => {
    const said: string[] = []
    const report = await runHostile({
      seed: 20_261_116,
      requests: 0,
      seconds: SECONDS,
      texts: { rounds: 1, seconds: SECONDS, maxBytes: 512 * 1024, baseSeconds: 0 },
      say: line => said.push(line),
    })
    expect(report.violations, said.join('\n')).toEqual([])
    const { attacked, tally } = report.texts!
    expect(tally.requests).toBe(attacked.length)
    expect([...tally.results.keys()].filter(result => !/^(400|401|403|404|413|422)$/.test(result))).toEqual(
      [],
    )
    for (const route of routes) {
      const texts = attacked.filter(field => field.route === route && field.kind === 'text').length
      const expected = paramNames(route.path).length + textSchemas(route.query) + textSchemas(route.body)
      expect(texts, `${route.method} ${route.path}`).toBe(expected)
    }
  })
})

/** Counts the schemas in a schema that take a text, wherever they are in it. */
function textSchemas(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown }
  const isText =
    type === 'string' || (Array.isArray(values) && values.some(value => typeof value === 'string'))
  return Object.values(schema).reduce<number>((sum, member) => sum + textSchemas(member), isText ? 1 : 0)
}
