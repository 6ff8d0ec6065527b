import { randomUUID } from 'node:crypto'
import { MAX_NOTES_OF_ORDER } from '@voelgoed/contract/orders'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, describe, expect, it } from 'vitest'

const { server, ours, send } = useServer({ VOELGOED_REAPER: 'off' })
afterAll(() => expectSound(server.database))

const hall = () =>
  openHall((method, url, options) => server.request(method, url, options), ours.tokens.organizer, {
    event: { seating_overrides: UNLIMITED },
  })

/** Seats sold at the counter, at R 250 each. */
async function sell(at: Hall, seats: number[], contact: object, more: object = {}) {
  const held = await send('POST', `${at.url}/holds`, ours.tokens.organizer, {
    seat_ids: seats.map(n => at.seats[n]),
  })
  const hold_ids: string[] = held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
  const lines = hold_ids.map(hold_id => ({ hold_id, amount: 25_000 }))
  const body = {
    event_id: at.eventId,
    hold_ids,
    method: 'cash',
    currency: 'ZAR',
    lines,
    contact,
    allow_stranding: true,
    ...more,
  }
  const sold = await send('POST', '/api/admin/orders', ours.tokens.organizer, body)
  expect(sold.status, sold.text).toBe(201)
  return sold.body.data
}

async function find(query: string, more = ''): Promise<string[]> {
  const list = await send(
    'GET',
    `/api/admin/orders?query=${encodeURIComponent(query)}${more}`,
    ours.tokens.support,
  )
  expect(list.status, list.text).toBe(200)
  return list.body.data.map((order: { order_id: string }) => order.order_id)
}

const BOTHA = { name: 'Piéter Botha', email: 'pbotha@mweb.co.za', phone: '+27 82 555 0147' }

describe('an order is found', () => {
  it('by name, part of an address, telephone, seat and number, in any mixture', async () => {
    const at = await hall()
    const { order_id, order_number, tickets } = await sell(at, [3, 4], BOTHA)
    const other = (await sell(at, [8], { name: 'Gert Botha' })).order_id
    expect(tickets[0]).toMatchObject({ zone_name: 'Stalls', row: 'R1', seat_number: 4 })
    const inEvent = `&event_id=${at.eventId}`
    const half = order_number.slice(0, 5).toLowerCase()
    for (const query of [
      ...['pieter', 'PIÉTER botha', 'botha@mweb', '082 555 0147', '0147', 'R1-4', 'stalls r1 5'],
      ...['Botha, R1-4', half, `${half} mweb`],
    ]) {
      expect([query, await find(query, inEvent)]).toEqual([query, [order_id]])
    }
    expect(await find('botha', inEvent)).toEqual([other, order_id])
    expect(await find('botha stalls', `${inEvent}&status=paid`)).toEqual([other, order_id])
    for (const query of ['botha r1-8', 'Bothma', 'r1-44', '!']) expect(await find(query, inEvent)).toEqual([])
    expect(await find('botha', `${inEvent}&status=refunded`)).toEqual([])
    const file = await send('GET', `/api/admin/orders.csv?query=pieter${inEvent}`, ours.tokens.organizer)
    expect(file.text).toContain('+27 82 555 0147')
  })

  it('in pages', async () => {
    const at = await hall()
    const sold = []
    for (const seat of [0, 2, 4]) sold.push((await sell(at, [seat], { name: 'Naledi Khumalo' })).order_id)
    const found: string[] = []
    let after = ''
    for (let page = 0; page < 3; page += 1) {
      const list = await send('GET', `/api/admin/orders?query=khumalo&limit=1${after}`, ours.tokens.support)
      found.push(...list.body.data.map((order: { order_id: string }) => order.order_id))
      expect(list.body.next === null).toBe(page === 2)
      after = `&after=${list.body.next}`
    }
    expect(found).toEqual(sold.reverse())
  })

  it('where its tickets are moved to, and not where they were', async () => {
    const at = await hall()
    const { order_id, tickets } = await sell(at, [0], { name: 'Lizelle' })
    const moves = [{ ticket_id: tickets[0].ticket_id, seat_id: at.seats[6] }]
    const moved = await send('POST', `/api/admin/orders/${order_id}/move`, ours.tokens.support, { moves })
    expect(moved.status, moved.text).toBe(200)
    expect(await find('lizelle R1-7')).toEqual([order_id])
    expect(await find('lizelle R1-1')).toEqual([])
  })
})

