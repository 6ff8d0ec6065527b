import { randomUUID } from 'node:crypto'
import type { EventId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { atCommit, PostgresProxy } from '@voelgoed/testing/postgres-proxy'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const { server, ours, send, organize } = useServer({ VOELGOED_REAPER: 'off' })
let otherNode: ListeningNode
let proxy: PostgresProxy

beforeAll(async () => {
  proxy = await PostgresProxy.start(server.database.url)
  otherNode = await startListeningNode(proxy.urlOf(server.database.url), { VOELGOED_REAPER: 'off' })
})
afterAll(async () => {
  await otherNode.close()
  await proxy.close()
  await expectSound(server.database)
})

const GOLD = { access_mode: 'membership_tier', membership_tier: 'gold' }
const hall = (plan: HallPlan = {}) =>
  openHall(server.request, ours.tokens.organizer, {
    ...plan,
    event: { seating_overrides: { ...UNLIMITED, allow_vip_zones: true }, ...plan.event },
  })

interface Sold {
  readonly orderId: string
  readonly tickets: readonly string[]
}

/** Seats by ordinal, or places of a zone, sold to a guest with an address. */
async function sell(at: Hall, what: number[] | { zone: number; places: number }): Promise<Sold> {
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const places = Array.isArray(what)
    ? { seat_ids: what.map(ordinal => at.seats[ordinal]) }
    : { zone_id: at.zones[what.zone], quantity: what.places }
  const held = await send('POST', `${at.url}/holds`, guest.body.data.token, places)
  expect(held.status, held.text).toBe(201)
  const hold_ids = held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
  return book(at, hold_ids)
}

/** All places cost the same. */
async function priceAlike(at: Hall): Promise<void> {
  const ticket_types = [{ key: 'adult', name: 'Adult', amount: 8_000 }]
  const zones = Object.fromEntries(at.zones.map(zone => [zone, 'one']))
  const list = { currency: 'ZAR', categories: [{ key: 'one', name: 'One', ticket_types }], zones }
  const url = `/api/admin/events/${at.eventId}/prices`
  const made = await organize('PUT', url, list, { 'if-match': '"0"' })
  expect(made.status, made.text).toBe(200)
}

async function book(at: Hall, hold_ids: string[]): Promise<Sold> {
  const contact = { name: 'Ann', email: 'ann@example.org' }
  const money = { currency: 'ZAR', lines: hold_ids.map(hold_id => ({ hold_id, amount: 8_000 })) }
  const terms = { method: 'external', contact, allow_stranding: true }
  const sold = await organize('POST', '/api/admin/orders', {
    event_id: at.eventId,
    hold_ids,
    ...terms,
    ...money,
  })
  expect(sold.status, sold.text).toBe(201)
  const { order_id: orderId, tickets } = sold.body.data
  return { orderId, tickets: tickets.map((one: { ticket_id: string }) => one.ticket_id) }
}

type Moves = readonly (readonly [ticketId: string | undefined, seatId: string | undefined])[]
const movesOf = (moves: Moves) => moves.map(([ticket_id, seat_id]) => ({ ticket_id, seat_id }))
const move = (
  orderId: string,
  moves: Moves,
  headers: Record<string, string> = {},
  token = ours.tokens.support,
) =>
  send(
    'POST',
    `/api/admin/orders/${orderId}/move`,
    token,
    { moves: movesOf(moves), reason: 'asked' },
    headers,
  )
const elsewhere = (orderId: string, moves: Moves, headers: Record<string, string> = {}) =>
  fetch(`${otherNode.url}/api/admin/orders/${orderId}/move`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ours.tokens.support}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ moves: movesOf(moves) }),
  })
const orderOf = async (orderId: string) =>
  (await send('GET', `/api/admin/orders/${orderId}`, ours.tokens.support)).body.data
const refund = (orderId: string, body: object = {}) =>
  organize('POST', `/api/admin/orders/${orderId}/refund`, { reason: 'ill', ...body })
const statusOf = async (at: Hall, seat: number) =>
  (await send('GET', `${at.url}/seats/${at.seats[seat]}`, ours.tokens.customer)).body.data.status
const statuses = (at: Hall, ...seats: number[]) => Promise.all(seats.map(seat => statusOf(at, seat)))

