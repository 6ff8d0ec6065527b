import { randomUUID } from 'node:crypto'
import { TenantTx } from '@voelgoed/kit/postgres/database'
import { historyWritten } from '@voelgoed/testing/all-holds'
import { takeCursor } from '@voelgoed/testing/cursor-lock'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { runOut } from '@voelgoed/testing/run-out'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const { server, ours, send, organize } = useServer({ VOELGOED_REAPER: 'off' })
let otherNode: ListeningNode
let key: string
let keyId: string

beforeAll(async () => {
  otherNode = await startListeningNode(server.database.url, { VOELGOED_REAPER: 'off' })
  const body = { name: 'Shop', role: 'organizer' }
  const made = await send('POST', '/api/admin/api-keys', ours.tokens.admin, body)
  key = made.body.data.key
  keyId = made.body.data.key_id
})
afterAll(async () => {
  await otherNode.close()
  await expectSound(server.database)
})

const hall = (plan: HallPlan = {}) =>
  openHall((method, url, options) => server.request(method, url, options), ours.tokens.organizer, {
    ...plan,
    event: { seating_overrides: UNLIMITED, ...plan.event },
  })
/** Holds run out after a minute. */
const shortHall = (plan: HallPlan = {}) =>
  hall({ ...plan, event: { seating_overrides: { ...UNLIMITED, default_hold_ttl_seconds: 60 } } })

async function guest(): Promise<{ token: string; userId: string }> {
  const body = { organization: ours.slug }
  const made = await server.request('POST', '/api/sessions/guest', { body })
  return { token: made.body.data.token, userId: made.body.data.user.id }
}

async function hold(at: Hall, token: string, seats: number[], cartToken?: string): Promise<string[]> {
  const body = { seat_ids: seats.map(n => at.seats[n]), ...(cartToken && { cart_token: cartToken }) }
  const held = await send('POST', `${at.url}/holds`, token, body)
  expect(held.status, held.text).toBe(201)
  return held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
}

const sell = (at: Hall, body: object, token = key, headers: Record<string, string> = {}) =>
  send('POST', '/api/admin/orders', token, { event_id: at.eventId, method: 'external', ...body }, headers)
/** As the answer to a sale has it. */
const withoutTokens = (order: { tickets: { token: string | null }[] }) => ({
  ...order,
  tickets: order.tickets.map(({ token: _token, ...ticket }) => ticket),
})
const refund = (orderId: string, body: object = {}, token = ours.tokens.organizer) =>
  send('POST', `/api/admin/orders/${orderId}/refund`, token, { reason: 'ill', ...body })
const statusOf = async (at: Hall, seat: number) =>
  (await send('GET', `${at.url}/seats/${at.seats[seat]}`, ours.tokens.customer)).body.data.status

/** New holds do not run out within a test. */
async function lengthen(at: Hall): Promise<void> {
  const changed = await organize('PATCH', `/api/admin/events/${at.eventId}`, { seating_overrides: UNLIMITED })
  expect(changed.status, changed.text).toBe(200)
}

describe('mails', () => {
  const queued = (orderId: string) =>
    server.database.sql<{ kind: string; recipient: string; data: object }>(
      'select kind, recipient, data from mails where order_id = $1 order by id',
      [orderId],
    )

  it('are queued with the sale and with the refund, once, where the buyer has an address', async () => {
    const at = await hall()
    const buyer = await guest()
    const hold_ids = await hold(at, buyer.token, [0, 1])
    const contact = { name: 'Ann', email: 'Ann@example.org' }
    const body = { hold_ids, reference: `mail-${randomUUID()}`, contact }
    const sold = await sell(at, body)
    expect((await sell(at, body)).status).toBe(200)
    const { order_id: orderId } = sold.body.data
    const paid = { kind: 'order_paid', recipient: 'Ann@example.org', data: { orderId } }
    expect(await queued(orderId)).toEqual([paid])
    expect((await refund(orderId)).status).toBe(200)
    const refunded = { kind: 'order_refunded', data: { orderId, cause: 'staff', amount: null } }
    expect(await queued(orderId)).toEqual([paid, { ...paid, ...refunded }])
  })

  it('are not queued without an address, nor for a sale that is refused', async () => {
    const at = await hall()
    const buyer = await guest()
    const sold = await sell(at, { hold_ids: await hold(at, buyer.token, [0]) })
    expect(await queued(sold.body.data.order_id)).toEqual([])
    const mails = () => server.database.sql('select id from mails order by id')
    const before = await mails()
    const contact = { email: 'ann@example.org' }
    expect((await sell(at, { hold_ids: [randomUUID()], contact })).status).toBe(404)
    expect(await mails()).toEqual(before)
  })
})

