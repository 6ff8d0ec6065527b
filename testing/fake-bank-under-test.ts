import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime } from '@voelgoed/kit/base/time'
import { connectDatabase } from '@voelgoed/kit/postgres/database'
import { pino } from 'pino'
import { Card } from '../server/modules/payments/card.ts'
import { FakeBank } from '../server/modules/payments/fake-bank/fake-bank.ts'
import { FakeBankGateway } from '../server/modules/payments/fake-bank/fake-bank-gateway.ts'
import type { Mischief } from '../server/modules/payments/fake-bank/mischief.ts'
import { badNetwork, type CallFault, type Network } from '../server/modules/payments/fake-bank/network.ts'
import { LATE_MS } from '../server/modules/payments/fake-bank/rules.ts'
import { SIGNATURE_HEADER, signWebhook } from '../server/modules/payments/fake-bank/signature.ts'
import { WebhookSender } from '../server/modules/payments/fake-bank/webhook-sender.ts'
import type { NewIntent, Payee } from '../server/modules/payments/gateway.ts'
import {
  CARDS,
  CVC,
  type GatewayUnderTest,
  LIMITS,
  type SignedWebhook,
  TestDay,
} from './gateway-under-test.ts'
import { HandTime } from './hand-time.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

const SECRET = Buffer.from('the secret of the webhooks')

export interface FakeBankUnderTest extends GatewayUnderTest {
  readonly fakeBank: FakeBank
  readonly database: TestDatabase
  readonly connection: ReturnType<typeof connectDatabase>
  readonly secret: Buffer
  /** Faults that only the fake bank has as well. */
  failCalls(...faults: (CallFault | null)[]): void
  /** A sender with a server of its own. */
  sender(post: (webhook: SignedWebhook) => boolean | Promise<boolean>): WebhookSender
  readonly sent: string[]
}

export async function fakeBankUnderTest(
  options: { mischief?: Mischief; maxWaitingWebhooks?: number; onNews?: () => void } = {},
): Promise<FakeBankUnderTest> {
  const database = await createTestDatabase()
  const connection = connectDatabase(database.url, { maxConnections: 6 })
  const [payee, neighbour] = [await payeeOf(database, 'ours'), await payeeOf(database, 'theirs')]
  const time = new HandTime()
  const clock = new TestDay()
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  const faults: (CallFault | null)[] = []
  const received: SignedWebhook[] = []
  const sent: string[] = []
  const { mischief } = options
  const fakeBank = new FakeBank({
    database: connection,
    clock,
    newId: randomUUID,
    secret: Buffer.from('the secret of the steps'),
    ...options,
  })
  const sender = (post: (webhook: SignedWebhook) => boolean | Promise<boolean>) =>
    new WebhookSender({
      fakeBank,
      database: connection,
      clock,
      time: { ...processTime, now: () => time.now(), after: (ms, run) => time.after(ms, run) },
      random: () => 1,
      secret: SECRET,
      post: async (body, headers) => post({ body: Buffer.from(body), headers }),
      log,
      onSent: outcome => sent.push(outcome),
      ...(mischief && { mischief }),
    })
  const collector = sender(webhook => {
    received.push(webhook)
    return true
  })
  // A call that was late arrives before all that are made after it: they would else run side by side, and
  // what is heard of the one would be old when the books are read.
  const late = new Set<Promise<unknown>>()
  let isLate = false
  const network = badNetwork({
    next: () => faults.shift() ?? null,
    time: {
      after: (ms, run) =>
        time.after(ms, () => {
          isLate = true
          run()
          isLate = false
        }),
    },
    limits: LIMITS,
    deliver: () => collector.deliver(),
    // In the next turn: the caller sets its time limit in this one.
    onSilence: () => void setImmediate(() => time.pass(LIMITS.attemptMs)),
  })
  const inOrder: Network = attempt =>
    network(async () => {
      if (!isLate) {
        await Promise.all(late)
        return attempt()
      }
      const arriving = attempt()
      late.add(arriving)
      return arriving.finally(() => late.delete(arriving))
    })
  const gateway = new FakeBankGateway({
    fakeBank,
    clock,
    time,
    random: () => 0,
    webhookSecret: SECRET,
    stepUrl: token => `https://simulator.example.org/${token}`,
    limits: LIMITS,
    network: inOrder,
    onFailure: error => log.error({ err: error }, 'the simulator failed'),
  })
  const withCard = (order: NewIntent, card: keyof typeof CARDS): NewIntent => ({
    ...order,
    card: new Card({ number: CARDS[card], expiry: '12/30', cvc: CVC }),
  })
  return {
    gateway,
    fakeBank,
    database,
    connection,
    payee,
    neighbour,
    time,
    clock,
    secret: SECRET,
    sender,
    sent,
    withCard,
    buy: (order, card) => gateway.createIntent(payee, withCard(order, card)),
    async answerStep(order, answer) {
      const intent = await fakeBank.findIntent(payee.scope, { orderId: order.orderId })
      if (!intent) return
      const token = fakeBank.tokens.make(payee.scope.organizationId, intent.id)
      await fakeBank.answerStep(token, fakeBank.tokens.formToken(intent), answer)
    },
    async passLate() {
      clock.advance(LATE_MS)
      await fakeBank.goOn()
    },
    fail: (...given) => void faults.push(...given),
    calm: () => void faults.splice(0),
    failCalls: (...given) => void faults.push(...given),
    async books(orderId) {
      const captured = await database.sql<{ amount: number }>(
        `select amount::float8 as amount from simulated_intents where order_key = $1 and status = 'captured'`,
        [orderId],
      )
      // The clock of the test stands still: of the same moment, they are as they were written.
      const refunded = await database.sql<{ amount: number }>(
        `select r.amount::float8 as amount from simulated_refunds r join simulated_intents i on i.id = r.intent_id
         where i.order_key = $1 order by r.created_at, r.ctid`,
        [orderId],
      )
      return { captured: captured.map(row => row.amount), refunded: refunded.map(row => row.amount) }
    },
    async takeWebhooks() {
      await collector.deliver()
      return received.splice(0)
    },
    sign(body, at = clock.now(), secret) {
      const key = secret ? Buffer.from('another secret') : SECRET
      return { body: Buffer.from(body), headers: { [SIGNATURE_HEADER]: signWebhook(key, body, at) } }
    },
    unknownMessage: () =>
      JSON.stringify({
        id: randomUUID(),
        type: 'payout.paid',
        created: clock.now(),
        organization_id: payee.scope.organizationId,
        data: {},
      }),
    async traces() {
      const rows = await Promise.all(
        ['simulated_intents', 'simulated_refunds', 'simulated_webhooks'].map(table =>
          database.sql(`select t::text from ${table} t`),
        ),
      )
      return lines.join('') + JSON.stringify(rows)
    },
    async close() {
      await connection.close()
      await database.drop()
    },
  }
}

async function payeeOf(database: TestDatabase, slug: string): Promise<Payee> {
  const id = randomUUID() as OrganizationId
  await database.sql('insert into organizations (id, slug, name) values ($1, $2, $2)', [id, slug])
  return { scope: TenantScope.of(id), account: null }
}
