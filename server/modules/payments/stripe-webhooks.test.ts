import type { OrganizationId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { stripeSignature } from '@voelgoed/testing/stripe/objects'
import { type StripeFault, StripeServer } from '@voelgoed/testing/stripe/server'
import { KEYS } from '@voelgoed/testing/stripe-under-test'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writeDispute, writeGatewayRefund } from './tables/gateway-events.ts'

const URL_OF_NEWS = '/api/payments/stripe/webhook'
const PRICE = 10_000
let stripe: StripeServer
let server: TestServer
let ours: TestOrganization
let at: Hall

beforeAll(async () => {
  stripe = await StripeServer.start({
    keys: { secret: KEYS.secretKey, publishable: KEYS.publishableKey },
    clock: systemClock,
    onHang: () => {},
  })
  server = await startTestServer(
    {
      STRIPE_SECRET_KEY: KEYS.secretKey,
      STRIPE_PUBLISHABLE_KEY: KEYS.publishableKey,
      STRIPE_WEBHOOK_SECRET: KEYS.webhookSecrets.join(),
      VOELGOED_REAPER: 'off',
    },
    { stripeServer: { protocol: 'http', host: '127.0.0.1', port: stripe.port } },
  )
  ours = await server.organization()
  at = await pricedHall(ours)
  await confirmAccount('acct_ours')
})
afterAll(async () => {
  await expectSound(server.database)
  await server.close()
  await stripe.close()
})

const confirmAccount = (stripe_account: string | null, of: Pick<TestOrganization, 'id'> = ours) =>
  server.request('PATCH', `/api/platform/organizations/${of.id}`, {
    token: ROOT_KEY,
    body: { stripe_account },
  })

const setAccount = async (stripe_account: unknown, token = ours.tokens.admin) =>
  server.request('PUT', '/api/admin/organization/stripe-account', { token, body: { stripe_account } })

async function pricedHall({ tokens }: TestOrganization): Promise<Hall> {
  const hall = await openHall(server.request, tokens.organizer, {
    ...{ prices: ['gold'], seats: 40 },
    event: { seating_overrides: { ...UNLIMITED, orphan_avoidance_strict: false } },
  })
  const put = await putPrices(hall, 'ZAR', PRICE, 0, tokens.organizer)
  expect(put.status, put.text).toBe(200)
  return hall
}

function putPrices(
  { eventId }: Hall,
  currency: string,
  amount: number,
  revision: number,
  token = ours.tokens.organizer,
) {
  const gold = { key: 'gold', name: 'Gold', ticket_types: [{ key: 'a', name: 'Adult', amount }] }
  return server.request('PUT', `/api/admin/events/${eventId}/prices`, {
    token,
    headers: { 'if-match': `"${revision}"` },
    body: { currency, categories: [gold] },
  })
}

let seat = 0
/** A checkout whose buyer has the form of Stripe in front of them. */
async function checkout(seats = 1, { slug } = ours, hall = at) {
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: slug } })
  const { token } = guest.body.data
  for (let n = 0; n < seats; n += 1) {
    const url = `${hall.url}/seats/${hall.seats[seat++]}/reserve`
    const held = await server.request('POST', url, { token, body: {} })
    expect(held.status, held.text).toBe(201)
  }
  const body = { event_id: hall.eventId, contact: { name: 'Ben', email: 'ben@example.org' } }
  const opened = await server.request('POST', '/api/checkouts', { token, body })
  const id = opened.body.data.checkout_id as string
  const asked = await server.request('POST', `/api/checkouts/${id}/pay`, { token, body: {} })
  expect(asked.body.data, asked.text).toMatchObject({ status: 'paying', next: { kind: 'stripe' } })
  return { id, token, account: asked.body.data.next.account as string | null }
}
const books = (account: string | null = 'acct_ours') => stripe.books(account)
const intentOf = (id: string, account?: string | null) =>
  books(account).intents.find(({ metadata }) => metadata.order_id === id)!
/** The server looks up payments of other tests as well, which must not meet these. */
const faultsAbout = ({ id }: { readonly id: string }, ...faults: StripeFault[]) =>
  stripe.faultsAbout.set(id, faults)
/** Takes the messages that Stripe would send now to an account. */
const messages = (account: string | null = 'acct_ours') =>
  books(account)
    .events.splice(0)
    .map(event => JSON.stringify(event))
const signed = (body: string, { at: time = systemClock.now(), secret = 'whsec_connect' } = {}) => ({
  'content-type': 'application/json',
  'stripe-signature': stripeSignature(secret, body, time),
})
const post = async (body: string, headers: Record<string, string> = signed(body)) =>
  (await server.request('POST', URL_OF_NEWS, { raw: body, headers })).status
async function deliver(account: string | null = 'acct_ours'): Promise<void> {
  for (const body of messages(account)) expect(await post(body)).toBe(200)
  await server.node.paymentWork.runNow()
}
const order = async (id: string) =>
  (await server.request('GET', `/api/admin/orders/${id}`, { token: ours.tokens.support })).body.data
const kept = () => server.database.sql<{ id: string; state: string }>('select id, state from gateway_events')

const refund = (id: string, reason = 'ill') =>
  server.request('POST', `/api/admin/orders/${id}/refund`, { token: ours.tokens.organizer, body: { reason } })
const staff = (id: string, verb: 'retry' | 'given-back', role: 'support' | 'organizer' = 'organizer') =>
  server.request('POST', `/api/admin/orders/${id}/refund/${verb}`, { token: ours.tokens[role] })
/** The newest first. */
const refundsOf = ({ id }: { readonly id: string }) =>
  books().refunds.filter(({ intentId }) => intentId === id)
