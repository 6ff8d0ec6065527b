import { hkdfSync } from 'node:crypto'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { CONTACT, card, checkoutsAt } from '@voelgoed/testing/checkouts'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { Card } from '../payments/card.ts'
import { SIGNATURE_HEADER, signWebhook } from '../payments/fake-bank/signature.ts'
import { readSigningKey } from '../sign-in/tables/installation.ts'
import { notePayment } from './tables/checkouts.ts'

const used = useServer({ VOELGOED_REAPER: 'off' })
const { server, ours, send } = used
afterEach(() => vi.restoreAllMocks())
afterAll(() => expectSound(server.database))

const { pricedHall, guest, hold, open, pay, read, statusOf, order, twoSeats } = checkoutsAt(used)
const DECLINED = card('4000 0000 0000 0002')
const STEP = card('4000 0025 0000 3155')
const TIME_OUT = { ok: true, value: { kind: 'unknown', reason: 'time_out' } } as const

describe('a checkout', () => {
  it('says what holds cost and keeps it, is paid with one card, and becomes an order with tickets', async () => {
    const at = await pricedHall()
    const token = await guest()
    const holds = await hold(at, token, [0, 1])
    const places = await send('POST', `${at.url}/holds`, token, { zone_id: at.zones[1], quantity: 2 })
    const pit = places.body.data.holds[0].hold_id
    const opened = await open(at, token, {
      items: [
        { hold_id: holds[1], ticket_type: 'child', attendee: 'Anna' },
        { hold_id: pit, ticket_type: 'adult' },
        { hold_id: pit, ticket_type: 'child' },
      ],
    })
    expect(opened.status, opened.text).toBe(201)
    const total = 80_000 + 40_000 + 80_000 + 40_000 + 4 * 1_500
    expect(opened.body.data).toMatchObject({
      ...{
        status: 'open',
        event_id: at.eventId,
        currency: 'ZAR',
        total,
        gateway: 'simulator',
        order_id: null,
      },
      fees: [{ name: 'Booking fee', amount: 6_000 }],
      tax: { name: 'VAT', amount: Math.round((total * 15) / 115) },
    })
    expect(opened.body.data.lines.map((line: { amount: number }) => line.amount)).toEqual([
      80_000, 40_000, 80_000, 40_000,
    ])
    const id = opened.body.data.checkout_id
    const again = await open(at, token, { hold_ids: [...holds, pit] })
    expect([again.status, again.body.data.checkout_id === id]).toEqual([201, false])
    expect((await read(id, token)).status).toBe('cancelled')

    const second = again.body.data.checkout_id
    const paid = await pay(second, token)
    expect(paid.body.data).toEqual({ checkout_id: second, status: 'paid', order_id: second })
    expect([await statusOf(at, 0), await statusOf(at, 1)]).toEqual(['sold', 'sold'])
    expect(await order(second)).toMatchObject({
      ...{ status: 'paid', sold_by: null, sold_by_name: null, total: 4 * 81_500, contact: CONTACT },
      payments: [{ method: 'gateway', status: 'captured', amount: 4 * 81_500 }],
      refunds: [],
    })
    const mine = await send('GET', `/api/orders/${second}`, token)
    expect(mine.body.data.tickets).toHaveLength(4)
    expect((await pay(second, token)).body.data.status).toBe('paid')
    expect(await intents(second)).toEqual([{ status: 'captured', refunded: 0 }])
    const audit = await send('GET', `/api/admin/audit?entity_id=${second}`, ours.tokens.admin)
    expect(audit.body.data).toMatchObject([{ action: 'order_sold', actor: 'system' }])
    const mails = await server.database.sql('select kind from mails where order_id = $1', [second])
    expect(mails).toEqual([{ kind: 'order_paid' }])
  })

  it('is the same for the same holds, in two tabs as well, and is charged once', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const same = await open(at, token, { contact: { name: 'Bea', email: 'bea@example.org' } })
    expect([same.status, same.body.data.checkout_id, same.body.data.contact.name]).toEqual([200, id, 'Bea'])
    const answers = await Promise.all([pay(id, token), pay(id, token), pay(id, token)])
    expect(answers.map(answer => answer.body.data?.status ?? answer.text)).toEqual(['paid', 'paid', 'paid'])
    expect(await intents(id)).toHaveLength(1)
    expect((await order(id)).tickets).toHaveLength(2)
  })

  it('that costs nothing is paid at once, without a gateway', async () => {
    const at = await pricedHall({}, [{ key: 'free', name: 'Free', amount: 0 }], [])
    const { token, id, opened } = await twoSeats(at)
    expect([opened.total, opened.gateway]).toEqual([0, 'none'])
    // In two tabs at once: the slower one hears the same, and not that a card was declined.
    const answers = await Promise.all([pay(id, token, {}), pay(id, token, {})])
    for (const { body } of answers) {
      expect(body.data.status).toBe('paid')
      expect(body.data).not.toHaveProperty('declined')
    }
    expect(await intents(id)).toEqual([])
    expect((await order(id)).payments).toMatchObject([{ method: 'gateway', status: 'captured', amount: 0 }])
  })

  it('is refused without holds, without prices, and where a payment would be', async () => {
    const at = await pricedHall({ event: { seating_overrides: UNLIMITED } })
    const token = await guest()
    expect((await open(at, token)).body).toMatchObject({ status: 400, code: 'nothing_to_pay_for' })
    const other = await hold(at, await guest(), [8, 9])
    expect((await open(at, token, { hold_ids: other })).body.code).toBe('hold_not_found')
    const [lonely] = await hold(at, token, [1])
    const stranding = (await open(at, token)).body
    expect(stranding).toMatchObject({ status: 409, code: 'would_strand_seats' })
    for (const { seat_ids, labels } of stranding.alternatives) expect(labels).toHaveLength(seat_ids.length)
    await send('DELETE', `/api/holds/${lonely}`, token)
    const mine = await hold(at, token, [2, 3])
    const odd = (items: object[]) => open(at, token, { items })
    expect((await odd([{ hold_id: mine[0], ticket_type: 'royal' }])).body.code).toBe('invalid_request')
    expect((await odd([{ hold_id: other[0] }])).body.code).toBe('invalid_request')
    expect((await odd([{ hold_id: mine[0] }, { hold_id: mine[0] }])).body.code).toBe('invalid_request')
    const unpriced = await openHall(server.request, ours.tokens.organizer)
    await hold(unpriced, token, [0, 1])
    expect((await open(unpriced, token)).body).toMatchObject({ status: 409, code: 'not_priced' })
    const stranger = await guest()
    const { id } = (await open(at, token)).body.data
    for (const [method, url] of [
      ['GET', `/api/checkouts/${id}`],
      ['DELETE', `/api/checkouts/${id}`],
      ['POST', `/api/checkouts/${id}/pay`],
    ] as const) {
      expect((await send(method, url, stranger, method === 'POST' ? {} : undefined)).status).toBe(404)
    }
  })

  it('lifts the time of its holds once, and not again with a second card', async () => {
    const at = await pricedHall()
    const { token, id, opened } = await twoSeats(at)
    const first = await pay(id, token, DECLINED)
    expect(first.body.data).toMatchObject({
      status: 'open',
      declined: { code: 'card_declined', message: expect.stringContaining('bank') },
    })
    const lifted = await read(id, token)
    expect(Date.parse(lifted.expires_at)).toBeGreaterThan(Date.parse(opened.expires_at))
    expect(lifted.expires_in_seconds).toBeLessThanOrEqual(900)
    await pay(id, token, DECLINED)
    expect((await read(id, token)).expires_at).toBe(lifted.expires_at)
    expect((await pay(id, token)).body.data.status).toBe('paid')
    expect(await intents(id)).toHaveLength(1)
  })

  it('says why it was declined, and gives its places back at once where the policy says so', async () => {
    const seating_overrides = {
      ...UNLIMITED,
      orphan_avoidance_strict: false,
      release_on_declined_payment: true,
    }
    const at = await pricedHall({ event: { seating_overrides } })
    const { token, id } = await twoSeats(at)
    const typo = { card: { number: '4242 4242 4242 4242', expiry: '1/20', cvc: '737' } }
    expect((await pay(id, token, typo)).body.code).toBe('invalid_request')
    // And one that the gateway itself can not read.
    const unread = { ok: false, problem: { kind: 'invalid_card', errors: [] } } as const
    vi.spyOn(server.node.payments.gateway, 'createIntent').mockResolvedValueOnce(unread)
    expect((await pay(id, token)).body.code).toBe('invalid_request')
    expect(await statusOf(at, 0)).toBe('held')
    const refused = await pay(id, token, DECLINED)
    expect(refused.body.data).toMatchObject({ status: 'expired', declined: { code: 'card_declined' } })
    expect([await statusOf(at, 0), await statusOf(at, 1)]).toEqual(['available', 'available'])
    const { status, declined } = await read(id, token)
    expect([status, declined.code]).toEqual(['expired', 'card_declined'])
    expect(declined.message).toContain('bank')
    const reasons = await server.database.sql(
      `select distinct body->>'reason' as reason from journal_entries where event_id = $1 and kind = 'seat_released'`,
      [at.eventId],
    )
    expect(reasons).toEqual([{ reason: 'payment_failed' }])
    expect((await pay(id, token)).body).toMatchObject({ status: 410, code: 'hold_expired' })
    const gentle = await pricedHall()
    const kept = await twoSeats(gentle)
    await pay(kept.id, kept.token, DECLINED)
    expect([await statusOf(gentle, 0), (await read(kept.id, kept.token)).declined.code]).toEqual([
      'held',
      'card_declined',
    ])
    await pay(kept.id, kept.token)
    expect((await read(kept.id, kept.token)).declined).toBe(null)
  })

  it('that is cancelled gives its holds back, before a payment and after one was declined', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const gone = await send('DELETE', `/api/checkouts/${id}`, token)
    expect([gone.status, gone.body.data.status]).toEqual([200, 'cancelled'])
    expect(await statusOf(at, 0)).toBe('available')
    expect((await pay(id, token)).body).toMatchObject({ status: 409, code: 'checkout_closed' })
    expect((await send('DELETE', `/api/checkouts/${id}`, token)).status).toBe(200)
    const tried = await twoSeats(at)
    await pay(tried.id, tried.token, DECLINED)
    expect((await send('DELETE', `/api/holds/${tried.holds[0]}`, tried.token)).body.code).toBe(
      'hold_in_payment',
    )
    await send('DELETE', `/api/checkouts/${tried.id}`, tried.token)
    expect(await statusOf(at, 0)).toBe('available')
    const ended = await server.database.sql<{ reason: string }>(
      `select distinct body->>'reason' as reason from journal_entries where event_id = $1 and kind = 'seat_released'`,
      [at.eventId],
    )
    expect(ended).toEqual([{ reason: 'user_cancelled' }])
    const paid = await twoSeats(at)
    await pay(paid.id, paid.token)
    const late = await send('DELETE', `/api/checkouts/${paid.id}`, paid.token)
    expect(late.body).toMatchObject({ status: 409, code: 'checkout_closed', current_status: 'paid' })
  })

  it('can not be paid once its holds are gone, or have other places', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    await send('POST', '/api/admin/seats/release', ours.tokens.organizer, { hold_ids: holds })
    expect((await pay(id, token)).body).toMatchObject({ status: 410, code: 'hold_expired' })
    expect(await intents(id)).toEqual([])
    const places = await send('POST', `${at.url}/holds`, token, { zone_id: at.zones[1], quantity: 3 })
    const hold_ids = [places.body.data.holds[0].hold_id]
    const opened = await open(at, token, { hold_ids })
    await send('PATCH', `/api/holds/${hold_ids[0]}`, token, { quantity: 2 })
    const changed = await pay(opened.body.data.checkout_id, token)
    expect(changed.body).toMatchObject({ status: 409, code: 'hold_changed', quantity: 2 })
  })

  it('goes on after a second step, and says again where it is', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const asked = await pay(id, token, STEP)
    expect(asked.body.data).toMatchObject({ status: 'paying', next: { kind: 'redirect' } })
    expect((await pay(id, token, {})).body.data.next).toEqual(asked.body.data.next)
    expect((await read(id, token)).status).toBe('paying')
    const party = server.node.payments.fakeBank!.party
    const step = decodeURIComponent(new URL(asked.body.data.next.url, 'http://x').pathname.split('/').at(-1)!)
    const intent = (await party.stepAt(step))!
    await party.answerStep(step, party.tokens.formToken(intent), 'accept')
    expect((await pay(id, token, {})).body.data.status).toBe('paid')
  })

  it('that is under way when the organization is suspended ends in tickets; no other begins', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const waiting = await twoSeats(at, [4, 5])
    const asked = await pay(id, token, STEP)
    const suspend = (suspended: boolean) =>
      server.request('PATCH', `/api/platform/organizations/${ours.id}`, {
        token: ROOT_KEY,
        body: { suspended },
      })
    expect((await suspend(true)).status).toBe(200)
    try {
      expect((await pay(waiting.id, waiting.token)).body.code).toBe('organization_suspended')
      const { party } = server.node.payments.fakeBank!
      const step = new URL(asked.body.data.next.url, 'http://x').pathname.split('/').at(-1)!
      const intent = (await party.stepAt(decodeURIComponent(step)))!
      await party.answerStep(decodeURIComponent(step), party.tokens.formToken(intent), 'accept')
      await lookNow([id])
      expect((await read(id, token)).status).toBe('paid')
      const bought = await send('GET', `/api/orders/${id}`, token)
      expect(bought.body.data.tickets).toHaveLength(2)
      // The others give back what they hold when they wish, and it runs out as ever.
      expect((await send('DELETE', `/api/checkouts/${waiting.id}`, waiting.token)).status).toBe(200)
    } finally {
      await suspend(false)
    }
  })

  it('does not take a time-out for a refusal', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { gateway } = server.node.payments
    vi.spyOn(gateway, 'createIntent').mockResolvedValueOnce(TIME_OUT)
    expect((await pay(id, token)).body.data).toEqual({ checkout_id: id, status: 'paying' })
    expect(await statusOf(at, 0)).toBe('held')
    expect((await order(id)).payments).toMatchObject([{ status: 'unknown' }])
    expect((await pay(id, token)).body.data.status).toBe('paid')
  })

  it('takes test cards only, says what is wrong with others, and keeps nothing of any card', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const wrong = await pay(id, token, { card: { number: '5555 5555 5555 4444', expiry: '1/20', cvc: '1' } })
    expect(wrong.body).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(wrong.body.errors.map((each: { path: string }) => each.path)).toContain('/card/expiry')
    expect((await pay(id, token, {})).body.code).toBe('invalid_request')
    expect((await read(id, token)).status).toBe('open')
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const node = await startListeningNode(server.database.url, { VOELGOED_REAPER: 'off' }, { log })
    const ask = async (path: string, options: RequestInit = {}) => {
      const answer = await fetch(new URL(path, node.url), {
        method: 'POST',
        ...options,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...options.headers },
      })
      return answer.text()
    }
    try {
      const cards = ['5555 5555 5555 4444', '4000 0000 0000 0002', '4242 4242 4242 4242']
      for (const number of cards) {
        await ask(`/api/checkouts/${id}/pay`, { body: JSON.stringify(card(number)) })
        await ask(`/api/checkouts/${id}/pay?number=${number}`, { body: `{"card":{"number":"${number}"` })
      }
      expect((await read(id, token)).status).toBe('paid')
      const second = await twoSeats(at, [2, 3])
      const headers = { authorization: `Bearer ${second.token}` }
      const body = JSON.stringify(STEP)
      expect(await ask(`/api/checkouts/${second.id}/pay`, { body, headers })).toContain('redirect')
      await node.node.payments.fakeBank!.sender.deliver()
      lines.push(await ask('/metrics', { method: 'GET' }))
    } finally {
      await node.close()
    }
    expect(lines.length).toBeGreaterThan(8)
    // A security code only beside its name: clocks and counters have three digits as well.
    const isCard = /4242.{0,3}4242|5555.{0,3}5555|4000.{0,3}0025|4000.{0,3}0000|cvc\W{1,6}737/
    // The fractions of figures have many zeros: 0.011299430400000001 is no card.
    const withoutFractions = (line: string) => line.replace(/\d\.\d+/g, '')
    expect(lines.filter(line => isCard.test(withoutFractions(line)))).toEqual([])
    const tables = await server.database.sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    for (const { name } of tables) {
      // Pictures have all kinds of digits, as hexadecimal.
      if (name === 'image_files') continue
      const rows = await server.database.sql<{ text: string }>(`select t::text as text from ${name} t`)
      const leaks = rows.filter(({ text }) =>
        /4242.?4242.?4242|5555.?5555.?5555|4000.?00(?:00|25).?0000|cvc\W{1,6}737/.test(text),
      )
      expect([name, leaks]).toEqual([name, []])
    }
  })
})

