import { randomUUID } from 'node:crypto'
import { card, checkoutsAt } from '@voelgoed/testing/checkouts'
import { PASSWORD } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

/** Buyers who change the cart, or who they are, while a payment of theirs is not paid yet. */

const used = useServer({ VOELGOED_REAPER: 'off' })
const { server, ours, send } = used
afterEach(() => vi.restoreAllMocks())
afterAll(() => expectSound(server.database))

const { pricedHall, guest, hold, open, pay, read, order, statusOf, twoSeats } = checkoutsAt(used)
const DECLINED = card('4000 0000 0000 0002')
const STEP = card('4000 0025 0000 3155')
const LATE = card('4000 0000 0000 0341')
const OTHER = { name: 'Thandi', email: 'thandi@example.org' }

type Hall = Awaited<ReturnType<typeof pricedHall>>
const cartOf = async (at: Hall, token: string) => (await send('GET', `${at.url}/cart`, token)).body.data
const replace = (id: string, token: string) => send('DELETE', `/api/checkouts/${id}?keep_holds=true`, token)
const payments = () => server.node.payments

const intents = (id: string) =>
  server.database.sql<{ status: string; code: string | null; amount: number }>(
    `select status, decline_code as code, amount::int as amount from simulated_intents where order_key = $1`,
    [id],
  )

/** The buyer on the page of the bank; it has forgotten the payment: null. */
async function atTheBank(url: string, answer: 'accept' | 'decline') {
  const { party } = payments().fakeBank!
  const step = decodeURIComponent(new URL(url, 'http://x').pathname.split('/').at(-1)!)
  const intent = await party.stepAt(step)
  return intent && party.answerStep(step, party.tokens.formToken(intent), answer)
}

it('a checkout of another gateway is not paid with a simulated card; a new one is, by this gateway', async () => {
  const at = await pricedHall()
  const { token, id, opened } = await twoSeats(at)
  // As a node with Stripe's keys wrote it, or this one while it had them.
  await server.database.sql(`update checkouts set gateway = 'stripe' where order_id = $1`, [id])
  const refused = await pay(id, token)
  expect([refused.status, refused.body.code]).toEqual([409, 'checkout_closed'])
  expect(await intents(id)).toEqual([])
  const next = await open(at, token)
  expect([next.status, next.body.data.total]).toEqual([201, opened.total])
  expect((await read(id, token)).status).toBe('cancelled')
  expect((await pay(next.body.data.checkout_id, token)).body.data.status).toBe('paid')
})

it('a payment that another gateway has begun is that gateway’s: no simulated card settles it', async () => {
  const at = await pricedHall()
  const began = async (seats: number[], first: object) => {
    const { token, id } = await twoSeats(at, seats)
    await pay(id, token, first)
    for (const table of ['checkouts', 'payments']) {
      await server.database.sql(`update ${table} set gateway = 'stripe' where order_id = $1`, [id])
    }
    const before = await intents(id)
    const again = await pay(id, token)
    expect(await intents(id)).toEqual(before)
    return again.body.code ?? again.body.data.status
  }
  expect(await began([0, 1], STEP)).toBe('paying')
  expect(await began([2, 3], DECLINED)).toBe('checkout_closed')
})