/** As when the pause before the next attempt is over. */
async function lookAgain(id: string): Promise<void> {
  await server.database.sql(
    'update refunds set look_at = now() where order_id = $1 and look_at is not null',
    [id],
  )
  await server.node.paymentWork.runNow()
}
/** Reads from the metric how many refunds came back. */
async function cameBack(): Promise<number> {
  const { text } = await server.request('GET', '/metrics')
  return Number(/voelgoed_gateway_news_total\{result="came_back"\} (\d+)/.exec(text)![1])
}
const auditOf = async (id: string, action: string) => {
  const url = `/api/admin/audit?entity_id=${id}&action=${action}`
  return (await server.request('GET', url, { token: ours.tokens.admin })).body.data
}
/** The same news as another message. */
const replayed = (text: string) => text.replace('"id":"evt_', '"id":"evt_again')

/** An order that was paid by Stripe. */
async function paidOrder(seats = 1): Promise<string> {
  const { id } = await checkout(seats)
  books().succeed(intentOf(id))
  await deliver()
  expect((await order(id)).status).toBe('paid')
  return id
}

describe('the account of an organization at Stripe', () => {
  it('is set and cleared by its admins, has the form of one, and is in the audit log', async () => {
    for (const role of ['customer', 'scanner', 'support', 'organizer'] as const) {
      expect((await setAccount('acct_1', ours.tokens[role])).status).toBe(403)
    }
    for (const wrong of ['ours', 'acct_', 'acct_a b', `acct_${'x'.repeat(101)}`, 7]) {
      expect((await setAccount(wrong)).body.code).toBe('invalid_request')
    }
    const state = async (answer: ReturnType<typeof setAccount>) => {
      const { stripe_account, stripe_account_wanted } = (await answer).body.data
      return [stripe_account, stripe_account_wanted]
    }
    expect(await state(setAccount('acct_typo'))).toEqual(['acct_ours', 'acct_typo'])
    expect(await state(setAccount('acct_ours'))).toEqual(['acct_ours', null])
    expect(await state(setAccount(null))).toEqual([null, null])
    const url = '/api/admin/audit?action=stripe_account_changed'
    const [entry] = (await server.request('GET', url, { token: ours.tokens.admin })).body.data
    expect(entry.changes).toEqual({ stripe_account: { before: 'acct_ours', after: null } })
    expect(await state(setAccount('acct_ours'))).toEqual([null, 'acct_ours'])
    expect(await state(confirmAccount('acct_ours'))).toEqual(['acct_ours', null])
    const [told] = (await server.request('GET', url, { token: ours.tokens.admin })).body.data
    expect(told.changes.before).toMatchObject({ stripe_account: null, stripe_account_wanted: 'acct_ours' })
    expect(told.changes.after).toMatchObject({ stripe_account: 'acct_ours', stripe_account_wanted: null })
  })

  it('takes no money before the platform has named it; who names it first gains nothing', async () => {
    const thief = await server.organization('Thief')
    const named = await setAccount('acct_rightful', thief.tokens.admin)
    expect(named.body.data).toMatchObject({ stripe_account: null, stripe_account_wanted: 'acct_rightful' })
    expect((await checkout(1, thief, await pricedHall(thief))).account).toBe(null)
    // The owner is not kept out by it, and once it is the owner's, it can not be the other's as well.
    await setAccount('acct_rightful')
    expect((await checkout()).account).toBe('acct_ours')
    expect((await confirmAccount('acct_rightful')).status).toBe(200)
    expect((await checkout()).account).toBe('acct_rightful')
    const both = await confirmAccount('acct_rightful', thief)
    expect([both.status, both.body.code, both.body.field]).toEqual([409, 'already_exists', 'stripe_account'])
    // A wish that waits is turned down by naming what there is.
    expect((await confirmAccount(null, thief)).body.data).toMatchObject({ stripe_account_wanted: null })
    const all = await server.request('GET', '/api/platform/organizations', { token: ROOT_KEY })
    const one = all.body.data.find(({ id }: { id: string }) => id === ours.id)
    expect(one).toMatchObject({ stripe_account: 'acct_rightful', stripe_account_wanted: null })
    await confirmAccount('acct_ours')
  })

  it('takes the next payments; those that were made stay with theirs', async () => {
    const before = await checkout()
    await confirmAccount('acct_new')
    const after = await checkout()
    expect([before.account, after.account]).toEqual(['acct_ours', 'acct_new'])
    books().succeed(intentOf(before.id))
    books('acct_new').succeed(intentOf(after.id, 'acct_new'))
    await deliver()
    await deliver('acct_new')
    expect([(await order(before.id)).status, (await order(after.id)).status]).toEqual(['paid', 'paid'])
    const url = `/api/admin/orders/${before.id}/refund`
    await server.request('POST', url, { token: ours.tokens.organizer, body: { reason: 'ill' } })
    await server.node.paymentWork.runNow()
    expect(intentOf(before.id).charge!.refunded).toBe(PRICE)
    await deliver()
    await confirmAccount('acct_ours')
  })
})