describe('tickets of staff', () => {
  it('have the names that the seller gives, and the zone is called as the event calls it', async () => {
    const at = await hall({ standing: 10 })
    const buyer = await guest()
    const [seat] = await hold(at, buyer.token, [0])
    const places = await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 3 })
    const pit = places.body.data.holds[0].hold_id
    const hold_ids = [seat, pit]
    const of = (...names: [string | undefined, string][]) =>
      names.map(([hold_id, attendee]) => ({ hold_id, attendee }))
    const refused = async (attendees: object[]) =>
      (await sell(at, { hold_ids, attendees })).body.errors[0].path
    expect(await refused(of([randomUUID(), 'Ann']))).toBe('/attendees')
    expect(await refused(of([seat, 'Ann'], [seat, 'Ben']))).toBe('/attendees')
    const sold = await sell(at, { hold_ids, attendees: of([pit, 'Ann'], [seat, 'Ben'], [pit, 'Cas']) })
    expect(sold.status, sold.text).toBe(201)
    const names = (order: { tickets: { attendee: string | null }[] }) =>
      order.tickets.map(one => one.attendee)
    expect(names(sold.body.data)).toEqual(['Ben', 'Ann', 'Cas', null])
    const zone_overrides = { [at.zones[1]!]: { name: 'Front of stage' } }
    const renamed = await organize(
      'PUT',
      `/api/admin/events/${at.eventId}/layout`,
      { overrides: { zone_overrides } },
      { 'if-match': '"1"' },
    )
    expect(renamed.status, renamed.text).toBe(200)
    const url = `/api/admin/orders/${sold.body.data.order_id}`
    const order = (await send('GET', url, ours.tokens.support)).body.data
    expect(names(order)).toEqual(['Ben', 'Ann', 'Cas', null])
    expect(order.tickets.map((one: { zone_name: string }) => one.zone_name).slice(1)).toEqual([
      'Front of stage',
      'Front of stage',
      'Front of stage',
    ])
    expect(order.lines[1].label).toBe('Front of stage')
  })
})