describe('money that comes late', () => {
  const LATE = card('4000 0000 0000 0341')

  /** A payment that the fake bank captures in 16 minutes; until then its holds are released by force. */
  async function lateCheckout(at: Hall, seats: number[], body: object = {}) {
    const made = await twoSeats(at, seats, body)
    expect((await pay(made.id, made.token, LATE)).body.data).toEqual({
      checkout_id: made.id,
      status: 'paying',
    })
    const release = { hold_ids: made.holds, force: true }
    await send('POST', '/api/admin/seats/release', ours.tokens.organizer, release)
    return made
  }

  async function captureNow(): Promise<void> {
    server.clock.advance(17 * 60_000)
    await server.node.payments.fakeBank!.party.goOn()
  }

  it('gets the same places, others at the same price if the buyer agreed, or goes back, once', async () => {
    const at = await pricedHall({ seats: 10 })
    const same = await lateCheckout(at, [0, 1])
    const other = await lateCheckout(at, [2, 3], { accept_alternatives: true })
    const lost = await lateCheckout(at, [4, 5])
    const cancelled = await lateCheckout(at, [8, 9])
    await send('DELETE', `/api/checkouts/${cancelled.id}`, cancelled.token)
    await hold(at, await guest(), [2])
    await hold(at, await guest(), [5])
    await captureNow()
    // The webhooks of the fake bank are not sent in this test: the job looks the payments up.
    await lookNow([same.id, other.id, lost.id, cancelled.id])
    const late = async ({ id, token }: { id: string; token: string }) => {
      const { status, late: step } = await read(id, token)
      const { payments, tickets, refunds } = await order(id)
      return [
        status,
        step,
        payments[0].status,
        tickets.length,
        refunds.map((one: { status: string }) => one.status),
      ]
    }
    expect(await late(same)).toEqual(['paid', 'same_places', 'captured', 2, []])
    expect(await late(other)).toEqual(['paid', 'other_places', 'captured', 2, []])
    expect(await late(lost)).toEqual(['refunded', 'refund', 'refunded', 0, ['done']])
    expect(await late(cancelled)).toEqual(['refunded', 'refund', 'refunded', 0, ['done']])
    const places = (await order(other.id)).tickets.map((ticket: { seat_id: string }) =>
      at.seats.indexOf(ticket.seat_id),
    )
    expect(places).not.toContain(2)
    expect(await intents(lost.id)).toEqual([{ status: 'captured', refunded: 163_000 }])
    await lookNow([lost.id])
    expect(await intents(lost.id)).toEqual([{ status: 'captured', refunded: 163_000 }])
    const mails = await server.database.sql('select kind from mails where order_id = $1', [lost.id])
    expect(mails).toEqual([{ kind: 'order_refunded' }])
  })

  it('goes by what the buyer said last, in the language that they read then', async () => {
    const at = await pricedHall()
    const token = await guest()
    await hold(at, token, [0, 1])
    const openIn = async (language: string, accept_alternatives: boolean) => {
      const headers = { 'accept-language': language }
      const body = { event_id: at.eventId, contact: CONTACT, accept_alternatives }
      const opened = await server.request('POST', '/api/checkouts', { token, headers, body })
      const id = opened.body.data.checkout_id as string
      const sql = 'select accept_alternatives, locale from checkouts where order_id = $1'
      return { id, row: (await server.database.sql(sql, [id]))[0] }
    }
    const first = await openIn('en', false)
    expect(first.row).toEqual({ accept_alternatives: false, locale: 'en' })
    expect(await openIn('af', true)).toEqual({
      id: first.id,
      row: { accept_alternatives: true, locale: 'af' },
    })
    expect((await openIn('en', false)).row).toEqual({ accept_alternatives: false, locale: 'en' })
  })

  it('is not looked up any more once it is known, also if a request to pay comes late', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token)
    // A request that read the order before the money was there, and writes after it.
    const scope = TenantScope.of(ours.id as OrganizationId)
    const late = { isSent: true, lookInMs: 15_000 }
    await server.node.database.tenant(scope, tx => notePayment(tx, id, late))
    const sql = 'select look_at from payments where order_id = $1'
    expect(await server.database.sql(sql, [id])).toEqual([{ look_at: null }])
  })

  it('is not taken for declined before no call can be on its way', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { gateway } = server.node.payments
    vi.spyOn(gateway, 'createIntent').mockResolvedValueOnce(TIME_OUT)
    await pay(id, token)
    await lookNow([id])
    expect((await read(id, token)).status).toBe('paying')
    await server.database.sql(
      `update payments set sent_at = now() - interval '5 minutes' where order_id = $1`,
      [id],
    )
    await lookNow([id])
    expect((await read(id, token)).status).toBe('open')
    expect((await pay(id, token)).body.data.status).toBe('paid')
  })

  it('that was declined is looked up once more, when no call can be on its way', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { gateway } = server.node.payments
    const createIntent = gateway.createIntent.bind(gateway)
    // In a second tab another card is tried: its call arrives, and its answer is lost.
    vi.spyOn(gateway, 'createIntent').mockImplementationOnce(async (payee, intent) => {
      const answer = await createIntent(payee, { ...intent, card: new Card(DECLINED.card) })
      await createIntent(payee, intent)
      return answer
    })
    await allRest()
    const { unknown } = server.node.paymentWork.waiting
    expect((await pay(id, token)).body.data).toMatchObject({ status: 'open', declined: {} })
    expect(await intents(id)).toEqual([{ status: 'captured', refunded: 0 }])
    await work()
    expect((await read(id, token)).status).toBe('open')
    expect(server.node.paymentWork.waiting.unknown).toBe(unknown)
    await later(id)
    expect((await order(id)).status).toBe('paid')
    expect(await looksOf(id)).toEqual([null])

    const declined = await twoSeats(await pricedHall())
    await pay(declined.id, declined.token, DECLINED)
    expect(await looksOf(declined.id)).not.toEqual([null])
    await later(declined.id)
    expect(await looksOf(declined.id)).toEqual([null])
    const { status, declined: why } = await read(declined.id, declined.token)
    expect([status, why.code]).toEqual(['open', 'card_declined'])
  })

  it('is not declined by a look-up that is older than the attempt', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token, DECLINED)
    const { gateway } = server.node.payments
    const lookUp = gateway.lookUp.bind(gateway)
    // The gateway says that the first card was declined; before that is heard, the buyer tries another.
    let isFirst = true
    vi.spyOn(gateway, 'lookUp').mockImplementation(async (payee, intent) => {
      const answer = await lookUp(payee, intent)
      // The server looks up payments of other tests as well, when they are due.
      if (!isFirst || intent.orderId !== id) return answer
      isFirst = false
      vi.spyOn(gateway, 'createIntent').mockResolvedValueOnce(TIME_OUT)
      expect((await pay(id, token)).body.data.status).toBe('paying')
      return answer
    })
    await server.database.sql('update payments set look_at = now() where order_id = $1', [id])
    await work()
    expect((await read(id, token)).status).toBe('paying')
    await later(id)
    expect((await read(id, token)).status).toBe('open')
  })

  it('is not settled by what was due before the buyer tried again', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { gateway } = server.node.payments
    vi.spyOn(gateway, 'createIntent').mockResolvedValue(TIME_OUT)
    await pay(id, token)
    await allRest()
    const lookUp = vi.spyOn(gateway, 'lookUp').mockResolvedValue({ ok: true, value: { kind: 'not_found' } })
    // The payment is due, and another request to pay comes after it was leased and before it is read. Other
    // work of the node may read something meanwhile.
    const { database } = server.node
    const tenant = database.tenant.bind(database)
    const isLeased = async () => {
      const later = `select 1 from payments
        where order_id = $1 and sent_at < now() - interval '4 minutes' and look_at > now()`
      return (await server.database.sql(later, [id])).length > 0
    }
    let isNoted = false
    vi.spyOn(database, 'tenant').mockImplementation(async (scope, body) => {
      if (!isNoted && (await isLeased()) && !isNoted) {
        isNoted = true
        await tenant(scope, tx => notePayment(tx, id, { isSent: true, lookInMs: 15_000 }))
      }
      return tenant(scope, body)
    })
    // From here on the server's own look may lease it as well: it meets the same.
    await server.database.sql(
      `update payments set sent_at = now() - interval '5 minutes', look_at = now() where order_id = $1`,
      [id],
    )
    await work()
    expect(isNoted).toBe(true)
    expect(lookUp).toHaveBeenCalledOnce()
    expect((await read(id, token)).status).toBe('paying')
    expect(await looksOf(id)).not.toEqual([null])
  })

  it('is looked up for two months where the buyer may have been charged, and then given up aloud', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { gateway } = server.node.payments
    vi.spyOn(gateway, 'createIntent').mockResolvedValueOnce(TIME_OUT)
    await pay(id, token)
    vi.spyOn(gateway, 'lookUp').mockResolvedValue(TIME_OUT)
    const after = async (days: number) => {
      const sql = `update payments set created_at = now() - interval '90 days',
        sent_at = now() - $2 * interval '1 day', look_at = now() where order_id = $1`
      await server.database.sql(sql, [id, days])
      await work()
      const next =
        'select round(extract(epoch from look_at - now()) / 3600)::int as hours from payments where order_id = $1'
      return (await server.database.sql<{ hours: number | null }>(next, [id]))[0]!.hours
    }
    // A retry of an old payment is looked up as often as a new one.
    expect(await after(0)).toBe(0)
    expect(await after(8)).toBe(24)
    expect(await after(61)).toBe(null)
  })

  /** Minutes pass, in which no call for the payment was made. */
  async function later(id: string) {
    await server.database.sql(
      `update payments set sent_at = sent_at - interval '5 minutes', look_at = look_at - interval '5 minutes'
       where order_id = $1`,
      [id],
    )
    await work()
  }

  async function looksOf(id: string) {
    const rows = await server.database.sql('select look_at from payments where order_id = $1', [id])
    return rows.map(row => row.look_at)
  }
})