describe('a buyer with the form of Stripe in front of them', () => {
  const replace = ({ id, token }: { id: string; token: string }) =>
    server.request('DELETE', `/api/checkouts/${id}?keep_holds=true`, { token })
  const openAgain = (token: string) => {
    const body = { event_id: at.eventId, contact: { name: 'Bea', email: 'bea@example.org' } }
    return server.request('POST', '/api/checkouts', { token, body })
  }

  it('changes the cart: the form takes no money any more, and the next order has its own', async () => {
    const first = await checkout(2)
    const cart = await server.request('GET', `${at.url}/cart`, { token: first.token })
    expect(cart.body.data.payment).toMatchObject({ checkout_id: first.id, decides: 'buyer' })
    expect((await replace(first)).status).toBe(200)
    expect(intentOf(first.id).status).toBe('canceled')
    expect(() => books().confirm(intentOf(first.id), '4242424242424242')).toThrow()
    const [{ hold_id }] = cart.body.data.holds
    expect((await server.request('DELETE', `/api/holds/${hold_id}`, { token: first.token })).status).toBe(200)
    const { checkout_id: id, total } = (await openAgain(first.token)).body.data
    expect([id === first.id, total]).toEqual([false, PRICE])
    const pay = `/api/checkouts/${id}/pay`
    const wrong = await server.request('POST', pay, { token: first.token, body: { total: 2 * PRICE } })
    expect(wrong.body).toMatchObject({ code: 'total_changed', total: PRICE })
    await server.request('POST', pay, { token: first.token, body: { total } })
    books().succeed(intentOf(id))
    await deliver()
    expect([(await order(id)).status, intentOf(id).amount]).toEqual(['paid', PRICE])
  })

  it('after a decline as well; a bank that decides comes first, and money that was taken wins', async () => {
    const declined = await checkout()
    expect(() => books().confirm(intentOf(declined.id), '4000000000000002')).toThrow('card_declined')
    await deliver()
    expect((await replace(declined)).body.data.status).toBe('cancelled')
    expect(intentOf(declined.id).status).toBe('canceled')

    const slow = await checkout()
    books().confirm(intentOf(slow.id), '4000000000000341')
    // Our server has not heard of it.
    expect((await replace(slow)).body.code).toBe('payment_undecided')
    const cart = await server.request('GET', `${at.url}/cart`, { token: slow.token })
    expect(cart.body.data.payment).toMatchObject({ decides: 'bank' })

    const quick = await checkout()
    books().succeed(intentOf(quick.id))
    const told = { status: 409, code: 'checkout_closed', current_status: 'paid' }
    expect((await openAgain(quick.token)).body).toMatchObject(told)
    expect((await replace(quick)).body).toMatchObject(told)
    expect((await order(quick.id)).tickets).toHaveLength(1)
    await deliver()
  })
})

it('a price list says which of its amounts Stripe does not take', async () => {
  const hall = await pricedHall(ours)
  const warned = await putPrices(hall, 'KWD', 5_124, 1)
  expect(warned.body.data.warnings).toMatchObject([
    { path: '/categories/0/ticket_types/0/amount', code: 'amount_not_payable' },
  ])
  expect((await putPrices(hall, 'KWD', 5_120, 2)).body.data.warnings).toEqual([])
})

describe('a payment that the buyer comes back to when Stripe has forgotten its key', () => {
  const payAgain = async ({ id, token }: { id: string; token: string }) => {
    stripe.forgetIdempotencyKeys()
    return (await server.request('POST', `/api/checkouts/${id}/pay`, { token, body: {} })).body.data
  }
  const intentsOf = (id: string) => books().intents.filter(({ metadata }) => metadata.order_id === id)

  it('and that Stripe still decides on stays the one payment, and is waited for', async () => {
    const made = await checkout()
    books().confirm(intentOf(made.id), '4000000000000341')
    await deliver()
    expect(await payAgain(made)).toEqual({ checkout_id: made.id, status: 'paying' })
    expect(intentsOf(made.id)).toHaveLength(1)
    books().succeed(intentOf(made.id))
    await deliver()
    expect((await order(made.id)).status).toBe('paid')
  })

  it('and that waits for the buyer has the same form again, also after a decline', async () => {
    const made = await checkout()
    const { clientSecret } = intentOf(made.id)
    expect((await payAgain(made)).next).toMatchObject({ kind: 'stripe', client_secret: clientSecret })
    expect(() => books().confirm(intentOf(made.id), '4000000000000002')).toThrow()
    await deliver()
    expect((await order(made.id)).status).toBe('open')
    expect((await payAgain(made)).next).toMatchObject({ kind: 'stripe', client_secret: clientSecret })
    expect(intentsOf(made.id)).toHaveLength(1)
  })

  it('and that Stripe does not show us is not taken for declined', async () => {
    const made = await checkout()
    books().confirm(intentOf(made.id), '4000000000000341')
    await deliver()
    faultsAbout(intentOf(made.id), 'unauthorized')
    expect(await payAgain(made)).toEqual({ checkout_id: made.id, status: 'paying' })
    expect((await order(made.id)).payments).toMatchObject([{ status: 'created' }])
  })

  it('is known by its first intent, or by the one whose money was taken', async () => {
    const made = await checkout()
    const intent = intentOf(made.id)
    const another = books().createIntent(PRICE, 'zar', { ...intent.metadata })
    const idOf = () => server.database.sql('select intent_id from payments where order_id = $1', [made.id])
    const answer = { ok: true, value: { kind: 'pending', intentId: another.id } } as const
    vi.spyOn(server.node.payments.gateway, 'createIntent').mockResolvedValueOnce(answer)
    await payAgain(made)
    expect(await idOf()).toEqual([{ intent_id: intent.id }])
    books().succeed(another)
    await deliver()
    expect((await order(made.id)).status).toBe('paid')
    expect(await idOf()).toEqual([{ intent_id: another.id }])
  })
})

