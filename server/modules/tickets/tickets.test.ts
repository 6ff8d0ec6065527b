import { MAX_TICKET_KEYS } from '@voelgoed/contract/tickets'
import type { EventId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { type HallPlan, openHall } from '@voelgoed/testing/hall'
import { decodePdf, decodeSvg } from '@voelgoed/testing/read-qr'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertFirstTicketKey } from './tables/ticket-keys.ts'

const { server, ours, send, organize } = useServer()
let otherNode: ListeningNode

beforeAll(async () => {
  otherNode = await startListeningNode(server.database.url)
})
afterAll(() => otherNode.close())

const scope = () => TenantScope.of(ours.id as OrganizationId)
const rotate = (body?: object, token = ours.tokens.admin) =>
  send('POST', '/api/admin/ticket-keys/rotate', token, body)
const TICKET = {
  eventId: '0197a000-0000-7000-8000-000000000006' as EventId,
  ticketId: '0197a000-0000-7000-8000-00000000000c' as TicketId,
  version: 1,
}

describe('keys of tickets', () => {
  it('are rotated by admins, listed without their private part, and every node follows', async () => {
    const { ticketKeys } = server.node
    const old = await ticketKeys.sign(scope(), TICKET)
    expect(await otherNode.node.ticketKeys.verify(scope(), old)).toEqual(TICKET)
    expect((await rotate({}, ours.tokens.organizer)).status).toBe(403)
    const made = await rotate()
    expect(made.status, made.text).toBe(201)
    const list = await send('GET', '/api/admin/ticket-keys', ours.tokens.organizer)
    expect(list.body.data.map((key: { status: string }) => key.status)).toEqual(['signing', 'verifying'])
    expect(list.body.data[0]).toEqual(made.body.data)
    expect(Object.keys(list.body.data[0])).not.toContain('sealed_private_key')
    const fresh = await ticketKeys.sign(scope(), TICKET)
    expect(fresh).not.toBe(old)
    expect(await ticketKeys.verify(scope(), old)).toEqual(TICKET)

    const retired = await rotate({ retire_older: true })
    expect(await ticketKeys.verify(scope(), old)).toBeNull()
    expect(await ticketKeys.verify(scope(), fresh)).toBeNull()
    await waitUntil('the other node hears of it', async () => {
      return (await otherNode.node.ticketKeys.verify(scope(), old)) === null
    })
    const audit = await send(
      'GET',
      `/api/admin/audit?entity_id=${retired.body.data.key_id}`,
      ours.tokens.admin,
    )
    expect(audit.body.data).toMatchObject([
      { action: 'ticket_key_rotated', changes: { replaced: [made.body.data.key_id] } },
    ])
    expect(audit.body.data[0].changes.retired).toHaveLength(2)
  })

  it('are rotated while another node makes the first one', async () => {
    const theirs = await server.organization()
    const theirScope = TenantScope.of(theirs.id as OrganizationId)
    const first = server.node.ticketKeys.make(theirScope)
    let rotated: ReturnType<typeof rotate> | undefined
    await server.node.database.tenant(theirScope, async tx => {
      await insertFirstTicketKey(tx, first)
      rotated = rotate({}, theirs.tokens.admin)
      await waitUntil('the rotation waits for the first key', async () => {
        const [row] = await server.database.sql<{ waiting: number }>(
          `select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
           where not granted and datname = current_database()`,
        )
        return row!.waiting > 0
      })
    })
    expect((await rotated)!.status, (await rotated)!.text).toBe(201)
    const list = await send('GET', '/api/admin/ticket-keys', theirs.tokens.admin)
    expect(list.body.data.map((key: { status: string }) => key.status)).toEqual(['signing', 'verifying'])
  })

  it('are not many at once: a forged ticket is tried with each', async () => {
    const live = async () =>
      (await send('GET', '/api/admin/ticket-keys', ours.tokens.admin)).body.data.filter(
        (key: { status: string }) => key.status !== 'retired',
      ).length
    while ((await live()) < MAX_TICKET_KEYS) expect((await rotate()).status).toBe(201)
    const refused = await rotate()
    expect(refused.body).toMatchObject({ code: 'too_many_ticket_keys', limit: MAX_TICKET_KEYS })
    expect((await rotate({ retire_older: true })).status).toBe(201)
    expect(await live()).toBe(1)
  })

  it.each([
    ['a retired key verifies again', 'update ticket_keys set retired_at = null where retired_at is not null'],
    ['a replaced key signs again', 'update ticket_keys set replaced_at = null where replaced_at is not null'],
  ])('the table refuses that %s', async (_, sql) => {
    await expect(server.database.sql(sql)).rejects.toThrow(/was replaced or retired/)
  })
})

