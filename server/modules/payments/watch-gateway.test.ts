import type { OrganizationId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { HandTime } from '@voelgoed/testing/hand-time'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Card } from './card.ts'
import type { Gateway, NewIntent, Payee } from './gateway.ts'
import { watchGateway } from './watch-gateway.ts'

const payee: Payee = { scope: TenantScope.of('o' as OrganizationId), account: null }
const intent: NewIntent = {
  orderId: 'order-7',
  amount: 5,
  currency: 'ZAR',
  metadata: {},
  returnUrl: '/',
  card: new Card({ number: '4242424242424242', expiry: '12/30', cvc: '987' }),
}

function watching(gateway: Partial<Gateway>) {
  const counted: unknown[] = []
  const lines: string[] = []
  const time = new HandTime()
  const watched = watchGateway({ name: 'stripe', ...gateway } as Gateway, {
    watch: {
      called: (...call) => counted.push(call),
      retried: () => {},
      webhook: outcome => counted.push(outcome),
    },
    log: pino({ level: 'trace' }, { write: line => void lines.push(line) }),
    time,
  })
  return { watched, counted, time, log: () => lines.map(line => JSON.parse(line)) }
}

it('counts and times each call, and says in the log what became of it, without the card', async () => {
  const { watched, counted, time, log } = watching({
    async createIntent() {
      await time.pass(250)
      return ok({ kind: 'pending', intentId: 'pi_1' })
    },
  })
  await watched.createIntent(payee, intent)
  expect(counted).toEqual([['create_intent', 'pending', 250]])
  const [line] = log()
  expect(line).toMatchObject({
    level: 30,
    operation: 'create_intent',
    outcome: 'pending',
    order_id: 'order-7',
    ms: 250,
  })
  // The clock and the process id are digits of their own, and may hold those of the card.
  const { time: _at, pid: _process, ...said } = line
  expect(JSON.stringify(said)).not.toMatch(/4242|987/)
})

it('warns of an outcome that is unknown, with the reason', async () => {
  const { watched, counted, log } = watching({
    lookUp: async () => ok({ kind: 'unknown', reason: 'time_out' }),
  })
  await watched.lookUp(payee, { orderId: 'order-7', intentId: null, createdAt: 0 })
  expect(counted).toEqual([['look_up', 'unknown', 0]])
  expect(log()).toMatchObject([{ level: 40, reason: 'time_out', msg: 'the outcome of a payment is unknown' }])
})

it('cries out when the gateway does not accept our calls', async () => {
  const { watched, counted, log } = watching({
    refund: async () => refuse({ kind: 'misconfigured', detail: '401' }),
  })
  await watched.refund(payee, { key: 'k', orderId: 'order-7', intentId: 'pi_1', amount: 5 })
  expect(counted).toEqual([['refund', 'misconfigured', 0]])
  expect(log()).toMatchObject([{ level: 50, detail: '401' }])
})

it('cries out when the gateway does not take an amount, with the reason', async () => {
  const { watched, log } = watching({
    createIntent: async () => refuse({ kind: 'invalid_amount', detail: 'multiples of 10 only' }),
  })
  await watched.createIntent(payee, intent)
  expect(log()).toMatchObject([{ level: 50, detail: 'multiples of 10 only' }])
})

it('counts webhooks by kind, and warns of those that it refuses', () => {
  const event = { eventId: 'e', at: 0, account: null, kind: 'ignored', type: 'x' } as const
  let isGood = true
  const { watched, counted, log } = watching({
    readWebhook: () => (isGood ? ok(event) : refuse({ kind: 'bad_signature' })),
  })
  watched.readWebhook(Buffer.from(''), {})
  isGood = false
  watched.readWebhook(Buffer.from(''), {})
  expect(counted).toEqual(['ignored', 'bad_signature'])
  expect(log()).toMatchObject([{ level: 40, reason: 'bad_signature', msg: 'a webhook was refused' }])
})