describe('a platform with a checkout of its own', () => {
  it('books the holds of any buyer once it has the money', async () => {
    const at = await hall({ standing: 10 })
    const buyer = await guest()
    const seats = await hold(at, buyer.token, [3, 4])
    const places = await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 3 })
    const placesId = places.body.data.holds[0].hold_id
    const sold = await sell(at, {
      hold_ids: [...seats, placesId],
      reference: 'shop-1',
      contact: { name: 'Ben', email: 'Ben@Example.org' },
      currency: 'ZAR',
      lines: [
        ...seats.map(hold_id => ({ hold_id, amount: 8_000, ticket_type: 'adult' })),
        { hold_id: placesId, amount: 2_000 },
      ],
    })
    expect(sold.status, sold.text).toBe(201)
    const order = sold.body.data
    expect(order).toMatchObject({
      status: 'paid',
      event: { id: at.eventId, name: 'Play' },
      user_id: buyer.userId,
      sold_by: keyId,
      reference: 'shop-1',
      contact: { name: 'Ben', email: 'Ben@Example.org' },
      currency: 'ZAR',
      total: 22_000,
      payments: [{ method: 'external', status: 'captured', amount: 22_000, refunded_amount: 0 }],
      refunds: [],
    })
    expect(order.tickets).toHaveLength(5)
    expect(order.tickets[0]).toMatchObject({
      status: 'valid',
      zone_name: 'Stalls',
      row: 'R1',
      seat_number: 4,
    })
    expect(order.lines.map((line: { amount: number }) => line.amount)).toEqual([
      8_000, 8_000, 2_000, 2_000, 2_000,
    ])
    expect([await statusOf(at, 3), await statusOf(at, 4)]).toEqual(['sold', 'sold'])

    const read = await send('GET', `/api/admin/orders/${order.order_id}`, ours.tokens.support)
    const { secret, ...asSold } = order
    expect(withoutTokens(read.body.data)).toEqual({ ...asSold, sold_by_name: 'Shop' })
    const audit = await send('GET', `/api/admin/audit?entity_id=${order.order_id}`, ours.tokens.admin)
    expect(audit.body.data).toMatchObject([{ action: 'order_sold', actor: 'api_key', user_id: keyId }])

    const mine = await send('GET', '/api/orders', buyer.token)
    expect(mine.body.data).toMatchObject([{ order_id: order.order_id }])
    expect(mine.body.data[0].tickets).toEqual(read.body.data.tickets)
    expect((await send('GET', `/api/orders/${order.order_id}`, buyer.token)).status).toBe(200)
    const other = await guest()
    expect((await send('GET', `/api/orders/${order.order_id}`, other.token)).status).toBe(404)
    expect((await send('GET', '/api/orders', other.token)).body.data).toEqual([])
    const byLink = await send('GET', `/api/orders/${order.order_id}?secret=${secret}`, other.token)
    expect(byLink.body.data.order_number).toBe(order.order_number)
    const wrong = await send('GET', `/api/orders/${order.order_id}?secret=${secret}x`, other.token)
    expect(wrong.status).toBe(404)
    const stored = await server.database.sql<{ row: string }>(
      'select o::text as row from orders o where id = $1',
      [order.order_id],
    )
    expect(stored[0]!.row).not.toContain(secret)
  })

  it('books a cart by the token that it gave, and says when there is nothing', async () => {
    const at = await hall()
    const buyer = await guest()
    await hold(at, buyer.token, [0, 1], 'cart-7')
    await hold(at, buyer.token, [2], 'cart-8')
    const sold = await sell(at, { cart_token: 'cart-7' })
    expect(sold.status, sold.text).toBe(201)
    expect(sold.body.data.tickets).toHaveLength(2)
    expect(await statusOf(at, 2)).toBe('held')
    expect((await sell(at, { cart_token: 'cart-9' })).body.code).toBe('hold_not_found')
    expect((await sell(at, {})).body.code).toBe('invalid_request')
    const [third] = await hold(at, buyer.token, [2])
    expect((await sell(at, { cart_token: 'cart-8', hold_ids: [third] })).body.code).toBe('invalid_request')
  })

  it('gets the same order for the same reference, and one order when two nodes are asked at once', async () => {
    const at = await hall()
    const buyer = await guest()
    const holds = await hold(at, buyer.token, [0, 1])
    const body = { event_id: at.eventId, method: 'external', hold_ids: holds, reference: 'once' }
    const onOther = async () => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await fetch(`${otherNode.url}/api/admin/orders`, init)
      return {
        status: answer.status,
        body: (await answer.json()) as { data: { order_id: string; secret: string } },
      }
    }
    const answers = await Promise.all([sell(at, body), onOther(), sell(at, body), onOther()])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 200, 201])
    expect(new Set(answers.map(answer => answer.body.data.order_id)).size).toBe(1)
    const again = await sell(at, { cart_token: 'any', reference: 'once' })
    // Its link is in every answer, so none that is lost takes it away; the table has its hash alone.
    const { order_id, secret } = again.body.data
    expect(new Set(answers.map(answer => answer.body.data.secret))).toEqual(new Set([secret]))
    const opened = await send('GET', `/api/orders/${order_id}?secret=${secret}`, (await guest()).token)
    expect(opened.status, opened.text).toBe(200)
    const rows = await server.database.sql<{ row: string }>(
      'select o::text as row from orders o where id = $1',
      [order_id],
    )
    expect(rows[0]!.row).not.toContain(secret)
    const [{ count } = { count: 0 }] = await server.database.sql<{ count: number }>(
      'select count(*)::int as count from tickets where event_id = $1',
      [at.eventId],
    )
    expect(count).toBe(2)
    const others = await hold(at, buyer.token, [4, 5])
    const taken = await sell(at, { hold_ids: others, reference: 'once' })
    expect(taken.body).toMatchObject({ code: 'already_exists', field: 'reference' })
    expect(await statusOf(at, 4)).toBe('held')
  })

  it('one reference in two events at one moment is one order', async () => {
    const [here, there] = [await hall(), await hall()]
    const buyer = await guest()
    const both = [
      { at: here, ids: await hold(here, buyer.token, [0, 1]) },
      { at: there, ids: await hold(there, buyer.token, [0, 1]) },
    ]
    const answers = await Promise.all(
      both.map(({ at, ids }) => sell(at, { hold_ids: ids, reference: 'two events' })),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 409])
    const seats = [await statusOf(here, 0), await statusOf(there, 0)]
    expect(seats.sort()).toEqual(['held', 'sold'])
  })

  it('repeats a request with an Idempotency-Key, and gets its secret again', async () => {
    const at = await hall()
    const buyer = await guest()
    const body = { hold_ids: await hold(at, buyer.token, [0, 1]) }
    const first = await sell(at, body, key, { 'idempotency-key': 'k-1' })
    const again = await sell(at, body, key, { 'idempotency-key': 'k-1' })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    const { order_id } = first.body.data
    expect((await sell(at, body)).body).toMatchObject({
      code: 'hold_sold',
      hold_ids: body.hold_ids,
      order_id,
    })
  })

  it.each([
    ['customer', 403],
    ['scanner', 403],
    ['support', 403],
    ['organizer', 404],
    ['admin', 404],
  ] as const)('as %s: %d', async (role, status) => {
    const at = await hall({ seats: 2 })
    const answer = await sell(at, { hold_ids: [randomUUID()] }, ours.tokens[role])
    expect(answer.status).toBe(status)
  })

  it('does not sell what belongs to several buyers, to another event or to another organization', async () => {
    const at = await hall()
    const [anna, ben] = [await guest(), await guest()]
    const both = [...(await hold(at, anna.token, [0, 1])), ...(await hold(at, ben.token, [2, 3]))]
    expect((await sell(at, { hold_ids: both })).body.code).toBe('invalid_request')
    expect((await sell(await hall(), { hold_ids: both.slice(0, 2) })).body.code).toBe('hold_not_found')
    const theirs = await server.organization()
    const foreign = await sell(at, { hold_ids: both.slice(0, 2) }, theirs.tokens.organizer)
    expect(foreign.body.code).toBe('event_not_found')
    expect(await statusOf(at, 0)).toBe('held')
  })

  it('says what each hold cost, or of none', async () => {
    const at = await hall()
    const buyer = await guest()
    const [a, b] = await hold(at, buyer.token, [0, 1])
    const line = (hold_id: string | undefined) => ({ hold_id, amount: 1 })
    for (const body of [
      { lines: [line(a), line(b)] },
      { currency: 'ZAR' },
      { currency: 'ZAR', lines: [line(a)] },
      { currency: 'ZAR', lines: [line(a), line(a)] },
      { currency: 'ZAR', lines: [line(a), line(b)], method: 'complimentary' },
      { currency: 'zar', lines: [line(a), line(b)] },
      { currency: 'ZAR', lines: [{ hold_id: a, amount: -1 }, line(b)] },
    ]) {
      const answer = await sell(at, { hold_ids: [a, b], ...body })
      expect([answer.status, JSON.stringify(body)]).toEqual([400, JSON.stringify(body)])
    }
    expect(await statusOf(at, 0)).toBe('held')
  })
})

