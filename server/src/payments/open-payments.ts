import { hkdfSync } from 'node:crypto'
import { randomNumbers } from '@voelgoed/core/layout/generate/random-numbers'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../postgres/database.ts'
import type { Time } from '../time.ts'
import { uuidV7 } from '../uuid-v7.ts'
import type { CallLimits } from './bounded-call.ts'
import type { Gateway, GatewayName } from './gateway.ts'
import { calm, seededMischief } from './simulator/mischief.ts'
import { badNetwork, seededFaults } from './simulator/network.ts'
import { Simulator } from './simulator/simulator.ts'
import { SimulatorGateway } from './simulator/simulator-gateway.ts'
import { type Post, type SendOutcome, WebhookSender } from './simulator/webhook-sender.ts'
import type { StripeServer } from './stripe/api.ts'
import { type GatewayWatch, watchGateway } from './watch-gateway.ts'

export interface Payments {
  readonly gateway: Gateway
  /**
   * By whom a new payment is made; null: none is. `gateway` ends in any case what was begun by it: it looks
   * payments up and gives money back.
   */
  readonly takesMoney: GatewayName | null
  /** Null: real money. */
  readonly simulator: { readonly party: Simulator; readonly sender: WebhookSender } | null
}

export interface PaymentsDeps {
  readonly config: Pick<Config, 'stripe' | 'simulatedCards' | 'simulatorSeed'>
  readonly database: Pick<Database, 'tenant' | 'platform'>
  readonly clock: Clock
  readonly time: Time
  readonly random: () => number
  readonly log: FastifyBaseLogger
  readonly watch: GatewayWatch & { sent(outcome: SendOutcome): void }
  /** Of the installation: the simulator's secrets follow from it, so every node has the same. */
  readonly signingKey: Buffer
  /** The address of the simulator's page for a token. */
  readonly stepUrl: (token: string) => string
  readonly postWebhook: Post
  /** Another server that speaks Stripe's language, for tests. */
  readonly stripeServer?: StripeServer
}

/** With a seed half of all calls fail: a run of a hundred thousand can't wait 20 s for each. */
const SHORT_LIMITS: CallLimits = { attempts: 2, attemptMs: 300, totalMs: 800, pauseMs: 20 }

/**
 * The one gateway of this installation: Stripe if it has keys for it, else the simulator, which takes new
 * payments only where simulated cards are allowed.
 */
export async function openPayments(deps: PaymentsDeps): Promise<Payments> {
  const { config, log, watch, time, clock, random } = deps
  const watched = (gateway: Gateway) => watchGateway(gateway, { watch, log, time })
  if (config.stripe) {
    // Its library is 200 files: a node without Stripe starts without them.
    const { StripeGateway } = await import('./stripe/stripe-gateway.ts')
    const stripe = new StripeGateway({
      keys: config.stripe,
      ...(deps.stripeServer && { server: deps.stripeServer }),
      clock,
      time,
      random,
      onFailure: note =>
        log.warn({ gateway: 'stripe', ...note }, 'an attempt to call the payment gateway failed'),
      onRetry: watch.retried,
    })
    return { gateway: watched(stripe), takesMoney: 'stripe', simulator: null }
  }
  const secretFor = (what: string) =>
    Buffer.from(hkdfSync('sha256', deps.signingKey, 'voelgoed', `payment simulator: ${what}`, 32))
  const webhookSecret = secretFor('webhooks')
  const harm = config.simulatorSeed === null ? null : randomNumbers(config.simulatorSeed)
  const mischief = harm ? seededMischief(harm) : calm
  const party = new Simulator({
    database: deps.database,
    clock,
    newId: () => uuidV7(clock.now()),
    secret: secretFor('second step'),
    mischief,
    onNews: () => sender.wake(),
  })
  const gateway = new SimulatorGateway({
    simulator: party,
    clock,
    time,
    random,
    webhookSecret,
    stepUrl: deps.stepUrl,
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
    simulator: party,
    database: deps.database,
    clock,
    time,
    random,
    secret: webhookSecret,
    post: deps.postWebhook,
    mischief,
    log,
    onSent: watch.sent,
  })
  const takesMoney = config.simulatedCards ? 'simulator' : null
  return { gateway: watched(gateway), takesMoney, simulator: { party, sender } }
}
