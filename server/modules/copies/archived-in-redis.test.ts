import { openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { sell, startTestServer, type TestServer } from '@voelgoed/testing/harness'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'

let redis: RedisServer
let admin: Redis
let server: TestServer
let other: ListeningNode

beforeAll(async () => {
  redis = await RedisServer.start()
  admin = new Redis(redis.url)
  const env = { REDIS_URL: redis.url }
  server = await startTestServer(env)
  other = await startListeningNode(server.database.url, env)
})
afterAll(async () => {
  await other.close()
  await server.close()
  admin.disconnect()
  await redis.stop()
})

const metric = async (query: string) => {
  const text = await (await fetch(`${other.url}/metrics`)).text()
  return seriesValue(parsePrometheusText(text), query)
}

it('nothing of an event is left in Redis once it is archived, also when a node reads it again', async () => {
  const ours = await server.organization()
  const token = ours.tokens.organizer
  const at = await openHall(server.request, token, {
    seats: 20,
    standing: 10,
    event: { seating_overrides: UNLIMITED },
  })
  const reserve = async (seat: number) => {
    const path = `${at.url}/seats/${at.seats[seat]}/reserve`
    const answer = await server.request('POST', path, { token: ours.tokens.customer })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.data.hold_id as string
  }
  await reserve(0)
  await sell(server, ours, at.eventId, await reserve(1))
  const body = { zone_id: at.zones[1], quantity: 3 }
  await server.request('POST', `${at.url}/holds`, { token: ours.tokens.customer, body })
  const block = { token, body: { seat_ids: [at.seats[5]], reason: 'camera' } }
  await server.request('POST', `/api/admin/events/${at.eventId}/seats/block`, block)
  const keys = () => admin.keys(`*${at.eventId}*`)
  /** But for the mark that the copy was removed, which goes by itself. */
  const left = async () => {
    const all = await keys()
    const [mark] = all.filter(key => key.endsWith(':seq'))
    const isMark = mark && (await admin.hexists(mark, 'least_seq')) === 1 && (await admin.pttl(mark)) > 0
    return isMark ? all.filter(key => key !== mark) : all
  }
  // Seq, seats, holds, counters; of two holds their terms, and the seat of one.
  await waitUntil('the copy is there', async () => (await keys()).length >= 7)
  for (const action of ['cancel', 'archive']) {
    const answer = await server.request('POST', `/api/admin/events/${at.eventId}/${action}`, { token })
    expect(answer.status, answer.text).toBe(200)
  }
  await waitUntil('the copy is gone', async () => (await left()).length === 0)
  // A node that did not have it in memory loads it, and writes no copy.
  const read = await fetch(`${other.url}${at.url}/occupancy`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(read.status).toBe(200)
  await waitUntil('that node has looked', async () => (await metric('voelgoed_warm_behind_events')) === 0)
  expect(await left()).toEqual([])
})
