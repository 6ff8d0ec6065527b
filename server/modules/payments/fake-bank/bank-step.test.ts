import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { newOrder } from '@voelgoed/testing/gateway-under-test'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { describe, expect, it } from 'vitest'
import { Card } from '../card.ts'
import type { Payee } from '../gateway.ts'

const { server, ours } = useServer({ PUBLIC_URL: 'https://tickets.example.org' })

const RETURN_URL = 'https://tickets.example.org/back?order=7'

async function asked(number = '4000002500003155', currency = 'ZAR') {
  const payee: Payee = { scope: TenantScope.of(ours.id as OrganizationId), account: null }
  const { gateway } = server.node.payments
  const card = new Card({ number, expiry: '12/99', cvc: '123' })
  const order = { ...newOrder(), currency, returnUrl: RETURN_URL, card }
  const made = await gateway.createIntent(payee, order)
  if (!made.ok || made.value.kind !== 'next_step' || made.value.next.kind !== 'redirect')
    throw new Error('no step')
  const { pathname, origin } = new URL(made.value.next.url)
  const outcome = async () => {
    const found = await gateway.lookUp(payee, { orderId: order.orderId, intentId: null, createdAt: 0 })
    return found.ok ? found.value.kind : found.problem.kind
  }
  return { path: pathname, origin, outcome }
}

const open = (path: string) => server.request('GET', path)
const formOf = (html: string) => /name="form" value="([^"]+)"/.exec(html)![1]!
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function submit(path: string, form: string, answer: string, headers: Record<string, string> = {}) {
  const raw = new URLSearchParams({ form, answer }).toString()
  return server.request('POST', path, { raw, headers: { ...FORM, ...headers } })
}

describe('the page of the second step', () => {
  it('is at the public address, says what is asked and that it is a test, and runs nothing', async () => {
    const { path, origin } = await asked()
    expect(origin).toBe('https://tickets.example.org')
    const page = await open(path)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('Test mode')
    expect(page.text).toMatch(/ZAR\s800\.00/)
    expect(page.text).not.toContain('<script')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https://tickets.example.org;")
    expect(page.headers['cache-control']).toBe('no-store')
  })

  it('counts the minor units of a currency as ISO 4217 does', async () => {
    const { path } = await asked(undefined, 'IQD')
    expect((await open(path)).text).toMatch(/IQD\s80\.000/)
  })

  it.each([
    ['accept', 'captured'],
    ['decline', 'declined'],
  ])('%s: the payment is %s, and the buyer goes back', async (answer, kind) => {
    const { path, outcome } = await asked()
    const form = formOf((await open(path)).text)
    expect(await outcome()).toBe('next_step')
    const answered = await submit(path, form, answer, { 'sec-fetch-site': 'same-origin' })
    expect(answered.status).toBe(303)
    expect(answered.headers.location).toBe(RETURN_URL)
    expect(await outcome()).toBe(kind)
    // A second answer changes nothing.
    expect((await submit(path, form, answer === 'accept' ? 'decline' : 'accept')).status).toBe(409)
    expect(await outcome()).toBe(kind)
    expect((await open(path)).text).toContain('Nothing to confirm')
  })

  it('is not answered by looking at it, nor by a form of another site, nor without the form of this attempt', async () => {
    const { path, outcome } = await asked()
    const form = formOf((await open(path)).text)
    await server.request('HEAD', path)
    const attacks = [
      await submit(path, form, 'accept', { 'sec-fetch-site': 'cross-site' }),
      await submit(path, form, 'accept', { origin: 'https://evil.example' }),
      await submit(path, form, 'accept', { origin: 'null' }),
      await submit(path, '', 'accept'),
      await submit(path, `${form.slice(0, -2)}xx`, 'accept'),
      await submit(path, form, 'maybe'),
      await server.request('POST', path, { body: { form, answer: 'accept' } }),
      await submit(`${path.slice(0, -2)}xx`, form, 'accept'),
    ]
    expect(attacks.map(({ status }) => status)).toEqual([403, 403, 403, 409, 409, 400, 400, 404])
    expect(await outcome()).toBe('next_step')
    expect(
      (await submit(path, form, 'accept', { origin: 'http://localhost:3000', host: 'localhost:3000' }))
        .status,
    ).toBe(303)
  })

  it('does not exist for a token that was not made here', async () => {
    const { path } = await asked()
    const [organization, intent, signature] = path.split('/').at(-1)!.split('.')
    const other = intent!.replace(/.$/, last => (last === '0' ? '1' : '0'))
    for (const token of [
      `${organization}.${other}.${signature}`,
      `${organization}.${intent}.${'A'.repeat(43)}`,
      `${intent}.${organization}.${signature}`,
      `${organization}.${intent}`,
      `${organization}.${intent}.${signature}.x`,
      'x',
    ]) {
      expect((await open(path.replace(/[^/]+$/, token))).status).toBe(404)
    }
  })

  it('shows what it was given as text', async () => {
    const payee: Payee = { scope: TenantScope.of(ours.id as OrganizationId), account: null }
    const card = new Card({ number: '4000002500003155', expiry: '12/99', cvc: '123' })
    const made = await server.node.payments.gateway.createIntent(payee, {
      ...newOrder(),
      returnUrl: '/back"><script>alert(1)</script>',
      card,
    })
    if (!made.ok || made.value.kind !== 'next_step' || made.value.next.kind !== 'redirect')
      throw new Error('no step')
    const page = await open(new URL(made.value.next.url).pathname)
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain('&#60;script')
  })

  it('tells the server of the answer: the node sends its webhooks', async () => {
    const tried = async () => {
      const families = parsePrometheusText((await server.request('GET', '/metrics')).text)
      const counts = ['delivered', 'failed'].map(outcome =>
        seriesValue(families, `voelgoed_simulator_webhooks_total{outcome="${outcome}"}`),
      )
      return counts[0]! + counts[1]!
    }
    const before = await tried()
    const { path } = await asked()
    await submit(path, formOf((await open(path)).text), 'accept')
    await waitUntil('a webhook was sent', async () => (await tried()) > before)
  })

  it('calls are counted by gateway, operation and outcome', async () => {
    await asked()
    const families = parsePrometheusText((await server.request('GET', '/metrics')).text)
    const series = 'gateway="simulator",operation="create_intent",outcome="next_step"'
    expect(seriesValue(families, `voelgoed_gateway_call_seconds_count{${series}}`)).toBeGreaterThan(0)
    expect(
      seriesValue(families, 'voelgoed_gateway_retries_total{gateway="simulator",reason="time_out"}'),
    ).toBe(0)
  })
})
