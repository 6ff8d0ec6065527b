import { randomUUID } from 'node:crypto'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RedisServer } from '../../lab/redis/server.ts'
import { TenantScope } from '../src/tenant.ts'
import { type Hall, openHall } from './kit/hall.ts'
import { startTestServer, type TestOrganization, type TestServer } from './kit/harness.ts'
import { holdLedgerLock } from './kit/ledger-lock.ts'
import { parsePrometheusText } from './kit/prometheus-text.ts'
import { type ListeningNode, startListeningNode } from './kit/second-node.ts'
import { waitUntil } from './kit/wait-until.ts'

/** Two nodes with the gate, on one Postgres and one Redis. */
let redis: RedisServer
let server: TestServer
let other: ListeningNode
let ours: TestOrganization
beforeAll(async () => {
  redis = await RedisServer.start()
  const env = { REDIS_URL: redis.url, VOELGOED_GATE: 'on' }
  server = await startTestServer(env)
  other = await startListeningNode(server.database.url, env, { log: pino({ level: 'fatal' }) })
  ours = await server.organization()
})
afterAll(async () => {
  await other?.close()
  await server?.close()
  await redis.stop()
})

const scope = () => TenantScope.of(ours.id as OrganizationId)
const guest = async () =>
  (await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })).body.data
    .token as string

async function hall(): Promise<Hall> {
  const at = await openHall(server.request, ours.tokens.organizer)
  for (const { lanes } of [server.node, other.node]) await lanes.read(scope(), at.eventId as EventId)
  return at
}

async function reserve(url: string, seat: string, token: string, key?: string) {
  const headers = { authorization: `Bearer ${token}`, ...(key && { 'idempotency-key': key }) }
  const answer = await fetch(`${other.url}${url}/seats/${seat}/reserve`, { method: 'POST', headers })
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  return { status: answer.status, body: (await answer.json()) as any }
}

async function refusals(): Promise<number> {
  const families = parsePrometheusText(await other.node.metrics.registry.metrics())
  const { samples } = families.get('voelgoed_gate_refusals_total')!
  return samples.reduce((sum, { value }) => sum + value, 0)
}

/** The first node asks for a seat, and waits for the lock of its event meanwhile. */
async function whileWritten(at: Hall, seat: string, meanwhile: () => Promise<void>): Promise<void> {
  const giveBack = await holdLedgerLock(server.database.url, at.eventId)
  const token = await guest()
  const asked = server.request('POST', `${at.url}/seats/${seat}/reserve`, { token })
  try {
    await waitUntil(
      'the seat is marked',
      async () => Number(await redis.command('DBSIZE')) > 0 && (await marks(at)) > 0,
    )
    await meanwhile()
  } finally {
    await giveBack()
  }
  expect((await asked).status).toBe(201)
}

async function marks({ eventId }: Hall): Promise<number> {
  return Number(await redis.command('HLEN', `voelgoed:org:${ours.id}:event:{${eventId}}:writing`))
}

it('a seat that one node is writing is refused by the other before the lock, and may be asked for again', async () => {
  const at = await hall()
  const token = await guest()
  const before = await refusals()
  await whileWritten(at, at.seats[0]!, async () => {
    const { status, body } = await reserve(at.url, at.seats[0]!, token)
    expect({ status, ...body }).toMatchObject({
      ...{ status: 409, code: 'seat_held_by_another_user', retryable: true },
      ...{ seat_ids: [at.seats[0]], expires_in: 1 },
    })
  })
  expect((await refusals()) - before).toBe(1)
  await waitUntil('the mark is gone', async () => (await marks(at)) === 0)
})

it('a key that is known gets its answer again, whatever the gate says', async () => {
  const at = await hall()
  const token = await guest()
  const key = randomUUID()
  const first = await reserve(at.url, at.seats[0]!, token, key)
  expect(first.status).toBe(201)
  const gone = await server.request('DELETE', `/api/holds/${first.body.data.hold_id}`, { token })
  expect(gone.status).toBe(200)
  await whileWritten(at, at.seats[0]!, async () => {
    const again = await reserve(at.url, at.seats[0]!, token, key)
    expect(again.status).toBe(201)
    expect(again.body).toEqual(first.body)
    expect((await reserve(at.url, at.seats[0]!, token, randomUUID())).status).toBe(409)
  })
})

it('what passes the gate is decided by Postgres: it grants nothing', async () => {
  const at = await hall()
  const [anna, bert] = [await guest(), await guest()]
  const taken = await server.request('POST', `${at.url}/seats/${at.seats[0]}/reserve`, { token: anna })
  expect(taken.status).toBe(201)
  // Redis knows of no hold and no mark.
  await redis.command('FLUSHALL')
  expect((await reserve(at.url, at.seats[0]!, bert)).status).toBe(409)
  const held = await server.database.sql(`select from event_seats where event_id = $1 and status = 'held'`, [
    at.eventId,
  ])
  expect(held).toHaveLength(1)
})

it('with Redis gone, holds go on', async () => {
  const at = await hall()
  const token = await guest()
  await redis.kill()
  expect((await reserve(at.url, at.seats[1]!, token)).status).toBe(201)
})
