import { randomUUID } from 'node:crypto'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const { server, ours, send } = useServer()
let buyers: Buyer[]
let anna: string
let ben: string

beforeAll(async () => {
  buyers = await createBuyers(server.database, ours.id, 40)
  anna = buyers[0]!.token
  ben = buyers[1]!.token
})
afterAll(() => expectSound(server.database))

const hall = (plan: HallPlan = {}) => openHall(server.request, ours.tokens.organizer, plan)
const best = (at: Hall, wish: object, token: string, headers: Record<string, string> = {}) =>
  send('POST', `${at.url}/holds`, token, { best_available: wish }, headers)
const hold = (at: Hall, indexes: readonly number[], token: string) =>
  send('POST', `${at.url}/holds`, token, { seat_ids: indexes.map(index => at.seats[index]) })
const statuses = async (at: Hall, token: string): Promise<Record<string, string>> => {
  const { body } = await send('GET', `${at.url}/availability`, token)
  return Object.fromEntries(
    body.data.seats.map((seat: { seat_id: string; status: string }) => [
      at.seats.indexOf(seat.seat_id),
      seat.status,
    ]),
  )
}

describe('best available', () => {
  it('holds the best seats side by side, says why, and says the same for the same key', async () => {
    const at = await hall()
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await best(at, { quantity: 4 }, anna, headers)
    expect(answer.status, answer.text).toBe(201)
    const middle = [3, 4, 5, 6].map(index => at.seats[index])
    expect(answer.body.data).toMatchObject({
      warnings: [],
      explanation: {
        together: true,
        last_resort: false,
        clusters: [
          {
            zone_id: at.zones[0],
            zone_name: 'Stalls',
            row: 'R1',
            seat_ids: middle,
            labels: ['R1-4', 'R1-5', 'R1-6', 'R1-7'],
          },
        ],
        sentence: '4 seats together in row R1',
      },
    })
    expect(answer.body.data.holds.map((one: { seat_id: string }) => one.seat_id)).toEqual(middle)
    const again = await best(at, { quantity: 4 }, anna, headers)
    expect([again.status, again.text]).toEqual([201, answer.text])
    expect(Object.keys(await statuses(at, ben))).toEqual(['3', '4', '5', '6'])
  })

  it('says why there are none, and what there is', async () => {
    const at = await hall({ seats: 5, perRow: 5, zones: [balcony] })
    await hold(at, [2], ben)
    const wish = { quantity: 3, together: 'required', zone_id: at.zones[0] }
    const refused = await best(at, wish, anna)
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'no_suitable_seats',
      reason: 'not_together',
      alternatives: [
        { kind: 'fewer', quantity: 2 },
        { kind: 'apart' },
        { kind: 'zone', zone_id: at.zones[1] },
      ],
    })
    expect((await best(at, { quantity: 3, together: 'required' }, anna)).status).toBe(201)
  })

  it('chooses among the seats of a price category', async () => {
    const at = await hall({ seats: 4, perRow: 4, zones: [balcony], prices: ['cheap', 'dear'] })
    const answer = await best(at, { quantity: 2, price_category: 'cheap' }, anna)
    expect(answer.body.data.explanation.clusters[0].zone_id).toBe(at.zones[1])
    const refused = await best(at, { quantity: 4, price_category: 'cheap' }, ben)
    expect(refused.body).toMatchObject({ code: 'no_suitable_seats', reason: 'none_within_price' })
    const unknown = await best(at, { quantity: 1, price_category: 'free' }, ben)
    expect(unknown.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/best_available/price_category', message: expect.stringContaining('cheap, dear') }],
    })
  })

  it('chooses by what seats cost, also where zones have the prices', async () => {
    const at = await hall({ seats: 4, perRow: 4, zones: [balcony] })
    const tooEarly = await best(at, { quantity: 1, max_amount: 20_000 }, ben)
    expect(tooEarly.body).toMatchObject({ status: 400, errors: [{ path: '/best_available/max_amount' }] })
    const category = (key: string, amount: number) => ({
      key,
      name: key,
      ticket_types: [{ key: 'normal', name: 'Normal', amount }],
    })
    const zones = { [at.zones[0]!]: 'dear', [at.zones[1]!]: 'cheap' }
    const list = { currency: 'ZAR', categories: [category('dear', 30_000), category('cheap', 20_000)], zones }
    const url = `/api/admin/events/${at.eventId}/prices`
    const put = await send('PUT', url, ours.tokens.organizer, list, { 'if-match': '"0"' })
    expect(put.status, put.text).toBe(200)

    for (const wish of [{ max_amount: 20_000 }, { price_category: 'cheap' }]) {
      const answer = await best(at, { quantity: 1, ...wish }, anna)
      expect(answer.body.data.explanation.clusters[0].zone_id).toBe(at.zones[1])
    }
    const refused = await best(at, { quantity: 1, max_amount: 19_999 }, ben)
    expect(refused.body).toMatchObject({
      code: 'no_suitable_seats',
      reason: 'none_within_price',
      alternatives: [{ kind: 'any_price' }],
    })
    const dear = await best(at, { quantity: 4, max_amount: 30_000, together: 'required' }, ben)
    expect(dear.body.data.explanation.clusters[0].zone_id).toBe(at.zones[0])
  })

  it('of floors that lie on top of each other, takes the lower one first', async () => {
    const floor = (name: string, level: string) => ({
      name,
      level,
      zone_type: 'reserved_seating',
      seats: [1, 2].map(number => ({ row: 'A', number, coordinates: { x: number, y: 5 } })),
    })
    const at = await hall({ seats: 0, zones: [floor('Front', 'Stalls'), floor('Upper', 'Balcony')] })
    for (const [buyer, from] of [
      [anna, 0],
      [ben, 2],
    ] as const) {
      const { body } = await best(at, { quantity: 2 }, buyer)
      const held = body.data.holds.map((one: { seat_id: string }) => one.seat_id)
      expect(held).toEqual(at.seats.slice(from, from + 2))
    }
  })

  it('refuses what makes no sense', async () => {
    const at = await hall({ standing: 5 })
    const wish = { quantity: 1, accessible: { wheelchair: 1, companions: 1 } }
    expect((await best(at, wish, anna)).body.errors[0].path).toBe('/best_available/quantity')
    expect((await best(at, { quantity: 1, zone_id: randomUUID() }, anna)).body.code).toBe('zone_not_found')
    expect((await best(at, { quantity: 1, zone_id: at.zones[1] }, anna)).body.code).toBe('zone_not_found')
    expect((await best(at, { quantity: 0 }, anna)).status).toBe(400)
    expect((await best(at, { quantity: 11 }, anna)).body).toMatchObject({ code: 'too_many_seats', limit: 10 })
  })

  it('seats everyone who asks at once, on two nodes, until the hall is full', async () => {
    // An aisle in the middle: what is nearest to it is at the end of a block, and blocks of eight have room
    // for two groups of four.
    const seats = Array.from({ length: 160 }, (_, index) => {
      const [row, place] = [Math.floor(index / 16), index % 16]
      const coordinates = { x: place < 8 ? place : place + 2, y: row }
      return { row: `R${row + 1}`, number: place + 1, coordinates }
    })
    const blocks = { name: 'Blocks', zone_type: 'reserved_seating', seats }
    const at = await hall({ seats: 0, zones: [blocks], event: { seating_overrides: UNLIMITED } })
    const second = await startListeningNode(server.database.url)
    const ask = async ({ token }: Buyer, index: number) => {
      const body = JSON.stringify({ best_available: { quantity: 4, together: 'required' } })
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      if (index % 2 === 0) return (await send('POST', `${at.url}/holds`, token, JSON.parse(body))).body
      const answer = await fetch(`${second.url}${at.url}/holds`, { method: 'POST', headers, body })
      return answer.json()
    }
    try {
      const answers = await Promise.all(buyers.map(ask))
      const taken = answers.flatMap(({ data }) => data.holds.map((one: { seat_id: string }) => one.seat_id))
      expect(new Set(taken).size).toBe(160)
      expect(answers.every(({ data }) => data.explanation.together)).toBe(true)
      const late = await best(at, { quantity: 1 }, anna)
      expect(late.body).toMatchObject({ code: 'no_suitable_seats', reason: 'not_enough_seats' })
    } finally {
      await second.close()
    }
  })
})