describe('money that comes late', () => {
  it('gets the same seats while they are free, tidied up or not', async () => {
    const at = await shortHall({ standing: 4 })
    const buyer = await guest()
    const [untidy] = await hold(at, buyer.token, [0])
    await runOut(server, untidy!)
    const first = await sell(at, { hold_ids: [untidy], allow_stranding: true, reference: 'late' })
    expect(first.status, first.text).toBe(201)
    expect(await statusOf(at, 0)).toBe('sold')
    expect((await sell(at, { hold_ids: [untidy], reference: 'late' })).status).toBe(200)

    const tidied = await hold(at, buyer.token, [4, 5], 'late cart')
    const places = await send('POST', `${at.url}/holds`, buyer.token, {
      zone_id: at.zones[1],
      quantity: 4,
      cart_token: 'late cart',
    })
    await runOut(server, places.body.data.holds[0].hold_id)
    // Other buyers take seat 5 and all of the places, give them back, and both holds are tidied up.
    const other = await guest()
    await lengthen(at)
    const [taken] = await hold(at, other.token, [5])
    expect((await sell(at, { hold_ids: tidied })).body).toMatchObject({
      code: 'hold_expired',
      alternatives: [{ kind: 'seats' }],
    })
    await send('DELETE', `/api/holds/${taken}`, other.token)
    const sold = await sell(at, { cart_token: 'late cart' })
    expect(sold.status, sold.text).toBe(201)
    expect(sold.body.data.tickets).toHaveLength(6)
  })

  it('finds a hold of which the history hears after the first look at it', async () => {
    const at = await shortHall({ seats: 4, perRow: 4 })
    const [buyer, other] = [await guest(), await guest()]
    const [first] = await hold(at, buyer.token, [3])
    await send('DELETE', `/api/holds/${first}`, buyer.token)
    await historyWritten(server.database)
    const [late] = await hold(at, buyer.token, [0])
    await runOut(server, late!)
    await lengthen(at)
    // The history hears of the end of the first hold only when the sale has looked for it.
    const letGo = await takeCursor(server.database.url, at.eventId, 'has the lock')
    await hold(at, other.token, [0])
    const { query } = TenantTx.prototype
    let looks = 0
    const looking = vi.spyOn(TenantTx.prototype, 'query').mockImplementation(async function (
      this: TenantTx,
      ...asked: Parameters<typeof query>
    ) {
      const rows = await query.apply(this, asked)
      if (asked[0].includes('as is_late') && ++looks === 1) {
        await letGo()
        await historyWritten(server.database)
      }
      return rows
    } as typeof query)
    try {
      expect((await sell(at, { hold_ids: [late] })).body).toMatchObject({ code: 'hold_expired' })
      expect(looks).toBe(2)
    } finally {
      looking.mockRestore()
      await letGo()
    }
  })

  it('that finds its seats taken gets others to choose from, and nothing is sold', async () => {
    const at = await shortHall({ seats: 6, perRow: 6, standing: 3 })
    const [buyer, other] = [await guest(), await guest()]
    const seats = await hold(at, buyer.token, [0, 1])
    const places = await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 2 })
    const placesId = places.body.data.holds[0].hold_id
    await runOut(server, placesId)
    await lengthen(at)
    const now = await hold(at, other.token, [1])
    const late = await sell(at, { hold_ids: [...seats, placesId] })
    expect(late.status).toBe(410)
    const [instead, left] = late.body.alternatives
    expect(instead).toMatchObject({ kind: 'seats' })
    expect(instead.seat_ids).toHaveLength(2)
    expect(instead.seat_ids).not.toContain(at.seats[1])
    expect(left).toEqual({ kind: 'places', zone_id: at.zones[1], available: 3 })
    const rows = await server.database.sql('select 1 from orders where event_id = $1', [at.eventId])
    expect(rows).toEqual([])
    expect(now).toHaveLength(1)
  })
})