describe('webhooks', () => {
  const post = async (body: string | Buffer, headers: Record<string, string>, gateway = 'simulator') => {
    const all = { 'content-type': 'application/json', ...headers }
    return server.request('POST', `/api/payments/${gateway}/webhook`, { raw: body as string, headers: all })
  }
  /** Reads the signed messages that the fake bank would send. */
  async function messages(id: string) {
    const rows = await server.database.sql<{ body: string }>(
      `select body from simulated_webhooks where body like $1 order by created_at`,
      [`%${id}%`],
    )
    return rows.map(row => row.body)
  }
  const signed = (body: string) => {
    const secret = Buffer.from(hkdfSync('sha256', signingKey, 'voelgoed', 'payment simulator: webhooks', 32))
    return { [SIGNATURE_HEADER]: signWebhook(secret, body, server.clock.now()) }
  }
  let signingKey: Buffer

  it('are kept once, if their signature is good, and settle a payment whose answer was lost', async () => {
    signingKey = await server.node.database.platform('read and write the installation', readSigningKey)
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { gateway } = server.node.payments
    const createIntent = gateway.createIntent.bind(gateway)
    vi.spyOn(gateway, 'createIntent').mockImplementationOnce(async (payee, intent) => {
      await createIntent(payee, intent)
      return { ok: true, value: { kind: 'unknown', reason: 'connection_lost' } }
    })
    expect((await pay(id, token)).body.data.status).toBe('paying')
    const [body] = await messages(id)
    expect((await post(body!, {})).status).toBe(400)
    expect((await post(`${body} `, signed(body!))).status).toBe(400)
    expect((await post(body!, signed(body!), 'stripe')).status).toBe(404)
    expect((await post('x'.repeat(300_000), signed(body!))).status).toBe(413)
    const kept = () =>
      server.database.sql("select state from gateway_events where event->>'orderId' = $1", [id])
    expect(await kept()).toEqual([])
    for (let n = 0; n < 3; n += 1) expect((await post(body!, signed(body!))).status).toBe(200)
    await work()
    expect(await kept()).toEqual([{ state: 'done' }])
    expect((await read(id, token)).status).toBe('paid')
    expect((await order(id)).tickets).toHaveLength(2)
  })

  it('of an order that was settled before take no lock of its event', async () => {
    signingKey = await server.node.database.platform('read and write the installation', readSigningKey)
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    expect((await pay(id, token)).body.data.status).toBe('paid')
    const [body] = await messages(id)
    const scope = TenantScope.of(ours.id as OrganizationId)
    const exclusive = vi.spyOn(server.node.lanes.lane(scope, at.eventId as EventId), 'exclusive')
    expect((await post(body!, signed(body!))).status).toBe(200)
    await work()
    const kept = await server.database.sql("select state from gateway_events where event->>'orderId' = $1", [
      id,
    ])
    expect(kept).toEqual([{ state: 'done' }])
    expect(exclusive).not.toHaveBeenCalled()
  })

  it('of captured money do not wait for look-ups that get no answer', async () => {
    const at = await pricedHall()
    const { gateway } = server.node.payments
    const createIntent = gateway.createIntent.bind(gateway)
    const slow = await twoSeats(at)
    const quick = await twoSeats(at, [2, 3])
    vi.spyOn(gateway, 'createIntent').mockImplementation(async (payee, intent) => {
      await createIntent(payee, intent)
      return { ok: true, value: { kind: 'unknown', reason: 'connection_lost' } }
    })
    await pay(slow.id, slow.token)
    await pay(quick.id, quick.token)
    type Looked = Awaited<ReturnType<typeof gateway.lookUp>>
    let answer = (_: Looked) => {}
    const answered = new Promise<Looked>(resolve => (answer = resolve))
    const lookUp = vi.spyOn(gateway, 'lookUp').mockReturnValue(answered)
    const looking = lookNow([slow.id])
    await waitUntil('a look-up waits', () => lookUp.mock.calls.length > 0)
    const [body] = await messages(quick.id)
    expect((await post(body!, signed(body!))).status).toBe(200)
    const rest = work()
    await waitUntil('the money is there', async () => (await read(quick.id, quick.token)).status === 'paid')
    answer({ ok: true, value: { kind: 'unknown', reason: 'time_out' } })
    await Promise.all([looking, rest])
  })

  it('and neither do refunds and checkouts that expire', async () => {
    const at = await pricedHall()
    const { gateway } = server.node.payments
    const slow = await twoSeats(at)
    const sold = await twoSeats(at, [2, 3])
    const left = await twoSeats(at, [4, 5])
    await pay(sold.id, sold.token)
    const createIntent = vi.spyOn(gateway, 'createIntent')
    createIntent.mockResolvedValueOnce({ ok: true, value: { kind: 'unknown', reason: 'time_out' } })
    await pay(slow.id, slow.token)
    type Looked = Awaited<ReturnType<typeof gateway.lookUp>>
    let answer = (_: Looked) => {}
    const answered = new Promise<Looked>(resolve => (answer = resolve))
    const lookUp = vi.spyOn(gateway, 'lookUp').mockReturnValue(answered)
    const looking = lookNow([slow.id])
    await waitUntil('a look-up waits', () => lookUp.mock.calls.length > 0)
    const { organizer } = ours.tokens
    await send('POST', '/api/admin/seats/release', organizer, { hold_ids: left.holds })
    await server.database.sql('update checkouts set due_at = now() where order_id = $1', [left.id])
    // The call tells of work: both kinds are looked at.
    await send('POST', `/api/admin/orders/${sold.id}/refund`, organizer, { reason: 'ill' })
    await waitUntil('the money is back', async () => (await order(sold.id)).refunds[0].status === 'done')
    await waitUntil('it has expired', async () => (await read(left.id, left.token)).status === 'expired')
    answer({ ok: true, value: { kind: 'unknown', reason: 'time_out' } })
    await looking
  })

  it('tell of disputes, which staff see', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token, card('4000 0000 0000 0259'))
    const [{ id: intentId } = { id: '' }] = await server.database.sql<{ id: string }>(
      'select id from simulated_intents where order_key = $1',
      [id],
    )
    const dispute = (await messages(intentId)).find(text => text.includes('dispute.opened'))!
    expect((await post(dispute, signed(dispute))).status).toBe(200)
    await work()
    expect((await order(id)).disputes).toMatchObject([
      { status: 'open', amount: 163_000, reason: 'fraudulent' },
    ])
  })
})