async function scan(at: Hall, ticketId: string): Promise<string | null> {
  const scope = TenantScope.of(ours.id as OrganizationId)
  const name = { eventId: at.eventId as EventId, ticketId: ticketId as TicketId, version: 1 }
  const token = await server.node.ticketKeys.sign(scope, name)
  const answer = await send('POST', '/api/scans', ours.tokens.scanner, { token, device_id: 'north' })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data.code
}

describe('tickets that are moved', () => {
  it('get new seats and new codes; the old seats are free, and everyone is told', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0, 1, 2])
    const feed = await FeedReader.open(`${otherNode.url}${at.url}/live`, { token: ours.tokens.customer })
    const moved = await move(orderId, [
      [tickets[0], at.seats[12]],
      [tickets[2], at.seats[13]],
    ])
    expect(moved.status, moved.text).toBe(200)
    const { sold_by_name: _seller, ...order } = await orderOf(orderId)
    expect(moved.body.data).toEqual({
      ...order,
      tickets: order.tickets.map(({ token: _token, ...ticket }: { token: string }) => ticket),
    })
    expect(order).toMatchObject({ status: 'paid', total: 24_000, refunds: [] })
    expect(order.lines.map((line: { label: string; amount: number }) => [line.label, line.amount])).toEqual([
      ['Stalls R2-3', 8_000],
      ['Stalls R1-2', 8_000],
      ['Stalls R2-4', 8_000],
    ])
    expect(order.tickets.map((one: { status: string }) => one.status)).toEqual(['valid', 'valid', 'valid'])
    expect(order.tickets[1].ticket_id).toBe(tickets[1])
    expect(await statuses(at, 0, 1, 2, 12, 13)).toEqual(['available', 'sold', 'available', 'sold', 'sold'])

    expect(await scan(at, tickets[0]!)).toBe('void')
    expect(await scan(at, order.tickets[0].ticket_id)).toBe(null)
    const journal = await organize('GET', `/api/admin/events/${at.eventId}/journal?seat_id=${at.seats[0]}`)
    expect(journal.body.data.at(-1)).toMatchObject({
      kind: 'ticket_voided',
      source: 'admin',
      body: { reason: 'Moved to Stalls R2-3' },
      order: { order_id: orderId, order_number: order.order_number },
    })
    // Staff did it: the seat is whose the order is.
    const seat = order.tickets[0].seat_id
    const there = await organize('GET', `/api/admin/events/${at.eventId}/journal?seat_id=${seat}`)
    expect(there.body.data.at(-1)).toMatchObject({
      kind: 'seat_converted',
      order: { order_id: orderId, contact_name: order.contact.name, contact_email: order.contact.email },
    })
    const audit = await send('GET', `/api/admin/audit?entity_id=${orderId}`, ours.tokens.admin)
    expect(audit.body.data[0]).toMatchObject({
      action: 'order_moved',
      changes: {
        reason: 'asked',
        moves: [
          { from: 'Stalls R1-1', to: 'Stalls R2-3' },
          { from: 'Stalls R1-3', to: 'Stalls R2-4' },
        ],
      },
    })
    const mails = await server.database.sql('select kind from mails where order_id = $1 order by id', [
      orderId,
    ])
    expect(mails).toEqual([{ kind: 'order_paid' }, { kind: 'order_moved' }])

    const { seq } = (await send('GET', `${at.url}/occupancy`, ours.tokens.customer)).body.data
    await feed.upTo(seq)
    const told = feed.messages.filter(({ event }) => event === 'seats').flatMap(({ data }) => data.seats)
    feed.close()
    expect(told).toEqual(
      expect.arrayContaining([
        [0, 'available'],
        [2, 'available'],
        [12, 'sold'],
        [13, 'sold'],
      ]),
    )
    // Their old seats are anyone's, and they may move again, and go back.
    expect((await sell(at, [2])).tickets).toHaveLength(1)
    const again = await move(orderId, [[order.tickets[2].ticket_id, at.seats[0]]])
    expect(again.status, again.text).toBe(200)
    const back = await refund(orderId, { ticket_ids: [again.body.data.tickets[2].ticket_id] })
    expect(back.body.data).toMatchObject({ status: 'partly_refunded', refunds: [{ amount: 8_000 }] })
    expect(await statuses(at, 0, 13)).toEqual(['available', 'available'])
  })

  it('come from standing places that cost the same', async () => {
    const at = await hall({ standing: 10 })
    await priceAlike(at)
    const { orderId, tickets } = await sell(at, { zone: 1, places: 2 })
    const moved = await move(orderId, [[tickets[0], at.seats[5]]])
    expect(moved.status, moved.text).toBe(200)
    expect(moved.body.data.lines.map((line: { label: string }) => line.label)).toEqual(['Stalls R1-6', 'Pit'])
  })

  it('take their guests along', async () => {
    const at = await hall({
      zones: [
        {
          name: 'Gold',
          zone_type: 'vip_reserved',
          ...GOLD,
          seats: [1, 2, 3].map(number => ({ row: 'G', number, coordinates: { x: number, y: 9 } })),
        },
      ],
    })
    await priceAlike(at)
    await organize('POST', `/api/admin/events/${at.eventId}/whitelist`, {
      entries: [{ email: 'friend@example.org' }],
    })
    const email = 'member@example.org'
    const account = { organization: ours.slug, email, password: 'a long enough password' }
    const made = (await server.request('POST', '/api/accounts', { body: account })).body.data
    const membership = { membership_tier: 'gold', membership_status: 'active', email_proven: true }
    const gold = await organize('PATCH', `/api/admin/users/${made.user.id}`, membership)
    expect(gold.status, gold.text).toBe(200)
    const buyer = made.token
    const seat_ids = [at.seats[20], at.seats[21]]
    const held = await send('POST', `${at.url}/holds`, buyer, { seat_ids })
    expect(held.status, held.text).toBe(201)
    const ids: string[] = held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
    await send('PUT', `/api/holds/${ids[1]}/guests`, buyer, { guests: [{ email: 'friend@example.org' }] })
    const { orderId, tickets } = await book(at, ids)
    const moved = await move(orderId, [[tickets[1], at.seats[22]]])
    expect(moved.status, moved.text).toBe(200)
    const guests = () =>
      server.database.sql<{ ticket_id: string; place: number }>(
        `select t.id as ticket_id, g.place from place_guests g join tickets t using (organization_id, hold_id)
         where g.email_key = 'friend@example.org' and g.event_id = $1`,
        [at.eventId],
      )
    const [guest] = await guests()
    expect(guest).toEqual({ ticket_id: moved.body.data.tickets[1].ticket_id, place: 0 })
    // In a zone without guests they are forgotten, and can be named for another place.
    const out = await move(orderId, [[guest!.ticket_id, at.seats[0]]])
    expect(out.status, out.text).toBe(200)
    expect(await guests()).toEqual([])
    const back = await move(orderId, [[out.body.data.tickets[1].ticket_id, at.seats[22]]])
    expect([back.body.code, back.body.reason]).toEqual(['seats_differ', 'members_zone'])
  })

  it('are moved once with a key, however often it is sent', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0])
    const key = { 'idempotency-key': randomUUID() }
    const first = await move(orderId, [[tickets[0], at.seats[5]]], key)
    const again = await move(orderId, [[tickets[0], at.seats[5]]], key)
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
      200,
      first.text,
      'true',
    ])
    expect((await move(orderId, [[tickets[0], at.seats[6]]], key)).body.code).toBe('idempotency_key_reused')
    expect((await move(orderId, [[tickets[0], at.seats[6]]])).body.code).toBe('ticket_not_found')
  })
})