describe('the rules for orders', () => {
  it('no single seat is left alone, unless staff say so', async () => {
    const strict = { ...UNLIMITED, orphan_avoidance_strict: true }
    const at = await hall({ seats: 10, event: { seating_overrides: strict } })
    const buyer = await guest()
    const holds = await hold(at, buyer.token, [1, 2])
    const refused = await sell(at, { hold_ids: holds })
    expect(refused.body).toMatchObject({ code: 'would_strand_seats', seat_ids: [at.seats[0]] })
    const [added] = refused.body.alternatives
    expect(added).toMatchObject({ change: 'add', seat_ids: at.seats.slice(0, 3) })
    expect(added.labels).toHaveLength(3)
    expect((await sell(at, { hold_ids: holds, allow_stranding: true })).status).toBe(201)
  })

  it('a table is sold, and taken back, as a whole', async () => {
    const table = [1, 2].map(number => ({ zone: 'Stalls', label: `R1-${number}` }))
    const group = { group_type: 'vip_table', seats: table, metadata: { sell: 'whole' } }
    const at = await hall({ groups: [group] })
    const buyer = await guest()
    const holds = await hold(at, buyer.token, [0, 1])
    expect((await sell(at, { hold_ids: holds.slice(0, 1) })).body.code).toBe('sold_as_a_whole')
    const { data } = (await sell(at, { hold_ids: holds })).body
    const part = await refund(data.order_id, { ticket_ids: [data.tickets[0].ticket_id] })
    expect(part.body.code).toBe('sold_as_a_whole')
    expect(await statusOf(at, 0)).toBe('sold')
    expect((await refund(data.order_id)).body.data.status).toBe('refunded')
  })

  it("a members' zone asks who the buyer is, and who comes with them", async () => {
    const zone = {
      ...{ name: 'Gold', zone_type: 'ga_standing', capacity: 10, access_mode: 'membership_tier' },
      membership_tier: 'gold',
    }
    const at = await hall({ zones: [zone] })
    const email = `gold-${randomUUID()}@example.org`
    const membership = { membership_tier: 'gold', membership_status: 'active' }
    const body = { email, password: PASSWORD, role: 'customer', ...membership }
    const users = `/api/platform/organizations/${ours.id}/users`
    const made = await send('POST', users, ROOT_KEY, body)
    const session = await server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password: PASSWORD },
    })
    const { token } = session.body.data
    const held = await send('POST', `${at.url}/holds`, token, { zone_id: at.zones[1], quantity: 2 })
    const ids = [held.body.data.holds[0].hold_id]
    expect((await sell(at, { hold_ids: ids })).body.code).toBe('guests_not_named')
    await organize('POST', `/api/admin/events/${at.eventId}/whitelist`, {
      entries: [{ email: 'friend@example.org' }],
    })
    await send('PUT', `/api/holds/${ids[0]}/guests`, token, {
      guests: [null, { email: 'friend@example.org' }],
    })
    const user = `/api/admin/users/${made.body.data.id}`
    await organize('PATCH', user, { membership_status: 'suspended' })
    expect((await sell(at, { hold_ids: ids })).body.code).toBe('zone_access_denied')
    await organize('PATCH', user, { membership_status: 'active' })
    const { data } = (await sell(at, { hold_ids: ids })).body
    // The guest of a ticket that is taken back can be named again.
    expect((await refund(data.order_id)).status).toBe(200)
    const guests = await server.database.sql('select 1 from place_guests where hold_id = $1', ids)
    expect(guests).toEqual([])
  })
})

