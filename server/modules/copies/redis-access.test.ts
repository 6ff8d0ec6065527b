import { readFile } from 'node:fs/promises'
import { openHall } from '@voelgoed/testing/hall'
import { startTestServer, type TestServer } from '@voelgoed/testing/harness'
import { parsePrometheusText } from '@voelgoed/testing/prometheus-text'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** A server whose Redis lets it do only what docs/operate/operating.md says that it needs. */
let redis: RedisServer
let admin: Redis
let server: TestServer
beforeAll(async () => {
  redis = await RedisServer.start()
  admin = new Redis(redis.url)
  const operating = await readFile(new URL('../../../docs/operate/operating.md', import.meta.url), 'utf8')
  const [, user] = /^ACL SETUSER (.+)$/m.exec(operating)!
  await admin.call('ACL', 'SETUSER', ...user!.split(' '))
  const url = new URL(redis.url)
  url.username = 'voelgoed'
  url.password = 'a-long-password'
  server = await startTestServer({ REDIS_URL: url.href, VOELGOED_LIMITS: 'on' })
})
afterAll(async () => {
  await server?.close()
  admin.disconnect()
  await redis.stop()
})

async function metric(name: string): Promise<number> {
  const families = parsePrometheusText((await server.request('GET', '/metrics')).text)
  return families.get(name)!.samples.reduce((sum, { value }) => sum + value, 0)
}

it('does all of its work, and is denied nothing', async () => {
  const organization = await server.organization()
  const at = await openHall(server.request, organization.tokens.organizer)
  await waitUntil('it hears by Redis', async () => (await metric('voelgoed_bus_by_redis')) === 1)
  const token = organization.tokens.customer
  const held = await server.request('POST', `${at.url}/seats/${at.seats[0]}/reserve`, { token })
  expect(held.status).toBe(201)
  await waitUntil('the copy is there', async () => (await metric('voelgoed_warm_writes_total')) > 0)
  const layout = await server.request('GET', `${at.url}/layout`, {
    token,
    headers: { 'accept-encoding': 'br' },
  })
  expect(layout.status).toBe(200)
  const kept = 'voelgoed_shared_document_writes_total'
  await waitUntil('its layout is there', async () => (await metric(kept)) > 0)
  const registry = await server.request('GET', `/api/admin/events/${at.eventId}/registry`, {
    token: organization.tokens.organizer,
  })
  expect(registry.status).toBe(200)
  const writes = await metric('voelgoed_warm_writes_total')
  const released = await server.request('DELETE', `/api/holds/${held.body.data.hold_id}`, { token })
  expect(released.status).toBe(200)
  await waitUntil('the copy has it', async () => (await metric('voelgoed_warm_writes_total')) > writes)
  const cancelled = await server.request('POST', `/api/admin/events/${at.eventId}/cancel`, {
    token: organization.tokens.organizer,
  })
  expect(cancelled.status).toBe(200)
  await waitUntil('the copy is gone', async () => (await metric('voelgoed_warm_removals_total')) > 0)
  expect(await metric('voelgoed_shared_limit_answers_total')).toBeGreaterThan(0)
  const denied = (await admin.call('ACL', 'LOG')) as string[][]
  // Redis 7.0, the oldest that will do, has no such command.
  expect(denied.filter(entry => !entry.includes('client|setinfo'))).toEqual([])
})
