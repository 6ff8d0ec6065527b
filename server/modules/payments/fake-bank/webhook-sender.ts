import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { leaseWebhooks, noteDelivery, type SimulatedWebhook } from '../tables/simulated-webhooks.ts'
import type { FakeBank } from './fake-bank.ts'
import { calm, type Mischief } from './mischief.ts'
import { SIGNATURE_HEADER, signWebhook } from './signature.ts'

/** For what another process has written, and for what is tried again. */
const LOOK_EVERY_MS = 5_000
const AT_ONCE = 20
/** In one look; the rest waits for the next. */
const MAX_BATCHES = 50
/** A process that dies while it delivers leaves the webhook to another one after this. */
const LEASE_MS = 60_000
/** Then the webhook is given up: about a day after it was first tried. The payment can still be looked up. */
export const MAX_ATTEMPTS = 24
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 3 * 3_600_000

/** Posts a body to the server. False: it was not accepted. Throws when there is no answer in time. */
export type Post = (body: string, headers: Readonly<Record<string, string>>) => Promise<boolean>

export interface WebhookSenderDeps {
  readonly fakeBank: Pick<FakeBank, 'goOn'>
  readonly database: Pick<Database, 'platform'>
  /** The fake bank's. */
  readonly clock: Pick<Clock, 'now'>
  readonly time: Time
  readonly random: () => number
  readonly secret: Buffer
  readonly post: Post
  readonly log: FastifyBaseLogger
  readonly mischief?: Mischief
  readonly onSent: (outcome: SendOutcome) => void
}

export const SEND_OUTCOMES = ['delivered', 'failed', 'given_up'] as const
export type SendOutcome = (typeof SEND_OUTCOMES)[number]

/**
 * Delivers the fake bank's webhooks from its table, signed, again and again until the server accepts them,
 * and lets the fake bank go on with payments that are due. Any number of processes may do this at once.
 */
export class WebhookSender implements Job {
  readonly name = 'simulated-webhooks'
  readonly on = 'machine'
  readonly #deps: WebhookSenderDeps
  readonly #mischief: Mischief
  readonly #repeat: Repeat

  constructor(deps: WebhookSenderDeps) {
    this.#deps = deps
    this.#mischief = deps.mischief ?? calm
    this.#repeat = new Repeat({
      everyMs: LOOK_EVERY_MS,
      run: async () => void (await this.look()),
      onFailure: error =>
        deps.log.warn({ err: error }, 'the payment simulator could not go on; it will try again'),
      time: deps.time,
    })
  }

  start(): void {
    this.#repeat.start()
  }

  /** There is something to tell. */
  wake(): void {
    this.#repeat.wakeIn(0)
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  async look(): Promise<void> {
    await this.#deps.fakeBank.goOn()
    await this.deliver()
  }

  /** Sends the webhooks that are due. Returns how many the server accepted. */
  async deliver(): Promise<number> {
    const { database, clock } = this.#deps
    let accepted = 0
    for (let batch = 0; batch < MAX_BATCHES && !this.#repeat.isStopped; batch += 1) {
      const now = clock.now()
      const lease = { now: new Date(now), leaseUntil: new Date(now + LEASE_MS), limit: AT_ONCE }
      const leased = await database.platform('deliver webhooks of the simulator', tx =>
        leaseWebhooks(tx, lease),
      )
      const sent = await Promise.all(leased.map(webhook => this.#send(webhook)))
      accepted += sent.filter(outcome => outcome === 'delivered').length
      if (leased.length < AT_ONCE) break
    }
    return accepted
  }

  async #send(webhook: SimulatedWebhook): Promise<SendOutcome> {
    const { database, clock, secret, post, onSent, log, random } = this.#deps
    let isAccepted = false
    try {
      const signature = signWebhook(secret, webhook.body, clock.now())
      isAccepted = await post(webhook.body, { [SIGNATURE_HEADER]: signature })
    } catch {
      // No answer: the same as not accepted.
    }
    if (isAccepted && !this.#mischief.hearsDelivery()) isAccepted = false
    const isLast = webhook.attempts >= MAX_ATTEMPTS
    const outcome = isAccepted ? 'delivered' : isLast ? 'given_up' : 'failed'
    const pause =
      Math.min(FIRST_PAUSE_MS * 2 ** (webhook.attempts - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2)
    await database.platform('deliver webhooks of the simulator', tx =>
      noteDelivery(tx, webhook, {
        state: outcome === 'failed' ? 'waiting' : outcome,
        dueAt: new Date(clock.now() + Math.round(pause)),
      }),
    )
    if (outcome === 'given_up') {
      log.warn(
        { webhook_id: webhook.id, organization_id: webhook.organizationId, attempts: webhook.attempts },
        'the payment simulator gave a webhook up',
      )
    }
    onSent(outcome)
    return outcome
  }
}
