import { randomUUID } from 'node:crypto'
import { randomNumbers } from '@voelgoed/core/layout/generate/random-numbers'
import { type FakeBankUnderTest, fakeBankUnderTest } from '@voelgoed/testing/fake-bank-under-test'
import { addressOf, LIMITS, newOrder, type SignedWebhook } from '@voelgoed/testing/gateway-under-test'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Card } from '../card.ts'
import type { NewIntent } from '../gateway.ts'
import { seededMischief } from './mischief.ts'
import { LATE_MS, STEP_MS } from './rules.ts'
import { MAX_ATTEMPTS } from './webhook-sender.ts'

let on: FakeBankUnderTest

beforeAll(async () => {
  on = await fakeBankUnderTest()
})
afterAll(() => on?.close())

describe('cards', () => {
  const create = (order: NewIntent, fields: Partial<Record<'number' | 'expiry' | 'cvc', string>>) =>
    on.gateway.createIntent(on.payee, {
      ...order,
      card: new Card({ number: '4242424242424242', expiry: '12/30', cvc: '123', ...fields }),
    })

  it.each([
    [{ number: '4242424242424241' }, '/card/number'],
    [{ expiry: '10/26' }, '/card/expiry'],
    [{ cvc: '1' }, '/card/cvc'],
  ])('%o is refused by its field, and nothing is kept', async (fields, path) => {
    const order = newOrder()
    const refused = await create(order, fields)
    expect(refused).toMatchObject({ ok: false, problem: { kind: 'invalid_card', errors: [{ path }] } })
    const found = await on.gateway.lookUp(on.payee, addressOf(order, on))
    expect(found).toEqual({ ok: true, value: { kind: 'not_found' } })
  })

  it.each(['5555555555554444', '4111111111111111', '4000000000000077'])(
    '%s may be a real card: it is refused, and the refusal does not repeat it',
    async number => {
      const refused = await create(newOrder(), { number })
      expect(refused).toMatchObject({ ok: false, problem: { kind: 'invalid_card' } })
      expect(JSON.stringify(refused)).not.toContain(number.slice(-4))
    },
  )

  it('are needed', async () => {
    expect(await on.gateway.createIntent(on.payee, newOrder())).toMatchObject({
      ok: false,
      problem: { kind: 'invalid_card' },
    })
  })
})

describe('a call that arrives late', () => {
  it('does not bring a payment back that was cancelled; one that begins after that does', async () => {
    const order = newOrder()
    const calls = vi.spyOn(on.fakeBank, 'createIntent')
    on.failCalls('arrives_late')
    // The second attempt is answered. The first is on its way still.
    await on.buy(order, 'step')
    const { id } = (await on.fakeBank.findIntent(on.payee.scope, order))!
    on.clock.advance(1)
    await on.gateway.cancelIntent(on.payee, { orderId: order.orderId, intentId: id })
    await on.time.pass(LIMITS.totalMs)
    expect(calls.mock.calls).toHaveLength(2)
    expect(await calls.mock.results[1]!.value).toMatchObject({ value: { id, status: 'declined' } })
    calls.mockRestore()
    on.clock.advance(1)
    expect(await on.buy({ ...order, intentId: id }, 'pays')).toMatchObject({ value: { kind: 'captured' } })
  })
})

describe('the clock of the simulator', () => {
  it('captures late, and not before', async () => {
    const order = newOrder()
    await on.buy(order, 'late')
    on.clock.advance(LATE_MS - 1)
    await on.fakeBank.goOn()
    expect((await on.books(order.orderId)).captured).toEqual([])
    on.clock.advance(1)
    expect(await on.fakeBank.goOn()).toBe(1)
    expect((await on.books(order.orderId)).captured).toEqual([order.amount])
  })

  it('declines what was not confirmed in an hour: a step that is answered later captures nothing', async () => {
    const order = newOrder()
    await on.buy(order, 'step')
    on.clock.advance(STEP_MS)
    await on.answerStep(order, 'accept')
    expect(await on.gateway.lookUp(on.payee, addressOf(order, on))).toMatchObject({
      ok: true,
      value: { kind: 'declined', code: 'confirmation_expired' },
    })
    expect((await on.books(order.orderId)).captured).toEqual([])
  })

  it('captures after the caller has given up: a request that arrives late counts', async () => {
    const order = newOrder()
    on.failCalls('arrives_late', 'time_out_before', 'time_out_before')
    expect(await on.buy(order, 'pays')).toEqual({ ok: true, value: { kind: 'unknown', reason: 'time_out' } })
    expect(await on.gateway.lookUp(on.payee, addressOf(order, on))).toMatchObject({
      value: { kind: 'not_found' },
    })
    await on.time.pass(LIMITS.totalMs)
    await expect.poll(async () => (await on.books(order.orderId)).captured).toEqual([order.amount])
  })

  it('tells of a capture before it answers, when the network has it so', async () => {
    const order = newOrder()
    await on.takeWebhooks()
    on.failCalls('webhook_first')
    await on.buy(order, 'pays')
    // The queue is empty: what is taken now was delivered before the answer.
    const waiting = await on.database.sql(`select 1 from simulated_webhooks where state = 'waiting'`)
    expect(waiting).toEqual([])
    expect(await on.takeWebhooks()).toHaveLength(1)
  })
})

