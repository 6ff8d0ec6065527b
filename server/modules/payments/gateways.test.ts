import { randomUUID } from 'node:crypto'
import type { Result } from '@voelgoed/core/result'
import { fakeBankUnderTest } from '@voelgoed/testing/fake-bank-under-test'
import {
  addressOf,
  CARDS,
  CVC,
  type GatewayUnderTest,
  newOrder,
  SHARED_FAULTS,
} from '@voelgoed/testing/gateway-under-test'
import { KEYS, stripeUnderTest } from '@voelgoed/testing/stripe-under-test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DECLINE_CODES } from './declines.ts'
import type { GatewayEvent, NewIntent } from './gateway.ts'

function value<Value, Problem>(result: Result<Value, Problem>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.problem)}`)
  return result.value
}

function problem<Value, Problem>(result: Result<Value, Problem>): Problem {
  if (result.ok) throw new Error(`not refused: ${JSON.stringify(result.value)}`)
  return result.problem
}

describe.each([
  ['simulator', fakeBankUnderTest as () => Promise<GatewayUnderTest>],
  ['stripe', stripeUnderTest as () => Promise<GatewayUnderTest>],
])('%s', (name, start) => {
  let on: GatewayUnderTest
  beforeAll(async () => {
    on = await start()
  })
  afterAll(() => on?.close())

  const lookUp = async (order: NewIntent, intentId: string | null = null) =>
    value(await on.gateway.lookUp(on.payee, addressOf(order, on, intentId)))
  const refund = (order: NewIntent, intentId: string, amount: number, key: string = randomUUID()) =>
    on.gateway.refund(on.payee, { key, orderId: order.orderId, intentId, amount })
  const bought = async (order: NewIntent, card: keyof typeof CARDS = 'pays') => {
    const outcome = value(await on.buy(order, card))
    if (outcome.kind === 'unknown') throw new Error('unknown')
    return outcome
  }
  /** All news, read as it comes. */
  const news = async (): Promise<GatewayEvent[]> =>
    (await on.takeWebhooks()).map(({ body, headers }) => value(on.gateway.readWebhook(body, headers)))

  it('says its name', () => expect(on.gateway.name).toBe(name))

  describe('a payment', () => {
    it('is captured in full, and told by a webhook', async () => {
      const order = newOrder(12_345)
      await news()
      const outcome = await bought(order)
      expect(outcome).toMatchObject({ kind: 'captured', amount: 12_345, currency: 'ZAR' })
      expect(await lookUp(order)).toEqual(outcome)
      expect(await lookUp(order, outcome.intentId)).toEqual(outcome)
      const told = (await news()).filter(event => event.kind !== 'ignored')
      expect(told).toMatchObject([
        {
          kind: 'payment',
          orderId: order.orderId,
          organizationId: on.payee.scope.organizationId,
          account: on.payee.account,
          outcome,
        },
      ])
    })

    it.each([
      ['declined', 'card_declined'],
      ['insufficient', 'insufficient_funds'],
    ] as const)(
      '%s says what the buyer can do, charges nothing, and may be tried again',
      async (card, code) => {
        const order = newOrder()
        await news()
        const outcome = await bought(order, card)
        expect(outcome).toMatchObject({ kind: 'declined', code, message: expect.stringMatching(/\. .*card/) })
        expect(await lookUp(order)).toEqual(outcome)
        expect(await news()).toContainEqual(
          expect.objectContaining({ kind: 'payment', orderId: order.orderId, outcome }),
        )
        expect(await on.books(order.orderId)).toEqual({ captured: [], refunded: [] })
        expect(await bought(order)).toMatchObject({ kind: 'captured', intentId: outcome.intentId })
        expect((await on.books(order.orderId)).captured).toEqual([order.amount])
      },
    )

    it('that needs a second step says which, and is captured when the buyer accepts', async () => {
      const order = newOrder()
      const outcome = await bought(order, 'step')
      expect(outcome).toMatchObject({ kind: 'next_step' })
      expect((await on.books(order.orderId)).captured).toEqual([])
      await on.answerStep(order, 'accept')
      expect(await lookUp(order)).toMatchObject({ kind: 'captured', intentId: outcome.intentId })
    })

    it('whose second step the buyer declines is declined', async () => {
      const order = newOrder()
      await bought(order, 'step')
      await on.answerStep(order, 'decline')
      expect(await lookUp(order)).toMatchObject({ kind: 'declined', code: 'confirmation_failed' })
      expect((await on.books(order.orderId)).captured).toEqual([])
    })

    it('that takes long is pending, and captured after the hold is gone', async () => {
      const order = newOrder()
      const outcome = await bought(order, 'late')
      expect(outcome).toMatchObject({ kind: 'pending' })
      await news()
      await on.passLate()
      expect(await lookUp(order, outcome.intentId)).toMatchObject({ kind: 'captured' })
      expect(await news()).toContainEqual(
        expect.objectContaining({ kind: 'payment', orderId: order.orderId }),
      )
    })
  })

  describe('a key', () => {
    it('gives one charge, however often the intent is created', async () => {
      const order = newOrder()
      await news()
      const first = await bought(order)
      const again = value(await on.gateway.createIntent(on.payee, on.withCard(order, 'pays')))
      expect(again).toEqual(first)
      expect(await bought(order)).toEqual(first)
      expect((await on.books(order.orderId)).captured).toEqual([order.amount])
      expect((await news()).filter(event => event.kind === 'payment')).toHaveLength(1)
    })

    it('of a payment that is not decided yet takes no other card', async () => {
      const order = newOrder()
      const first = await bought(order, 'late')
      expect(value(await on.gateway.createIntent(on.payee, on.withCard(order, 'pays')))).toEqual(first)
      expect((await on.books(order.orderId)).captured).toEqual([])
    })

    it('gives one charge when it is used many times at once', async () => {
      const order = newOrder()
      const create = () => on.gateway.createIntent(on.payee, on.withCard(order, 'pays'))
      const ids = (await Promise.all([create(), create(), create(), create()])).map(result => {
        const outcome = value(result)
        return outcome.kind === 'unknown' ? null : outcome.intentId
      })
      expect(new Set(ids).size).toBe(1)
      await bought(order)
      expect((await on.books(order.orderId)).captured).toEqual([order.amount])
    })

    it('with another amount is refused, and charges nothing', async () => {
      const order = newOrder(50_000)
      await bought(order)
      const other = on.withCard({ ...order, amount: 90_000 }, 'pays')
      expect(problem(await on.gateway.createIntent(on.payee, other))).toEqual({ kind: 'key_reused' })
      expect((await on.books(order.orderId)).captured).toEqual([50_000])
    })

    it('belongs to its organization: a neighbour finds and refunds nothing', async () => {
      const order = newOrder()
      const { intentId } = await bought(order)
      const { gateway, neighbour } = on
      for (const id of [intentId, null]) {
        expect(value(await gateway.lookUp(neighbour, addressOf(order, on, id)))).toEqual({
          kind: 'not_found',
        })
      }
      const taken = { key: randomUUID(), orderId: order.orderId, intentId, amount: 1_00 }
      expect(problem(await gateway.refund(neighbour, taken))).toEqual({ kind: 'intent_not_found' })
      expect((await on.books(order.orderId)).refunded).toEqual([])
    })

    it.each([0, -5, 1.5, 1_00_000_000_000])('of an amount of %s is refused', async amount => {
      const made = await on.gateway.createIntent(on.payee, on.withCard(newOrder(amount), 'pays'))
      expect(problem(made).kind).toMatch(/^(invalid_amount|misconfigured)$/)
    })
  })

  describe('no answer', () => {
    it.each(SHARED_FAULTS)('once (%s) is repeated, and charges once', async fault => {
      const order = newOrder()
      on.fail(fault)
      expect(await bought(order)).toMatchObject({ kind: 'captured' })
      expect((await on.books(order.orderId)).captured).toEqual([order.amount])
    })

    it.each(SHARED_FAULTS)(
      'each time (%s) is unknown, never declined, and looking up finds the truth',
      async fault => {
        const order = newOrder()
        on.fail(fault, fault, fault)
        const made = value(await on.gateway.createIntent(on.payee, on.withCard(order, 'pays')))
        expect(made).toMatchObject({ kind: 'unknown' })
        const found = await lookUp(order)
        if (fault.endsWith('_after')) expect(found.kind).toMatch(/^(captured|next_step)$/)
        else expect(found).toEqual({ kind: 'not_found' })
        const again = value(await on.gateway.createIntent(on.payee, on.withCard(order, 'pays')))
        expect(again.kind).toMatch(/^(captured|next_step)$/)
        await bought(order)
        expect((await on.books(order.orderId)).captured).toEqual([order.amount])
      },
    )

    it.each(SHARED_FAULTS)('to a look-up (%s) is unknown', async fault => {
      const order = newOrder()
      const { intentId } = await bought(order)
      on.fail(fault, fault, fault)
      expect(await lookUp(order, intentId)).toMatchObject({ kind: 'unknown' })
      expect(await lookUp(order, intentId)).toMatchObject({ kind: 'captured' })
    })
  })

  describe('to cancel', () => {
    const cancel = (order: NewIntent, intentId: string, payee = on.payee) =>
      on.gateway.cancelIntent(payee, { orderId: order.orderId, intentId })

    it('a payment that waits for the buyer ends it, once, and it takes no money', async () => {
      const order = newOrder()
      const { intentId } = await bought(order, 'step')
      await news()
      expect(value(await cancel(order, intentId))).toEqual({ kind: 'cancelled' })
      expect(value(await cancel(order, intentId))).toEqual({ kind: 'cancelled' })
      await on.answerStep(order, 'accept')
      const outcome = await lookUp(order, intentId)
      expect(outcome).toMatchObject({ kind: 'declined', code: 'cancelled' })
      expect(outcome).not.toHaveProperty('canGoOn')
      expect((await news()).filter(event => event.kind === 'payment')).toMatchObject([{ outcome }])
      expect((await on.books(order.orderId)).captured).toEqual([])
    })

    it('leaves an order that can be paid for again, and is charged once', async () => {
      const order = newOrder()
      const { intentId } = await bought(order, 'step')
      await cancel(order, intentId)
      const again = await bought({ ...order, intentId })
      expect(again).toMatchObject({ kind: 'captured' })
      expect(await bought({ ...order, intentId: again.intentId })).toMatchObject({ kind: 'captured' })
      expect(await bought({ ...order, intentId })).toMatchObject({ kind: 'captured' })
      expect((await on.books(order.orderId)).captured).toEqual([order.amount])
    })

    it.each(['pays', 'late'] as const)(
      'is too late where the money was taken or is on its way (%s)',
      async card => {
        const order = newOrder()
        const { intentId } = await bought(order, card)
        expect(value(await cancel(order, intentId))).toEqual({ kind: 'too_late' })
        await on.passLate()
        expect(await lookUp(order, intentId)).toMatchObject({ kind: 'captured' })
      },
    )

    it('what is not there, or another organization’s, is refused', async () => {
      const order = newOrder()
      const { intentId } = await bought(order, 'step')
      const unknown = { kind: 'intent_not_found' }
      expect(problem(await cancel(order, 'pi_nothing'))).toEqual(unknown)
      expect(problem(await cancel(order, intentId, on.neighbour))).toEqual(unknown)
      expect(await lookUp(order, intentId)).toMatchObject({ kind: 'next_step' })
    })

    it.each(SHARED_FAULTS)('without an answer (%s) is unknown; once is repeated', async fault => {
      const order = newOrder()
      const { intentId } = await bought(order, 'step')
      on.fail(fault, fault, fault)
      expect(value(await cancel(order, intentId))).toMatchObject({ kind: 'unknown' })
      on.fail(fault)
      expect(value(await cancel(order, intentId))).toEqual({ kind: 'cancelled' })
    })
  })

  describe('a refund', () => {
    it('with the same key is made once, and told by a webhook', async () => {
      const order = newOrder()
      const { intentId } = await bought(order)
      const key = randomUUID()
      await news()
      const first = value(await refund(order, intentId, 30_000, key))
      expect(first).toMatchObject({ kind: 'refunded', amount: 30_000 })
      expect(value(await refund(order, intentId, 30_000, key))).toEqual(first)
      expect((await on.books(order.orderId)).refunded).toEqual([30_000])
      expect(await news()).toContainEqual(
        expect.objectContaining({ kind: 'refund', refundKey: key, intentId, outcome: first }),
      )
    })

    it('with the same key at the same moment is made once', async () => {
      const order = newOrder()
      const { intentId } = await bought(order)
      const key = randomUUID()
      await Promise.all([1, 2, 3].map(() => refund(order, intentId, 10_000, key)))
      expect((await on.books(order.orderId)).refunded).toEqual([10_000])
    })

    it('may be in parts, up to the amount and not beyond', async () => {
      const order = newOrder(10_000)
      const { intentId } = await bought(order)
      expect(value(await refund(order, intentId, 4_000))).toMatchObject({ kind: 'refunded' })
      expect(problem(await refund(order, intentId, 6_001))).toEqual({
        kind: 'exceeds_captured',
        refundable: 6_000,
      })
      expect(value(await refund(order, intentId, 6_000))).toMatchObject({ kind: 'refunded' })
      expect(problem(await refund(order, intentId, 1))).toEqual({ kind: 'exceeds_captured', refundable: 0 })
      expect((await on.books(order.orderId)).refunded).toEqual([4_000, 6_000])
    })

    it.each(['declined', 'step', 'late'] as const)('of what was not captured (%s) is refused', async card => {
      const order = newOrder()
      const { intentId } = await bought(order, card)
      expect(problem(await refund(order, intentId, 1_000))).toEqual({ kind: 'not_captured' })
    })

    it('of a payment that never was is refused', async () => {
      expect(problem(await refund(newOrder(), 'pi_nothing', 1_000))).toEqual({ kind: 'intent_not_found' })
    })

    it.each([0, -1, 0.5])('of %s is refused', async amount => {
      const order = newOrder()
      const { intentId } = await bought(order)
      expect(problem(await refund(order, intentId, amount)).kind).toBe('invalid_amount')
    })

    it('with a key of another refund is refused', async () => {
      const order = newOrder()
      const { intentId } = await bought(order)
      const key = randomUUID()
      await refund(order, intentId, 1_000, key)
      expect(problem(await refund(order, intentId, 2_000, key))).toEqual({ kind: 'key_reused' })
      expect((await on.books(order.orderId)).refunded).toEqual([1_000])
    })

    it.each(SHARED_FAULTS)('without an answer (%s) is unknown; to repeat it refunds once', async fault => {
      const order = newOrder()
      const { intentId } = await bought(order)
      const key = randomUUID()
      on.fail(fault, fault, fault)
      expect(value(await refund(order, intentId, 5_000, key))).toMatchObject({ kind: 'unknown' })
      expect(value(await refund(order, intentId, 5_000, key))).toMatchObject({ kind: 'refunded' })
      expect((await on.books(order.orderId)).refunded).toEqual([5_000])
    })
  })

  describe('a webhook', () => {
    const read = ({ body, headers }: { body: Buffer; headers: Record<string, string> }) =>
      on.gateway.readWebhook(body, headers)

    it('is refused with a wrong signature, with none, and with other bytes', async () => {
      const body = on.unknownMessage()
      const bad = { kind: 'bad_signature' }
      expect(problem(read(on.sign(body, undefined, 'wrong')))).toEqual(bad)
      expect(problem(on.gateway.readWebhook(Buffer.from(body), {}))).toEqual(bad)
      const { headers } = on.sign(body)
      expect(problem(on.gateway.readWebhook(Buffer.from(`${body} `), headers))).toEqual(bad)
      const [header] = Object.keys(headers)
      for (const text of ['', 't=1', 'v1=00', `${headers[header!]}0`.replace('t=', 't=9')]) {
        expect(problem(on.gateway.readWebhook(Buffer.from(body), { [header!]: text }))).toEqual(bad)
      }
    })

    it('is refused when it is older than five minutes', () => {
      const body = on.unknownMessage()
      expect(read(on.sign(body, on.clock.now() - 299_000)).ok).toBe(true)
      expect(problem(read(on.sign(body, on.clock.now() - 302_000)))).toEqual({ kind: 'too_old' })
    })

    it('is refused when it is signed and no message', () => {
      expect(problem(read(on.sign('{"id":')))).toEqual({ kind: 'malformed' })
    })

    it('says the same event each time it is played back', async () => {
      await news()
      await bought(newOrder())
      const webhooks = await on.takeWebhooks()
      const first = webhooks.map(webhook => value(read(webhook)))
      const second = webhooks.reverse().map(webhook => value(read(webhook)))
      expect(second.reverse()).toEqual(first)
      expect(new Set(first.map(event => event.eventId)).size).toBe(first.length)
    })

    it('of a kind that we do not follow is ignored, and acknowledged', () => {
      expect(value(read(on.sign(on.unknownMessage())))).toMatchObject({
        kind: 'ignored',
        type: 'payout.paid',
      })
    })

    it('tells of a dispute', async () => {
      const order = newOrder(7_700)
      await news()
      const { intentId } = await bought(order, 'disputed')
      expect(await news()).toContainEqual(
        expect.objectContaining({
          kind: 'dispute',
          intentId,
          amount: 7_700,
          currency: 'ZAR',
          status: 'open',
          reason: 'fraudulent',
        }),
      )
    })
  })

  it('leaves no card and no secret in a row, a log line or a note of a failure', async () => {
    const traces = await on.traces()
    expect(traces.length).toBeGreaterThan(100)
    const secrets = [...Object.values(CARDS), KEYS.secretKey, ...KEYS.webhookSecrets, `"${CVC}"`]
    for (const secret of secrets) expect(traces).not.toContain(secret)
  })
})

it('every reason for a decline is a sentence that says what to do', () => {
  expect(DECLINE_CODES).toHaveLength(9)
})
