import { hkdfSync } from 'node:crypto'
import { randomNumbers } from '@voelgoed/core/layout/generate/random-numbers'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Kit } from '../module.ts'
import type { CallLimits } from './bounded-call.ts'
import { stepPath } from './fake-bank/bank-step.ts'
import { FakeBank } from './fake-bank/fake-bank.ts'
import { FakeBankGateway } from './fake-bank/fake-bank-gateway.ts'
import { calm, seededMischief } from './fake-bank/mischief.ts'
import { badNetwork, seededFaults } from './fake-bank/network.ts'
import { postToServer } from './fake-bank/post-webhook.ts'
import { WebhookSender } from './fake-bank/webhook-sender.ts'
import type { Gateway, GatewayName } from './gateway.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'
import type { StripeServer } from './stripe/api.ts'
import type { StripeKeys } from './stripe/stripe-gateway.ts'
import { watchGateway } from './watch-gateway.ts'

export interface OpenedGateway {
  readonly gateway: Gateway
  /**
   * By whom a new payment is made; null: none is. `gateway` ends in any case what was begun by it: it looks
   * payments up and gives money back.
   */
  readonly takesMoney: GatewayName | null
  /** Null: real money. */
  readonly fakeBank: { readonly party: FakeBank; readonly sender: WebhookSender } | null
}

export interface GatewayNeeds {
  readonly config: {
    /** Stripe takes the money; null: the fake bank does. */
    readonly stripe: StripeKeys | null
    /** True: simulated cards buy tickets, for which no buyer is charged. */
    readonly simulatedCards: boolean
    /** The fake bank fails by chance, as follows from this; null: it does not. */
    readonly simulatorSeed: number | null
  }
  /** The key of the installation: the fake bank's secrets follow from it, so every node has the same. */
  readonly signingKey: Buffer
  /** This node listens here. Null: it does not yet. */
  readonly address: () => string | null
  /** Another server that speaks Stripe's language, for tests. */
  readonly stripeServer?: StripeServer
}

/** With a seed half of all calls fail: a run of a hundred thousand can't wait 20 s for each. */
const SHORT_LIMITS: CallLimits = { attempts: 2, attemptMs: 300, totalMs: 800, pauseMs: 20 }

/**
 * The one gateway of this installation: Stripe if it has keys for it, else the fake bank, which takes new
 * payments only where simulated cards are allowed.
 */
export async function openGateway(
  kit: Pick<Kit, 'database' | 'clock' | 'time' | 'log' | 'http'>,
  { config, signingKey, address, stripeServer }: GatewayNeeds,
  watch: GatewayMetrics,
): Promise<OpenedGateway> {
  const { database, clock, time, log } = kit
  const { random } = Math
  const watched = (gateway: Gateway) => watchGateway(gateway, { watch, log, time })
  if (config.stripe) {
    // Its library is 200 files: a node without Stripe starts without them.
    const { StripeGateway } = await import('./stripe/stripe-gateway.ts')
    const stripe = new StripeGateway({
      keys: config.stripe,
      ...(stripeServer && { server: stripeServer }),
      clock,
      time,
      random,
      onFailure: note =>
        log.warn({ gateway: 'stripe', ...note }, 'an attempt to call the payment gateway failed'),
      onRetry: watch.retried,
    })
    return { gateway: watched(stripe), takesMoney: 'stripe', fakeBank: null }
  }
  const secretFor = (what: string) =>
    Buffer.from(hkdfSync('sha256', signingKey, 'voelgoed', `payment simulator: ${what}`, 32))
  const webhookSecret = secretFor('webhooks')
  const harm = config.simulatorSeed === null ? null : randomNumbers(config.simulatorSeed)
  const mischief = harm ? seededMischief(harm) : calm
  const party = new FakeBank({
    database,
    clock,
    newId: () => uuidV7(clock.now()),
    secret: secretFor('second step'),
    mischief,
    onNews: () => sender.wake(),
  })
  const gateway = new FakeBankGateway({
    fakeBank: party,
    clock,
    time,
    random,
    webhookSecret,
    stepUrl: token => `${kit.http.pageUrl()}${stepPath(token)}`,
    ...(harm && {
      limits: SHORT_LIMITS,
      network: badNetwork({
        next: seededFaults(harm),
        time,
        limits: SHORT_LIMITS,
        deliver: () => sender.deliver(),
      }),
    }),
    onFailure: error => log.error({ err: error }, 'the payment simulator failed'),
    onRetry: watch.retried,
  })
  const sender: WebhookSender = new WebhookSender({
    fakeBank: party,
    database,
    clock,
    time,
    random,
    secret: webhookSecret,
    post: postToServer(address),
    mischief,
    log,
    onSent: watch.sent,
  })
  const takesMoney = config.simulatedCards ? 'simulator' : null
  return { gateway: watched(gateway), takesMoney, fakeBank: { party, sender } }
}
