import type { OrganizationId } from '@voelgoed/core/ids'
import { describe, expect, it } from 'vitest'
import { Card } from '../src/payments/card.ts'
import { TenantScope } from '../src/tenant.ts'
import { newOrder } from './kit/gateway-under-test.ts'
import { parsePrometheusText, seriesValue } from './kit/prometheus-text.ts'
import { KEYS } from './kit/stripe-under-test.ts'
import { type UsedServer, useServer } from './kit/use-server.ts'

async function metric({ server }: UsedServer, query: string): Promise<number> {
  return seriesValue(parsePrometheusText((await server.request('GET', '/metrics')).text), query)
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
    expect(payments.simulator).toBe(null)
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
    for (let i = 0; i < 12; i += 1) {
      const card = new Card({ number: '4242424242424242', expiry: '12/99', cvc: '123' })
      const made = await gateway.createIntent(payee, { ...newOrder(), card })
      kinds.push(made.ok ? made.value.kind : made.problem.kind)
    }
    expect(kinds).toContain('unknown')
    expect(kinds).toContain('captured')
    expect(kinds).not.toContain('declined')
    let retries = 0
    for (const reason of ['time_out', 'connection_lost', 'gateway_error', 'rate_limited']) {
      retries += await metric(used, `voelgoed_gateway_retries_total{gateway="simulator",reason="${reason}"}`)
    }
    expect(retries).toBeGreaterThan(0)
  })
})