describe('webhooks of Stripe, through the route', () => {
  it('are kept once if their signature over the bytes is good and fresh, and settle the order once', async () => {
    const { id } = await checkout()
    books().succeed(intentOf(id))
    const body = messages().find(text => text.includes('payment_intent.succeeded'))!
    const before = (await kept()).length
    expect(await post(body, { 'content-type': 'application/json' })).toBe(400)
    expect(await post(body, signed(body, { secret: 'whsec_wrong' }))).toBe(400)
    expect(await post(body, signed(`${body} `))).toBe(400)
    expect(await post(JSON.stringify(JSON.parse(body), null, 1), signed(body))).toBe(400)
    expect(await post(body, signed(body, { at: systemClock.now() - 6 * 60_000 }))).toBe(400)
    expect((await kept()).length).toBe(before)
    const answers = await Promise.all([post(body), post(body), post(body)])
    expect(answers).toEqual([200, 200, 200])
    await server.node.paymentWork.runNow()
    expect((await kept()).length).toBe(before + 1)
    expect(await order(id)).toMatchObject({
      status: 'paid',
      tickets: [{}],
      payments: [{ status: 'captured' }],
    })
  })

  it('of another account do not touch an order, whatever they name', async () => {
    const { id } = await checkout()
    const { metadata } = intentOf(id)
    // The owner of another account makes an intent that names our organization and our order.
    const forged = books('acct_theirs').createIntent(PRICE, 'zar', { ...metadata })
    books('acct_theirs').succeed(forged)
    await deliver('acct_theirs')
    expect((await order(id)).status).toBe('paying')
    const paid = await paidOrder()
    const own = intentOf(paid)
    books().refund(own, 1_000, {})
    // The same news with another account: it names an intent of ours.
    for (const text of messages()) await post(text.replaceAll('acct_ours', 'acct_theirs'))
    await server.node.paymentWork.runNow()
    expect((await order(paid)).refunded_at_gateway).toEqual([])
    books().succeed(intentOf(id))
    await deliver()
    expect((await order(id)).status).toBe('paid')
  })

  it('tell of disputes, which staff see', async () => {
    const { id } = await checkout()
    books().confirm(intentOf(id), '4000000000000259')
    await deliver()
    expect((await order(id)).disputes).toMatchObject([{ status: 'open', amount: PRICE, currency: 'ZAR' }])
  })

  it('tell of money that went back on Stripe’s own pages: staff see it, and it is not given back again', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    books().refund(intent, PRICE, {})
    const texts = messages()
    for (const text of [...texts, ...texts]) expect(await post(text)).toBe(200)
    await server.node.paymentWork.runNow()
    const seen = await order(id)
    expect(seen).toMatchObject({
      status: 'paid',
      tickets: [{ status: 'valid' }],
      refunded_at_gateway: [{ amount: PRICE, status: 'done' }],
      payments: [{ status: 'captured', refunded_amount: 0 }],
    })
    const audit = `/api/admin/audit?entity_id=${id}&action=order_refunded_at_gateway`
    expect((await server.request('GET', audit, { token: ours.tokens.admin })).body.data).toHaveLength(1)
    await expectSound(server.database)

    const url = `/api/admin/orders/${id}/refund`
    await server.request('POST', url, { token: ours.tokens.organizer, body: { reason: 'refunded there' } })
    await server.node.paymentWork.runNow()
    expect(intent.charge!.refunded).toBe(PRICE)
    expect(await order(id)).toMatchObject({
      status: 'refunded',
      tickets: [{ status: 'void' }],
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
    })

    // The bank did not take it: staff are told once, and the money goes back from here, once.
    books().failRefund(refundsOf(intent)[0]!)
    const failed = messages()
    for (const text of [...failed, ...failed]) expect(await post(text)).toBe(200)
    await server.node.paymentWork.runNow()
    expect((await order(id)).refunded_at_gateway).toMatchObject([{ amount: PRICE, status: 'failed' }])
    expect(await auditOf(id, 'order_refund_at_gateway_failed')).toHaveLength(1)
    for (const text of failed) await post(replayed(text))
    await deliver()
    await lookAgain(id)
    expect(refundsOf(intent).map(({ status }) => status)).toEqual(['succeeded', 'failed'])
    expect(await order(id)).toMatchObject({
      status: 'refunded',
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [
        { status: 'done', amount: 0 },
        { status: 'done', amount: PRICE, asked_amount: PRICE, reason: 'refunded there' },
      ],
    })
    expect(await auditOf(id, 'order_refund_owed_again')).toMatchObject([
      { actor: 'system', changes: { amount: PRICE, currency: 'ZAR' } },
    ])
  })

  it('tell too late of money that staff have given back there: it buys no tickets', async () => {
    const { id } = await checkout()
    const intent = intentOf(id)
    books().succeed(intent)
    const captured = messages()
    books().refund(intent, PRICE, {})
    for (const text of messages()) expect(await post(text)).toBe(200)
    await server.node.paymentWork.runNow()
    for (const text of captured) expect(await post(text)).toBe(200)
    await server.node.paymentWork.runNow()
    expect(await order(id)).toMatchObject({
      status: 'refunded',
      tickets: [],
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [{ status: 'done' }],
      refunded_at_gateway: [{ amount: PRICE, status: 'done' }],
    })
    expect(intent.charge!.refunded).toBe(PRICE)
  })

  it('come late, and a look-up says that the money went back there: it buys no tickets', async () => {
    const { id } = await checkout()
    const intent = intentOf(id)
    books().succeed(intent)
    books().refund(intent, PRICE, {})
    const late = messages()
    await server.database.sql('update payments set look_at = now() where order_id = $1', [id])
    await server.node.paymentWork.runNow()
    expect(await order(id)).toMatchObject({
      status: 'refunded',
      tickets: [],
      refunds: [{ status: 'pending', told: 'exceeds_captured' }],
    })
    for (const text of late) await post(text)
    await server.node.paymentWork.runNow()
    await lookAgain(id)
    expect((await order(id)).refunds).toMatchObject([{ status: 'done' }])
    expect(intent.charge!.refunded).toBe(PRICE)
  })

  it('tell of a part that went back there: once that is known, a refund of all gives what is left', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    books().refund(intent, 3_000, {})
    const news = messages()
    await refund(id)
    await lookAgain(id)
    await lookAgain(id)
    // Nothing here explains that the gateway has less.
    expect([intent.charge!.refunded, (await order(id)).refunds[0].status]).toEqual([3_000, 'pending'])
    for (const text of news) await post(text)
    await server.node.paymentWork.runNow()
    await lookAgain(id)
    await lookAgain(id)
    await deliver()
    expect(refundsOf(intent).map(({ amount }) => amount)).toEqual([7_000, 3_000])
    expect(intent.charge!.refunded).toBe(PRICE)
    expect(await order(id)).toMatchObject({
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [{ status: 'done', amount: PRICE, asked_amount: 7_000 }],
      refunded_at_gateway: [{ status: 'done', amount: 3_000 }],
    })
    await expectSound(server.database)

    // The rest comes back, and goes again. Each key was for one amount.
    books().failRefund(refundsOf(intent)[0]!)
    await deliver()
    await lookAgain(id)
    await lookAgain(id)
    await deliver()
    expect(refundsOf(intent).map(({ amount }) => amount)).toEqual([7_000, 7_000, 3_000])
    expect(intent.charge!.refunded).toBe(PRICE)
    expect((await order(id)).payments).toMatchObject([{ status: 'refunded', refunded_amount: PRICE }])
  })

  it('tell that a bank sent a part back that went out there: what a refund here was lowered by is owed', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    books().refund(intent, 2_000, {})
    const outside = books().refund(intent, 1_000, {})
    await deliver()
    await refund(id)
    await lookAgain(id)
    await lookAgain(id)
    await deliver()
    expect((await order(id)).refunds).toMatchObject([{ status: 'done', amount: PRICE, asked_amount: 7_000 }])

    faultsAbout(intent, 'error_before', 'error_before', 'error_before')
    books().failRefund(outside)
    const failed = messages()
    for (const text of [...failed, ...failed]) expect(await post(text)).toBe(200)
    await server.node.paymentWork.runNow()
    expect(await order(id)).toMatchObject({
      status: 'refunded',
      payments: [{ status: 'refunding', refunded_amount: 9_000 }],
      refunds: [
        { status: 'done', amount: 9_000, asked_amount: 7_000 },
        { status: 'pending', amount: 1_000, asked_amount: 1_000, given_up: false },
      ],
    })
    await expectSound(server.database)
    // In the refunds of a cancelled event it is one order, which is not refunded yet.
    await server.database.sql(`update refunds set cause = 'event_cancelled' where order_id = $1`, [id])
    const run = `/api/admin/events/${at.eventId}/refunds/orders?limit=100`
    const listed = (await server.request('GET', run, { token: ours.tokens.organizer })).body.data
    expect(listed.filter((row: { order_id: string }) => row.order_id === id)).toMatchObject([
      { state: 'on_the_way', amount: PRICE },
    ])

    await lookAgain(id)
    for (const text of failed) await post(replayed(text))
    await deliver()
    await lookAgain(id)
    const given = () => refundsOf(intent).map(({ amount, status }) => [amount, status])
    const before = [
      [7_000, 'succeeded'],
      [1_000, 'failed'],
      [2_000, 'succeeded'],
    ]
    expect(given()).toEqual([[1_000, 'succeeded'], ...before])
    expect((await order(id)).payments).toMatchObject([{ status: 'refunded', refunded_amount: PRICE }])
    expect(await auditOf(id, 'order_refund_owed_again')).toMatchObject([{ changes: { amount: 1_000 } }])

    // Each of them may come back by itself, and goes again.
    for (const refund of refundsOf(intent).slice(0, 2)) books().failRefund(refund)
    await deliver()
    await lookAgain(id)
    await lookAgain(id)
    await lookAgain(id)
    await deliver()
    expect(intent.charge!.refunded).toBe(PRICE)
    expect((await order(id)).payments).toMatchObject([{ status: 'refunded', refunded_amount: PRICE }])
    // Whatever the code does, a refund is lowered only by what went back there.
    for (const change of ['amount + 1', 'amount - 5000', 'null']) {
      const statement = `update refunds set amount = ${change} where order_id = $1`
      await expect(server.database.sql(statement, [id])).rejects.toThrow(/is not lowered/)
    }
  })

  it('tell it before the lowered refund was made: the rest follows that refund', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    const outside = books().refund(intent, 3_000, {})
    await deliver()
    const { gateway } = server.node.payments
    const really = gateway.refund.bind(gateway)
    vi.spyOn(gateway, 'refund').mockImplementation(async (payee, asked) => {
      if (asked.amount === 7_000) {
        books().failRefund(outside)
        for (const text of messages()) await post(text)
        await waitUntil(
          'the news is taken',
          async () => (await order(id)).refunded_at_gateway[0].status === 'failed',
        )
        expect((await order(id)).refunds).toMatchObject([{ status: 'pending', asked_amount: 7_000 }])
      }
      return really(payee, asked)
    })
    await refund(id)
    await lookAgain(id)
    await lookAgain(id)
    await lookAgain(id)
    await deliver()
    expect(refundsOf(intent).map(({ amount }) => amount)).toEqual([3_000, 7_000, 3_000])
    expect(intent.charge!.refunded).toBe(PRICE)
    expect(await order(id)).toMatchObject({
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [
        { status: 'done', amount: 7_000, asked_amount: 7_000 },
        { status: 'done', amount: 3_000 },
      ],
    })
  })

  it('tell of two parts that went back there: each covers one refund here', async () => {
    const id = await paidOrder(2)
    const intent = intentOf(id)
    books().refund(intent, PRICE, {})
    const [first] = messages()
    books().refund(intent, PRICE, {})
    const late = messages()
    await post(first!)
    const url = `/api/admin/orders/${id}/refund`
    for (const { ticket_id } of (await order(id)).tickets) {
      const body = { ticket_ids: [ticket_id], reason: 'ill' }
      await server.request('POST', url, { token: ours.tokens.organizer, body })
      await server.node.paymentWork.runNow()
    }
    await lookAgain(id)
    expect((await order(id)).refunds).toMatchObject([
      { status: 'done', amount: PRICE, asked_amount: 0 },
      { status: 'pending', amount: PRICE, told: 'exceeds_captured' },
    ])
    for (const text of late) await post(text)
    await server.node.paymentWork.runNow()
    await lookAgain(id)
    expect((await order(id)).refunds[1]).toMatchObject({ status: 'done', asked_amount: 0 })
  })

  it('tell that a bank sent a refund back: the money is owed again, and is given again with another key', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    await refund(id)
    await server.node.paymentWork.runNow()
    const before = await cameBack()
    const [first] = refundsOf(intent)
    const early = messages()
    for (const text of early) await post(text)
    await server.node.paymentWork.runNow()
    expect((await order(id)).payments).toMatchObject([{ status: 'refunded', refunded_amount: PRICE }])

    faultsAbout(intent, 'error_before', 'error_before', 'error_before')
    books().failRefund(first!)
    const late = messages()
    for (const text of [...late, ...late, ...early]) expect(await post(text)).toBe(200)
    await server.node.paymentWork.runNow()
    expect(await order(id)).toMatchObject({
      status: 'refunded',
      tickets: [{ status: 'void' }],
      payments: [{ status: 'refunding', refunded_amount: 0 }],
      refunds: [{ status: 'failed', amount: PRICE }],
    })
    await expectSound(server.database)
    const audit = `/api/admin/audit?entity_id=${id}&action=order_refund_came_back`
    const entries = (await server.request('GET', audit, { token: ours.tokens.admin })).body.data
    expect(entries).toMatchObject([{ actor: 'system', changes: { amount: PRICE, attempt: 0 } }])
    expect(await cameBack()).toBe(before + 1)

    await lookAgain(id)
    expect(refundsOf(intent).map(({ status }) => status)).toEqual(['succeeded', 'failed'])
    expect(intent.charge!.refunded).toBe(PRICE)
    // Stripe tells the news of the first attempt once more.
    for (const text of [...late, ...early]) await post(replayed(text))
    await deliver()
    await lookAgain(id)
    expect(refundsOf(intent)).toHaveLength(2)
    expect(await order(id)).toMatchObject({
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [{ status: 'done' }],
    })
    // Whatever the code does, the tables let money come back in this way only.
    for (const [statement, says] of [
      [
        `update refunds set status = 'pending', failures = failures + 1 where order_id = $1`,
        /given back before/,
      ],
      [`update refunds set status = 'failed' where order_id = $1`, /given back before/],
      ['update payments set refunded_amount = 0 where order_id = $1', /does not go from refunded/],
      [`update payments set status = 'captured' where order_id = $1`, /does not go from refunded/],
    ] as const) {
      await expect(server.database.sql(statement, [id])).rejects.toThrow(says)
    }
  })

  it('tell that each attempt failed: every one has a key of its own, and after five it is left to staff', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    /** Stripe tells of the last attempt that it was made, and that it failed. */
    const told: string[] = []
    await refund(id)
    await server.node.paymentWork.runNow()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await deliver()
      await lookAgain(id)
      const [last, ...before] = refundsOf(intent)
      expect(before).toHaveLength(attempt)
      if (attempt === 4) told.push(...messages())
      books().failRefund(last!)
    }
    told.push(...messages())
    for (const text of told) await post(text)
    await server.node.paymentWork.runNow()
    await lookAgain(id)
    const keys = refundsOf(intent).map(({ metadata }) => metadata.refund_key)
    expect([keys.length, new Set(keys).size]).toEqual([5, 5])
    expect(await order(id)).toMatchObject({
      payments: [{ status: 'refunding', refunded_amount: 0 }],
      refunds: [{ status: 'failed' }],
    })
    const [row] = await server.database.sql('select look_at, failures from refunds where order_id = $1', [id])
    expect(row).toEqual({ look_at: null, failures: 5 })

    // Staff give it back. Then no news of the gateway fails it, and a success there would be shown.
    expect((await staff(id, 'given-back', 'support')).status).toBe(403)
    expect((await staff(id, 'given-back')).body.data).toMatchObject({
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [{ status: 'done', by_hand: true, asked_amount: null, given_up: false }],
    })
    expect((await staff(id, 'given-back')).body.code).toBe('invalid_transition')
    expect((await staff(id, 'retry')).body.code).toBe('invalid_transition')
    for (const text of told) await post(replayed(text))
    await server.node.paymentWork.runNow()
    await lookAgain(id)
    expect(refundsOf(intent)).toHaveLength(5)
    expect(await order(id)).toMatchObject({
      payments: [{ status: 'refunded', refunded_amount: PRICE }],
      refunds: [{ status: 'done' }],
      refunded_at_gateway: [{ amount: PRICE }],
    })
    await expect(
      server.database.sql(`update refunds set status = 'failed', failures = 6 where order_id = $1`, [id]),
    ).rejects.toThrow(/given back before/)
  })

  it('do not come for a refund that is refused for a week: staff try it again, and the week begins again', async () => {
    const id = await paidOrder()
    const intent = intentOf(id)
    const week = async () => {
      const text = `update refunds set tried_since = now() - interval '8 days', look_at = now() where order_id = $1`
      await server.database.sql(text, [id])
      await server.node.paymentWork.runNow()
    }
    expect((await staff(id, 'retry')).body.code).toBe('invalid_transition')
    faultsAbout(intent, 'unauthorized')
    await refund(id)
    await server.node.paymentWork.runNow()
    const tried = { status: 'pending', told: 'misconfigured', asked_amount: PRICE, by_hand: false }
    expect((await order(id)).refunds).toMatchObject([{ ...tried, given_up: false }])
    expect((await staff(id, 'given-back')).body.code).toBe('invalid_transition')
    const attempts = () =>
      stripe.requests.filter(({ path, body }) => path === '/v1/refunds' && body.includes(intent.id)).length
    const made = attempts()
    await week()
    expect((await order(id)).refunds).toMatchObject([{ ...tried, given_up: true }])
    expect(attempts()).toBe(made)
    const { text } = await server.request('GET', '/metrics')
    expect(text).toContain('voelgoed_gateway_refunds_given_up 1\n')
    expect(text).toContain('voelgoed_gateway_refunds_total{outcome="given_up"} 1\n')

    expect((await staff(id, 'retry', 'support')).status).toBe(403)
    faultsAbout(intent, 'unauthorized')
    expect((await staff(id, 'retry')).body.data.refunds).toMatchObject([{ ...tried, given_up: false }])
    await server.node.paymentWork.runNow()
    // It was refused once more, and goes on.
    expect((await order(id)).refunds).toMatchObject([{ ...tried, given_up: false }])
    await lookAgain(id)
    await deliver()
    expect(refundsOf(intent)).toHaveLength(1)
    expect((await order(id)).refunds).toMatchObject([{ status: 'done', told: null, given_up: false }])
    const audit = `/api/admin/audit?entity_id=${id}&action=order_refund_retried`
    expect((await server.request('GET', audit, { token: ours.tokens.admin })).body.data).toHaveLength(1)
  })

  it('of the same second, in any order: the final state stays', async () => {
    const id = await paidOrder()
    const at = systemClock.now()
    const scope = TenantScope.of(ours.id as OrganizationId)
    await server.node.database.tenant(scope, async tx => {
      const refund = (name: string, ...told: ('pending' | 'done' | 'failed')[]) =>
        told.reduce(async (before, status) => {
          await before
          await writeGatewayRefund(tx, id, { id: `re_${name}`, amount: 1, status, at })
        }, Promise.resolve())
      await refund('1', 'pending', 'done')
      await refund('2', 'done', 'pending')
      await refund('3', 'done', 'failed')
      await refund('4', 'failed', 'done')
      const dispute = async (disputeId: string, ...told: ('open' | 'won')[]) => {
        const about = { disputeId, amount: 1, currency: 'ZAR', reason: 'fraudulent', at }
        for (const status of told) await writeDispute(tx, id, { ...about, status })
      }
      await dispute('dp_1', 'open', 'won')
      await dispute('dp_2', 'won', 'open')
    })
    const { refunded_at_gateway, disputes } = await order(id)
    const states = (rows: { status: string }[]) => rows.map(({ status }) => status)
    expect(states(refunded_at_gateway)).toEqual(['done', 'done', 'failed', 'failed'])
    expect(states(disputes)).toEqual(['won', 'won'])
  })

  it('do not come for a week, and the gateway has the refund: it is asked once a day and not left to staff', async () => {
    const id = await paidOrder()
    const { gateway } = server.node.payments
    const value = { kind: 'pending', refundId: 're_slow', amount: PRICE } as const
    const asked = vi.spyOn(gateway, 'refund').mockResolvedValue({ ok: true, value })
    await refund(id)
    await server.node.paymentWork.runNow()
    expect((await order(id)).refunds).toMatchObject([{ told: 'pending', given_up: false }])
    const calls = () => asked.mock.calls.filter(([, { orderId }]) => orderId === id).length
    // Before it is due: the server's own look may ask at once.
    const before = calls()
    const text = `update refunds set tried_since = now() - interval '8 days', look_at = now() where order_id = $1`
    await server.database.sql(text, [id])
    await server.node.paymentWork.runNow()
    expect(calls()).toBe(before + 1)
    expect((await order(id)).refunds).toMatchObject([{ told: 'pending', given_up: false }])
    const look = `select look_at > now() + interval '23 hours' as is_late from refunds where order_id = $1`
    expect(await server.database.sql(look, [id])).toEqual([{ is_late: true }])
    expect((await staff(id, 'given-back')).body.code).toBe('invalid_transition')
    asked.mockRestore()
    await lookAgain(id)
    await deliver()
    expect((await order(id)).refunds).toMatchObject([{ status: 'done' }])
  })

  it('are bounded: no body is too large, deep or odd to be refused, and nothing of it is stored', async () => {
    const before = (await kept()).length
    const deep = '['.repeat(60_000)
    const junk = [
      ['x'.repeat(300_000), 413],
      [deep, 400],
      ['', 400],
      ['\0\0', 400],
      ['{"id":"evt_1","type":"payment_intent.succeeded"}', 400],
    ] as const
    for (const [body, status] of junk) expect(await post(body, signed('other'))).toBe(status)
    // Signed, and no message all the same.
    for (const body of [
      deep,
      'null',
      '7',
      '"x"',
      '[]',
      '{}',
      '{"id":7,"type":{}}',
      '{"id":"evt_x","data":null}',
    ]) {
      const status = await post(body)
      expect([body.slice(0, 40), status >= 400 && status < 500]).toEqual([body.slice(0, 40), true])
    }
    const body = '{"id":"evt_1"}'
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'image/png',
    ]) {
      expect(await post(body, { ...signed('other'), 'content-type': type })).toBeLessThan(500)
      expect(await post(body, { ...signed('other'), 'content-type': type })).toBeGreaterThanOrEqual(400)
    }
    for (const signature of ['', 't=,v1=', `t=1,${'v1=0,'.repeat(2_000)}`, 't=9e99,v1=00', '\u00e9']) {
      const status = await post(body, { 'content-type': 'application/json', 'stripe-signature': signature })
      expect([signature.slice(0, 20), status]).toEqual([signature.slice(0, 20), 400])
    }
    const flood = await Promise.all(Array.from({ length: 200 }, () => post(body, signed('other'))))
    expect(new Set(flood)).toEqual(new Set([400]))
    expect((await kept()).length).toBe(before)
  })
})