describe('tickets are not moved', () => {
  it('to seats that are sold, blocked, held, of another price, or of another event', async () => {
    const balcony = [1, 2].map(number => ({ row: 'B', number, coordinates: { x: number, y: 9 } }))
    const zones = [{ name: 'Balcony', zone_type: 'reserved_seating', seats: balcony }]
    const at = await hall({ prices: ['cheap', 'dear'], zones })
    const { orderId, tickets } = await sell(at, [0, 1])
    await sell(at, [2])
    const blocked = { seat_ids: [at.seats[3]], reason: 'camera' }
    await organize('POST', `/api/admin/events/${at.eventId}/seats/block`, blocked)
    await send('POST', `${at.url}/holds`, ours.tokens.customer, { seat_ids: [at.seats[4]] })
    const other = await hall()
    const refused = async (seat: string | undefined) => {
      const answer = await move(orderId, [
        [tickets[1], at.seats[9]],
        [tickets[0], seat],
      ])
      const { code, current_status, reason } = answer.body
      return [answer.status, code, current_status ?? reason]
    }
    expect(await refused(at.seats[0])).toEqual([409, 'seat_not_available', 'sold'])
    expect(await refused(at.seats[2])).toEqual([409, 'seat_not_available', 'sold'])
    expect(await refused(at.seats[3])).toEqual([409, 'seat_not_available', 'blocked'])
    expect(await refused(at.seats[4])).toEqual([409, 'seat_held_by_another_user', undefined])
    expect(await refused(at.seats[20])).toEqual([409, 'seats_differ', 'price_category'])
    expect(await refused(other.seats[0])).toEqual([404, 'seat_not_found', undefined])
    expect(await refused(at.seats[9])).toEqual([400, 'invalid_request', undefined])
    // All of them or none: the other one has not moved either.
    expect(await statuses(at, 0, 1, 9)).toEqual(['sold', 'sold', 'available'])
    expect((await orderOf(orderId)).tickets.map((one: { ticket_id: string }) => one.ticket_id)).toEqual(
      tickets,
    )
  })

  it('after they were used, refunded or moved, nor with another order', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0, 1, 2])
    const other = await sell(at, [3])
    expect(await scan(at, tickets[0]!)).toBe(null)
    expect((await move(orderId, [[tickets[0], at.seats[9]]])).body).toMatchObject({
      status: 409,
      code: 'ticket_used',
      ticket_ids: [tickets[0]],
    })
    await refund(orderId, { ticket_ids: [tickets[1]] })
    expect((await move(orderId, [[tickets[1], at.seats[9]]])).body.code).toBe('ticket_void')
    expect((await move(orderId, [[other.tickets[0], at.seats[9]]])).body.code).toBe('ticket_not_found')
    expect((await move(orderId, [[tickets[2], at.seats[9]]])).status).toBe(200)
    expect((await move(orderId, [[tickets[2], at.seats[8]]])).body.code).toBe('ticket_not_found')
    expect((await move(randomUUID(), [[tickets[2], at.seats[8]]])).body.code).toBe('order_not_found')
    const twice: Moves = [
      [tickets[2], at.seats[8]],
      [tickets[2], at.seats[7]],
    ]
    expect((await move(orderId, twice)).body.errors[0].path).toBe('/moves/1/ticket_id')
  })

  it('by scanners or buyers, nor in an event that is off', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0])
    for (const role of ['customer', 'scanner'] as const) {
      expect((await move(orderId, [[tickets[0], at.seats[1]]], {}, ours.tokens[role])).status).toBe(403)
    }
    await organize('POST', `/api/admin/events/${at.eventId}/cancel`)
    expect((await move(orderId, [[tickets[0], at.seats[1]]])).body.code).toBe('event_not_available')
  })

  it('by the database itself, without a record of it', async () => {
    const at = await hall()
    await sell(at, [0])
    const other = 'update order_lines set ticket_id = gen_random_uuid()'
    await expect(server.database.sql(other)).rejects.toThrow(/was not moved/)
  })
})

