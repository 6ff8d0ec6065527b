import { readCsv } from '@voelgoed/core/csv'
import { CONTACT, checkoutsAt } from '@voelgoed/testing/checkouts'
import type { Hall } from '@voelgoed/testing/hall'
import { eventOnSale } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

/** Organizers read of their sales what their orders say, to the cent. */

// The gateway's work is done at any moment by the server, and when a test says so.
const used = useServer({ VOELGOED_REAPER: 'off' })
const { server, ours, send, organize } = used
const { pricedHall, guest, hold, pay } = checkoutsAt(used)
const SHOP = 'https://shop.example.org'
/** A site that was allowed is known after so long at most. */
const KNOWN_MS = 10_000

interface Line {
  readonly amount: number | null
}
interface StaffOrder {
  readonly channel: string
  readonly currency: string | null
  readonly total: number | null
  readonly lines: readonly Line[]
  readonly tickets: readonly { readonly ticket_id: string; readonly status: string }[]
  readonly refunds: readonly { readonly amount: number | null }[]
}
interface Money {
  readonly currency: string
  readonly orders: number
  readonly gross: number
  readonly refunds: number
  readonly net: number
}

let at: Hall
const orders: string[] = []

const readOrder = async (id: string): Promise<StaffOrder> =>
  (await organize('GET', `/api/admin/orders/${id}`)).body.data
const revenueOf = async (hall: Hall) =>
  (await organize('GET', `/api/admin/events/${hall.eventId}/revenue`)).body.data
const seriesOf = async (hall: Hall, query: string) =>
  (await organize('GET', `/api/admin/events/${hall.eventId}/sales/series${query}`)).body.data
const salesOf = async (hall: Hall) =>
  (await send('GET', `/api/admin/events/${hall.eventId}/sales`, ours.tokens.support)).body.data
const sum = (amounts: readonly (number | null)[]) =>
  amounts.reduce<number>((total, one) => total + (one ?? 0), 0)

async function buy(hall: Hall, seats: number[], body: object = {}, headers: Record<string, string> = {}) {
  const token = await guest()
  const holds = await send(
    'POST',
    `${hall.url}/holds`,
    token,
    { seat_ids: seats.map(n => hall.seats[n]) },
    headers,
  )
  const [first] = holds.body.data.holds
  const items = 'ticket_type' in body ? { items: [{ hold_id: first.hold_id, ...body }] } : {}
  const checkout = { event_id: hall.eventId, contact: CONTACT, ...items }
  const opened = await send('POST', '/api/checkouts', token, checkout, headers)
  expect(opened.status, opened.text).toBe(201)
  const id: string = opened.body.data.checkout_id
  const paid = await pay(id, token)
  expect(paid.body.data.status, paid.text).toBe('paid')
  return id
}

async function sell(hall: Hall, token: string, seats: number[], body: object): Promise<string> {
  const hold_ids = await hold(hall, token, seats)
  const sold = await organize('POST', '/api/admin/orders', { event_id: hall.eventId, hold_ids, ...body })
  expect(sold.status, sold.text).toBe(201)
  return sold.body.data.order_id
}

async function refund(id: string, ticketIds?: readonly string[]): Promise<void> {
  const body = { reason: 'ill', ...(ticketIds && { ticket_ids: ticketIds }) }
  const done = await organize('POST', `/api/admin/orders/${id}/refund`, body)
  expect(done.status, done.text).toBe(200)
}

beforeAll(async () => {
  at = await pricedHall()
  await organize('PATCH', '/api/admin/organization', { allowed_origins: [SHOP] })
  server.clock.advance(KNOWN_MS)
  // Our page: two adults, and a child.
  orders.push(await buy(at, [0, 1]), await buy(at, [2], { ticket_type: 'child' }))
  // Our component on another site, with our checkout and with that of the shop.
  orders.push(await buy(at, [3], {}, { origin: SHOP }))
  const chosen = await guest()
  const elsewhere = await send(
    'POST',
    `${at.url}/holds`,
    chosen,
    { seat_ids: [at.seats[4]] },
    { origin: SHOP },
  )
  const [held] = elsewhere.body.data.holds
  const shop = { event_id: at.eventId, hold_ids: [held.hold_id], method: 'external' }
  orders.push((await organize('POST', '/api/admin/orders', shop)).body.data.order_id)
  // A platform without our component, which says what was paid.
  const buyer = await guest()
  const [of] = await hold(at, buyer, [5])
  const lines = { currency: 'ZAR', lines: [{ hold_id: of, amount: 12_345 }] }
  const platform = { event_id: at.eventId, hold_ids: [of], method: 'external', ...lines }
  orders.push((await organize('POST', '/api/admin/orders', platform)).body.data.order_id)
  // The box office, and what it gives away.
  orders.push(await sell(at, ours.tokens.organizer, [6, 7], { method: 'cash' }))
  orders.push(await sell(at, ours.tokens.organizer, [8], { method: 'complimentary' }))
})
afterAll(() => expectSound(server.database))

