import { connect } from 'node:net'
import { processTime } from '@voelgoed/kit/base/time'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { FeedReader, journalDeltas, play, snapshot } from '@voelgoed/testing/feed-reader'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { sell } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { atCommit, PostgresProxy } from '@voelgoed/testing/postgres-proxy'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { type Seeded, seeded, setting } from '@voelgoed/testing/seeded'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

/** Each of twelve buyers wishes so often. A night's run has more: VOELGOED_FEED_WISHES=6000. */
const WISHES = setting('VOELGOED_FEED_WISHES', 50)

const CUTS = setting('VOELGOED_CUTS', 12)

const connections = new Connections(50)
const { server, ours } = useServer()
let url: string
let buyers: readonly Buyer[]
let anna: Buyer
const readers: FeedReader[] = []

beforeAll(async () => {
  url = await server.node.listen()
  buyers = await createBuyers(server.database, ours.id, 40)
  anna = buyers[0]!
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
afterAll(async () => {
  connections.close()
  await expectSound(server.database)
})

const hall = (plan: HallPlan = {}) =>
  openHall((method, path, options) => connections.send(method, url + path, options), ours.tokens.organizer, {
    ...plan,
    event: { seating_overrides: { ...UNLIMITED, max_wheelchair_seats_per_booking: null } },
  })
const send = (method: string, path: string, { token }: Buyer, body?: unknown, at = url) =>
  connections.send(method, `${at}${path}`, { token, body })
const staff = (method: string, path: string, body: object) =>
  connections.send(method, `${url}${path}`, { token: ours.tokens.organizer, body })
const hold = (at: Hall, seat: number, buyer = anna) =>
  send('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, buyer)
const seqOf = async (at: Hall) => {
  const [row] = await server.database.sql<{ seq: string }>(
    'select seq from event_ledgers where event_id = $1',
    [at.eventId],
  )
  return Number(row!.seq)
}
const metric = async (name: string) => {
  const { text } = await connections.send('GET', `${url}/metrics`)
  return Number(new RegExp(`^voelgoed_feed_${name} (\\d+)`, 'm').exec(text)![1])
}

async function read(at: Hall, options: { lastEventId?: number; buyer?: Buyer; node?: string } = {}) {
  const { lastEventId, buyer = anna, node = url } = options
  const { token } = buyer
  const reader = await FeedReader.open(`${node}${at.url}/live`, {
    token,
    ...(lastEventId !== undefined && { lastEventId }),
  })
  readers.push(reader)
  return reader
}

const block = (at: Hall, seats: readonly (string | undefined)[], verb = 'block') =>
  staff('POST', `/api/admin/events/${at.eventId}/seats/${verb}`, { seat_ids: seats, reason: 'camera' })

describe('the live feed', () => {
  it('a snapshot and what follows are the state, and the counters of a message are those of its seq', async () => {
    const at = await hall({ standing: 10 })
    await hold(at, 0)
    const before = await snapshot(connections, url, at, anna.token)
    const reader = await read(at, { lastEventId: before.seq })
    const { body } = await hold(at, 1)
    await hold(at, 2)
    await sell(server, ours, at.eventId, body.data.hold_id)
    await block(at, [at.seats[5]])
    await send('POST', `${at.url}/holds`, anna, { zone_id: at.zones[1], quantity: 3 })
    const released = await hold(at, 3)
    await send('DELETE', `/api/holds/${released.body.data.hold_id}`, anna)
    await reader.upTo(await seqOf(at))
    const after = await snapshot(connections, url, at, anna.token)
    expect(play(before, reader.messages)).toEqual(after)
    expect(after.statuses.slice(0, 6)).toEqual(['held', 'sold', 'held', 'available', 'available', 'blocked'])
    const { data } = (await send('GET', `${at.url}/occupancy`, anna)).body
    const { seq: _seq, timestamp: _timestamp, ...occupancy } = data
    expect(reader.messages.at(-1)!.data.occupancy).toEqual(occupancy)
    expect(reader.text).not.toContain(anna.userId)
    expect(reader.text).not.toContain(body.data.hold_id)
  })

  it('says in which zone places were released that their buyer did not give back, and not whose', async () => {
    const at = await hall({ standing: 10 })
    const places = async (buyer: Buyer) =>
      (await send('POST', `${at.url}/holds`, buyer, { zone_id: at.zones[1], quantity: 2 })).body.data.holds[0]
    const [mine, other] = [await places(anna), await places(buyers[1]!)]
    const since = await seqOf(at)
    const reader = await read(at)
    await send('DELETE', `/api/holds/${other.hold_id}`, buyers[1]!)
    await reader.upTo(await seqOf(at))
    expect(reader.messages.at(-1)!.data).not.toHaveProperty('released')
    await staff('POST', '/api/admin/seats/release', { hold_ids: [mine.hold_id] })
    await reader.upTo(await seqOf(at))
    expect(reader.messages.at(-1)!.data).toMatchObject({ seats: [], released: [at.zones[1]] })
    expect(reader.text).not.toContain(anna.userId)
    expect(reader.text).not.toContain(mine.hold_id)
    // A reader who was away hears of it as well.
    const back = await read(at, { lastEventId: since })
    expect(back.messages[0]!.data.released).toEqual([at.zones[1]])
  })

  it('counts a disabled zone as the rest of the system does', async () => {
    const at = await hall({ standing: 10 })
    const closed = await connections.send('PUT', `${url}/api/admin/events/${at.eventId}/layout`, {
      token: ours.tokens.organizer,
      headers: { 'if-match': '*' },
      body: { overrides: { disabled_zones: [at.zones[1]] } },
    })
    expect(closed.status).toBe(200)
    const reader = await read(at)
    const { data } = (await send('GET', `${at.url}/occupancy`, anna)).body
    expect(reader.messages[0]!.data.occupancy).toMatchObject({ total: data.total, blocked: data.blocked })
  })

  it('a change of the status or the sale window is one small message, after all seats before it', async () => {
    const at = await hall()
    const reader = await read(at)
    expect(reader.messages[0]!.data).toMatchObject({ status: 'published', sale_start: null, sale_end: null })
    await hold(at, 0)
    await staff('POST', `/api/admin/events/${at.eventId}/go-live`, {})
    const sale_start = '2026-01-01T00:00:00.000Z'
    await staff('PATCH', `/api/admin/events/${at.eventId}`, { sale_start })
    await reader.upTo(await seqOf(at))
    expect(reader.messages.map(({ event }) => event)).toEqual(['seats', 'seats', 'status', 'status'])
    expect(reader.messages.slice(2).map(({ data }) => data)).toEqual([
      { seq: 3, status: 'live', sale_start: null, sale_end: null, sales_end_at: null },
      { seq: 4, status: 'live', sale_start, sale_end: null, sales_end_at: null },
    ])
    // The first message again says how it stands, also to a reader that resumes from before the change.
    const again = await read(at, { lastEventId: 1 })
    expect(again.messages[0]).toMatchObject({
      event: 'seats',
      data: { seq: 4, seats: [[0, 'held']], status: 'live', sale_start },
    })
  })

  for (const others of [0, 1]) {
    const who = others === 0 ? 'the only reader' : 'one of several readers'
    it(`${who} comes back with Last-Event-ID: exactly what was missed, in order`, async () => {
      const at = await hall()
      if (others > 0) await read(at)
      const first = await read(at)
      await hold(at, 0)
      await first.upTo(await seqOf(at))
      first.close()
      for (const seat of [3, 1, 2]) await hold(at, seat)
      const again = await read(at, { lastEventId: first.lastId })
      await again.upTo(await seqOf(at))
      expect(again.messages.map(message => message.event)).not.toContain('reset')
      expect(again.messages.flatMap(message => message.data.seats)).toEqual([
        [3, 'held'],
        [1, 'held'],
        [2, 'held'],
      ])
    })
  }

  it('asks for a new snapshot when a reader is too far behind, ahead of time, or the plan has changed', async () => {
    const at = await hall({ seats: 2_000, perRow: 100 })
    const start = await seqOf(at)
    for (let round = 0; round < 11; round += 1) {
      const { status } = await block(at, at.seats, round % 2 === 0 ? 'block' : 'unblock')
      expect(status).toBe(200)
      // Postgres does this by itself, in its own time.
      if (round === 0) await server.database.sql('analyze event_seats')
    }
    const behind = await read(at, { lastEventId: start })
    expect(behind.messages[0]).toMatchObject({ event: 'reset', id: start + 22_000 })
    const ahead = await read(at, { lastEventId: start + 99_999 })
    expect(ahead.messages[0]).toMatchObject({ event: 'reset' })
    // Within reach it is told everything, from the journal if need be.
    const near = await read(at, { lastEventId: start + 20_000 })
    expect(near.messages[0]!.data.seats).toHaveLength(2_000)
    const before = near.lastId
    await staff('PATCH', `/api/admin/events/${at.eventId}`, { name: 'Another name' })
    await near.upTo(before + 1)
    expect(near.messages.at(-1)).toMatchObject({ event: 'reset' })
  })

  it('opens with a token of sixty seconds, for one event, and not when its session has ended', async () => {
    const [at, other] = [await hall(), await hall()]
    const [guest] = await createBuyers(server.database, ours.id, 1)
    // The last second of a token is not to end while its request is on its way: no time passes by itself, and
    // the node does not ask Postgres, whose clock goes on.
    const { database } = server.node
    const { platform } = database
    server.clock.freeze()
    Object.assign(database, {
      platform: (...asked: Parameters<typeof platform>) =>
        asked[0] === 'read the clock' ? Promise.reject(new Error('not now')) : platform(...asked),
    })
    onTestFinished(() => {
      Object.assign(database, { platform })
      server.clock.thaw()
    })
    const { token } = (await send('POST', `${at.url}/live-token`, guest!)).body.data
    const open = async (event: Hall) => {
      const reader = await FeedReader.open(`${url}${event.url}/live?token=${token}`)
      readers.push(reader)
      return reader.status
    }
    expect(await open(at)).toBe(200)
    expect(await open(other)).toBe(401)
    server.clock.advance(59_000)
    expect(await open(at)).toBe(200)
    server.clock.advance(1_000)
    expect(await open(at)).toBe(401)
    const fresh = (await send('POST', `${at.url}/live-token`, guest!)).body.data.token
    await send('DELETE', '/api/session', guest!)
    expect((await FeedReader.open(`${url}${at.url}/live?token=${fresh}`)).status).toBe(401)
  })

  it('lets a reader go that does not read, and the others hear everything', async () => {
    // Counters of a thousand zones make every message large.
    const zones = Array.from({ length: 1_000 }, (_, index) => ({
      name: `Pit ${index}`,
      zone_type: 'ga_standing',
      capacity: 100,
    }))
    const at = await hall({ seats: 0, zones })
    const good = await read(at)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${at.url}/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${anna.token}\r\n\r\n`)
    await waitUntil('both are connected', async () => (await metric('readers')) === 2)
    const shedBefore = await metric('readers_shed_total')
    let messages = 0
    await waitUntil('it is let go', async () => {
      messages += 1
      await send('POST', `${at.url}/holds`, anna, { zone_id: at.zones[messages % 1_000], quantity: 1 })
      return (await metric('readers_shed_total')) > shedBefore
    })
    const bytes = good.text.length
    console.log(`let go after ${messages} messages, ${Math.round(bytes / 1024)} KB`)
    expect(bytes).toBeLessThan(32 * 1024 * 1024)
    await waitUntil('its memory is gone', async () => (await metric('readers')) === 1)
    await good.upTo(await seqOf(at))
    expect(good.messages.map(message => message.event)).not.toContain('reset')
    socket.destroy()
  })

  it('readers that leave before they are served are not counted any more', async () => {
    const at = await hall()
    for (let count = 0; count < 30; count += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      const lastEventId = 'last-event-id: 0\r\n'
      const head = `GET ${at.url}/live HTTP/1.1\r\nhost: x\r\n${lastEventId}authorization: Bearer ${anna.token}\r\n\r\n`
      await new Promise<void>(resolve => socket.write(head, () => resolve()))
      socket.destroy()
    }
    await waitUntil('no reader is counted any more', async () => (await metric('readers')) === 0)
  })
})

/** Holds and gives back at random, from several buyers at once, until told to stop. */
async function load(
  at: Hall,
  random: Seeded,
  nodes: readonly string[],
  isOver: (wishes: number) => boolean,
): Promise<void> {
  await Promise.all(
    buyers.slice(1, 13).map(async buyer => {
      const mine: string[] = []
      for (let wishes = 0; !isOver(wishes); wishes += 1) {
        const node = random.pick(nodes)
        if (mine.length > 2 || (mine.length > 0 && random.below(3) === 0)) {
          const holdId = mine.splice(random.below(mine.length), 1)[0]!
          const reply = await send('DELETE', `/api/holds/${holdId}`, buyer, undefined, node)
          if (reply.status === 503) mine.push(holdId)
        } else {
          const seat = random.below(at.seats.length)
          const reply = await send(
            'POST',
            `${at.url}/seats/${at.seats[seat]}/reserve`,
            buyer,
            undefined,
            node,
          )
          if (reply.status === 201) mine.push(reply.body.data.hold_id)
          else expect([409, 200, 503]).toContain(reply.status)
        }
      }
    }),
  )
}

describe('under load', () => {
  let second: ListeningNode
  beforeAll(async () => {
    second = await startListeningNode(server.database.url)
  })
  afterAll(() => second.close())

  it(`a reader that comes and goes at random sees every change once and in order`, async () => {
    const random = seeded('a reader that comes and goes')
    const at = await hall({ seats: 60, perRow: 20 })
    const nodes = [url, second.url]
    const start = await snapshot(connections, url, at, anna.token)
    let isOver = false
    const loading = load(at, random, nodes, wishes => wishes === WISHES).finally(() => {
      isOver = true
    })
    const story: FeedReader['messages'] = []
    let lastId = start.seq
    let connected = 0
    const follow = async (isEnough: (reader: FeedReader) => boolean) => {
      const reader = await read(at, { lastEventId: lastId })
      connected += 1
      await waitUntil('it was told enough', () => isEnough(reader) || reader.isClosed)
      reader.close()
      story.push(...reader.messages)
      lastId = reader.messages.at(-1)?.id ?? lastId
    }
    while (!isOver) {
      const messages = 1 + random.below(40)
      await follow(reader => reader.messages.length > messages || isOver)
    }
    await loading
    const end = await seqOf(at)
    await follow(reader => reader.lastId >= end)

    expect(story.filter(message => message.event === 'reset')).toEqual([])
    const ids = story.map(message => message.id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    console.log(`${end - start.seq} changes in ${story.length} messages over ${connected} connections`)
    expect(story.flatMap(message => message.data.seats)).toEqual(
      await journalDeltas(server.database, at.eventId, { after: start.seq, upTo: end }),
    )
    // The counters of every message are those of its seq.
    let map = start
    const wrong = story.filter(message => {
      map = play(map, [message])
      return message.data.occupancy.held !== map.statuses.filter(status => status === 'held').length
    })
    expect(wrong).toEqual([])
  })

  it('a reader on a node whose commits are cut off again and again hears what happened, once and in order', async () => {
    const random = seeded('commits cut off')
    const at = await hall({ seats: 60, perRow: 20 })
    const proxy = await PostgresProxy.start(server.database.url)
    const node = await startListeningNode(proxy.urlOf(server.database.url))
    try {
      const reader = await read(at, { node: node.url })
      let cuts = 0
      proxy.trap = atCommit(() => {
        const fate = random.pick(['pass', 'pass', 'pass', 'cut before', 'cut after'] as const)
        if (fate !== 'pass') cuts += 1
        return fate
      })
      const isOver = () => cuts >= CUTS
      const looking = buyers.slice(20, 24).map(async buyer => {
        while (!isOver()) await send('GET', `${at.url}/occupancy`, buyer, undefined, node.url)
      })
      await Promise.all([load(at, random, [node.url, url], isOver), ...looking])
      proxy.trap = null
      // Whatever was unsettled is settled by the next command.
      await waitUntil('it is well again', async () => {
        const path = `${at.url}/seats/${at.seats[0]}/reserve`
        return (await send('POST', path, anna, undefined, node.url)).status < 500
      })
      const end = await seqOf(at)
      await reader.upTo(end)
      const { messages } = reader
      const ids = messages.map(message => message.id)
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
      // From the start, or from where it was told to take a new snapshot, up to there.
      const starts = messages.flatMap(({ event }, index) => (index === 0 || event === 'reset' ? [index] : []))
      console.log(`${cuts} cuts, ${end} changes, ${starts.length - 1} times told to take a new snapshot`)
      for (const [order, start] of starts.entries()) {
        const told = messages.slice(start + 1, starts[order + 1])
        const span = { after: ids[start]!, upTo: told.at(-1)?.id ?? ids[start]! }
        const deltas = await journalDeltas(server.database, at.eventId, span)
        expect(told.flatMap(message => message.data.seats)).toEqual(deltas)
      }
    } finally {
      for (const reader of readers.splice(0)) reader.close()
      await node.close()
      await proxy.close()
    }
  })

  it('a reader on one node hears what is done on the other, without looking by itself', async () => {
    const time = { ...processTime, every: () => () => {} }
    const listening = await startListeningNode(server.database.url, {}, { time })
    onTestFinished(() => listening.close())
    const at = await hall()
    const reader = await read(at, { node: listening.url })
    await hold(at, 7)
    await reader.upTo(await seqOf(at))
    expect(reader.messages.flatMap(message => message.data.seats)).toEqual([[7, 'held']])
    expect(await snapshot(connections, listening.url, at, anna.token)).toMatchObject({ seq: await seqOf(at) })
  })

  it('a reader of a draft starts again when it is published elsewhere, and buyers beside it resume', async () => {
    const at = await hall({ isDraft: true })
    const organizer = { ...anna, token: ours.tokens.organizer }
    const desk = await read(at, { node: second.url, buyer: organizer })
    expect((await staff('POST', `/api/admin/events/${at.eventId}/publish`, {})).status).toBe(200)
    for (const seat of [0, 1, 2]) await hold(at, seat)
    const before = await seqOf(at)
    // The node on which the draft was followed has the event when a buyer asks for it, or when it looks for
    // what was published, which may be between two of these holds: then it hears of the rest.
    await expect.poll(async () => (await snapshot(connections, second.url, at, anna.token)).seq).toBe(before)
    const late = await read(at, { node: second.url, lastEventId: before })
    const behind = await read(at, { node: second.url, lastEventId: before - 2 })
    await hold(at, 7)
    const end = await seqOf(at)
    await Promise.all([desk, late, behind].map(reader => reader.upTo(end)))
    const told = (reader: FeedReader) => reader.messages.map(({ event, id, data }) => [event, id, data.seats])
    const [, reset, ...since] = desk.messages
    expect(reset!.event).toBe('reset')
    expect(reset!.id).toBeGreaterThan(0)
    expect(since.map(({ event }) => event)).not.toContain('reset')
    expect(since.flatMap(({ data }) => data.seats)).toEqual(
      await journalDeltas(server.database, at.eventId, { after: reset!.id, upTo: end }),
    )
    expect(told(late)).toEqual([
      ['seats', before, []],
      ['seats', end, [[7, 'held']]],
    ])
    expect(behind.messages.flatMap(({ data }) => data.seats)).toEqual([1, 2, 7].map(seat => [seat, 'held']))
  })

  it('readers of a draft do not end each other’s streams', async () => {
    const at = await hall({ isDraft: true })
    const organizer = { ...anna, token: ours.tokens.organizer }
    const first = await read(at, { buyer: organizer })
    const other = await read(at, { buyer: organizer })
    // A change after both have asked comes through the same streams.
    expect((await staff('POST', `/api/admin/events/${at.eventId}/publish`, {})).status).toBe(200)
    await hold(at, 3)
    const end = await seqOf(at)
    await Promise.all([first, other].map(reader => reader.upTo(end)))
    expect([first, other].map(({ isClosed }) => isClosed)).toEqual([false, false])
  })
})

describe('a thousand readers of one process', () => {
  it('get the same bytes, never before the commit; and a snapshot taken meanwhile can always be followed', async () => {
    const at = await hall({ seats: 200, perRow: 20 })
    const proxy = await PostgresProxy.start(server.database.url)
    const node = await startListeningNode(proxy.urlOf(server.database.url), { VOELGOED_REAPER: 'off' })
    const here = (seat: number, buyer: Buyer) =>
      send('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, buyer, undefined, node.url)
    try {
      const crowd: FeedReader[] = []
      const watchers = await createBuyers(server.database, ours.id, 100)
      for (let count = 0; count < 1_000; count += 100) {
        crowd.push(...(await Promise.all(watchers.map(buyer => read(at, { node: node.url, buyer })))))
      }
      const start = await seqOf(at)
      // The second commit is held up, while the first change is still waiting to be sent.
      let commits = 0
      let letGo = () => {}
      const gate = new Promise<void>(resolve => {
        letGo = resolve
      })
      proxy.trap = atCommit(async () => {
        commits += 1
        if (commits === 2) await gate
        return 'pass' as const
      })
      const first = here(0, buyers[0]!)
      await waitUntil('the first is on its way', () => commits === 1)
      const second = here(1, buyers[1]!)
      await first
      await waitUntil('the second is about to be committed', () => commits === 2)
      await crowd[0]!.upTo(start + 1)
      expect(Math.max(...crowd.map(reader => reader.lastId))).toBe(await seqOf(at))
      letGo()
      await second
      proxy.trap = null

      // A reader that looks and then follows is never told to look again.
      const late: FeedReader[] = []
      for (let seat = 2; seat < 60; seat += 1) {
        await here(seat, buyers[seat % 40]!)
        if (seat % 6 !== 0) continue
        const { seq } = await snapshot(connections, node.url, at, anna.token)
        late.push(await read(at, { lastEventId: seq, node: node.url }))
      }
      const end = await seqOf(at)
      await Promise.all([...crowd, ...late].map(reader => reader.upTo(end)))
      expect(late.flatMap(reader => reader.messages).filter(message => message.event === 'reset')).toEqual([])
      const deltas = await journalDeltas(server.database, at.eventId, { after: start, upTo: end })
      expect(crowd[0]!.messages.flatMap(message => message.data.seats)).toEqual(deltas)
      const bodies = new Set(crowd.map(reader => reader.text.slice(reader.text.indexOf('\n\n'))))
      expect(bodies.size).toBe(1)
    } finally {
      for (const reader of readers.splice(0)) reader.close()
      await node.close()
      await proxy.close()
    }
  })
})