describe('at the same moment', () => {
  it('of two moves to one seat, on two nodes, one wins and the other has its old seat', async () => {
    const at = await hall()
    for (const seat of [10, 11, 12, 13]) {
      const [one, two] = [await sell(at, [seat - 10]), await sell(at, [seat - 6])]
      const answers = await Promise.all([
        move(one.orderId, [[one.tickets[0], at.seats[seat]]]),
        elsewhere(two.orderId, [[two.tickets[0], at.seats[seat]]]),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const lost = answers[0].status === 409 ? seat - 10 : seat - 6
      const won = answers[0].status === 409 ? seat - 6 : seat - 10
      expect(await statuses(at, lost, won, seat)).toEqual(['sold', 'available', 'sold'])
    }
  })

  it('a move and a buyer who holds the seat: one of them gets it', async () => {
    const at = await hall()
    for (const seat of [10, 11, 12, 13]) {
      const { orderId, tickets } = await sell(at, [seat - 10])
      const body = { seat_ids: [at.seats[seat]] }
      const [moved, held] = await Promise.all([
        elsewhere(orderId, [[tickets[0], at.seats[seat]]]),
        send('POST', `${at.url}/holds`, ours.tokens.customer, body),
      ])
      expect([moved.status, held.status].sort()).toEqual(moved.status === 200 ? [200, 409] : [201, 409])
      const taken = moved.status === 200 ? 'sold' : 'held_by_me'
      expect(await statuses(at, seat - 10, seat)).toEqual([
        moved.status === 200 ? 'available' : 'sold',
        taken,
      ])
    }
  })

  it('a move and a gate: the ticket moves, or lets someone in', async () => {
    const at = await hall()
    for (const seat of [0, 1, 2, 3]) {
      const { orderId, tickets } = await sell(at, [seat])
      const [moved, code] = await Promise.all([
        elsewhere(orderId, [[tickets[0], at.seats[10 + seat]]]),
        scan(at, tickets[0]!),
      ])
      expect([moved.status, code]).toEqual(code === null ? [409, null] : [200, 'void'])
    }
  })

  it('a move waits for the gate that looks at the ticket, and leaves it if someone came in', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0])
    const scope = TenantScope.of(ours.id as OrganizationId)
    const { answer } = await server.node.database.tenant(scope, async tx => {
      await tx.query('select from tickets where organization_id = $1 and id = $2 for no key update', [
        tickets[0],
      ])
      await tx.query(
        `insert into entries (organization_id, id, event_id, ticket_id, zone_index, direction, day, position, at, device_id,
           scanned_by, entries_per_day, reentry)
         select $1, $2, event_id, id, zone_index, 'in', current_date, 1, now(), 'north', user_id, 1, false
         from tickets where organization_id = $1 and id = $3`,
        [randomUUID(), tickets[0]],
      )
      let answer: ReturnType<typeof elsewhere> | null = null
      await waitUntil('the move waits', async () => {
        // Postgres ends a transaction that does nothing for ten seconds.
        await tx.query('select $1::uuid')
        // The move waits for a while. Where a look takes as long, it is asked for again.
        if (answer === null) {
          const asked = elsewhere(orderId, [[tickets[0], at.seats[9]]])
          answer = asked
          asked.then(
            () => {
              if (answer === asked) answer = null
            },
            () => {},
          )
        }
        return (await server.database.lockWaits()) > 0
      })
      // Not waited for: the move goes on when this transaction ends.
      return { answer: answer as ReturnType<typeof elsewhere> | null }
    })
    const moving = (await answer)!
    expect([moving.status, await moving.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'ticket_used' }),
    ])
    expect(await statuses(at, 0, 9)).toEqual(['sold', 'available'])
  })

  it('a move and a refund: the tickets are void once, and no money is lost', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0, 1])
    const [moved, back] = await Promise.all([
      elsewhere(orderId, [[tickets[0], at.seats[10]]]),
      refund(orderId, { ticket_ids: [tickets[0]] }),
    ])
    expect([moved.status, back.status].filter(status => status === 200)).toHaveLength(1)
  })
})