describe('the report of an event', () => {
  it('knows where orders were made', async () => {
    const channels = await Promise.all(orders.map(async id => (await readOrder(id)).channel))
    expect(channels).toEqual(['page', 'page', 'embed', 'embed', 'api', 'box_office', 'box_office'])
    const listed = await organize('GET', `/api/admin/orders?event_id=${at.eventId}`)
    expect(listed.body.data.map((one: { channel: string }) => one.channel).reverse()).toEqual(channels)
  })

  it('adds up to what the orders say, after tickets came back in part, and whole', async () => {
    const [two, , , , , box] = orders
    const [first] = (await readOrder(two!)).tickets
    await refund(two!, [first!.ticket_id])
    await refund(box!)
    await server.node.paymentWork.runNow()

    const all = await Promise.all(orders.map(readOrder))
    const counted = all.filter(order => order.currency === 'ZAR')
    const gross = sum(counted.map(order => order.total))
    const refunds = sum(counted.flatMap(order => order.refunds.map(one => one.amount)))
    expect(gross).toBe(163_000 + 41_500 + 81_500 + 12_345 + 160_000)
    expect(refunds).toBe(80_000 + 160_000)

    const revenue = await revenueOf(at)
    expect(revenue.totals).toEqual([
      {
        ...{ currency: 'ZAR', orders: counted.length, gross, refunds, net: gross - refunds },
        fees: 4 * 1_500,
        // 15 % that is in the prices and the fees, of each order: the platform did not say.
        tax:
          [163_000, 41_500, 81_500].reduce((tax, total) => tax + included(total), 0) + 2 * included(80_000),
        tax_unknown: 12_345,
        ...{ refunds_owed: 0, refunded_at_gateway: 0, disputes_lost: 0 },
      },
    ])
    expect(revenue.orders_without_amount).toBe(2)
    for (const part of [revenue.channels, revenue.days] as Money[][]) {
      expect(sum(part.map(row => row.gross))).toBe(gross)
      expect(sum(part.map(row => row.refunds))).toBe(refunds)
      expect(sum(part.map(row => row.net))).toBe(gross - refunds)
      expect(sum(part.map(row => row.orders))).toBe(counted.length)
    }
    const ofChannel = (channel: string) => {
      const own = counted.filter(order => order.channel === channel)
      return [
        channel,
        sum(own.map(order => order.total)),
        sum(own.flatMap(o => o.refunds.map(r => r.amount))),
      ]
    }
    expect(
      revenue.channels
        .map((row: Money & { channel: string }) => [row.channel, row.gross, row.refunds])
        .sort(),
    ).toEqual(['api', 'box_office', 'embed', 'page'].map(ofChannel))
    // Tickets alone: what stands in the lines.
    const priced = sum(counted.flatMap(order => order.lines.map(line => line.amount)))
    for (const part of [revenue.zones, revenue.categories, revenue.ticket_types]) {
      expect(sum(part.map((row: { amount: number }) => row.amount))).toBe(priced)
      expect(sum(part.map((row: { returned_amount: number }) => row.returned_amount))).toBe(240_000)
    }
    expect(revenue.ticket_types).toContainEqual({
      ...{ category: 'gold', category_name: 'Gold', ticket_type: 'child', ticket_type_name: 'Child' },
      ...{ currency: 'ZAR', sold: 1, returned: 0, amount: 40_000, returned_amount: 0 },
    })
  })

  it('of the money has the tickets with it, as the report of the tickets tells of them', async () => {
    const { event_id, time_zone, ...tickets } = await salesOf(at)
    expect(tickets.sold).toBe(9)
    expect(await revenueOf(at)).toMatchObject({ event_id, time_zone, sales: tickets })
  })

  it('knows the tax of what the counter sells at the prices of the list, of each type of ticket', async () => {
    const hall = await pricedHall()
    const sellAt = async (seats: number[], method: string, prices: object[]) => {
      const hold_ids = await hold(hall, ours.tokens.organizer, seats)
      const lines = hold_ids.map((hold_id, index) => ({ hold_id, ...prices[index] }))
      const body = { event_id: hall.eventId, hold_ids, method, currency: 'ZAR', lines }
      const sold = await organize('POST', '/api/admin/orders', body)
      expect(sold.status, sold.text).toBe(201)
    }
    const unknown = async () => {
      const [{ gross, fees, tax, tax_unknown }] = (await revenueOf(hall)).totals
      return { gross, fees, tax, tax_unknown }
    }
    const adult = { amount: 80_000, ticket_type: 'adult' }
    const child = { amount: 40_000, ticket_type: 'child' }
    await sellAt([0, 1], 'cash', [adult, child])
    await sellAt([2], 'card_terminal', [{ amount: 80_000 }])
    await sellAt([3, 4], 'complimentary', [{ ...adult, amount: 0 }, { amount: 0 }])
    const tax = 2 * included(80_000) + included(40_000)
    expect(await unknown()).toEqual({ gross: 200_000, fees: 0, tax, tax_unknown: 0 })
    // Another price, a price of another type, and a type that is not on the list: its tax is unknown.
    await sellAt([5, 6], 'cash', [adult, { ...child, amount: 30_000 }])
    await sellAt([7], 'cash', [{ ...adult, ticket_type: 'child' }])
    await sellAt([8], 'cash', [{ ...adult, ticket_type: 'pensioner' }])
    await sellAt([9], 'external', [adult])
    expect(await unknown()).toMatchObject({ tax, tax_unknown: 110_000 + 3 * 80_000 })
  })

  it('counts tickets by zone, category, type and channel, and over time', async () => {
    const sales = await salesOf(at)
    expect(sales).toMatchObject({ orders: 7, sold: 9, returned: 3, capacity: 50, taken: 6, held: 0 })
    expect(sales.zones).toMatchObject([
      { zone_name: 'Stalls', sold: 9, returned: 3, capacity: 20, taken: 6 },
      { zone_name: 'Pit', sold: 0, returned: 0, capacity: 30, taken: 0 },
    ])
    expect(sales.categories).toEqual([{ category: 'gold', category_name: 'Gold', sold: 9, returned: 3 }])
    const types = sales.ticket_types.map((row: { ticket_type: string; sold: number }) => [
      row.ticket_type,
      row.sold,
    ])
    expect(types).toEqual([
      ['adult', 5],
      [null, 3],
      ['child', 1],
    ])
    const channels = sales.channels.map((row: { channel: string; orders: number; sold: number }) => {
      return [row.channel, row.orders, row.sold]
    })
    expect(channels.sort()).toEqual([
      ['api', 1, 1],
      ['box_office', 2, 3],
      ['embed', 2, 2],
      ['page', 2, 3],
    ])
    for (const step of ['day', 'hour']) {
      const { series } = await seriesOf(at, `?step=${step}`)
      expect(sum(series.map((point: { sold: number }) => point.sold))).toBe(9)
      expect(sum(series.map((point: { returned: number }) => point.returned))).toBe(3)
    }
    expect((await seriesOf(at, '?from=2099-01-01T00:00:00Z')).series).toEqual([])
  })

  it('counts a ticket that was moved to another seat once', async () => {
    const hall = await pricedHall()
    const id = await buy(hall, [0])
    const { ticket_id } = (await readOrder(id)).tickets[0]!
    const moves = [{ ticket_id, seat_id: hall.seats[5] }]
    const moved = await organize('POST', `/api/admin/orders/${id}/move`, { moves, reason: 'a better view' })
    expect(moved.status, moved.text).toBe(200)
    const once = { sold: 1, returned: 0 }
    expect(await salesOf(hall)).toMatchObject({
      ...once,
      taken: 1,
      categories: [{ category: 'gold', ...once }],
    })
    expect((await seriesOf(hall, '')).series).toMatchObject([once])
    const { totals, zones } = await revenueOf(hall)
    expect([totals[0].gross, totals[0].net, zones[0].amount]).toEqual([81_500, 81_500, 80_000])
  })

  it('takes off what banks and the gateway’s own pages took, once and no more than was paid', async () => {
    const hall = await pricedHall()
    const [first, second] = [await buy(hall, [0]), await buy(hall, [1])]
    await server.database.sql(
      `insert into gateway_refunds (organization_id, id, order_id, amount, status, told_at)
       values ($1, 're_report', $2, 1000, 'done', now())`,
      [ours.id, first],
    )
    const dispute = (order: string, id: string) =>
      server.database.sql(
        `insert into disputes (organization_id, id, order_id, amount, currency, status, reason, told_at)
         values ($1, $2, $3, 81500, 'ZAR', 'lost', 'fraudulent', now())`,
        [ours.id, id, order],
      )
    await dispute(first, 'dp_report_1')
    const [total] = (await revenueOf(hall)).totals
    expect(total).toMatchObject({
      gross: 163_000,
      refunded_at_gateway: 1_000,
      disputes_lost: 80_500,
      net: 81_500,
    })
    // Refunded here as well: nothing is taken off twice. The server asks at once, and the gateway waits.
    const { gateway } = server.node.payments
    const giveBack = gateway.refund.bind(gateway)
    let goOn = () => {}
    const untilAsked = new Promise<void>(resolve => (goOn = resolve))
    vi.spyOn(gateway, 'refund').mockImplementation(async (payee, asked) => {
      await untilAsked
      return giveBack(payee, asked)
    })
    try {
      await refund(second)
      await dispute(second, 'dp_report_2')
      const [after] = (await revenueOf(hall)).totals
      expect(after).toMatchObject({ refunds: 81_500, refunds_owed: 81_500, disputes_lost: 80_500, net: 0 })
    } finally {
      goOn()
    }
    await server.node.paymentWork.runNow()
    expect((await revenueOf(hall)).totals[0]).toMatchObject({ refunds: 81_500, refunds_owed: 0, net: 0 })
  })

  it('shows money to organizers and admins, and to no other role', async () => {
    const asked = (role: 'scanner' | 'support' | 'organizer' | 'admin', path: string) =>
      send('GET', path, ours.tokens[role]).then(answer => answer.status)
    const ofEvent = `/api/admin/events/${at.eventId}`
    for (const path of [`${ofEvent}/revenue`, '/api/admin/revenue', '/api/admin/orders.csv']) {
      expect(
        await Promise.all((['scanner', 'support', 'organizer', 'admin'] as const).map(r => asked(r, path))),
      ).toEqual([403, 403, 200, 200])
    }
    for (const path of [`${ofEvent}/sales`, '/api/admin/sales', `${ofEvent}/scans`]) {
      expect(
        await Promise.all((['scanner', 'support', 'organizer'] as const).map(r => asked(r, path))),
      ).toEqual([403, 200, 200])
    }
    const { text } = await send('GET', `${ofEvent}/sales`, ours.tokens.support)
    expect(text).not.toMatch(/gross|amount|ZAR/)
  })
})