describe('a card that was declined in the form', () => {
  beforeAll(async () => {
    at = await pricedHall(ours)
    seat = 0
  })

  /** The gateway's messages are lost. Time passes, and the server looks the payment up. */
  async function laterWithoutNews(id: string) {
    messages()
    await server.database.sql(
      `update payments set sent_at = sent_at - interval '5 minutes', look_at = now()
       where order_id = $1 and look_at is not null`,
      [id],
    )
    await server.node.paymentWork.runNow()
  }
  const decline = (id: string) =>
    expect(() => books().confirm(intentOf(id), '4000000000000002')).toThrow('card_declined')

  it('is followed by another card without a call of ours: the payment is looked up on', async () => {
    const { id } = await checkout()
    decline(id)
    await laterWithoutNews(id)
    await laterWithoutNews(id)
    expect((await order(id)).status).toBe('open')
    books().confirm(intentOf(id), '4242424242424242')
    await laterWithoutNews(id)
    expect((await order(id)).status).toBe('paid')
  })

  it('says nothing of the next attempt', async () => {
    const { id, token } = await checkout()
    decline(id)
    await deliver()
    expect((await order(id)).status).toBe('open')
    // A minute later.
    intentOf(id).failed!.created -= 60
    const again = await server.request('POST', `/api/checkouts/${id}/pay`, { token, body: {} })
    expect(again.body.data).toMatchObject({ status: 'paying', next: { kind: 'stripe' } })
    await server.database.sql('update payments set look_at = now() where order_id = $1', [id])
    await server.node.paymentWork.runNow()
    expect((await order(id)).status).toBe('paying')
  })

  it('may be followed by a debit that takes days: it is in payment again, and is looked up', async () => {
    const { id } = await checkout()
    decline(id)
    await laterWithoutNews(id)
    await server.database.sql('update payments set look_at = null where order_id = $1', [id])
    books().confirm(intentOf(id), '4000000000000341')
    await deliver()
    expect((await order(id)).status).toBe('paying')
    books().succeed(intentOf(id))
    await laterWithoutNews(id)
    expect((await order(id)).status).toBe('paid')
  })

  it('is no verdict where the gateway does not know what it made: we ask with another key', async () => {
    const { id } = await checkout()
    const { intents } = books()
    const [gone] = intents.splice(intents.indexOf(intentOf(id)), 1)
    await laterWithoutNews(id)
    expect((await order(id)).status).toBe('paying')
    intents.push(gone!)
    books().succeed(gone!)
    await laterWithoutNews(id)
    expect((await order(id)).status).toBe('paid')
  })
})