describe('the contact of an order', () => {
  const mend = (orderId: string, body: object, token = ours.tokens.support) =>
    send('PATCH', `/api/admin/orders/${orderId}/contact`, token, body)

  it('is mended by support: it is found by it, and mails go there', async () => {
    const at = await hall()
    const { order_id } = await sell(at, [0], BOTHA)
    const body = { email: 'pieter@example.org', phone: null, send_tickets: true }
    const mended = await mend(order_id, body)
    expect(mended.status, mended.text).toBe(200)
    const { order, mail } = mended.body.data
    expect(order.contact).toEqual({ name: BOTHA.name, email: 'pieter@example.org', phone: null })
    expect(mail).toMatchObject({ to: 'pieter@example.org' })
    const mails = await send('GET', `/api/admin/mails?order_id=${order_id}`, ours.tokens.support)
    expect(mails.body.data.map((one: { to: string }) => one.to)).toEqual([
      'pieter@example.org',
      'pbotha@mweb.co.za',
    ])
    expect(await find('pieter@example', `&event_id=${at.eventId}`)).toEqual([order_id])
    expect(await find('piéter mweb', `&event_id=${at.eventId}`)).toEqual([])
    const audit = await send('GET', `/api/admin/audit?entity_id=${order_id}`, ours.tokens.admin)
    const entry = audit.body.data.find((one: { action: string }) => one.action === 'order_contact_changed')
    expect(entry.user_name).toContain('support')
    expect(entry.changes).toMatchObject({
      by: 'staff',
      before: { email: BOTHA.email, phone: BOTHA.phone },
      after: { email: 'pieter@example.org', phone: null },
    })
    expect(entry.changes.before.name).toBeUndefined()
  })

  it('stays when nothing changes, and no mail goes without an address or a ticket', async () => {
    const at = await hall()
    const { order_id } = await sell(at, [0], { name: 'Thandi' })
    const entries = () => server.database.sql('select 1 from audit_log where entity_id = $1', [order_id])
    const before = await entries()
    expect((await mend(order_id, { name: 'Thandi' })).status).toBe(200)
    expect(await entries()).toEqual(before)
    expect((await mend(order_id, { name: 'Thandi M', send_tickets: true })).body.code).toBe(
      'invalid_transition',
    )
    expect(await find('thandi m')).toEqual([])
    expect((await mend(order_id, { phone: 'none' })).status).toBe(400)
    expect((await mend(order_id, { name: 'x' }, ours.tokens.customer)).status).toBe(403)
    expect((await mend(randomUUID(), { name: 'x' })).body.code).toBe('order_not_found')
  })
})

