import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../test/kit/harness.ts'
import { seedDemo } from './seed.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const seed = (config: { demo: boolean | null; host: string }, embedded = false) =>
  seedDemo(config, { ...server.node, clock: server.clock, embedded, say: () => {} })

const signIn = async (password: string) => {
  const body = { organization: 'voelgoed', email: 'organizer@voelgoed.example', password }
  return (await server.request('POST', '/api/sessions', { body })).status
}

it('a demo has a published password only where no other machine can reach it', async () => {
  expect(await seed({ demo: null, host: '127.0.0.1' })).toBe(null)
  expect(await seed({ demo: true, host: 'localhost' })).toEqual({ password: 'voelgoed-demo' })
  expect(await signIn('voelgoed-demo')).toBe(201)
  expect(await seed({ demo: null, host: '::1' }, true)).toEqual({ password: 'voelgoed-demo' })

  const session = await server.request('POST', '/api/sessions/guest', { body: { organization: 'voelgoed' } })
  const events = await server.request('GET', '/api/events', { token: session.body.data.token })
  expect(
    events.body.data.map((event: Record<string, unknown>) => [event.name, event.currency, event.price_from]),
  ).toEqual([
    ['Somerstorm', 'ZAR', 12_000],
    ['Voelgoed Festival', 'ZAR', 15_000],
  ])

  const moved = await seed({ demo: false, host: '0.0.0.0' })
  expect(moved!.password).toMatch(/^[\w-]{16}$/)
  expect(await signIn('voelgoed-demo')).toBe(401)
  expect(await signIn(moved!.password)).toBe(201)

  expect(await seed({ demo: true, host: '0.0.0.0' })).toEqual({ password: 'unknown' })
  expect(await seed({ demo: null, host: '127.0.0.1' }, true)).toEqual({ password: 'unknown' })
}, 120_000)
