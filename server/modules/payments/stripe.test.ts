import { randomUUID } from 'node:crypto'
import { addressOf, newOrder } from '@voelgoed/testing/gateway-under-test'
import { StripeProblem } from '@voelgoed/testing/stripe/books'
import { type StripeUnderTest, stripeUnderTest } from '@voelgoed/testing/stripe-under-test'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NewIntent } from './gateway.ts'
import { declineCodeOf } from './stripe/outcomes.ts'

let on: StripeUnderTest

beforeAll(async () => {
  on = await stripeUnderTest()
})
afterAll(() => on?.close())
beforeEach(() => {
  on.server.requests.length = 0
  on.notes.length = 0
})

const create = (order: NewIntent) => on.gateway.createIntent(on.payee, order)

describe('what is sent', () => {
  it('is form-encoded, with the pinned version, our key, the account, and no telemetry', async () => {
    const order = { ...newOrder(), metadata: { order_number: 'VG-1 & co' } }
    await create(order)
    const [request] = on.server.requests
    const { organizationId } = on.payee.scope
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
      amount: '80000',
      currency: 'zar',
      'automatic_payment_methods[enabled]': 'true',
      'metadata[order_number]': 'VG-1 & co',
      'metadata[organization_id]': organizationId,
      'metadata[order_id]': order.orderId,
    })
    expect(request!.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': '2026-10-28.endive',
      'idempotency-key': `intent:${organizationId}:${order.orderId}`,
      'stripe-account': 'acct_ours',
    })
    expect(request!.headers['x-stripe-client-telemetry']).toBeUndefined()
  })

  it('carries the same key at each attempt, and is tried three times', async () => {
    const order = newOrder()
    on.fail('error_before', 'rate_limited', 'time_out_after')
    expect(await create(order)).toEqual({ ok: true, value: { kind: 'unknown', reason: 'time_out' } })
    expect(on.server.requests).toHaveLength(3)
    expect(new Set(on.server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  it('goes to the platform itself when the organization has no account of its own', async () => {
    const payee = { ...on.payee, account: null }
    const made = await on.gateway.createIntent(payee, newOrder())
    expect(on.server.requests[0]!.headers['stripe-account']).toBeUndefined()
    expect(made).toMatchObject({ value: { kind: 'next_step', next: { account: null } } })
    expect(on.server.books(null).intents).toHaveLength(1)
  })
})

describe('what the buyer needs', () => {
  it('is the client secret, the publishable key and the account', async () => {
    expect(await create(newOrder())).toMatchObject({
      value: {
        kind: 'next_step',
        next: {
          kind: 'stripe',
          clientSecret: expect.stringMatching(/^pi_.*_secret_/),
          publishableKey: 'pk_test_0123456789',
          account: 'acct_ours',
        },
      },
    })
  })

  it('is there again after a decline, and the look-up says why', async () => {
    const order = newOrder()
    const declined = await on.buy(order, 'insufficient')
    expect(declined).toMatchObject({ value: { kind: 'declined', code: 'insufficient_funds' } })
    expect(await create(order)).toMatchObject({ value: { kind: 'next_step', next: { kind: 'stripe' } } })
  })

  it('is no more than "declined" of a card that was stolen', () => {
    for (const decline_code of ['stolen_card', 'lost_card', 'fraudulent', 'pickup_card', 'a_new_one']) {
      expect(declineCodeOf({ code: 'card_declined', decline_code })).toBe('card_declined')
    }
    expect(declineCodeOf({ code: 'expired_card' })).toBe('expired_card')
    expect(declineCodeOf({ code: 'card_declined', decline_code: 'try_again_later' })).toBe('try_again')
  })
})

describe('what Stripe answers', () => {
  it('402: declined, with the intent', async () => {
    const order = newOrder()
    on.server.faults.push('card_error')
    const [made] = [await create(order), on.server.books('acct_ours').intents]
    const intent = on.server
      .books('acct_ours')
      .intents.find(({ metadata }) => metadata.order_id === order.orderId)
    expect(made).toMatchObject({ value: { kind: 'declined', code: 'card_declined', intentId: intent!.id } })
  })

  it('429 with the advice not to repeat it: unknown after one attempt', async () => {
    on.server.faults.push('rate_limited_for_good')
    expect(await create(newOrder())).toMatchObject({ value: { kind: 'unknown', reason: 'rate_limited' } })
    expect(on.server.requests).toHaveLength(1)
  })

  it('409: another request with the key is under way; repeated, then unknown', async () => {
    on.server.faults.push('in_progress', 'in_progress', 'in_progress')
    expect(await create(newOrder())).toMatchObject({ value: { kind: 'unknown', reason: 'in_progress' } })
    expect(on.server.requests).toHaveLength(3)
  })

  it('500 that it keeps for the key: unknown, and not asked again and again', async () => {
    const order = newOrder()
    on.server.faults.push('error_kept')
    expect(await create(order)).toMatchObject({ value: { kind: 'unknown', reason: 'gateway_error' } })
    expect(on.server.requests).toHaveLength(2)
    const found = await on.gateway.lookUp(on.payee, addressOf(order, on))
    expect(found).toEqual({ ok: true, value: { kind: 'not_found' } })
  })

  it('401: misconfigured, and what is noted of it holds no key', async () => {
    on.server.faults.push('unauthorized')
    const refused = await create(newOrder())
    expect(refused).toMatchObject({ ok: false, problem: { kind: 'misconfigured' } })
    expect(on.notes).toEqual([
      { status: 401, type: expect.any(String), code: null, request_id: expect.stringMatching(/^req_/) },
    ])
    expect(JSON.stringify([refused, on.notes])).not.toContain('sk_')
  })

  it('401 after an attempt that may have taken effect: unknown', async () => {
    const order = newOrder()
    on.server.faults.push('time_out_after', 'unauthorized')
    expect(await create(order)).toMatchObject({ value: { kind: 'unknown', reason: 'time_out' } })
    expect(await on.gateway.lookUp(on.payee, addressOf(order, on))).toMatchObject({
      value: { kind: 'next_step' },
    })
  })

  it('an amount below its smallest: refused', async () => {
    expect(await create(newOrder(49))).toEqual({
      ok: false,
      problem: { kind: 'invalid_amount', detail: 'amount_too_small' },
    })
  })
})

describe('an intent that is not known by its id', () => {
  it('is found behind several pages, and not among those of another time', async () => {
    const order = newOrder()
    await create(order)
    const books = on.server.books('acct_ours')
    for (let i = 0; i < 250; i += 1) books.createIntent(500, 'zar', { order_id: randomUUID() })
    on.server.requests.length = 0
    expect(await on.gateway.lookUp(on.payee, addressOf(order, on))).toMatchObject({
      value: { kind: 'next_step' },
    })
    expect(on.server.requests).toHaveLength(3)
    const later = { orderId: order.orderId, intentId: null, createdAt: on.clock.now() + 600_000 }
    expect(await on.gateway.lookUp(on.payee, later)).toEqual({ ok: true, value: { kind: 'not_found' } })
  })

  it('is unknown when there are more than can be looked through', async () => {
    on.clock.advance(24 * 3_600_000)
    const order = newOrder()
    await create(order)
    const books = on.server.books('acct_ours')
    for (let i = 0; i < 2_001; i += 1) books.createIntent(500, 'zar', {})
    expect(await on.gateway.lookUp(on.payee, addressOf(order, on))).toEqual({
      ok: true,
      value: { kind: 'unknown', reason: 'search_too_long' },
    })
    // To create it again finds it.
    expect(await create(order)).toMatchObject({ value: { kind: 'next_step' } })
    on.clock.advance(24 * 3_600_000)
  })
})

it('organizations that share the account of the platform do not see each other', async () => {
  const [ours, theirs] = [on.payee, on.neighbour].map(payee => ({ ...payee, account: null }))
  const order = newOrder()
  const made = await on.gateway.createIntent(ours!, order)
  if (!made.ok || made.value.kind !== 'next_step') throw new Error('no intent')
  const { intentId } = made.value
  const books = on.server.books(null)
  books.succeed(books.intent(intentId))
  for (const id of [intentId, null]) {
    const found = await on.gateway.lookUp(theirs!, addressOf(order, on, id))
    expect(found).toEqual({ ok: true, value: { kind: 'not_found' } })
    const own = await on.gateway.lookUp(ours!, addressOf(order, on, id))
    expect(own).toMatchObject({ value: { kind: 'captured' } })
  }
  const refund = { key: randomUUID(), orderId: order.orderId, intentId, amount: 500 }
  expect(await on.gateway.refund(theirs!, refund)).toEqual({
    ok: false,
    problem: { kind: 'intent_not_found' },
  })
  expect(books.intent(intentId).charge!.refunded).toBe(0)
})

describe('a currency that Stripe counts otherwise than ISO 4217', () => {
  // 5,000 krónur, 5,000 shillings, 5,000 ariary, 5.1 dinars: ours, and what Stripe must get.
  it.each([
    ['ISK', 5_000, 500_000],
    ['UGX', 5_000, 500_000],
    ['MGA', 500_000, 5_000],
    ['KWD', 5_100, 5_100],
    ['JPY', 5_000, 5_000],
    ['HUF', 500_000, 500_000],
  ])('%s: %s of ours are %s of Stripe’s, in every call and every message', async (currency, ours, theirs) => {
    const order = { ...newOrder(ours), currency }
    on.server.books('acct_ours').events.length = 0
    const bought = await on.buy(order, 'disputed')
    expect(bought).toMatchObject({ value: { kind: 'captured', amount: ours, currency } })
    if (!bought.ok || bought.value.kind !== 'captured') throw new Error('not captured')
    const { intentId } = bought.value
    const key = randomUUID()
    const refund = { key, orderId: order.orderId, intentId, amount: ours / 5 }
    for (let n = 0; n < 2; n += 1) {
      expect(await on.gateway.refund(on.payee, refund)).toMatchObject({
        value: { kind: 'refunded', amount: ours / 5 },
      })
    }
    expect(await on.gateway.refund(on.payee, { ...refund, key: randomUUID(), amount: ours })).toEqual({
      ok: false,
      problem: { kind: 'exceeds_captured', refundable: ours - ours / 5 },
    })
    expect(await on.books(order.orderId)).toEqual({ captured: [theirs], refunded: [theirs / 5] })
    const news = (await on.takeWebhooks()).map(({ body, headers }) => on.gateway.readWebhook(body, headers))
    const told = news.flatMap(read => (read.ok && read.value.kind !== 'ignored' ? [read.value] : []))
    expect(told).toMatchObject([
      { kind: 'payment', outcome: { kind: 'captured', amount: ours, currency } },
      { kind: 'dispute', amount: ours, currency },
      { kind: 'refund', outcome: { kind: 'refunded', amount: ours / 5 } },
    ])
  })

  it.each([
    ['ZAR', 99_999_999],
    ['ISK', 999_999],
    ['MGA', 9_999_999_900],
    ['IDR', 999_999_999_999],
  ])('%s: at most %s at once', (currency, most) => {
    expect(on.gateway.maxAmount(currency)).toBe(most)
  })

  it.each([
    ['MGA', 512_350, 100],
    ['KWD', 5_124, 10],
    ['TND', 5_005, 10],
  ])('%s: %s is between two amounts that Stripe takes; nothing is sent', async (currency, amount, step) => {
    expect(on.gateway.amountStep(currency)).toBe(step)
    const refused = await create({ ...newOrder(amount), currency })
    expect(refused).toEqual({
      ok: false,
      problem: {
        kind: 'invalid_amount',
        detail: `Stripe takes multiples of ${step} minor units of ${currency} only`,
      },
    })
    expect(on.server.requests).toEqual([])
  })

  it('of a refund between two amounts nothing is given back', async () => {
    const order = { ...newOrder(5_120), currency: 'KWD' }
    const bought = await on.buy(order, 'pays')
    if (!bought.ok || bought.value.kind !== 'captured') throw new Error('not captured')
    const { intentId } = bought.value
    const refund = { key: randomUUID(), orderId: order.orderId, intentId, amount: 1_234 }
    expect(await on.gateway.refund(on.payee, refund)).toMatchObject({ problem: { kind: 'invalid_amount' } })
    expect((await on.books(order.orderId)).refunded).toEqual([])
  })
})

it('a refund is found by its own key when Stripe has forgotten the idempotency key', async () => {
  const order = newOrder()
  const bought = await on.buy(order, 'pays')
  if (!bought.ok || bought.value.kind !== 'captured') throw new Error('not captured')
  const refund = {
    key: randomUUID(),
    orderId: order.orderId,
    intentId: bought.value.intentId,
    amount: 20_000,
  }
  const first = await on.gateway.refund(on.payee, refund)
  on.server.forgetIdempotencyKeys()
  expect(await on.gateway.refund(on.payee, refund)).toEqual(first)
  expect((await on.books(order.orderId)).refunded).toEqual([20_000])
})

describe('webhooks', () => {
  const event = (type: string, object: object, more: object = {}) =>
    JSON.stringify({
      id: `evt_${randomUUID()}`,
      object: 'event',
      account: 'acct_ours',
      created: Math.floor(on.clock.now() / 1000),
      data: { object },
      livemode: false,
      type,
      ...more,
    })
  const read = (body: string) => {
    const signed = on.sign(body)
    const result = on.gateway.readWebhook(signed.body, signed.headers)
    return result.ok ? result.value : result.problem
  }
  const intent = {
    id: 'pi_1',
    amount_received: 500,
    currency: 'zar',
    metadata: { organization_id: 'o', order_id: '7' },
    status: 'succeeded',
  }

  it('of live payments are ignored in test mode, and so are test payments in live mode', () => {
    expect(read(event('payment_intent.succeeded', intent))).toMatchObject({ kind: 'payment', orderId: '7' })
    expect(read(event('payment_intent.succeeded', intent, { livemode: true }))).toMatchObject({
      kind: 'ignored',
    })
  })

  it('of payments that are not ours are ignored', () => {
    expect(read(event('payment_intent.succeeded', { ...intent, metadata: {} }))).toMatchObject({
      kind: 'ignored',
    })
  })

  it.each([
    ['succeeded', 'refunded'],
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
  ])('of a refund that is %s say %s, also of one that was made by hand', (status, kind) => {
    const refund = { id: 're_1', amount: 5, payment_intent: 'pi_1', metadata: {}, status }
    expect(read(event('refund.updated', refund))).toMatchObject({
      kind: 'refund',
      refundKey: null,
      intentId: 'pi_1',
      outcome: { kind, amount: 5 },
    })
  })

  it.each([
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['warning_under_review', 'open'],
    ['warning_closed', 'won'],
    ['prevented', 'lost'],
  ])('of a dispute that is %s say %s', (status, said) => {
    const dispute = {
      id: 'dp_1',
      amount: 5,
      currency: 'zar',
      payment_intent: { id: 'pi_1' },
      reason: 'general',
      status,
    }
    expect(read(event('charge.dispute.closed', dispute))).toMatchObject({
      kind: 'dispute',
      status: said,
      intentId: 'pi_1',
    })
  })

  it('of a payment that was cancelled or takes long say so', () => {
    const cancelled = { ...intent, status: 'canceled' }
    expect(read(event('payment_intent.canceled', cancelled))).toMatchObject({
      outcome: { kind: 'declined', code: 'cancelled' },
    })
    const processing = { ...intent, status: 'processing' }
    expect(read(event('payment_intent.processing', processing))).toMatchObject({
      outcome: { kind: 'pending' },
    })
  })
})

describe('an intent that is cancelled', () => {
  const books = () => on.server.books('acct_ours')
  const intentsOf = ({ orderId }: NewIntent) =>
    books().intents.filter(({ metadata }) => metadata.order_id === orderId)
  const intentId = async (order: NewIntent) => {
    const made = await create(order)
    if (!made.ok || !('intentId' in made.value)) throw new Error('no intent')
    return made.value.intentId
  }
  const cancel = async (order: NewIntent) =>
    on.gateway.cancelIntent(on.payee, { orderId: order.orderId, intentId: await intentId(order) })

  it('at the moment that the buyer pays stays paid', async () => {
    const order = newOrder()
    const really = books().cancel.bind(books())
    vi.spyOn(books(), 'cancel').mockImplementationOnce(intent => {
      books().succeed(intent)
      really(intent)
    })
    expect(await cancel(order)).toEqual({ ok: true, value: { kind: 'too_late' } })
    expect(intentsOf(order)).toMatchObject([{ status: 'succeeded' }])
  })

  it('and whose answer is lost is unknown, and cancelled when it is asked again', async () => {
    const order = newOrder()
    const address = { orderId: order.orderId, intentId: await intentId(order) }
    const really = books().cancel.bind(books())
    vi.spyOn(books(), 'cancel').mockImplementationOnce(intent => {
      really(intent)
      throw new StripeProblem(500, { type: 'api_error' })
    })
    expect(await on.gateway.cancelIntent(on.payee, address)).toMatchObject({ value: { kind: 'unknown' } })
    expect(await on.gateway.cancelIntent(on.payee, address)).toEqual({
      ok: true,
      value: { kind: 'cancelled' },
    })
  })

  it('by two callers at once is cancelled', async () => {
    const order = newOrder()
    const really = books().cancel.bind(books())
    vi.spyOn(books(), 'cancel').mockImplementationOnce(intent => {
      really(intent)
      really(intent)
    })
    expect(await cancel(order)).toEqual({ ok: true, value: { kind: 'cancelled' } })
  })

  it('is followed by one other, which says which it replaces, however often it is asked for', async () => {
    const order = newOrder()
    const first = await intentId(order)
    books().cancel(intentsOf(order)[0]!)
    const known = { ...order, intentId: first }
    const again = await create(known)
    const [second] = intentsOf(order)
    expect(again).toMatchObject({
      ok: true,
      value: { kind: 'next_step', intentId: second!.id, replaces: first },
    })
    expect(await create(known)).toEqual(again)
    // Its id was lost: the key leads to the first, and from there to the second.
    expect(await create(order)).toMatchObject({ value: { kind: 'next_step', intentId: second!.id } })
    expect(await create(order)).not.toHaveProperty('value.replaces')
    expect(intentsOf(order)).toHaveLength(2)
    // It is cancelled as well.
    books().cancel(second!)
    expect(await create({ ...order, intentId: second!.id })).toMatchObject({
      value: { kind: 'next_step', replaces: second!.id },
    })
    expect(intentsOf(order)).toHaveLength(3)
  })

  it('again and again is declined after all, with a bounded number of calls', async () => {
    const order = newOrder()
    const really = books().createIntent.bind(books())
    vi.spyOn(books(), 'createIntent').mockImplementation((...given) => {
      const made = really(...given)
      books().cancel(made)
      return made
    })
    expect(await create(order)).toMatchObject({ value: { kind: 'declined', code: 'cancelled' } })
    expect(on.server.requests.length).toBeLessThan(10)
  })
})