describe('a refund through the gateway', () => {
  it('voids tickets first, gives the money back once, and keeps the fees while a ticket is valid', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token)
    const [first] = (await order(id)).tickets
    const refund = (body: object) =>
      send('POST', `/api/admin/orders/${id}/refund`, ours.tokens.organizer, { reason: 'ill', ...body })
    const { gateway } = server.node.payments
    const giveBack = gateway.refund.bind(gateway)
    // It takes effect, and the answer is lost.
    vi.spyOn(gateway, 'refund').mockImplementationOnce(async (payee, asked) => {
      await giveBack(payee, asked)
      return { ok: true, value: { kind: 'unknown', reason: 'time_out' } }
    })
    const part = await refund({ ticket_ids: [first.ticket_id] })
    expect(part.body.data).toMatchObject({ status: 'partly_refunded', payments: [{ status: 'refunding' }] })
    await work()
    // Longer than all calls of one attempt may take: no other node asks for it meanwhile.
    const pause =
      'select extract(epoch from look_at - created_at) > 50 as is_long from refunds where order_id = $1'
    expect(await server.database.sql(pause, [id])).toEqual([{ is_long: true }])
    expect(await statusOf(at, 0)).toBe('available')
    await lookNow([id])
    expect(await intents(id)).toEqual([{ status: 'captured', refunded: 80_000 }])
    expect((await order(id)).payments).toMatchObject([{ status: 'captured', refunded_amount: 80_000 }])
    await refund({})
    await lookNow([id])
    expect(await intents(id)).toEqual([{ status: 'captured', refunded: 163_000 }])
    expect(await order(id)).toMatchObject({ status: 'refunded', payments: [{ status: 'refunded' }] })
  })
})