it('the event tells buyers whether the search for seats comes first', async () => {
  const seatingOf = async (seating_overrides: object) => {
    const at = await hall({ event: { seating_overrides } })
    return (await send('GET', at.url, anna)).body.data.seating
  }
  expect(await seatingOf({})).toEqual({ prefer_best_available: false, group_adjacency_strict: false })
  const both = { prefer_clustering_over_selection: true, group_adjacency_strict: true }
  expect(await seatingOf(both)).toEqual({ prefer_best_available: true, group_adjacency_strict: true })
})

describe('a cart that leaves a seat alone', () => {
  it('is warned of, with what would be better', async () => {
    const at = await hall()
    const answer = await hold(at, [1, 2], anna)
    expect(answer.status).toBe(201)
    const warning = {
      code: 'would_strand_seats',
      message: 'Seat R1-1 would stay alone.',
      seat_ids: [at.seats[0]],
      alternatives: [
        {
          change: 'add',
          seat_ids: [0, 1, 2].map(index => at.seats[index]),
          labels: ['R1-1', 'R1-2', 'R1-3'],
        },
        { change: 'shift', seat_ids: [0, 1].map(index => at.seats[index]), labels: ['R1-1', 'R1-2'] },
        { change: 'move', seat_ids: [10, 11].map(index => at.seats[index]), labels: ['R2-1', 'R2-2'] },
      ],
    }
    // The next row is looked at where no other buyer waits.
    const alternatives = warning.alternatives.slice(0, 2)
    expect(answer.body.data.warnings).toEqual([{ ...warning, alternatives }])
    const cart = await send('GET', `${at.url}/cart`, anna)
    expect(cart.body.data.warnings).toEqual([warning])
    await hold(at, [0], anna)
    expect((await send('GET', `${at.url}/cart`, anna)).body.data.warnings).toEqual([])
  })

  it('is none where staff allow it, and buyers can not', async () => {
    const at = await hall()
    const body = { seat_ids: [at.seats[1], at.seats[2]], allow_stranding: true }
    const refused = await send('POST', `${at.url}/holds`, anna, body)
    expect(refused.body).toMatchObject({ status: 403, code: 'forbidden' })
    const allowed = await send('POST', `${at.url}/holds`, ours.tokens.support, body)
    expect([allowed.status, allowed.body.data.warnings]).toEqual([201, []])
  })
})

