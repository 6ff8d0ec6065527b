import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { refuse } from '@voelgoed/core/result'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { holdLedgerLock } from '@voelgoed/testing/ledger-lock'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { WITHIN_MS, waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const { server, ours, organize } = useServer({ VOELGOED_REAPER: 'off' })
const connections = new Connections(10)
let other: ListeningNode
let buyers: Buyer[]

beforeAll(async () => {
  other = await startListeningNode(server.database.url, { VOELGOED_REAPER: 'off' })
  buyers = await createBuyers(server.database, ours.id, 20)
})
afterAll(async () => {
  connections.close()
  await other.close()
})

const hall = (plan: HallPlan = {}) =>
  openHall(server.request, ours.tokens.organizer, {
    standing: 30,
    ...plan,
    event: { ...plan.event, seating_overrides: UNLIMITED },
  })
/** Asks the other node. */
const elsewhere = (
  method: string,
  path: string,
  token: string,
  { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
) =>
  connections.send(method, other.url + path, {
    token,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  })

const laneElsewhere = (at: Hall) =>
  other.node.lanes.lane(TenantScope.of(ours.id as OrganizationId), at.eventId as EventId)

/**
 * The other node has the event in memory and hears nothing of it any more, as if the word of each change were
 * still on its way. The look for what was not heard can not help: the event is looked at by a caller of the
 * lane alone. A caller waits for that look as long as it takes, on a slow machine as well, unless the test is
 * about the bound.
 */
async function unheard(at: Hall, token: string, { isPatient = true } = {}): Promise<void> {
  expect((await elsewhere('GET', `${at.url}/occupancy`, token)).status).toBe(200)
  const lane = laneElsewhere(at)
  const { isCurrent } = lane
  if (isPatient) lane.isCurrent = () => isCurrent.call(lane, WITHIN_MS)
  lane.heard = () => {}
  Object.defineProperty(lane, 'isIdle', { get: () => false })
}

async function hold(at: Hall, { token }: Buyer, ...seats: number[]) {
  const body = { seat_ids: seats.map(seat => at.seats[seat]) }
  const held = await server.request('POST', `${at.url}/holds`, { token, body })
  expect(held.status, held.text).toBe(201)
  return held
}

describe('what a person reads of their own, on a node that has not heard of what they did', () => {
  it('is the cart with everything in it, and without what was given back', async () => {
    const at = await hall()
    const [buyer] = buyers as [Buyer]
    await unheard(at, buyer.token)
    const held = await hold(at, buyer, 0, 1)
    const cart = await elsewhere('GET', `${at.url}/cart`, buyer.token)
    const ids = cart.body.data.holds.map((one: { seat_id: string }) => one.seat_id)
    expect(ids.sort()).toEqual(at.seats.slice(0, 2).sort())
    const hold_id = held.body.data.holds[0].hold_id
    await server.request('DELETE', `/api/holds/${hold_id}`, { token: buyer.token })
    const after = await elsewhere('GET', `${at.url}/cart`, buyer.token)
    expect(after.body.data.holds.map((one: { seat_id: string }) => one.seat_id)).toEqual([at.seats[1]])
  })

  it('is every hold in the list of holds', async () => {
    const at = await hall()
    const buyer = buyers[1]!
    await unheard(at, buyer.token)
    await hold(at, buyer, 3)
    const holds = await elsewhere('GET', '/api/holds', buyer.token)
    expect(holds.body.data).toMatchObject([{ event_id: at.eventId, seat_id: at.seats[3] }])
  })

  it('is their seat, in the list of seats and by itself', async () => {
    const at = await hall()
    const buyer = buyers[2]!
    await unheard(at, buyer.token)
    await hold(at, buyer, 5)
    const list = await elsewhere('GET', `${at.url}/availability`, buyer.token)
    expect(list.body.data.seats).toEqual([{ seat_id: at.seats[5], status: 'held_by_me' }])
    await hold(at, buyer, 6)
    const seat = await elsewhere('GET', `${at.url}/seats/${at.seats[6]}`, buyer.token)
    expect(seat.body.data.status).toBe('held_by_me')
  })

  it('is a checkout of the whole cart, not of the part that the node knows', async () => {
    const at = await hall({ prices: ['a'] })
    await setPrices(at, 10_000)
    const buyer = buyers[3]!
    await hold(at, buyer, 0)
    await unheard(at, buyer.token)
    await hold(at, buyer, 1)
    const body = { event_id: at.eventId, contact: { name: 'A', email: 'a@example.org' } }
    const opened = await elsewhere('POST', '/api/checkouts', buyer.token, { body })
    expect(opened.status, opened.text).toBe(201)
    expect(opened.body.data.lines).toHaveLength(2)
  })

  it('comes from Postgres where the node can not get so far: it waits for a lock that another one keeps', async () => {
    const at = await hall({ prices: ['a'] })
    const buyer = buyers[4]!
    await unheard(at, buyer.token, { isPatient: false })
    const held = await hold(at, buyer, 0)
    const pit = { zone_id: at.zones[1], quantity: 3 }
    const places = await server.request('POST', `${at.url}/holds`, { token: buyer.token, body: pit })
    expect(places.status).toBe(201)
    const before = await ownReads()
    const letGo = await holdLedgerLock(server.database.url, at.eventId)
    try {
      // The lane of the other node has work that waits for the lock. Each piece gives up after a second:
      // there are as many as a slow machine needs for the questions below.
      const work = async () => refuse({ kind: 'busy', retryAfterSeconds: 1 } as const)
      const pieces = Array.from({ length: 100 }, () => laneElsewhere(at).exclusive(work))
      const waiting = Promise.allSettled(pieces)
      await waitUntil('it waits', async () => (await waitingForLocks()) > 0)
      const cart = await elsewhere('GET', `${at.url}/cart`, buyer.token)
      const { holds } = cart.body.data
      expect(holds).toMatchObject([
        { hold_id: held.body.data.holds[0].hold_id, seat_id: at.seats[0] },
        { quantity: 3, zone_id: at.zones[1] },
      ])
      expect(holds[0].held_until).toBe(held.body.data.held_until)
      expect(cart.headers['voelgoed-seq']).toBeUndefined()
      expect(await ownReads()).toBe(before + 1)
      await letGo()
      await waiting
    } finally {
      await letGo().catch(() => {})
    }
  })

  it('does not show the holds of another person, or of another event', async () => {
    const [at, another] = [await hall(), await hall()]
    const [buyer, stranger] = [buyers[6]!, buyers[7]!]
    await unheard(at, buyer.token)
    await hold(at, stranger, 0)
    await hold(another, buyer, 1)
    expect((await elsewhere('GET', `${at.url}/cart`, buyer.token)).body.data.holds).toEqual([])
  })
})

describe('Voelgoed-Seq', () => {
  it('is in every answer that changed something in an event', async () => {
    const at = await hall()
    const buyer = buyers[8]!
    const seqOf = (answer: { headers: Record<string, unknown> }) => Number(answer.headers['voelgoed-seq'])
    const held = await hold(at, buyer, 0)
    // The first change put the event on sale.
    expect(seqOf(held)).toBe(2)
    const reserved = await server.request('POST', `${at.url}/seats/${at.seats[1]}/reserve`, {
      token: buyer.token,
    })
    expect(seqOf(reserved)).toBe(3)
    const id = held.body.data.holds[0].hold_id
    const released = await server.request('DELETE', `/api/holds/${id}`, { token: buyer.token })
    expect(seqOf(released)).toBe(4)
    const blocked = await organize('POST', `/api/admin/events/${at.eventId}/seats/block`, {
      seat_ids: [at.seats[7]],
      reason: 'a broken chair',
    })
    expect(seqOf(blocked)).toBe(5)
    const refused = await server.request('POST', `${at.url}/seats/${at.seats[7]}/reserve`, {
      token: buyer.token,
    })
    expect(refused.headers['voelgoed-seq']).toBeUndefined()
    // A read says how far it is as well.
    expect(seqOf(await elsewhere('GET', `${at.url}/cart`, buyer.token))).toBe(5)
  })

  it('sent with a question, it asks for an answer that is as new', async () => {
    const at = await hall()
    const buyer = buyers[9]!
    await unheard(at, buyer.token)
    const held = await hold(at, buyer, 0)
    const headers = { 'voelgoed-seq': String(held.headers['voelgoed-seq']) }
    const occupancy = await elsewhere('GET', `${at.url}/occupancy`, buyer.token, { headers })
    expect(occupancy.body.data).toMatchObject({ seq: 2, held: 1 })
    const odd = { 'voelgoed-seq': '1e99, x' }
    expect((await elsewhere('GET', `${at.url}/occupancy`, buyer.token, { headers: odd })).status).toBe(200)
    // A seq that never was is no reason to wait without end.
    const far = { 'voelgoed-seq': '999999' }
    expect((await elsewhere('GET', `${at.url}/occupancy`, buyer.token, { headers: far })).body.data.seq).toBe(
      2,
    )
  })
})

describe('what staff save, they read at once on a node that has not heard of it', () => {
  it('the event, its prices, its hall and its zones', async () => {
    const at = await hall({ prices: ['a'] })
    await setPrices(at, 10_000)
    await unheard(at, ours.tokens.organizer)
    const read = async (path: string) => (await elsewhere('GET', path, ours.tokens.organizer)).body.data
    expect((await read(`${at.url}/prices`)).categories[0].ticket_types[0].amount).toBe(10_000)
    await setPrices(at, 12_500)
    expect((await read(`${at.url}/prices`)).categories[0].ticket_types[0].amount).toBe(12_500)
    expect((await read(`/api/admin/events/${at.eventId}/prices`)).categories[0].ticket_types[0].amount).toBe(
      12_500,
    )
    await organize('PATCH', `/api/admin/events/${at.eventId}`, { name: 'Another play' })
    expect((await read(at.url)).name).toBe('Another play')
    const overrides = { disabled_zones: [at.zones[1]] }
    const match = { 'if-match': '"1"' }
    const put = await organize('PUT', `/api/admin/events/${at.eventId}/layout`, { overrides }, match)
    expect(put.status, put.text).toBe(200)
    const { zones } = await read(`${at.url}/availability`)
    expect(zones.find((zone: { zone_id: string }) => zone.zone_id === at.zones[1]).available).toBe(0)
  })

  it('the policy, in what it decides', async () => {
    const at = await hall()
    await unheard(at, ours.tokens.organizer)
    const policy = (await organize('GET', '/api/admin/policy')).body.data
    await organize('PUT', '/api/admin/policy', { ...policy, default_hold_ttl_seconds: 777 })
    const read = await elsewhere('GET', '/api/admin/policy', ours.tokens.organizer)
    expect(read.body.data.default_hold_ttl_seconds).toBe(777)
    const event = await elsewhere('GET', at.url, ours.tokens.organizer)
    expect(event.body.data.hold_ttl_seconds).toBe(777)
  })
})

async function setPrices(at: Hall, amount: number): Promise<void> {
  const url = `/api/admin/events/${at.eventId}/prices`
  const current = await organize('GET', url)
  const list = {
    currency: 'ZAR',
    categories: [
      { key: 'a', name: 'A', colour: '#336699', ticket_types: [{ key: 'full', name: 'Full', amount }] },
    ],
    zones: { [at.zones[1]!]: 'a' },
    fees: [],
    tax: null,
  }
  const put = await organize('PUT', url, list, { 'if-match': String(current.headers.etag) })
  expect(put.status, put.text).toBe(200)
}

async function waitingForLocks(): Promise<number> {
  const rows = await server.database.sql(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

/** Tells how often the rows answered on the other node. */
async function ownReads(): Promise<number> {
  const text = await other.node.metrics.registry.metrics()
  return seriesValue(parsePrometheusText(text), 'voelgoed_own_hold_reads_total{from="postgres"}')
}