describe('a checkout that is left alone', () => {
  it('expires with its holds, and not before', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    const due = () => server.database.sql('update checkouts set due_at = now() where order_id = $1', [id])
    await due()
    await work()
    expect((await read(id, token)).status).toBe('open')
    await send('POST', '/api/admin/seats/release', ours.tokens.organizer, { hold_ids: holds })
    await due()
    await work()
    expect((await read(id, token)).status).toBe('expired')
    expect((await pay(id, token)).body).toMatchObject({ status: 410, code: 'hold_expired' })
  })
})

describe('a payment whose buyer left the form', () => {
  it('is ended at the gateway when its order is over', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    await pay(id, token, STEP)
    await lookNow([id])
    expect(await intents(id)).toMatchObject([{ status: 'needs_step' }])
    const release = { hold_ids: holds, force: true }
    await send('POST', '/api/admin/seats/release', ours.tokens.organizer, release)
    // Another payment that is looked up meanwhile may be declined.
    await allRest()
    // The look that finds it expired, and the next.
    const counted = async () => {
      const { text } = await server.request('GET', '/metrics')
      return /voelgoed_checkouts_total\{outcome="declined"\} (\d+)/.exec(text)![1]
    }
    const before = await counted()
    await lookNow([id])
    expect((await read(id, token)).status).toBe('expired')
    await work()
    expect(await intents(id)).toMatchObject([{ status: 'declined' }])
    expect((await order(id)).payments).toMatchObject([{ status: 'declined' }])
    // It is an order that has expired, not one that a bank declined.
    expect(await counted()).toBe(before)
  })

  it('is not counted as unknown, and some hours after the order is over is looked up once a day, for a week', async () => {
    const at = await pricedHall()
    // Another payment that is looked up meanwhile may be known after that.
    await allRest()
    const { unknown, oldestSeconds } = server.node.paymentWork.waiting
    const { token, id, holds } = await twoSeats(at)
    // The gateway does not end it.
    const value = { kind: 'unknown', reason: 'time_out' } as const
    vi.spyOn(server.node.payments.gateway, 'cancelIntent').mockResolvedValue({ ok: true, value })
    await pay(id, token, STEP)
    const days = `update payments set created_at = now() - interval '3 days' where order_id = $1`
    await server.database.sql(days, [id])
    await lookNow([id])
    expect(server.node.paymentWork.waiting).toMatchObject({ unknown })
    expect(server.node.paymentWork.waiting.oldestSeconds).toBeLessThan(oldestSeconds + 86_400)
    const looks = async () => {
      const sql =
        'select round(extract(epoch from look_at - now()) / 3600)::int as hours from payments where order_id = $1'
      return (await server.database.sql<{ hours: number | null }>(sql, [id]))[0]!.hours
    }
    const endedAgo = async (hours: number) => {
      const sql = `update checkouts set expires_at = now() - $2 * interval '1 hour' where order_id = $1`
      await server.database.sql(sql, [id, hours])
      await lookNow([id])
    }
    // The holds are alive, whatever the row says.
    await endedAgo(4)
    expect([await looks(), (await read(id, token)).status]).toEqual([0, 'paying'])
    const release = { hold_ids: holds, force: true }
    await send('POST', '/api/admin/seats/release', ours.tokens.organizer, release)
    await endedAgo(2)
    expect([await looks(), (await read(id, token)).status]).toEqual([0, 'expired'])
    await endedAgo(4)
    expect(await looks()).toBe(24)
    await server.database.sql(`update payments set sent_at = now() - interval '8 days' where order_id = $1`, [
      id,
    ])
    await endedAgo(4)
    expect(await looks()).toBe(null)
  })
})

