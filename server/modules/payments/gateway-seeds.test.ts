import { fakeBankUnderTest } from '@voelgoed/testing/fake-bank-under-test'
import {
  addressOf,
  CARDS,
  type CardKind,
  type GatewayUnderTest,
  LIMITS,
  newOrder,
  SHARED_FAULTS,
  type SignedWebhook,
} from '@voelgoed/testing/gateway-under-test'
import { type Seeded, seeded, setting } from '@voelgoed/testing/seeded'
import { stripeUnderTest } from '@voelgoed/testing/stripe-under-test'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededMischief } from './fake-bank/mischief.ts'
import { seededFaults } from './fake-bank/network.ts'
import type { GatewayEvent, NewIntent, PaymentOutcome } from './gateway.ts'

/** `VOELGOED_GATEWAY_ORDERS` for longer runs. */
const ORDERS = setting('VOELGOED_GATEWAY_ORDERS', 20)
const STEPS = 8

interface Adversary {
  readonly on: GatewayUnderTest
  /** Nothing goes wrong from now on. */
  calm(): void
  /** Before a call of the server: what its attempts will meet. */
  harm(chance: Seeded): void
}

async function adversarialBank(chance: Seeded): Promise<Adversary> {
  const random = () => chance.below(1_000) / 1_000
  const on = await fakeBankUnderTest({ mischief: seededMischief(random) })
  const fault = seededFaults(random)
  return {
    on,
    calm: on.calm,
    harm() {
      on.calm()
      on.failCalls(fault(), fault(), fault())
    },
  }
}

/** After these the SDK waits for half a second of its own: seldom, so that the test is quick. */
const CUTS = ['connection_lost_before', 'connection_lost_after'] as const
const WITHOUT_CUTS = SHARED_FAULTS.filter(fault => !fault.startsWith('connection'))
const STRIPES_OWN = ['in_progress', 'rate_limited_for_good', 'error_kept'] as const

async function adversarialStripe(): Promise<Adversary> {
  const on = await stripeUnderTest()
  return {
    on,
    calm: on.calm,
    harm(chance) {
      on.calm()
      const isCut = chance.below(20) === 0
      const faults = isCut ? CUTS : [...WITHOUT_CUTS, ...STRIPES_OWN]
      const count = chance.below(4)
      on.server.faults.push(...Array.from({ length: count }, () => chance.pick(faults)))
    },
  }
}

describe.each([
  ['simulator', adversarialBank],
  ['stripe', adversarialStripe],
])('%s, with everything that can go wrong by chance', (name, start) => {
  const chance = seeded(`gateway ${name}`)
  let adversary: Adversary
  beforeAll(async () => {
    adversary = await start(chance)
  })
  afterAll(() => adversary?.on.close())

  it(
    'captures once at most for each key, refunds no more than that, and never says declined of what was captured',
    async () => {
      const { on } = adversary
      let unknown = 0
      for (let count = 0; count < ORDERS; count += 1) {
        const order = newOrder(1_000 + chance.below(9_000))
        const told: PaymentOutcome[] = []
        for (let step = 0; step < STEPS; step += 1) {
          adversary.harm(chance)
          const outcome = await act(adversary, order, chance)
          if (outcome === null) continue
          if (outcome.kind === 'unknown') unknown += 1
          told.push(outcome)
          const { captured, refunded } = await on.books(order.orderId)
          const seed = `seed ${chance.seed}, order ${count}`
          expect(captured.length, seed).toBeLessThanOrEqual(1)
          expect(sum(refunded), seed).toBeLessThanOrEqual(sum(captured))
          if (outcome.kind === 'captured') expect(captured, seed).toEqual([order.amount])
          if (outcome.kind === 'declined') expect(captured, seed).toEqual([])
        }
        await settle(adversary, order, told, `seed ${chance.seed}, order ${count}`)
      }
      // Otherwise nothing was tried.
      expect(unknown).toBeGreaterThan(ORDERS / 10)
      await news(on, chance)
    },
    Math.max(5 * WITHIN_MS, ORDERS * 6_000),
  )
})

/** One step of a buyer, of the bank, or of the server; null: nothing that is told. */
async function act({ on }: Adversary, order: NewIntent, chance: Seeded): Promise<PaymentOutcome | null> {
  const cards = Object.keys(CARDS) as CardKind[]
  switch (chance.below(6)) {
    case 0:
    case 1:
    case 2: {
      const bought = await on.buy(order, chance.pick(cards))
      return bought.ok ? bought.value : null
    }
    case 3: {
      const found = await on.gateway.lookUp(on.payee, addressOf(order, on))
      return found.ok && found.value.kind !== 'not_found' ? found.value : null
    }
    case 4:
      await on.answerStep(order, chance.pick(['accept', 'decline']))
      return null
    default: {
      const found = await on.gateway.lookUp(on.payee, addressOf(order, on))
      if (!found.ok || found.value.kind !== 'captured') return null
      const { intentId } = found.value
      // A few keys, so that they are repeated.
      const key = `${order.orderId}:${chance.below(3)}`
      const amount = 100 * (1 + chance.below(3))
      await on.gateway.refund(on.payee, { key, orderId: order.orderId, intentId, amount })
      return null
    }
  }
}

/** The network is good again: now the truth must be known, and it is that of the books. */
async function settle(
  adversary: Adversary,
  order: NewIntent,
  told: readonly PaymentOutcome[],
  seed: string,
): Promise<void> {
  const { on } = adversary
  adversary.calm()
  await on.time.pass(LIMITS.totalMs)
  await on.passLate()
  const found = await on.gateway.lookUp(on.payee, {
    ...addressOf(order, on),
    createdAt: on.clock.now() - 3_000_000,
  })
  const kind = found.ok ? found.value.kind : found.problem.kind
  expect(kind, seed).not.toBe('unknown')
  const { captured, refunded } = await on.books(order.orderId)
  expect(captured, seed).toEqual(kind === 'captured' ? [order.amount] : [])
  expect(sum(refunded), seed).toBeLessThanOrEqual(sum(captured))
  if (told.some(outcome => outcome.kind === 'captured')) expect(kind, seed).toBe('captured')
}

/**
 * All that the gateway has to tell, shuffled, some of it twice: each payment is told as captured once at
 * most.
 */
async function news(on: GatewayUnderTest, chance: Seeded): Promise<void> {
  const webhooks: SignedWebhook[] = []
  for (let i = 0; i < 30; i += 1) {
    on.clock.advance(60_000)
    for (const { body } of await on.takeWebhooks()) webhooks.push(on.sign(body.toString(), on.clock.now()))
  }
  const now = webhooks.map(({ body }) => on.sign(body.toString()))
  const seen = new Map<string, GatewayEvent>()
  for (const { body, headers } of chance.shuffled([...now, ...now.slice(0, now.length / 2)])) {
    const read = on.gateway.readWebhook(body, headers)
    expect(read.ok).toBe(true)
    if (!read.ok) continue
    expect(seen.get(read.value.eventId) ?? read.value).toEqual(read.value)
    seen.set(read.value.eventId, read.value)
  }
  const captures = [...seen.values()].flatMap(event =>
    event.kind === 'payment' && event.outcome.kind === 'captured' ? [event.orderId] : [],
  )
  expect(captures.length).toBeGreaterThan(0)
  expect(new Set(captures).size).toBe(captures.length)
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