const balcony = {
  name: 'Balcony',
  zone_type: 'reserved_seating',
  seats: [1, 2, 3].map(number => ({
    row: 'B',
    number,
    coordinates: { x: number, y: 20 },
  })),
}

/** Row W: two wheelchair places, each with a companion seat, and six other seats. */
const accessible = {
  name: 'Front',
  zone_type: 'reserved_seating',
  seats: ['wheelchair', 'companion', 'companion', 'wheelchair', ...Array(6).fill('standard')].map(
    (category, index) => ({ row: 'W', number: index + 1, category, coordinates: { x: index, y: 0 } }),
  ),
}

describe('a companion seat', () => {
  it('is kept for the buyer of the place beside it, until enough of the zone is taken', async () => {
    const event = { seating_overrides: { companion_release_occupancy_threshold: 60 } }
    const at = await hall({ seats: 0, zones: [accessible], event })
    expect(await statuses(at, ben)).toEqual({ 1: 'reserved_companion', 2: 'reserved_companion' })
    const alone = await hold(at, [1], ben)
    expect(alone.body).toMatchObject({ code: 'companion_reserved', seat_ids: [at.seats[1]] })

    expect((await hold(at, [0], anna)).status).toBe(201)
    expect(await statuses(at, anna)).toEqual({ 0: 'held_by_me', 1: 'available', 2: 'reserved_companion' })
    expect(await statuses(at, ben)).toMatchObject({ 1: 'reserved_companion' })
    expect((await hold(at, [1], anna)).status).toBe(201)

    // With these, six of the ten seats are taken.
    const filling = await hold(at, [4, 5, 6, 7], ben)
    expect(filling.status).toBe(201)
    expect((await statuses(at, ben))['2']).toBeUndefined()
    const { body } = await send('GET', `/api/admin/events/${at.eventId}/journal`, ours.tokens.organizer)
    const released = body.data.find((entry: { kind: string }) => entry.kind === 'companions_released')
    expect(released).toBeDefined()

    // It stays so when seats are given back, and on a node that has just started.
    for (const { hold_id } of filling.body.data.holds) await send('DELETE', `/api/holds/${hold_id}`, ben)
    const second = await startListeningNode(server.database.url)
    try {
      const answer = await fetch(`${second.url}${at.url}/holds`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ben}`, 'content-type': 'application/json' },
        body: JSON.stringify({ seat_ids: [at.seats[2]] }),
      })
      expect(answer.status).toBe(201)
    } finally {
      await second.close()
    }
  })

  it('that staff block is blocked', async () => {
    const at = await hall({ seats: 0, zones: [accessible] })
    const body = { seat_ids: [at.seats[1]], reason: 'a camera' }
    const blocked = await send(
      'POST',
      `/api/admin/events/${at.eventId}/seats/block`,
      ours.tokens.organizer,
      body,
    )
    expect(blocked.status, blocked.text).toBe(200)
    expect(await statuses(at, ben)).toEqual({ 1: 'blocked', 2: 'reserved_companion' })
  })

  it('comes with the wheelchair place when that is asked for', async () => {
    const at = await hall({ seats: 0, zones: [accessible] })
    const wish = { quantity: 3, accessible: { wheelchair: 1, companions: 1 } }
    const answer = await best(at, wish, anna)
    expect(answer.status, answer.text).toBe(201)
    const seats = answer.body.data.holds.map((one: { seat_id: string }) => at.seats.indexOf(one.seat_id))
    expect(seats).toEqual(expect.arrayContaining([2, 3]))
    expect((await best(at, { quantity: 1, accessible: { wheelchair: 1 } }, anna)).body).toMatchObject({
      code: 'quota_exceeded',
      quota: 'max_wheelchair_seats_per_booking',
    })
    expect((await best(at, { quantity: 1, accessible: { wheelchair: 1 } }, ben)).status).toBe(201)
    const none = await best(at, { quantity: 1, accessible: { wheelchair: 1 } }, buyers[2]!.token)
    expect(none.body).toMatchObject({ code: 'no_suitable_seats', reason: 'no_wheelchair_place' })
  })
})

describe('how well seats are used', () => {
  const use = async (at: Hall) =>
    (await send('GET', `/api/admin/events/${at.eventId}/seat-use`, ours.tokens.support)).body.data

  it('is known of an event: what stands alone, and who has the accessible seats', async () => {
    const at = await hall({ seats: 0, zones: [accessible] })
    const draft = await hall({ seats: 0, zones: [accessible], isDraft: true })
    const untouched = {
      seats: 10,
      free: 6,
      alone: 0,
      alone_share: 0,
      wheelchair: { free: 2, taken: 0 },
      companions: { kept: 2, free: 0, taken: 0 },
    }
    expect(await use(draft)).toEqual(untouched)
    expect(await use(at)).toEqual(untouched)
    await hold(at, [0, 1], anna)
    await hold(at, [5], ben)
    expect(await use(at)).toEqual({
      seats: 10,
      free: 5,
      alone: 1,
      alone_share: 0.1,
      wheelchair: { free: 1, taken: 1 },
      companions: { kept: 1, free: 0, taken: 1 },
    })
  })

  it('is counted by events', async () => {
    const events = async (share: string) => {
      const { text } = await send('GET', '/metrics', ours.tokens.organizer)
      return Number(text.match(new RegExp(`^voelgoed_events_by_single_seats.*${share}.* (\\d+)$`, 'm'))?.[1])
    }
    const at = await hall({ seats: 3, perRow: 3 })
    await hold(at, [0], anna)
    const before = [await events('under_5'), await events('above_10')]
    await hold(at, [1], anna)
    const after = [await events('under_5'), await events('above_10')]
    expect(after).toEqual([before[0]! - 1, before[1]! + 1])
  })
})

describe('a table that is sold as a whole', () => {
  it('is taken and given back as a whole', async () => {
    const table = [1, 2, 3].map(number => ({ zone: 'Stalls', label: `R1-${number}` }))
    const groups = [{ group_type: 'vip_table', seats: table, metadata: { sell: 'whole' } }]
    const at = await hall({ groups })
    const refused = await hold(at, [0, 1], anna)
    const seat_ids = [0, 1, 2].map(index => at.seats[index])
    expect(refused.body).toMatchObject({ code: 'sold_as_a_whole', seat_ids })
    const held = await hold(at, [0, 1, 2], anna)
    expect(held.status).toBe(201)
    const released = await send('DELETE', `/api/holds/${held.body.data.holds[1].hold_id}`, anna)
    expect(released.body.data).toMatchObject({ status: 'cancelled', released_count: 3 })
    expect(await statuses(at, anna)).toEqual({})
  })
})