describe('what the box office sells', () => {
  it('costs what the list says if the seller does not, without the fees; a platform counts elsewhere', async () => {
    const at = await pricedHall()
    const token = ours.tokens.organizer
    const sell = async (method: string, seats: number[]) => {
      const body = { event_id: at.eventId, hold_ids: await hold(at, token, seats), method }
      return (await send('POST', '/api/admin/orders', token, body)).body.data
    }
    const line = { ticket_type: 'adult', amount: 80_000 }
    expect(await sell('cash', [0, 1])).toMatchObject({ currency: 'ZAR', total: 160_000, lines: [line, line] })
    expect(await sell('external', [2, 3])).toMatchObject({ currency: null, total: null })
  })
})

/** The job that any node does, now. */
const work = () => server.node.paymentWork.runNow()

/** No payment that there is now is looked up before a test says so, and no look-up is under way. */
async function allRest(): Promise<void> {
  const rest = `update payments set look_at = look_at + interval '1 day' where organization_id = $1`
  await server.database.sql(rest, [ours.id])
  await work()
}

async function lookNow(ids: string[]): Promise<void> {
  const now = `update payments set look_at = now() where order_id = any ($1::uuid[]) and status in ('created', 'unknown')`
  await server.database.sql(now, [ids])
  await server.database.sql(
    `update refunds set look_at = now() where order_id = any ($1::uuid[]) and status <> 'done'`,
    [ids],
  )
  await work()
}

function intents(id: string): Promise<{ status: string; refunded: number }[]> {
  return server.database.sql<{ status: string; refunded: number }>(
    'select status, refunded::int as refunded from simulated_intents where order_key = $1',
    [id],
  )
}
