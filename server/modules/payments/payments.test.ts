import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { card, checkoutsAt } from '@voelgoed/testing/checkouts'
import { newOrder } from '@voelgoed/testing/gateway-under-test'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { KEYS } from '@voelgoed/testing/stripe-under-test'
import { type UsedServer, useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { describe, expect, it } from 'vitest'
import { Card } from './card.ts'

async function metrics({ server }: UsedServer): Promise<ReturnType<typeof parsePrometheusText>> {
  return parsePrometheusText((await server.request('GET', '/metrics')).text)
}

async function metric(used: UsedServer, query: string): Promise<number> {
  return seriesValue(await metrics(used), query)
}

describe('a server with the keys of Stripe', () => {
  const used = useServer({
    STRIPE_SECRET_KEY: KEYS.secretKey,
    STRIPE_PUBLISHABLE_KEY: KEYS.publishableKey,
    STRIPE_WEBHOOK_SECRET: KEYS.webhookSecrets.join(),
  })

  it('takes money by Stripe, and has no simulator and no page of one', async () => {
    const { payments } = used.server.node
    expect(payments.gateway.name).toBe('stripe')
    expect(payments.fakeBank).toBe(null)
    expect((await used.server.request('GET', '/api/payments/simulator/steps/x')).status).toBe(404)
    expect(await metric(used, 'voelgoed_gateway_retries_total{gateway="stripe",reason="time_out"}')).toBe(0)
  })

  it('refuses a webhook that Stripe did not sign, and counts it', async () => {
    const { gateway } = used.server.node.payments
    const read = gateway.readWebhook(Buffer.from('{}'), { 'stripe-signature': 't=1,v1=00' })
    expect(read).toEqual({ ok: false, problem: { kind: 'bad_signature' } })
    expect(
      await metric(used, 'voelgoed_gateway_webhooks_total{gateway="stripe",outcome="bad_signature"}'),
    ).toBe(1)
  })
})

describe('a server whose simulator fails by a seed', () => {
  const used = useServer({ VOELGOED_SIMULATOR_SEED: '7' })

  it('has outcomes that are unknown and calls that are repeated, and charges each order once', async () => {
    const { gateway } = used.server.node.payments
    const payee = { scope: TenantScope.of(used.ours.id as OrganizationId), account: null }
    const kinds: string[] = []
    const retries = async () => {
      const text = await metrics(used)
      const reasons = ['time_out', 'connection_lost', 'gateway_error', 'rate_limited']
      const series = (reason: string) =>
        `voelgoed_gateway_retries_total{gateway="simulator",reason="${reason}"}`
      return reasons.reduce((sum, reason) => sum + seriesValue(text, series(reason)), 0)
    }
    const hasAll = async () =>
      kinds.includes('unknown') && kinds.includes('captured') && (await retries()) > 0
    // The faults follow from the seed, and from how long each call takes: a slow machine meets others.
    while (kinds.length < 12 || !(await hasAll())) {
      const card = new Card({ number: '4242424242424242', expiry: '12/99', cvc: '123' })
      const made = await gateway.createIntent(payee, { ...newOrder(), card })
      kinds.push(made.ok ? made.value.kind : made.problem.kind)
      expect(kinds.length).toBeLessThan(500)
    }
    expect(kinds).not.toContain('declined')
  })
})

describe('a server without a gateway', () => {
  const used = useServer({ VOELGOED_PAYMENTS: 'none', VOELGOED_REAPER: 'off' })
  const { server, ours, send, organize } = used
  const { pricedHall, guest, hold, open, pay, read, order, twoSeats } = checkoutsAt(used)

  it('sells nothing for money, says so beforehand, and sells by box office and for nothing', async () => {
    const at = await pricedHall()
    const token = await guest()
    const gateway = 'none'
    expect((await send('GET', `${at.url}/prices`, token)).body.data).toMatchObject({ gateway })
    const admin = await organize('GET', `/api/admin/events/${at.eventId}/prices`)
    expect(admin.body.data).toMatchObject({ gateway })
    expect((await organize('GET', '/api/admin/system')).body.data.gateway_events).toMatchObject({ gateway })
    const holds = await hold(at, token, [0, 1])
    const refused = await open(at, token)
    expect(refused.body).toMatchObject({ status: 409, code: 'no_gateway' })
    const orders = 'select from orders where event_id = $1'
    expect(await server.database.sql(orders, [at.eventId])).toEqual([])
    const lines = holds.map(hold_id => ({ hold_id, amount: 80_000 }))
    const booking = { event_id: at.eventId, hold_ids: holds, method: 'external', currency: 'ZAR', lines }
    const sold = await organize('POST', '/api/admin/orders', booking)
    expect(sold.status, sold.text).toBe(201)

    const free = await pricedHall({}, [{ key: 'free', name: 'Free', amount: 0 }], [])
    const { id, token: other, opened } = await twoSeats(free)
    expect(opened).toMatchObject({ total: 0, gateway })
    expect((await pay(id, other, {})).body.data.status).toBe('paid')
  })

  it('ends what was begun with simulated cards: payments are looked up and given back, none begins', async () => {
    const other = await startListeningNode(server.database.url, {
      VOELGOED_PAYMENTS: 'simulator',
      VOELGOED_REAPER: 'off',
    })
    const before = async (path: string, token: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(new URL(path, other.url), {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect(answer.ok).toBe(true)
      return ((await answer.json()) as { data: { checkout_id: string } }).data
    }
    const at = await pricedHall()
    const begin = async (seats: number[]) => {
      const token = await guest()
      await hold(at, token, seats)
      const contact = { name: 'Ben', email: 'ben@example.org' }
      const { checkout_id } = await before('/api/checkouts', token, { event_id: at.eventId, contact })
      return { token, id: checkout_id }
    }
    const waits = await begin([0, 1])
    const accepts = await begin([2, 3])
    const paid = await begin([4, 5])
    const declines = await begin([6, 7])
    for (const asked of [accepts, declines])
      await before(`/api/checkouts/${asked.id}/pay`, asked.token, card('4000 0025 0000 3155'))
    await before(`/api/checkouts/${paid.id}/pay`, paid.token, card('4242 4242 4242 4242'))
    await other.close()

    expect((await pay(waits.id, waits.token)).body).toMatchObject({ status: 409, code: 'no_gateway' })
    expect((await read(waits.id, waits.token)).status).toBe('open')

    // The page of the bank that was opened is gone on with; no other card is charged after it.
    const { party } = server.node.payments.fakeBank!
    const answerStep = async ({ id, token }: { id: string; token: string }, answer: 'accept' | 'decline') => {
      const { body } = await pay(id, token)
      expect(body.data).toMatchObject({ status: 'paying', next: { kind: 'redirect' } })
      const { pathname } = new URL(body.data.next.url, 'http://x')
      const step = decodeURIComponent(pathname.split('/').at(-1)!)
      const intent = (await party.stepAt(step))!
      await party.answerStep(step, party.tokens.formToken(intent), answer)
      return (await pay(id, token)).body.data.status
    }
    expect(await answerStep(accepts, 'accept')).toBe('paid')
    expect(await answerStep(declines, 'decline')).toBe('open')

    await send('POST', `/api/admin/orders/${paid.id}/refund`, ours.tokens.organizer, { reason: 'ill' })
    await waitUntil('the money is back', async () => (await order(paid.id)).refunds[0].status === 'done')
  })
})
