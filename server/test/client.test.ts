import { spawn } from 'node:child_process'
import {
  createClient,
  type FeedState,
  type Follow,
  Refused,
  type SaleStatus,
  type SeatChanges,
  Unreachable,
} from '@voelgoed/client'
import type { ZoneId } from '@voelgoed/core/ids'
import { toProblem } from '@voelgoed/kit/http/problem'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programArguments } from '../../scripts/build/programs.mjs'

let server: TestServer
let ours: TestOrganization
let baseUrl: string
let anna: Buyer
let ben: Buyer

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  baseUrl = await server.node.listen()
  const buyers = await createBuyers(server.database, ours.id, 2)
  anna = buyers[0]!
  ben = buyers[1]!
})
afterAll(() => server.close())

const hall = (plan: Parameters<typeof openHall>[2] = {}) =>
  openHall(server.request, ours.tokens.organizer, {
    event: { seating_overrides: { max_seats_per_booking: null, holds_per_window: null } },
    ...plan,
  })
const clientOf = (buyer: Buyer, fetch?: typeof globalThis.fetch) =>
  createClient({ baseUrl, token: buyer.token, ...(fetch && { fetch }) })
const hold = (at: Hall, seats: number[], buyer = anna) =>
  clientOf(buyer).call('POST /api/events/:event/holds', {
    params: { event: at.eventId },
    body: { seat_ids: seats.map(seat => at.seats[seat]!) },
  })