describe('a buyer whose card was declined', () => {
  it('makes one ticket a child’s, mends the address, and pays what the cart says', async () => {
    const at = await pricedHall()
    const { token, id, holds, opened } = await twoSeats(at)
    await pay(id, token, DECLINED)
    expect((await cartOf(at, token)).payment).toEqual({
      checkout_id: id,
      hold_ids: holds,
      ...{ total: opened.total, currency: 'ZAR', decides: 'buyer' },
    })
    const items = [{ hold_id: holds[1], ticket_type: 'child' }]
    const changed = await open(at, token, { items, contact: OTHER })
    expect(changed.status, changed.text).toBe(201)
    const { checkout_id: next, total, contact } = changed.body.data
    expect([total, contact]).toEqual([opened.total - 40_000, OTHER])
    expect((await read(id, token)).status).toBe('cancelled')
    expect((await cartOf(at, token)).payment).toBe(null)
    const paid = await pay(next, token, { ...card('4242 4242 4242 4242'), total })
    expect(paid.body.data).toMatchObject({ status: 'paid' })
    expect(await order(next)).toMatchObject({ total, contact: OTHER, payments: [{ amount: total }] })
    expect(await intents(id)).toMatchObject([{ status: 'declined' }])
    expect((await pay(id, token)).body).toMatchObject({
      code: 'checkout_closed',
      current_status: 'cancelled',
    })
  })

  it('drops a seat, and buys the other', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    await pay(id, token, DECLINED)
    expect((await send('DELETE', `/api/holds/${holds[0]}`, token)).body.code).toBe('hold_in_payment')
    const ended = await replace(id, token)
    expect([ended.status, ended.body.data.status]).toEqual([200, 'cancelled'])
    expect((await replace(id, token)).status).toBe(200)
    expect((await send('DELETE', `/api/holds/${holds[0]}`, token)).body.data.released_count).toBe(1)
    expect([await statusOf(at, 0), await statusOf(at, 1)]).toEqual(['available', 'held'])
    const next = (await open(at, token)).body.data
    expect((await pay(next.checkout_id, token)).body.data.status).toBe('paid')
    expect((await order(next.checkout_id)).tickets).toHaveLength(1)
  })

  it('mends the address alone: it is the same order', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token, DECLINED)
    const same = await open(at, token, { contact: OTHER })
    expect([same.status, same.body.data.checkout_id, same.body.data.contact]).toEqual([200, id, OTHER])
  })

  it('and whose intent the gateway has under no name that we know is looked for', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    await pay(id, token, STEP)
    await server.database.sql('update payments set intent_id = null where order_id = $1', [id])
    expect((await replace(id, token)).status).toBe(200)
    expect(await intents(id)).toMatchObject([{ status: 'declined', code: 'cancelled' }])
    expect((await send('DELETE', `/api/holds/${holds[0]}`, token)).status).toBe(200)
  })
})

describe('a guest who signs in', () => {
  const signIn = async (guestToken: string) => {
    const body = { organization: ours.slug, email: `${randomUUID()}@example.org`, password: PASSWORD }
    const { token } = (await server.request('POST', '/api/accounts', { body })).body.data
    const answer = await send('POST', '/api/holds/transfer', token, { from_token: guestToken })
    expect(answer.status, answer.text).toBe(200)
    return { token, ...answer.body.data }
  }

  it('after the card was declined takes the seats along, and pays for them with another', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    await pay(id, token, DECLINED)
    const account = await signIn(token)
    expect(account).toMatchObject({ moved: [{ holds: holds.map(hold_id => ({ hold_id })) }], not_moved: [] })
    expect(await intents(id)).toMatchObject([{ status: 'declined' }])
    const next = (await open(at, account.token)).body.data
    expect((await pay(next.checkout_id, account.token)).body.data.status).toBe('paid')
    expect((await order(next.checkout_id)).tickets).toHaveLength(2)
  })

  it('while a bank decides leaves the seats with the guest, who paid for them', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token, LATE)
    expect(await signIn(token)).toMatchObject({ moved: [], not_moved: [{ code: 'hold_in_payment' }] })
    expect((await read(id, token)).status).toBe('paying')
  })
})

