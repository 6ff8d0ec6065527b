import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { NewIntent, Payee } from '../server/modules/payments/gateway.ts'
import { StripeGateway } from '../server/modules/payments/stripe/stripe-gateway.ts'
import { CARDS, type CardKind, CVC, type GatewayUnderTest, LIMITS, TestDay } from './gateway-under-test.ts'
import { HandTime } from './hand-time.ts'
import { stripeSignature } from './stripe/objects.ts'
import { StripeServer } from './stripe/server.ts'

export const KEYS = {
  secretKey: 'sk_test_0123456789secret',
  publishableKey: 'pk_test_0123456789',
  webhookSecrets: ['whsec_platform', 'whsec_connect'],
  isLive: false,
}

export interface StripeUnderTest extends GatewayUnderTest {
  readonly server: StripeServer
  readonly notes: unknown[]
}

/**
 * The real SDK against a server of ours that speaks Stripe's wire format. The payee has a connected
 * account.
 */
export async function stripeUnderTest(): Promise<StripeUnderTest> {
  const time = new HandTime()
  const clock = new TestDay()
  const notes: unknown[] = []
  const server = await StripeServer.start({
    keys: { secret: KEYS.secretKey, publishable: KEYS.publishableKey },
    clock,
    onHang: () => void time.pass(LIMITS.attemptMs),
  })
  const payee: Payee = { scope: TenantScope.of(randomUUID() as OrganizationId), account: 'acct_ours' }
  const gateway = new StripeGateway({
    keys: KEYS,
    clock,
    time,
    random: () => 0,
    limits: LIMITS,
    server: { protocol: 'http', host: '127.0.0.1', port: server.port },
    onFailure: note => notes.push(note),
  })
  const books = () => server.books(payee.account)
  const intentsOf = (orderId: string) =>
    books().intents.filter(({ metadata }) => metadata.order_id === orderId)

  /** Sends what the Payment Element in the browser sends to Stripe. */
  const confirm = async (clientSecret: string, card: CardKind) => {
    const intentId = clientSecret.split('_secret_')[0]
    const form = { number: CARDS[card], exp_month: '12', exp_year: '2030', cvc: CVC }
    const body = new URLSearchParams({ client_secret: clientSecret, 'payment_method_data[type]': 'card' })
    for (const [name, value] of Object.entries(form)) body.set(`payment_method_data[card][${name}]`, value)
    await fetch(`http://127.0.0.1:${server.port}/v1/payment_intents/${intentId}/confirm`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${KEYS.publishableKey}`, 'stripe-account': payee.account! },
    })
  }
  const sign: GatewayUnderTest['sign'] = (body, at = clock.now(), secret) => ({
    body: Buffer.from(body),
    headers: {
      'stripe-signature': stripeSignature(secret ? 'whsec_another' : 'whsec_connect', body, at),
    },
  })
  return {
    gateway,
    server,
    notes,
    payee,
    neighbour: { scope: TenantScope.of(randomUUID() as OrganizationId), account: 'acct_theirs' },
    time,
    clock,
    withCard: order => order,
    async buy(order: NewIntent, card: CardKind) {
      const made = await gateway.createIntent(payee, order)
      if (!made.ok || made.value.kind !== 'next_step' || made.value.next.kind !== 'stripe') return made
      await confirm(made.value.next.clientSecret, card)
      const { intentId } = made.value
      const found = await gateway.lookUp(payee, { orderId: order.orderId, intentId, createdAt: clock.now() })
      if (found.ok && found.value.kind === 'not_found') throw new Error('an intent is gone')
      return found as Awaited<ReturnType<GatewayUnderTest['buy']>>
    },
    async answerStep({ orderId }, answer) {
      const [intent] = intentsOf(orderId)
      if (intent?.status !== 'requires_action') return
      if (answer === 'accept') books().succeed(intent)
      else books().failAuthentication(intent)
    },
    async passLate() {
      clock.advance(20 * 60_000)
      for (const intent of books().intents) if (intent.status === 'processing') books().succeed(intent)
    },
    // The SDK itself sends a request once more when its connection was closed.
    fail: (...faults) =>
      void server.faults.push(
        ...faults.flatMap(fault => (/^connection/.test(fault) ? [fault, fault] : [fault])),
      ),
    calm: () => void server.faults.splice(0),
    async books(orderId) {
      const intents = intentsOf(orderId)
      return {
        captured: intents.flatMap(({ charge }) => (charge ? [charge.amount] : [])),
        refunded: books()
          .refunds.filter(({ intentId }) => intents.some(({ id }) => id === intentId))
          .map(({ amount }) => amount)
          .reverse(),
      }
    },
    async takeWebhooks() {
      return books()
        .events.splice(0)
        .map(event => sign(JSON.stringify(event)))
    },
    sign,
    unknownMessage: () =>
      JSON.stringify({
        id: `evt_${randomUUID()}`,
        object: 'event',
        created: Math.floor(clock.now() / 1000),
        data: { object: { id: 'po_1', object: 'payout' } },
        livemode: false,
        type: 'payout.paid',
      }),
    traces: async () => JSON.stringify(notes),
    close: () => server.close(),
  }
}
