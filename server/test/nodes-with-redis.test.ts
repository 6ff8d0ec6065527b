import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { eventOnSale, startTestServer, type TestServer } from '@voelgoed/testing/harness'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { parsePrometheusText } from '@voelgoed/testing/prometheus-text'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Node } from '../node.ts'

patientRedis()

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
  const token = organization.tokens.customer
  const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token })
  const seat = layout.body.data.zones[0].seats[0].seat_id
  const seqOn = ({ lanes }: Node) => lanes.inMemory(scope, eventId as EventId)?.seq
  // A node that hears nothing of Redis for two seconds tells by Postgres: then it happens once more.
  await waitUntil('it is told by Redis', async () => {
    for (const node of [server.node, other.node]) {
      await waitUntil('it hears by Redis', async () => (await metric(node, 'voelgoed_bus_by_redis')) === 1)
    }
    const told = await metric(server.node, 'voelgoed_bus_told_total', { way: 'redis' })
    const answer = await server.request('POST', `/api/events/${eventId}/seats/${seat}/reserve`, { token })
    expect(answer.status).toBe(201)
    await waitUntil('the other has it', () => seqOn(other.node) === seqOn(server.node))
    const toldSince = (await metric(server.node, 'voelgoed_bus_told_total', { way: 'redis' })) - told
    const released = await server.request('DELETE', `/api/holds/${answer.body.data.hold_id}`, { token })
    expect(released.status).toBe(200)
    return toldSince === 1
  })
})

/** 30 in five minutes, spread evenly. */
const ONE_MORE_MS = 10_000

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)

it('an address gets no more by asking several nodes', async () => {
  const payload = JSON.stringify({
    organization: 'no-such-place',
    email: 'a@example.com',
    password: 'x'.repeat(12),
  })
  const headers = { 'content-type': 'application/json' }
  const outcomes = (outcome: string) =>
    Promise.all(
      [server.node, other.node].map(node => metric(node, 'voelgoed_shared_limit_answers_total', { outcome })),
    )
  let rounds = 0
  // Where Redis is late with an answer, a node decides alone; and ten seconds later one more is allowed. Then
  // another address asks.
  await waitUntil('Redis has answered all questions of a round', async () => {
    rounds += 1
    const remoteAddress = `10.0.0.${rounds}`
    const signIn = async ({ app }: Node) => {
      const request = { method: 'POST', url: '/api/sessions', headers, payload, remoteAddress } as const
      return (await app.fastify.inject(request)).statusCode
    }
    const unanswered = sum(await outcomes('unanswered'))
    const began = systemClock.elapsed()
    const answers: number[] = []
    for (let count = 0; count < 20; count += 1) answers.push(await signIn(server.node))
    for (let count = 0; count < 11; count += 1) answers.push(await signIn(other.node))
    answers.push(await signIn(server.node))
    if (systemClock.elapsed() - began > ONE_MORE_MS) return false
    if (sum(await outcomes('unanswered')) > unanswered) return false
    expect(answers).toEqual([...Array(30).fill(404), 429, 429])
    return true
  })
  expect(sum(await outcomes('refused'))).toBeGreaterThan(0)
})