describe('the box office', () => {
  it('sells what it holds, and nothing else', async () => {
    const at = await hall()
    const staff = ours.tokens.organizer
    const own = await hold(at, staff, [0, 1])
    const buyer = await guest()
    const theirs = await hold(at, buyer.token, [4, 5])
    expect((await sell(at, { hold_ids: theirs, method: 'cash' }, staff)).body.code).toBe('hold_not_found')
    const lines = own.map(hold_id => ({ hold_id, amount: 5_000 }))
    const sold = await sell(at, { hold_ids: own, method: 'cash', currency: 'ZAR', lines }, staff)
    expect(sold.body.data).toMatchObject({ total: 10_000, payments: [{ method: 'cash' }] })
    const free = await hold(at, staff, [8, 9])
    const given = await sell(at, { hold_ids: free, method: 'complimentary' }, staff)
    expect(given.body.data.payments).toMatchObject([{ method: 'complimentary', status: 'captured' }])
  })

  it("sells a colleague's holds for it: one holder in an order, named beside the seller", async () => {
    const at = await hall()
    const staff = ours.tokens.organizer
    const [mine] = await hold(at, staff, [0, 1])
    const [theirs, another] = await hold(at, ours.tokens.admin, [2, 3])
    const me = async (token: string) => (await send('GET', '/api/session', token)).body.data.user.id
    const mixed = await sell(at, { hold_ids: [mine, theirs], method: 'cash' }, staff)
    expect([mixed.status, mixed.body.errors?.[0]?.message]).toEqual([400, 'must be holds of one buyer'])
    const sold = await sell(at, { hold_ids: [theirs, another], method: 'cash' }, staff)
    expect(sold.status, sold.text).toBe(201)
    const audit = await send('GET', '/api/admin/audit?action=order_sold&limit=1', staff)
    const [seller, holder] = [await me(staff), await me(ours.tokens.admin)]
    const read = await send('GET', `/api/admin/orders/${sold.body.data.order_id}`, ours.tokens.support)
    const organizer = `organizer@${ours.slug}.example`
    expect(read.body.data).toMatchObject({ user_id: holder, sold_by: seller, sold_by_name: organizer })
    expect(audit.body.data).toMatchObject([
      { user_id: seller, changes: { user_id: holder, order_number: sold.body.data.order_number } },
    ])
    // Support may not sell at all.
    const refused = await sell(at, { hold_ids: [mine], method: 'cash' }, ours.tokens.support)
    expect(refused.status).toBe(403)
  })

  it('finds orders by number, reference, address, buyer, event and status', async () => {
    const at = await hall()
    const buyer = await guest()
    const sold = await sell(at, {
      hold_ids: await hold(at, buyer.token, [0, 1]),
      reference: 'find-me',
      contact: { email: 'Findable@example.org' },
    })
    const { order_id, order_number } = sold.body.data
    const find = async (query: string) => {
      const list = await send('GET', `/api/admin/orders?${query}`, ours.tokens.support)
      expect(list.status, list.text).toBe(200)
      return list.body.data.map((order: { order_id: string }) => order.order_id)
    }
    for (const query of [
      `query=${order_number.toLowerCase()}`,
      'query=find-me',
      'query=FINDABLE@',
      `query=${order_id}`,
      `query=${buyer.userId}`,
      `event_id=${at.eventId}`,
      `event_id=${at.eventId}&status=paid`,
    ]) {
      expect([query, await find(query)]).toEqual([query, [order_id]])
    }
    expect(await find(`event_id=${at.eventId}&status=refunded`)).toEqual([])
    expect(await find('query=find-you')).toEqual([])
    const page = await send('GET', '/api/admin/orders?limit=1', ours.tokens.support)
    const next = await send('GET', `/api/admin/orders?limit=1&after=${page.body.next}`, ours.tokens.support)
    expect(next.body.data[0].order_id < page.body.data[0].order_id).toBe(true)
  })
})