describe('money goes back', () => {
  const refund = (orderId: string, body: object) =>
    send('POST', `/api/admin/orders/${orderId}/refund`, ours.tokens.organizer, { reason: 'ill', ...body })
  const order = async (orderId: string) =>
    (await send('GET', `/api/admin/orders/${orderId}`, ours.tokens.support)).body.data

  it('in any amount, and the tickets stay valid or not', async () => {
    const at = await hall()
    const { order_id, tickets } = await sell(at, [0, 1], BOTHA)
    const first = { ticket_ids: [tickets[0].ticket_id] }
    const kept = await refund(order_id, { ...first, amount: 12_500, keep_tickets: true })
    expect(kept.body.data).toMatchObject({
      status: 'paid',
      payments: [{ status: 'captured', refunded_amount: 12_500 }],
      refunds: [{ amount: 12_500, by_choice: 12_500, status: 'done' }],
    })
    expect(kept.body.data.tickets.map((one: { status: string }) => one.status)).toEqual(['valid', 'valid'])
    const mails = await server.database.sql<{ data: object }>(
      "select data from mails where order_id = $1 and kind = 'order_refunded'",
      [order_id],
    )
    expect(mails).toEqual([{ data: { orderId: order_id, cause: 'goodwill', amount: 12_500 } }])

    const half = await refund(order_id, { ...first, amount: 10_000 })
    expect(half.body.data).toMatchObject({
      status: 'partly_refunded',
      payments: [{ refunded_amount: 22_500 }],
    })
    const seat = await send('GET', `${at.url}/seats/${at.seats[0]}`, ours.tokens.customer)
    expect(seat.body.data.status).toBe('available')
    const rest = await refund(order_id, {})
    expect(rest.body.data).toMatchObject({
      status: 'refunded',
      payments: [{ status: 'refunded', refunded_amount: 47_500 }],
    })
    expect(await order(order_id)).toMatchObject({
      refunds: [{ by_choice: 12_500 }, { by_choice: -15_000 }, {}],
    })
  })

  it('never more than there is, nor nothing for tickets that stay', async () => {
    const at = await hall()
    const { order_id, tickets } = await sell(at, [0, 1], BOTHA)
    const first = { ticket_ids: [tickets[0].ticket_id] }
    expect((await refund(order_id, { amount: 50_001 })).body).toMatchObject({
      code: 'refund_too_high',
      available: 50_000,
    })
    const tooMuch = await refund(order_id, { ...first, amount: 25_001, keep_tickets: true })
    expect(tooMuch.body).toMatchObject({ code: 'refund_too_high', available: 25_000 })
    for (const body of [{ keep_tickets: true }, { keep_tickets: true, amount: 0 }, { amount: -1 }]) {
      expect((await refund(order_id, body)).body.code).toBe('invalid_request')
    }
    expect(await order(order_id)).toMatchObject({ status: 'paid', refunds: [] })
  })

  it('not at all: tickets are taken back, and the money is kept', async () => {
    const at = await hall()
    const { order_id } = await sell(at, [0], BOTHA)
    const taken = await refund(order_id, { amount: 0 })
    expect(taken.body.data).toMatchObject({
      status: 'refunded',
      payments: [{ status: 'refunded', refunded_amount: 0 }],
      refunds: [{ amount: 0, by_choice: -25_000, status: 'done' }],
    })
  })
})

describe('notes on an order', () => {
  const note = (orderId: string, text: string, token = ours.tokens.support) =>
    send('POST', `/api/admin/orders/${orderId}/notes`, token, { note: text })

  it('say what, who and when, newest first, and are bounded', async () => {
    const at = await hall()
    const { order_id } = await sell(at, [0], BOTHA)
    const first = await note(order_id, ' His wife uses a stick. ')
    expect(first.status, first.text).toBe(201)
    expect((await note(order_id, 'Called back', ours.tokens.organizer)).status).toBe(201)
    const notes = await send('GET', `/api/admin/orders/${order_id}/notes`, ours.tokens.support)
    expect(notes.body.data).toMatchObject([
      { note: 'Called back', written_by_name: expect.stringContaining('organizer') },
      { note: 'His wife uses a stick.', written_by_name: expect.stringContaining('support') },
    ])
    expect((await note(order_id, '  ')).status).toBe(400)
    expect((await note(order_id, 'x'.repeat(1_001))).status).toBe(400)
    expect((await note(order_id, 'x', ours.tokens.customer)).status).toBe(403)
    expect((await note(randomUUID(), 'x')).body.code).toBe('order_not_found')
    await server.database.sql(
      `insert into order_notes (organization_id, id, order_id, note, written_by)
       select organization_id, gen_random_uuid(), order_id, note, written_by from order_notes
         cross join generate_series(1, $2) where id = $1`,
      [first.body.data.note_id, MAX_NOTES_OF_ORDER - 2],
    )
    expect((await note(order_id, 'One more')).body).toMatchObject({
      code: 'too_many_notes',
      limit: MAX_NOTES_OF_ORDER,
    })
  })
})