describe('the report over all events', () => {
  it('is of the orders of its time, and of no other organization', async () => {
    const theirs = await server.organization('Theirs')
    const money = await organize('GET', '/api/admin/revenue')
    const sales = await organize('GET', '/api/admin/sales')
    expect(money.status, money.text).toBe(200)
    const [total] = money.body.data.totals
    const events: (Money & { event_id: string })[] = money.body.data.events
    expect(sum(events.map(event => event.gross))).toBe(total.gross)
    const own = (await revenueOf(at)).totals[0]
    expect(events.find(event => event.event_id === at.eventId)).toMatchObject({
      gross: own.gross,
      net: own.net,
    })
    expect(sales.body.data.events).toContainEqual(
      expect.objectContaining({
        event_id: at.eventId,
        orders: 7,
        sold: 9,
        returned: 3,
        capacity: 50,
        taken: 6,
      }),
    )
    expect(sum(sales.body.data.days.map((day: { sold: number }) => day.sold))).toBe(sales.body.data.sold)
    expect(sales.body.data.events_left_out).toBe(0)

    for (const path of ['/api/admin/revenue', '/api/admin/sales']) {
      const other = await send('GET', path, theirs.tokens.organizer)
      expect(other.body.data.events).toEqual([])
    }
    const before = '?from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z'
    const empty = await organize('GET', `/api/admin/revenue${before}`)
    expect(empty.body.data).toMatchObject({ totals: [], channels: [], days: [], events: [] })
    expect((await organize('GET', `/api/admin/sales${before}`)).body.data).toMatchObject({
      orders: 0,
      sold: 0,
    })
  })

  it('refuses a time that is none, or too long', async () => {
    for (const query of ['from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from=2020-01-01T00:00:00Z']) {
      for (const path of ['/api/admin/revenue', '/api/admin/sales']) {
        const refused = await organize('GET', `${path}?${query}`)
        expect(refused.status).toBe(400)
        expect(refused.body.errors[0].path).toBe('/query/from')
      }
    }
    const series = `/api/admin/events/${at.eventId}/sales/series?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z`
    expect((await organize('GET', series)).status).toBe(400)
  })
})