describe('a refund', () => {
  it('makes tickets void and their seats free at once, in part and then in whole', async () => {
    const at = await hall({ standing: 3 })
    const buyer = await guest()
    const seats = await hold(at, buyer.token, [0, 1])
    const places = await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 3 })
    const ids = [...seats, places.body.data.holds[0].hold_id]
    const lines = ids.map((hold_id, n) => ({ hold_id, amount: 1_000 + n }))
    const sold = await sell(at, { hold_ids: ids, currency: 'ZAR', lines })
    const { order_id, tickets } = sold.body.data
    const id = (n: number) => tickets[n].ticket_id
    const part = await refund(order_id, { ticket_ids: [id(1), id(4)] })
    expect(part.body.data).toMatchObject({
      status: 'partly_refunded',
      payments: [{ status: 'captured', refunded_amount: 2_003 }],
      refunds: [{ amount: 2_003, reason: 'ill' }],
    })
    const statuses = part.body.data.tickets.map((ticket: { status: string }) => ticket.status)
    expect(statuses).toEqual(['valid', 'void', 'valid', 'valid', 'void'])
    expect([await statusOf(at, 0), await statusOf(at, 1)]).toEqual(['sold', 'available'])
    const other = await guest()
    const resold = await sell(at, { hold_ids: await hold(at, other.token, [1]), allow_stranding: true })
    expect(resold.status, resold.text).toBe(201)
    const take = (quantity: number) =>
      send('POST', `${at.url}/holds`, other.token, { zone_id: at.zones[1], quantity })
    expect((await take(2)).body).toMatchObject({ code: 'zone_at_capacity', available: 1 })
    expect((await take(1)).status).toBe(201)

    const twice = await refund(order_id, { ticket_ids: [id(1)] })
    expect(twice.body).toMatchObject({ code: 'ticket_void', ticket_ids: [id(1)] })
    const rest = await refund(order_id)
    expect(rest.body.data).toMatchObject({
      status: 'refunded',
      payments: [{ status: 'refunded', refunded_amount: sold.body.data.total }],
    })
    expect((await refund(order_id)).body).toMatchObject({
      code: 'invalid_transition',
      current_status: 'refunded',
    })
    const strange = resold.body.data.tickets[0].ticket_id
    expect((await refund(order_id, { ticket_ids: [strange] })).body.code).toBe('ticket_not_found')
    expect(await statusOf(at, 1)).toBe('sold')
    const audit = await send('GET', `/api/admin/audit?entity_id=${order_id}`, ours.tokens.admin)
    const actions = audit.body.data.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(['order_refunded', 'order_refunded', 'order_sold'])
    const journal = await organize('GET', `/api/admin/events/${at.eventId}/journal`)
    const kinds = journal.body.data.map((entry: { kind: string }) => entry.kind)
    expect(kinds.filter((kind: string) => kind === 'ticket_voided')).toHaveLength(5)
  })

  it('asked for at once on two nodes happens once', async () => {
    const at = await hall()
    const buyer = await guest()
    const sold = await sell(at, { hold_ids: await hold(at, buyer.token, [0, 1]) })
    const { order_id } = sold.body.data
    const onOther = () =>
      fetch(`${otherNode.url}/api/admin/orders/${order_id}/refund`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'ill' }),
      })
    const answers = await Promise.all([refund(order_id), onOther(), refund(order_id), onOther()])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409, 409, 409])
    const refunds = await server.database.sql('select 1 from refunds where order_id = $1', [order_id])
    expect(refunds).toHaveLength(1)
  })

  it('is for organizers and admins, of a cancelled event too', async () => {
    const at = await hall()
    const buyer = await guest()
    const sold = await sell(at, { hold_ids: await hold(at, buyer.token, [0, 1]) })
    const { order_id } = sold.body.data
    for (const role of ['customer', 'scanner', 'support'] as const) {
      expect((await refund(order_id, {}, ours.tokens[role])).status).toBe(403)
    }
    await organize('POST', `/api/admin/events/${at.eventId}/cancel`)
    expect((await sell(at, { hold_ids: [randomUUID()] })).status).toBeGreaterThanOrEqual(400)
    expect((await refund(order_id, {}, key)).body.data.status).toBe('refunded')
  })
})

