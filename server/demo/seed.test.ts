import { startTestServer, type TestServer } from '@voelgoed/testing/harness'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
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
})

it('a demo that was left half made is completed by the next start, and nothing of it is made twice', async () => {
  const other = await startTestServer()
  const inject = other.node.app.fastify.inject.bind(other.node.app.fastify)
  const start = () =>
    seedDemo(
      { demo: true, host: '127.0.0.1' },
      { ...other.node, clock: other.clock, embedded: true, say: () => {} },
    )
  const spy = vi.spyOn(other.node.app.fastify, 'inject')
  let wasSlow = false
  let wasKilled = false
  const publishes: string[] = []
  spy.mockImplementation((async (request: { method: string; url: string }) => {
    // Postgres is late once: the same request is sent again.
    if (request.url === '/api/admin/venues' && !wasSlow) {
      wasSlow = true
      return { statusCode: 503, headers: { 'retry-after': '0' }, body: '{}' }
    }
    // The process ends before the second event is published; the next one before its first event is there.
    if (request.url.endsWith('/publish') && publishes.push(request.url) === 2) throw new Error('killed')
    if (request.method === 'POST' && request.url === '/api/admin/events' && publishes.length === 3) {
      if (!wasKilled) {
        wasKilled = true
        throw new Error('killed again')
      }
    }
    return inject(request as never)
  }) as never)
  await expect(start()).rejects.toThrow('killed')
  await expect(start()).rejects.toThrow('killed again')
  expect(await start()).toEqual({ password: 'voelgoed-demo' })
  expect(wasSlow).toBe(true)
  spy.mockRestore()
  const names = async (organization: string) => {
    const guest = await other.request('POST', '/api/sessions/guest', { body: { organization } })
    const events = await other.request('GET', '/api/events', { token: guest.body.data.token })
    // Each of them can be bought, and until it begins.
    for (const { price_from, starts_at, sales_end_at } of events.body.data) {
      expect(price_from).toBeGreaterThan(0)
      expect(sales_end_at >= starts_at).toBe(true)
    }
    return events.body.data.map(({ name }: { name: string }) => name)
  }
  expect(await names('voelgoed')).toEqual(['Somerstorm', 'Voelgoed Festival'])
  expect(await names('kaap-arena')).toEqual(['Winter Tour', 'Nagmusiek'])
  for (const table of ['venues', 'layouts']) {
    const twice = `select name from ${table} group by organization_id, name having count(*) > 1`
    expect(await other.database.sql(twice)).toEqual([])
  }
  // Organizers change the demo: a later start leaves that as it is.
  const before = await other.database.sql('select count(*)::int as count from events')
  expect(await start()).toEqual({ password: 'voelgoed-demo' })
  expect(await other.database.sql('select count(*)::int as count from events')).toEqual(before)
  await other.close()
})