describe('orders as CSV', () => {
  const csv = (query = '', token = ours.tokens.organizer) =>
    send('GET', `/api/admin/orders.csv${query}`, token)
  const recordsOf = (text: string) => {
    const { records, broken } = readCsv(text, 100_000)
    expect(broken).toBeNull()
    const [head, ...rows] = records.map(record => record.cells)
    return rows.map(row => Object.fromEntries(head!.map((name, index) => [name, row[index]])))
  }

  it('has the orders of the filter with their money, and no formulas', async () => {
    const hall = await pricedHall()
    const hold_ids = await hold(hall, ours.tokens.organizer, [0])
    const contact = { name: '=HYPERLINK("https://evil.example","Click")', email: '+ann@example.org' }
    const sold = await organize('POST', '/api/admin/orders', {
      ...{ event_id: hall.eventId, hold_ids, method: 'cash', contact, reference: '@SUM(A1)' },
    })
    expect(sold.status, sold.text).toBe(201)
    await buy(hall, [1])
    const { text, headers } = await csv(`?event_id=${hall.eventId}`)
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['voelgoed-next']).toBeUndefined()
    const rows = recordsOf(text)
    expect(rows.map(row => [row.channel, row.method, row.total, row.fees, row.refunds])).toEqual([
      ['page', 'gateway', '815.00', '15.00', '0.00'],
      ['box_office', 'cash', '800.00', '0.00', '0.00'],
    ])
    expect(rows[1]).toMatchObject({
      name: `'=HYPERLINK("https://evil.example","Click")`,
      email: `'+ann@example.org`,
      reference: `'@SUM(A1)`,
    })
    const found = recordsOf((await csv(`?event_id=${hall.eventId}&query=ben@`)).text)
    expect(found.map(row => row.email)).toEqual([CONTACT.email])
    expect(recordsOf((await csv(`?event_id=${hall.eventId}&status=refunded`)).text)).toEqual([])
  })

  it('comes in files of a bounded size, and the audit log says who took them', async () => {
    const other = await server.organization('Large')
    const { eventId } = await eventOnSale(server, other)
    await insertOrders(other.id, eventId, 5_003)
    const token = other.tokens.organizer
    const first = await csv('', token)
    const next = String(first.headers['voelgoed-next'])
    const second = await csv(`?after=${next}`, token)
    expect(second.headers['voelgoed-next']).toBeUndefined()
    const ids = [...recordsOf(first.text), ...recordsOf(second.text)].map(row => row.order_id)
    expect(ids).toHaveLength(5_003)
    expect(new Set(ids).size).toBe(5_003)
    const audit = await send('GET', '/api/admin/audit?action=orders_exported', other.tokens.admin)
    expect(audit.body.data.map((entry: { changes: { orders: number } }) => entry.changes.orders)).toEqual([
      3, 5_000,
    ])
    await server.database.sql('delete from orders where event_id = $1', [eventId])
  })
})

