import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RedisServer } from '../../lab/redis/server.ts'
import type { Node } from '../src/node.ts'
import { TenantScope } from '../src/tenant.ts'
import { eventOnSale, startTestServer, type TestServer } from './kit/harness.ts'
import { parsePrometheusText } from './kit/prometheus-text.ts'
import { type ListeningNode, startListeningNode } from './kit/second-node.ts'
import { waitUntil } from './kit/wait-until.ts'

/** Two nodes on one Postgres and one Redis. */
let redis: RedisServer
let server: TestServer
let other: ListeningNode
beforeAll(async () => {
  redis = await RedisServer.start()
  const env = { REDIS_URL: redis.url, VOELGOED_LIMITS: 'on' }
  server = await startTestServer(env)
  other = await startListeningNode(server.database.url, env)
})
afterAll(async () => {
  await other?.close()
  await server?.close()
  await redis.stop()
})

async function metric(node: Node, name: string, labels: object = {}): Promise<number> {
  const families = parsePrometheusText(await node.metrics.registry.metrics())
  const found = families
    .get(name)!
    .samples.find(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
  return found!.value
}

it('what happens on one is told to the other by Redis', async () => {
  const organization = await server.organization()
  const { eventId } = await eventOnSale(server, organization)
  const scope = TenantScope.of(organization.id as OrganizationId)
  await other.node.lanes.read(scope, eventId as EventId)
  for (const node of [server.node, other.node]) {
    await waitUntil('it hears by Redis', async () => (await metric(node, 'voelgoed_bus_by_redis')) === 1)
  }
  const told = await metric(server.node, 'voelgoed_bus_told_total', { way: 'redis' })
  const token = organization.tokens.customer
  const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token })
  const seat = layout.body.data.zones[0].seats[0].seat_id
  const answer = await server.request('POST', `/api/events/${eventId}/seats/${seat}/reserve`, { token })
  expect(answer.status).toBe(201)
  const seqOn = ({ lanes }: Node) => lanes.inMemory(scope, eventId as EventId)?.seq
  await waitUntil('the other has it', () => seqOn(other.node) === seqOn(server.node), 1_000)
  expect(await metric(server.node, 'voelgoed_bus_told_total', { way: 'redis' })).toBe(told + 1)
})

it('an address gets no more by asking several nodes', async () => {
  const body = JSON.stringify({
    organization: 'no-such-place',
    email: 'a@example.com',
    password: 'x'.repeat(12),
  })
  const headers = { 'content-type': 'application/json' }
  const signIn = async ({ app }: Node) =>
    (await app.fastify.inject({ method: 'POST', url: '/api/sessions', headers, payload: body })).statusCode
  for (let count = 0; count < 20; count += 1) expect(await signIn(server.node)).toBe(404)
  for (let count = 0; count < 10; count += 1) expect(await signIn(other.node)).toBe(404)
  expect([await signIn(other.node), await signIn(server.node)]).toEqual([429, 429])
  expect(
    await metric(server.node, 'voelgoed_shared_limit_answers_total', { outcome: 'refused' }),
  ).toBeGreaterThan(0)
})