describe('a form that is open when its order is over', () => {
  const later = async (id: string) => {
    await server.database.sql('update checkouts set due_at = now() where order_id = $1', [id])
    await server.node.paymentWork.runNow()
    await server.node.paymentWork.runNow()
  }
  const release = async (id: string) => {
    const [row] = await server.database.sql<{ hold_ids: string[] }>(
      'select hold_ids from orders where id = $1',
      [id],
    )
    const body = { hold_ids: row!.hold_ids, force: true }
    const released = await server.request('POST', '/api/admin/seats/release', {
      token: ours.tokens.organizer,
      body,
    })
    expect(released.status, released.text).toBe(200)
  }
  const cancel = ({ id, token }: { id: string; token: string }) =>
    server.request('DELETE', `/api/checkouts/${id}`, { token })
  const stateOf = async (id: string) => {
    const { status, payments } = await order(id)
    return [status, payments[0].status, intentOf(id).status]
  }

  it('takes no money after the holds have run out', async () => {
    const { id } = await checkout()
    await later(id)
    expect(await stateOf(id)).toEqual(['paying', 'created', 'requires_payment_method'])
    await release(id)
    await later(id)
    expect(await stateOf(id)).toEqual(['expired', 'declined', 'canceled'])
    await deliver()
    expect(() => books().confirm(intentOf(id), '4242424242424242')).toThrow()
  })

  it('takes no money after the buyer has cancelled, also after a decline', async () => {
    const one = await checkout()
    await cancel(one)
    const two = await checkout()
    expect(() => books().confirm(intentOf(two.id), '4000000000000002')).toThrow('card_declined')
    await deliver()
    expect(await stateOf(two.id)).toEqual(['open', 'declined', 'requires_payment_method'])
    await cancel(two)
    await server.node.paymentWork.runNow()
    expect(await stateOf(one.id)).toEqual(['cancelled', 'declined', 'canceled'])
    expect(await stateOf(two.id)).toEqual(['cancelled', 'declined', 'canceled'])
    await deliver()
    expect(await stateOf(two.id)).toEqual(['cancelled', 'declined', 'canceled'])
  })

  it('and is paid at that moment: the money goes back', async () => {
    const made = await checkout()
    const { gateway } = server.node.payments
    const really = gateway.cancelIntent.bind(gateway)
    const asked = vi.spyOn(gateway, 'cancelIntent').mockImplementationOnce((payee, intent) => {
      books().succeed(intentOf(made.id))
      return really(payee, intent)
    })
    await cancel(made)
    await server.node.paymentWork.runNow()
    expect(asked).toHaveBeenCalledTimes(1)
    expect(await stateOf(made.id)).toEqual(['cancelled', 'created', 'succeeded'])
    await deliver()
    await deliver()
    expect(await stateOf(made.id)).toEqual(['refunded', 'refunded', 'succeeded'])
    expect(intentOf(made.id).charge!.refunded).toBe(PRICE)
  })

  it('and that the gateway does not end is tried again at the next look', async () => {
    const made = await checkout()
    const { gateway } = server.node.payments
    vi.spyOn(gateway, 'cancelIntent').mockResolvedValueOnce({
      ok: true,
      value: { kind: 'unknown', reason: 'time_out' },
    })
    await cancel(made)
    await server.node.paymentWork.runNow()
    expect(await stateOf(made.id)).toEqual(['cancelled', 'created', 'requires_payment_method'])
    await server.database.sql(
      'update payments set look_at = now() where order_id = $1 and look_at is not null',
      [made.id],
    )
    await server.node.paymentWork.runNow()
    expect(await stateOf(made.id)).toEqual(['cancelled', 'declined', 'canceled'])
  })

  it('is replaced by another if staff cancelled it on Stripe’s own pages and the order is open', async () => {
    const made = await checkout()
    const first = intentOf(made.id)
    books().cancel(first)
    const told = messages()
    for (const text of told) await post(text)
    await server.node.paymentWork.runNow()
    expect((await order(made.id)).status).toBe('open')
    const pay = () => server.request('POST', `/api/checkouts/${made.id}/pay`, { token: made.token, body: {} })
    const again = (await pay()).body.data
    const second = intentOf(made.id)
    expect(second.id).not.toBe(first.id)
    expect(again).toMatchObject({ status: 'paying', next: { client_secret: second.clientSecret } })
    expect((await pay()).body.data.next).toEqual(again.next)
    // News of the first intent says nothing of the second.
    for (const text of told) await post(replayed(text))
    await server.node.paymentWork.runNow()
    expect((await order(made.id)).status).toBe('paying')
    books().succeed(second)
    messages()
    await server.database.sql('update payments set look_at = now() where order_id = $1', [made.id])
    await server.node.paymentWork.runNow()
    expect((await order(made.id)).status).toBe('paid')
  })
})