describe('the database by itself', () => {
  it.each([
    [
      'a sold seat is not freed without a void ticket',
      `update event_seats set status = 'available', hold_id = null,
       ticket_id = null, user_id = null, created_at = null, held_until = null, cap_until = null, checkout_id = null,
       cart_token = null, source = null, ip = null, last_seq = null, taken_by = null, version_before = version,
       version = version + 1 where status = 'sold'`,
      /is sold/,
    ],
    ['void is for good', 'update tickets set voided_at = null', /can only become void/],
    [
      'a ticket is refunded once',
      'update order_lines set refund_id = refund_id where refund_id is not null',
      /refunded before/,
    ],
    ['an order goes forward', `update orders set status = 'open' where status = 'paid'`, /does not go/],
    [
      'a payment goes forward',
      `update payments set status = 'created' where status = 'captured'`,
      /does not go/,
    ],
    ['a sale has a seller', `update payments set recorded_by = null`, /payments_recorded/],
    [
      'a reference is there once',
      `update orders set reference = 'once' where reference is null`,
      /orders_reference/,
    ],
  ])('%s', async (_name, statement, problem) => {
    await expect(server.database.sql(statement)).rejects.toThrow(problem)
  })
})

describe('an order of thousands of places', () => {
  it('is sold in one piece, and the table has a ticket for each of them and for no more', async () => {
    const at = await hall({ standing: 5_000 })
    const held = await send('POST', `${at.url}/holds`, key, { zone_id: at.zones[1], quantity: 5_000 })
    expect(held.status, held.text).toBe(201)
    const sold = await sell(at, { hold_ids: [held.body.data.holds[0].hold_id] })
    expect(sold.status, sold.text).toBe(201)
    expect(sold.body.data.tickets).toHaveLength(5_000)
    const again = (owner: string, ids: string) =>
      server.database.sql(
        `insert into tickets (organization_id, event_id, id, hold_id, user_id, zone_index, checkout_id, created_at)
         select organization_id, event_id, gen_random_uuid(), hold_id, ${owner}, zone_index, checkout_id, now()
         from tickets where checkout_id = $1 ${ids}`,
        [sold.body.data.order_id],
      )
    await expect(again('user_id', 'limit 1')).rejects.toThrow(/comes from no hold/)
    await expect(again('gen_random_uuid()', 'limit 1')).rejects.toThrow(/comes from no hold/)
  })
})