describe('the queue of webhooks', () => {
  beforeEach(async () => {
    await on.takeWebhooks()
    on.sent.length = 0
  })

  it('tries again with longer pauses until the server accepts, signed at the time of sending', async () => {
    const got: SignedWebhook[] = []
    let isDown = true
    const sender = on.sender(webhook => {
      got.push(webhook)
      return !isDown
    })
    await on.buy(newOrder(), 'pays')
    await sender.deliver()
    await sender.deliver()
    expect(got).toHaveLength(1)
    on.clock.advance(2_000)
    await sender.deliver()
    on.clock.advance(3_999)
    await sender.deliver()
    expect(got).toHaveLength(2)
    on.clock.advance(600_000)
    isDown = false
    await sender.deliver()
    on.clock.advance(600_000)
    await sender.deliver()
    expect(got).toHaveLength(3)
    expect(on.sent).toEqual(['failed', 'failed', 'delivered'])
    const [{ body, headers }] = got.slice(-1) as [SignedWebhook]
    on.clock.advance(-600_000)
    expect(on.gateway.readWebhook(body, headers).ok).toBe(true)
    on.clock.advance(600_000)
  })

  it('outlives the process that was delivering: its lease ends, and another one delivers', async () => {
    await on.buy(newOrder(), 'pays')
    let arrived: () => void = () => {}
    const isHanging = new Promise<void>(resolve => (arrived = resolve))
    // The process dies while it waits for the server's answer.
    void on.sender(() => new Promise<boolean>(() => arrived())).deliver()
    await isHanging
    const second = on.sender(() => true)
    expect(await second.deliver()).toBe(0)
    on.clock.advance(60_000)
    expect(await second.deliver()).toBe(1)
    expect(await second.deliver()).toBe(0)
  })

  it('is shared: two processes deliver each webhook once', async () => {
    const bodies: string[] = []
    const senders = [1, 2].map(() =>
      on.sender(({ body }) => {
        bodies.push(body.toString())
        return true
      }),
    )
    for (let i = 0; i < 10; i += 1) await on.buy(newOrder(), 'pays')
    await Promise.all(senders.map(sender => sender.deliver()))
    expect(bodies).toHaveLength(10)
    expect(new Set(bodies).size).toBe(10)
  })

  it('gives a webhook up after its last attempt, with a line in the log', async () => {
    const sender = on.sender(() => {
      throw new Error('no connection')
    })
    await on.buy(newOrder(), 'pays')
    for (let i = 0; i < MAX_ATTEMPTS + 2; i += 1) {
      await sender.deliver()
      on.clock.advance(4 * 3_600_000)
    }
    expect(on.sent).toHaveLength(MAX_ATTEMPTS)
    expect(on.sent.at(-1)).toBe('given_up')
    expect(await on.traces()).toContain('the payment simulator gave a webhook up')
  })

  it('is looked at as soon as there is news, and not because a payment was looked up', async () => {
    let news = 0
    const own = await fakeBankUnderTest({ onNews: () => (news += 1) })
    try {
      const order = newOrder()
      await own.buy(order, 'pays')
      expect(news).toBe(1)
      await own.gateway.lookUp(own.payee, addressOf(order, own))
      await own.buy(order, 'pays')
      expect(news).toBe(1)
      await own.buy(newOrder(), 'step')
      expect(news).toBe(1)
    } finally {
      await own.close()
    }
  })

  it('has room for so many: then the simulator takes no more work, and says 429', async () => {
    const small = await fakeBankUnderTest({ maxWaitingWebhooks: 2 })
    try {
      const orders = [newOrder(), newOrder(), newOrder()]
      const outcomes = []
      for (const order of orders) outcomes.push(await small.buy(order, 'pays'))
      expect(outcomes[1]).toMatchObject({ value: { kind: 'captured' } })
      expect(outcomes[2]).toEqual({ ok: true, value: { kind: 'unknown', reason: 'rate_limited' } })
      await small.takeWebhooks()
      expect(await small.buy(orders[2]!, 'pays')).toMatchObject({ value: { kind: 'captured' } })
    } finally {
      await small.close()
    }
  })

  it('with mischief delivers late, twice, or never, always the same message', async () => {
    const bad = await fakeBankUnderTest({ mischief: seededMischief(randomNumbers(7)) })
    try {
      for (let i = 0; i < 40; i += 1) await bad.buy(newOrder(), 'pays')
      const ids: string[] = []
      for (let i = 0; i < 20; i += 1) {
        bad.clock.advance(10 * 60_000)
        for (const { body } of await bad.takeWebhooks()) ids.push(JSON.parse(body.toString()).id)
      }
      const distinct = new Set(ids).size
      expect(distinct).toBeGreaterThan(0)
      expect(distinct).toBeLessThan(40)
      expect(ids.length).toBeGreaterThan(distinct)
    } finally {
      await bad.close()
    }
  })
})

describe('the database itself', () => {
  const as = (sql: string, values: unknown[]) => on.database.sql(sql, values)

  it('keeps one intent for an order, and a capture for good', async () => {
    const order = newOrder()
    await on.buy(order, 'pays')
    const copy = `insert into simulated_intents (organization_id, id, order_key, amount, currency, status, decline_code,
      due_at, return_url, metadata, created_at, captured_at) select organization_id, $2, order_key, amount, currency, status,
      decline_code, due_at, return_url, metadata, created_at, captured_at from simulated_intents where order_key = $1`
    await expect(as(copy, [order.orderId, randomUUID()])).rejects.toThrow(/order_key/)
    await expect(
      as(
        `update simulated_intents set status = 'declined', decline_code = 'x', captured_at = null where order_key = $1`,
        [order.orderId],
      ),
    ).rejects.toThrow(/stays so/)
    await expect(
      as('update simulated_intents set refunded = amount + 1 where order_key = $1', [order.orderId]),
    ).rejects.toThrow(/check constraint/)
  })

  it('shows an organization its own payments only', async () => {
    const order = newOrder()
    await on.buy(order, 'pays')
    const seen = await on.connection.tenant(on.neighbour.scope, tx =>
      tx.query('select $1::uuid as mine, i.id from simulated_intents i'),
    )
    expect(seen).toEqual([])
  })
})