describe('calls', () => {
  it('a buyer goes from a guest session to a hold and back, with every answer typed', async () => {
    const { eventId, seats } = await hall()
    const guest = await createClient({ baseUrl }).call('POST /api/sessions/guest', {
      body: { organization: ours.slug },
    })
    const client = createClient({ baseUrl, token: () => guest.data.token })
    const event = await client.call('GET /api/events/:event', { params: { event: eventId } })
    expect(event.data.name).toBe('Play')
    const held = await client.call('POST /api/events/:event/seats/:seat/reserve', {
      params: { event: eventId, seat: seats[0]! },
    })
    const mine = await client.call('GET /api/holds', { query: { event_id: eventId } })
    expect(mine.data.map(({ hold_id }) => hold_id)).toEqual([held.data.hold_id])
    await client.call('POST /api/holds/:hold/extend', { params: { hold: held.data.hold_id } })
    await client.call('DELETE /api/holds/:hold', { params: { hold: held.data.hold_id } })
    expect(await client.call('DELETE /api/session')).toBeUndefined()
    await expect(client.call('GET /api/session')).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('what is asked after a change is asked to be as new as it, of the same event', async () => {
    const [at, another] = [await hall(), await hall()]
    const asked: (string | null)[] = []
    const noting: typeof fetch = (url, init) => {
      asked.push(new Headers(init?.headers).get('voelgoed-seq'))
      return fetch(url, init)
    }
    const client = clientOf(anna, noting)
    const read = (event: string) => client.call('GET /api/events/:event/occupancy', { params: { event } })
    await read(at.eventId)
    const body = { seat_ids: [at.seats[0]!, at.seats[1]!] }
    await client.call('POST /api/events/:event/holds', { params: { event: at.eventId }, body })
    const { seq } = (await read(at.eventId)).data
    await read(another.eventId)
    // A command asks for nothing.
    expect(asked).toEqual([null, null, String(seq), null])
  })

  it('a refusal is an error with its code and the members of that code', async () => {
    const at = await hall()
    await hold(at, [0], ben)
    const error = await hold(at, [0, 1]).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Refused)
    const refused = error as Refused
    expect(refused).toMatchObject({ status: 409, retryable: true, retryAfter: null })
    if (!refused.is('seat_held_by_another_user')) throw new Error(refused.code)
    expect(refused.problem.seat_ids).toEqual([at.seats[0]])
    expect(refused.problem.expires_in).toBeGreaterThan(0)
  })

  it('members of the items of a list are named as they come', () => {
    const zoneId = '0197a000-0000-7000-8000-000000000003'
    const refusal = { kind: 'no_suitable_seats', reason: 'not_enough_seats' } as const
    const alternatives = [{ kind: 'zone', zoneId: zoneId as ZoneId }] as const
    const { text } = toProblem({ ...refusal, alternatives }, 'r')
    const told = new Refused(JSON.parse(text), null)
    if (!told.is('no_suitable_seats')) throw new Error(told.code)
    expect(told.problem.alternatives.map(one => one.kind === 'zone' && one.zone_id)).toEqual([zoneId])
  })

  it('a hold whose answer was lost is asked for again with the same key: one hold, and its answer', async () => {
    const at = await hall()
    const keys: (string | null)[] = []
    const client = clientOf(anna, async (input, init) => {
      const response = await fetch(input, init)
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      if (keys.length > 1) return response
      await response.arrayBuffer()
      throw new TypeError('the connection broke')
    })
    const held = await client.call('POST /api/events/:event/holds', {
      params: { event: at.eventId },
      body: { seat_ids: [at.seats[0]!] },
    })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
    // The answer is that of the first time: it does not tell what the time is now.
    expect(client.clock.now()).toBeNull()
    const mine = await client.call('GET /api/holds', { query: { event_id: at.eventId } })
    expect(mine.data.map(({ hold_id }) => hold_id)).toEqual(held.data.holds.map(({ hold_id }) => hold_id))
  })

  it('what is busy is tried again three times, then given up; what has no key and no answer is not', async () => {
    let sent = 0
    const busy = clientOf(anna, async () => {
      sent += 1
      const body = { code: 'busy', title: 'Too busy', detail: '', status: 503, retryable: true }
      return Response.json(body, { status: 503 })
    })
    await expect(busy.call('GET /api/events')).rejects.toMatchObject({ code: 'busy' })
    expect(sent).toBe(3)
    const silent = clientOf(anna, async () => {
      sent += 1
      throw new TypeError('no route to host')
    })
    await expect(
      silent.call('POST /api/sessions/guest', { body: { organization: 'x' } }),
    ).rejects.toBeInstanceOf(Unreachable)
    expect(sent).toBe(4)
    const doubtful = clientOf(anna, async () => {
      sent += 1
      const body = { code: 'outcome_unknown', title: 'Unknown', detail: '', status: 503, retryable: true }
      return Response.json(body, { status: 503 })
    })
    await expect(
      doubtful.call('POST /api/sessions/guest', { body: { organization: 'x' } }),
    ).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(sent).toBe(5)
  })

  it('can be called off', async () => {
    const controller = new AbortController()
    const client = clientOf(anna, (_, init) => {
      controller.abort(new Error('changed my mind'))
      return fetch(`${baseUrl}/healthz`, init)
    })
    await expect(client.call('GET /api/events', { signal: controller.signal })).rejects.toThrow(
      'changed my mind',
    )
  })

  it('knows the clock of the server from its answers, to within the round trip', async () => {
    const at = await hall()
    const client = clientOf(anna)
    expect(client.clock.now()).toBeNull()
    await client.call('GET /api/events/:event/occupancy', { params: { event: at.eventId } })
    const [row] = await server.database.sql<{ ms: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as ms',
    )
    // Never behind: a countdown that runs late would promise what is gone.
    expect(client.clock.now()!).toBeGreaterThanOrEqual(Number(row!.ms) - 1)
  })
})

/** Follows an event and keeps all it hears; its connections can be cut. */
function listen(at: Hall, buyer = anna, options: Pick<Follow, 'silenceMs' | 'onStatus'> = {}) {
  const heard = {
    snapshots: [] as number[],
    changes: [] as SeatChanges[],
    states: [] as FeedState[],
    refused: [] as Refused[],
    lastIds: [] as (string | null)[],
  }
  let connection = new AbortController()
  let isDown = false
  const client = clientOf(buyer, async (input, init) => {
    if (isDown) throw new TypeError('the network is down')
    if (!String(input).endsWith('/live')) return fetch(input, init)
    heard.lastIds.push(new Headers(init?.headers).get('last-event-id'))
    connection = new AbortController()
    return fetch(input, { ...init, signal: AbortSignal.any([init!.signal!, connection.signal]) })
  })
  const following = client.follow(at.eventId, {
    onSnapshot: ({ seq }) => heard.snapshots.push(seq),
    onChanges: changes => heard.changes.push(changes),
    onState: state => heard.states.push(state),
    onRefused: refused => heard.refused.push(refused),
    ...options,
  })
  const live = () => waitUntil('the feed is live', () => following.state === 'live')
  return {
    ...heard,
    following,
    live,
    cut: () => connection.abort(),
    down: (yes: boolean) => {
      isDown = yes
    },
    ordinals: () => heard.changes.flatMap(({ seats }) => seats.map(([ordinal]) => ordinal)),
  }
}

describe('the feed', () => {
  it('a snapshot, then each change once and in order, whatever breaks in between', async () => {
    const at = await hall({ seats: 40 })
    const feed = listen(at)
    await feed.live()
    for (let seat = 0; seat < 12; seat += 1) {
      await hold(at, [seat], ben)
      if (seat % 4 === 1) feed.cut()
      if (seat % 4 === 2) feed.following.wake()
    }
    await waitUntil('all is heard', () => feed.ordinals().length >= 12)
    feed.following.stop()
    expect(feed.ordinals()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(feed.snapshots).toHaveLength(1)
    expect(feed.lastIds.length).toBeGreaterThan(1)
    expect(feed.states).toContain('offline')
  })

  it('says offline while the network is down, and catches up when it is back', async () => {
    const at = await hall()
    const feed = listen(at)
    await feed.live()
    feed.down(true)
    feed.cut()
    await waitUntil('it knows', () => feed.following.state === 'offline')
    await hold(at, [3], ben)
    feed.down(false)
    feed.following.wake()
    await waitUntil('it catches up', () => feed.ordinals().includes(3))
    expect(feed.following.state).toBe('live')
    feed.following.stop()
  })

  it('a feed that falls silent is given up, and taken up again where it was', async () => {
    const at = await hall()
    const feed = listen(at, anna, { silenceMs: 300 })
    await waitUntil('a second connection', () => feed.lastIds.length >= 2)
    feed.following.stop()
    expect(feed.snapshots).toHaveLength(1)
  })

  it('reset brings a new snapshot', async () => {
    const at = await hall({ standing: 10 })
    const feed = listen(at)
    await feed.live()
    const overlay = await server.request('PUT', `/api/admin/events/${at.eventId}/layout`, {
      token: ours.tokens.organizer,
      headers: { 'if-match': '*' },
      body: { overrides: { zone_overrides: { [at.zones[1]!]: { capacity: 20 } } } },
    })
    expect(overlay.status, overlay.text).toBe(200)
    await waitUntil('a second snapshot', () => feed.snapshots.length === 2)
    await hold(at, [5], ben)
    await waitUntil('changes after it', () => feed.ordinals().includes(5))
    expect(feed.changes.at(-1)!.occupancy.total).toBe(40)
    feed.following.stop()
  })

  it('tells that the event is cancelled or its sale window has moved, without a new snapshot', async () => {
    const at = await hall()
    const heard: SaleStatus[] = []
    const feed = listen(at, anna, { onStatus: status => heard.push(status) })
    await feed.live()
    const manage = (method: string, path: string, body?: object) =>
      server.request(method, `/api/admin/events/${at.eventId}${path}`, {
        token: ours.tokens.organizer,
        ...(body && { body }),
      })
    const told = (what: object) =>
      waitUntil('it is told', () => JSON.stringify(heard.at(-1)).includes(JSON.stringify(what).slice(1, -1)))
    await told({ status: 'published', sale_start: null, sale_end: null })
    const sale_end = '2099-01-01T00:00:00.000Z'
    await manage('PATCH', '', { sale_end })
    await told({ status: 'published', sale_start: null, sale_end })
    await hold(at, [3], ben)
    await waitUntil('changes go on', () => feed.ordinals().includes(3))
    feed.down(true)
    feed.cut()
    await waitUntil('it knows', () => feed.following.state === 'offline')
    await manage('POST', '/cancel')
    feed.down(false)
    feed.following.wake()
    await told({ status: 'cancelled', sale_start: null, sale_end })
    expect(feed.snapshots).toHaveLength(1)
    feed.following.stop()
  })

  it('ends where there is nothing for this person', async () => {
    const at = await hall()
    const feed = listen(at, { userId: '', token: 'unknown' })
    await waitUntil('refused', () => feed.refused.length > 0)
    expect(feed.refused[0]!.code).toBe('unauthorized')
  })
})

it('the example runs', async () => {
  const shop = await server.organization()
  await openHall(server.request, shop.tokens.organizer)
  const args = [...programArguments('two-seats'), baseUrl, shop.slug]
  const example = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [example.stdout, example.stderr]) {
    stream.on('data', chunk => {
      output += chunk
    })
  }
  const code = await new Promise(resolve => example.on('close', resolve))
  expect(code, output).toBe(0)
  expect(output).toMatch(/^Play, Hall$/m)
  expect(output).toMatch(/^held 2 seats for \d+ s\n(.*\n)*given back$/m)
})