describe('a commit whose answer is lost', () => {
  it('is looked up: the tickets have moved, and the same key says so again', async () => {
    const at = await hall()
    const { orderId, tickets } = await sell(at, [0])
    const key = { 'idempotency-key': randomUUID() }
    // The event is in this node's memory, so that the next commit is the move's.
    await fetch(`${otherNode.url}${at.url}/occupancy`, {
      headers: { authorization: `Bearer ${ours.tokens.customer}` },
    })
    const cut = (fate: 'cut before' | 'cut after') => {
      proxy.trap = atCommit(() => {
        proxy.trap = null
        return fate
      })
    }
    cut('cut before')
    const lost = await elsewhere(orderId, [[tickets[0], at.seats[5]]], key)
    expect(lost.status).toBe(503)
    expect(await statuses(at, 0, 5)).toEqual(['sold', 'available'])
    cut('cut after')
    const moved = await elsewhere(orderId, [[tickets[0], at.seats[5]]], key)
    expect(moved.status).toBe(200)
    const again = await elsewhere(orderId, [[tickets[0], at.seats[5]]], key)
    expect([again.status, await again.text()]).toEqual([200, await moved.text()])
    // This node hears of it from the other one.
    await expect.poll(() => statuses(at, 0, 5)).toEqual(['available', 'sold'])
    const mails = await server.database.sql(
      `select kind from mails where order_id = $1 and kind = 'order_moved'`,
      [orderId],
    )
    expect(mails).toHaveLength(1)
  })
})
