import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { FeedReader, snapshot } from '@voelgoed/testing/feed-reader'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, expect, it } from 'vitest'

const connections = new Connections(20)
const { server, ours } = useServer()
let url: string
let anna: Buyer
let ben: Buyer

beforeAll(async () => {
  url = await server.node.listen()
  const [first, second] = await createBuyers(server.database, ours.id, 2)
  anna = first!
  ben = second!
})
afterAll(() => connections.close())

const send = (method: string, path: string, { token }: { token: string }) =>
  connections.send(method, `${url}${path}`, { token })
const hall = () =>
  openHall((method, path, options) => connections.send(method, url + path, options), ours.tokens.organizer, {
    event: { seating_overrides: UNLIMITED },
  })
const hold = (at: Hall, seat: number, buyer: Buyer) =>
  send('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, buyer)

/** Everything that readers can learn of an event. */
async function everyRead(at: Hall) {
  const feed = await FeedReader.open(`${url}${at.url}/live`, { token: anna.token })
  feed.close()
  const { seq, seats, occupancy } = feed.messages[0]!.data
  const { data: occupied } = (await send('GET', `${at.url}/occupancy`, anna)).body
  return {
    availability: await snapshot(connections, url, at, anna.token),
    cart: (await send('GET', `${at.url}/cart`, anna)).body.data.holds,
    mine: (await send('GET', `/api/holds?event_id=${at.eventId}`, anna)).body.data,
    seat: (await send('GET', `${at.url}/seats/${at.seats[1]}`, ben)).body.data.status,
    occupancy: { seq: occupied.seq, held: occupied.held },
    feed: { seq, seats, held: occupancy.held },
  }
}

/** The node does not hear that a batch was committed, until `letGo`. Counts the batches, and other reads. */
function holdUpCommits() {
  const database = server.node.database as Writable<TenantDoor> & { readonly lanes: Writable<TenantDoor> }
  const { tenant } = database
  const { tenant: tenantOfLane } = database.lanes
  const gate = { batches: 0, reads: 0, letGo: () => {}, end: () => {} }
  const opened = new Promise<void>(resolve => {
    gate.letGo = resolve
  })
  database.lanes.tenant = async (scope, work, options) => {
    const result = await tenantOfLane(scope, work, options)
    if (options?.holdsLedger) gate.batches += 1
    await opened
    return result
  }
  database.tenant = async (scope, work, options) => {
    const result = await tenant(scope, work, options)
    gate.reads += 1
    return result
  }
  gate.end = () => {
    gate.letGo()
    database.tenant = tenant
    database.lanes.tenant = tenantOfLane
  }
  return gate
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

it('while the answer to a commit is on its way, no read waits for it: the view is as before, own holds are as Postgres has them', async () => {
  const at = await hall()
  expect((await hold(at, 0, ben)).status).toBe(201)
  const before = await everyRead(at)
  const { cart: none, mine: _, ...known } = before
  const gate = holdUpCommits()
  let isAnswered = false
  const holding = hold(at, 1, anna).then(answer => {
    isAnswered = true
    return answer
  })
  try {
    await waitUntil('a batch waits for the answer to its commit', () => gate.batches === 1)
    const { cart, mine, ...shared } = await everyRead(at)
    expect(shared).toEqual(known)
    expect([cart.length, mine.length]).toEqual([1, 1])
    expect([before.seat, none, isAnswered]).toEqual(['available', [], false])
  } finally {
    gate.end()
  }
  expect((await holding).status).toBe(201)
  // A caller who was answered finds the hold in the next read on this node.
  const after = await everyRead(at)
  expect(after).toMatchObject({
    availability: { seq: before.availability.seq + 1 },
    seat: 'held',
    occupancy: { held: 2 },
    feed: { seq: before.feed.seq + 1, held: 2 },
  })
  expect([after.cart.length, after.mine.length]).toEqual([1, 1])
})

it('while a commit is on its way, a seat that was taken before is refused without another turn of the lock', async () => {
  const at = await hall()
  expect((await hold(at, 0, ben)).status).toBe(201)
  const gate = holdUpCommits()
  const holding = hold(at, 1, anna)
  try {
    await waitUntil('a batch waits for the answer to its commit', () => gate.batches === 1)
    // The ledger is ahead of what this node knows, by the hold that is on its way: the refusal waits for it.
    gate.reads = 0
    const refused = hold(at, 0, anna)
    await waitUntil('the ledger was read', () => gate.reads > 0)
    gate.letGo()
    expect((await refused).body.code).toBe('seat_held_by_another_user')
    expect((await holding).status).toBe(201)
    expect(gate.batches).toBe(1)
  } finally {
    gate.end()
  }
})