describe('tickets of an order', () => {
  let order: { order_id: string; order_number: string; secret: string; tickets: { ticket_id: string }[] }
  let buyer: string
  let other: string
  const ticket = (n: number) => order.tickets[n]!.ticket_id

  beforeAll(async () => {
    buyer = await guest()
    other = await guest()
    order = await sold({ event: { starts_at: '2027-03-01T17:30:00Z', sale_end: '2099-01-01T00:00:00Z' } })
  })

  async function guest(): Promise<string> {
    const made = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    return made.body.data.token
  }

  async function sold(plan: HallPlan) {
    const at = await openHall((...args) => server.request(...args), ours.tokens.organizer, {
      standing: 10,
      ...plan,
    })
    const seats = await send('POST', `${at.url}/holds`, buyer, { seat_ids: at.seats.slice(0, 2) })
    const places = await send('POST', `${at.url}/holds`, buyer, { zone_id: at.zones[1], quantity: 1 })
    const hold_ids = [...seats.body.data.holds, ...places.body.data.holds].map(hold => hold.hold_id)
    const lines = hold_ids.map((hold_id: string) => ({ hold_id, amount: 100, ticket_type: 'adult' }))
    const body = { event_id: at.eventId, hold_ids, method: 'external', currency: 'ZAR', lines }
    const made = await organize('POST', '/api/admin/orders', body)
    expect(made.status, made.text).toBe(201)
    return made.body.data
  }
  const read = async (token: string, query = '') =>
    (await send('GET', `/api/orders/${order.order_id}${query}`, token)).body.data
  const bytesOf = async (url: string, token: string) => {
    const got = await server.node.app.fastify.inject({ url, headers: { authorization: `Bearer ${token}` } })
    expect(got.statusCode, got.body).toBe(200)
    return got
  }
  const reissue = (ticketId: string, token = ours.tokens.support, body?: object) =>
    send('POST', `/api/admin/orders/${order.order_id}/tickets/${ticketId}/reissue`, token, body)

  it('have tokens for their buyer, for the holder of the secret and for staff, and for no other', async () => {
    const mine = await read(buyer)
    expect(mine.tickets).toMatchObject([
      { row: 'R1', seat_number: 1, ticket_type: 'adult', status: 'valid', version: 1, entries: 0 },
      { row: 'R1', seat_number: 2 },
      { zone_name: 'Pit', row: null, attendee: null },
    ])
    for (const { ticket_id, token } of mine.tickets) {
      const named = await server.node.ticketKeys.verify(scope(), token)
      expect(named).toEqual({ eventId: mine.event.id, ticketId: ticket_id, version: 1 })
    }
    expect(await read(other, `?secret=${order.secret}`)).toEqual(mine)
    expect(await read(other)).toBeUndefined()
    const list = await send('GET', '/api/orders?limit=200', buyer)
    // The answer about one order says where its tickets were mailed; the list does not.
    const { mail, ...listed } = mine
    expect(mail).toBeNull()
    expect(list.body.data).toEqual([listed])
    const staff = await send('GET', `/api/admin/orders/${order.order_id}`, ours.tokens.support)
    expect(staff.body.data.tickets).toEqual(mine.tickets)
    // An answer that is kept under an idempotency key has no tokens.
    expect(order.tickets[0]).not.toHaveProperty('token')
  })

  it('have codes, documents and calendar entries for the same callers', async () => {
    const { tickets } = await read(buyer)
    const tokens = tickets.map((one: { token: string }) => one.token)
    const urls = [
      `/api/tickets/${ticket(0)}/qr.svg`,
      `/api/orders/${order.order_id}/tickets.pdf`,
      `/api/orders/${order.order_id}/calendar.ics`,
    ] as const
    for (const url of urls) {
      const withSecret = `${url}?secret=${order.secret}`
      for (const [token, asked] of [
        [other, url],
        [other, `${withSecret}x`],
        [ours.tokens.scanner, url],
      ] as const) {
        expect((await send('GET', asked, token)).status).toBe(404)
      }
      for (const [token, asked] of [
        [other, withSecret],
        [ours.tokens.support, url],
      ] as const) {
        expect((await send('GET', asked, token)).status).toBe(200)
      }
    }
    const svg = await bytesOf(urls[0], buyer)
    expect(svg.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-store' })
    expect(decodeSvg(svg.body)).toBe(tokens[0])
    const pdf = await bytesOf(`${urls[1]}?language=af`, buyer)
    expect(pdf.headers).toMatchObject({ 'content-type': 'application/pdf', 'voelgoed-parts': '1' })
    expect(decodePdf(pdf.rawPayload)).toEqual(tokens)
    expect((await send('GET', `${urls[1]}?part=2`, buyer)).body.code).toBe('ticket_not_found')
    const calendar = await bytesOf(urls[2], buyer)
    expect(calendar.body).toContain('DTSTART:20270301T173000Z')
  })

  it('get a version when they are issued again: what was printed before stops working', async () => {
    const before = await read(buyer)
    for (const token of [buyer, ours.tokens.scanner])
      expect((await reissue(ticket(0), token)).status).toBe(403)
    const headers = { 'idempotency-key': 'lost ticket' }
    const url = `/api/admin/orders/${order.order_id}/tickets/${ticket(0)}/reissue`
    const body = { attendee: 'Zoë', reason: 'lost' }
    const again = await send('POST', url, ours.tokens.support, body, headers)
    expect(again.body.data).toMatchObject({ ticket_id: ticket(0), version: 2, attendee: 'Zoë' })
    expect((await send('POST', url, ours.tokens.support, body, headers)).body).toEqual(again.body)
    const after = await read(buyer)
    expect(after.tickets[0]).toMatchObject({ version: 2, attendee: 'Zoë', token: again.body.data.token })
    expect(after.tickets[0].token).not.toBe(before.tickets[0].token)
    expect(after.tickets[1]).toEqual(before.tickets[1])
    const audit = await send('GET', `/api/admin/audit?entity_id=${ticket(0)}`, ours.tokens.admin)
    expect(audit.body.data).toMatchObject([
      { action: 'ticket_reissued', changes: { version: 2, attendee: 'Zoë', reason: 'lost' } },
    ])
    // The name stays when the next reissue does not speak of it.
    expect((await reissue(ticket(0))).body.data).toMatchObject({ version: 3, attendee: 'Zoë' })
    expect((await reissue(ticket(0), ours.tokens.admin, { attendee: null })).body.data.attendee).toBeNull()
  })

  it('that are void have no token and no code, are on no document, and are not issued again', async () => {
    const given = await organize('POST', `/api/admin/orders/${order.order_id}/refund`, {
      ticket_ids: [ticket(1)],
      reason: 'ill',
    })
    expect(given.status, given.text).toBe(200)
    const { tickets } = await read(buyer)
    expect(tickets[1]).toMatchObject({ status: 'void', token: null })
    expect((await send('GET', `/api/tickets/${ticket(1)}/qr.svg`, buyer)).body.code).toBe('ticket_void')
    expect((await reissue(ticket(1))).body).toMatchObject({ code: 'ticket_void', ticket_ids: [ticket(1)] })
    const pdf = await bytesOf(`/api/orders/${order.order_id}/tickets.pdf`, buyer)
    expect(decodePdf(pdf.rawPayload)).toEqual([tickets[0].token, tickets[2].token])
  })

  it('belong to their order: by the address of another one there is no such ticket', async () => {
    const second = await sold({})
    const url = `/api/admin/orders/${second.order_id}/tickets/${ticket(0)}/reissue`
    expect((await send('POST', url, ours.tokens.admin)).body.code).toBe('ticket_not_found')
    expect((await send('GET', `/api/orders/${second.order_id}/calendar.ics`, buyer)).body.code).toBe(
      'not_found',
    )
  })

  it.each([
    ['a version goes back', 'update tickets set version = version - 1 where version > 1'],
    ['a version is left out', 'update tickets set version = version + 2 where voided_at is null'],
    ['a void ticket is issued again', 'update tickets set version = version + 1 where voided_at is not null'],
    [
      'a ticket becomes void with a new version',
      'update tickets set version = version + 1, voided_at = now()',
    ],
  ])('the table refuses that %s', async (_, sql) => {
    await expect(server.database.sql(sql)).rejects.toThrow(/can only become void/)
  })
})