describe('the last scans', () => {
  it('are listed with their place, gate and person, the last first, in pages', async () => {
    const hall = await pricedHall()
    const id = await sell(hall, ours.tokens.organizer, [0, 1, 2], { method: 'cash' })
    const { tickets } = (await organize('GET', `/api/admin/orders/${id}`)).body.data
    for (const { token } of tickets) {
      const shown = await send('POST', '/api/scans', ours.tokens.scanner, {
        token,
        device_id: 'n1',
        gate: 'North',
      })
      expect(shown.body.data.result, shown.text).toBe('admitted')
    }
    const url = `/api/admin/events/${hall.eventId}/scans`
    const page = await send('GET', `${url}?limit=2`, ours.tokens.support)
    const rest = await send('GET', `${url}?limit=2&after=${page.body.next}`, ours.tokens.support)
    const seats = [...page.body.data, ...rest.body.data].map(scan => scan.seat_number)
    expect(seats).toEqual([3, 2, 1])
    expect(rest.body.next).toBeNull()
    expect(page.body.data[0]).toMatchObject({
      direction: 'in',
      zone_name: 'Stalls',
      row: 'R1',
      gate: 'North',
    })
    expect(page.body.data[0].scanned_by_email).toMatch(/^scanner@/)
    const bad = await send('GET', `${url}?after=nothing`, ours.tokens.support)
    expect(bad.status).toBe(400)
  })
})

/** So many orders of an event, as rows. */
async function insertOrders(organizationId: string, eventId: string, count: number): Promise<void> {
  await server.database.sql(
    `insert into orders (organization_id, id, event_id, number, user_id, status, hold_ids, secret_hash)
     select $1, gen_random_uuid(), $2, lpad(n::text, 8, '0'), u.id, 'paid', '{}', sha256('x')
     from (select id from users where organization_id = $1 and role = 'customer' limit 1) u,
       generate_series(1, $3::int) n`,
    [organizationId, eventId, count],
  )
}

function included(total: number): number {
  return Math.round(total - total / 1.15)
}