describe('a buyer who left the page of the bank', () => {
  it('adds a seat: the payment there is over before there is another', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    const { url } = (await pay(id, token, STEP)).body.data.next
    await hold(at, token, [2])
    const calls: string[] = []
    const { gateway } = payments()
    const cancelIntent = gateway.cancelIntent.bind(gateway)
    const createIntent = gateway.createIntent.bind(gateway)
    vi.spyOn(gateway, 'cancelIntent').mockImplementation((...given) => {
      calls.push('cancel')
      return cancelIntent(...given)
    })
    vi.spyOn(gateway, 'createIntent').mockImplementation((...given) => {
      calls.push('create')
      return createIntent(...given)
    })
    const next = await open(at, token)
    expect([next.status, next.body.data.lines.length]).toEqual([201, 3])
    expect(await atTheBank(url, 'accept')).toBe(null)
    expect(await intents(id)).toMatchObject([{ status: 'declined', code: 'cancelled' }])
    expect((await pay(next.body.data.checkout_id, token)).body.data.status).toBe('paid')
    expect(calls).toEqual(['cancel', 'create'])
  })

  it('and confirmed it at that moment has the tickets, and is told', async () => {
    const at = await pricedHall()
    const { token, id, holds } = await twoSeats(at)
    const { url } = (await pay(id, token, STEP)).body.data.next
    const { gateway } = payments()
    const cancelIntent = gateway.cancelIntent.bind(gateway)
    vi.spyOn(gateway, 'cancelIntent').mockImplementationOnce(async (...given) => {
      await atTheBank(url, 'accept')
      return cancelIntent(...given)
    })
    const changed = await open(at, token, { items: [{ hold_id: holds[0], ticket_type: 'child' }] })
    expect(changed.body).toMatchObject({ status: 409, code: 'checkout_closed', current_status: 'paid' })
    expect((await order(id)).tickets).toHaveLength(2)
    expect((await replace(id, token)).body).toMatchObject({ code: 'checkout_closed', current_status: 'paid' })
  })

  it('and pays in another tab meanwhile keeps that order', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token, DECLINED)
    const { gateway } = payments()
    const cancelIntent = gateway.cancelIntent.bind(gateway)
    vi.spyOn(gateway, 'cancelIntent').mockImplementationOnce(async (...given) => {
      const cancelled = await cancelIntent(...given)
      await pay(id, token, STEP)
      return cancelled
    })
    expect((await replace(id, token)).body).toMatchObject({ status: 409, code: 'payment_undecided' })
    expect(await intents(id)).toMatchObject([{ status: 'needs_step' }])
    expect((await read(id, token)).status).toBe('paying')
  })

  it('changes nothing while the gateway does not answer', async () => {
    const at = await pricedHall()
    const { token, id } = await twoSeats(at)
    await pay(id, token, STEP)
    const value = { kind: 'unknown', reason: 'time_out' } as const
    const { gateway } = payments()
    vi.spyOn(gateway, 'cancelIntent').mockResolvedValueOnce({ ok: true, value })
    vi.spyOn(gateway, 'lookUp').mockResolvedValueOnce({ ok: true, value })
    expect((await replace(id, token)).body.code).toBe('payment_undecided')
    expect((await replace(id, token)).status).toBe(200)
  })
})

it('while a bank decides, the cart stays as it is', async () => {
  const at = await pricedHall()
  const { token, id, holds } = await twoSeats(at)
  expect((await pay(id, token, LATE)).body.data.status).toBe('paying')
  expect((await cartOf(at, token)).payment).toMatchObject({ checkout_id: id, decides: 'bank' })
  const cancel = vi.spyOn(payments().gateway, 'cancelIntent')
  expect((await replace(id, token)).body).toMatchObject({ status: 409, code: 'payment_undecided' })
  const items = [{ hold_id: holds[0], ticket_type: 'child' }]
  expect((await open(at, token, { items })).body).toMatchObject({ status: 409, code: 'hold_in_payment' })
  expect(cancel).not.toHaveBeenCalled()
  expect((await replace(id, await guest())).status).toBe(404)
})

it('no other total is charged than the one that the buyer saw', async () => {
  const at = await pricedHall()
  const { token, id, opened } = await twoSeats(at)
  const good = card('4242 4242 4242 4242')
  for (const total of [0, opened.total - 1]) {
    const refused = await pay(id, token, { ...good, total })
    expect(refused.body).toMatchObject({ status: 409, code: 'total_changed', total: opened.total })
  }
  expect([(await read(id, token)).status, await intents(id)]).toEqual(['open', []])
  expect((await pay(id, token, { ...STEP, total: opened.total })).body.data.status).toBe('paying')
  expect((await pay(id, token, { total: 1 })).body.code).toBe('total_changed')
  expect((await pay(id, token, { ...good, total: opened.total })).body.data.status).toBe('paying')
})

it('a card that can not be sent leaves the clock as it is', async () => {
  const at = await pricedHall()
  const { token, id, opened, holds } = await twoSeats(at)
  const typo = { card: { number: '4242 4242 4242 4241', expiry: '12/40', cvc: '737' } }
  expect((await pay(id, token, typo)).body.code).toBe('invalid_request')
  expect((await read(id, token)).expires_at).toBe(opened.expires_at)
  expect((await cartOf(at, token)).payment).toBe(null)
  expect((await send('DELETE', `/api/holds/${holds[0]}`, token)).status).toBe(200)
})

it('what costs more than the gateway takes is refused before there is an order', async () => {
  const at = await pricedHall({}, [{ key: 'adult', name: 'Adult', amount: 60_000_000 }], [])
  const token = await guest()
  await hold(at, token, [0, 1])
  const refused = await open(at, token)
  expect(refused.body).toMatchObject({
    ...{ status: 409, code: 'total_too_large', total: 120_000_000, limit: 99_999_999 },
  })
  const one = await open(at, token, { hold_ids: [(await cartOf(at, token)).holds[0].hold_id] })
  expect((await pay(one.body.data.checkout_id, token)).body.data.status).toBe('paid')
})
