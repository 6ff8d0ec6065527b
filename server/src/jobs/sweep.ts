import type { FastifyBaseLogger } from 'fastify'
import type { HoldHistory } from '../events/hold-history.ts'
import type { Database, PlatformTx } from '../postgres/database.ts'
import { sweepGatewayEvents } from '../postgres/tables/gateway-events.ts'
import { deleteGuests, type GuestCursor, idleGuests } from '../postgres/tables/guests.ts'
import { sweepKeys } from '../postgres/tables/idempotency-keys.ts'
import { sweepProviderSignIns } from '../postgres/tables/identity-providers.ts'
import { sweepUploads } from '../postgres/tables/images.ts'
import { sweepMails } from '../postgres/tables/mails.ts'
import { sweepReports } from '../postgres/tables/node-reports.ts'
import { sweepSnapshots } from '../postgres/tables/occupancy-snapshots.ts'
import { sweepPasswordResets } from '../postgres/tables/password-resets.ts'
import { sweepPlaceGuests } from '../postgres/tables/place-guests.ts'
import { sweepRefusalCounts, sweepRefusedAttempts } from '../postgres/tables/refused-attempts.ts'
import { sweepSessions } from '../postgres/tables/sessions.ts'
import { sweepSignIns } from '../postgres/tables/sign-in-failures.ts'
import { sweepSimulatedWebhooks } from '../postgres/tables/simulated-webhooks.ts'
import { Repeat } from '../repeat.ts'
import { TenantScope } from '../tenant.ts'

const EVERY_MS = 60_000
const BATCH = 5_000
/** Of each kind in one run. What is left waits for the next run. */
const MAX_BATCHES = 100

/** For how many days rows are kept that no history needs. */
export interface Retention {
  readonly refusalsDays: number
  readonly guestsDays: number
  readonly occupancyDays: number
  readonly mailsDays: number
}

export const SWEPT = [
  'sessions',
  'sign_in_failures',
  'sign_in_address_failures',
  'sign_in_addresses',
  'idempotency_keys',
  'refused_attempts',
  'refused_attempt_counts',
  'node_reports',
  'occupancy_snapshots',
  'place_guests',
  'simulated_webhooks',
  'mails',
  'password_resets',
  'provider_sign_ins',
  'gateway_events',
  'uploads',
  'guests',
] as const
type Swept = (typeof SWEPT)[number]

export interface SweepRun {
  readonly deleted: Readonly<Record<Swept, number>>
  /** The kinds whose sweep failed. The others were swept. */
  readonly failed: readonly Swept[]
  readonly ms: number
}

/**
 * Deletes what has expired and what is older than its retention, in batches, on every node. Nothing depends
 * on it but the size of the tables: an expired row counts for nothing, swept or not.
 */
export class Sweeper {
  readonly #database: Database
  readonly #history: Pick<HoldHistory, 'catchUp'>
  readonly #log: FastifyBaseLogger
  readonly #keep: Retention
  readonly #onRun: (run: SweepRun) => void
  #guestCursor: GuestCursor | null = null
  readonly #repeat = new Repeat({
    everyMs: EVERY_MS,
    run: async () => void (await this.sweep()),
    onFailure: error => this.#log.error({ err: error }, 'the sweep failed; the next one will try again'),
  })

  constructor(deps: {
    database: Database
    history: Pick<HoldHistory, 'catchUp'>
    log: FastifyBaseLogger
    keep: Retention
    onRun: (run: SweepRun) => void
  }) {
    this.#database = deps.database
    this.#history = deps.history
    this.#log = deps.log
    this.#keep = deps.keep
    this.#onRun = deps.onRun
  }

  start(): void {
    this.#repeat.start()
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  async sweep(): Promise<SweepRun> {
    const started = performance.now()
    const deleted = Object.fromEntries(SWEPT.map(name => [name, 0])) as Record<Swept, number>
    const failed: Swept[] = []
    for (const name of SWEPT) {
      try {
        for (let batch = 0; batch < MAX_BATCHES && !this.#repeat.isStopped; batch += 1) {
          const { count, isLast } =
            name === 'guests'
              ? await this.#guests()
              : await this.#database.platform('sweep what has expired', tx => this.#batch(tx, name))
          deleted[name] += count
          if (isLast) break
        }
      } catch (error) {
        failed.push(name)
        this.#log.warn({ err: error, what: name }, 'the sweep failed; the next one will try again')
      }
    }
    const run = { deleted, failed, ms: performance.now() - started }
    if (Object.values(deleted).some(count => count > 0)) {
      this.#log.info({ swept: deleted, ms: Math.round(run.ms) }, 'swept what had expired')
    }
    this.#onRun(run)
    return run
  }

  async #batch(tx: PlatformTx, name: Exclude<Swept, 'guests'>): Promise<{ count: number; isLast: boolean }> {
    const { refusalsDays, occupancyDays, mailsDays } = this.#keep
    const whole = (count: number) => ({ count, isLast: count < BATCH })
    switch (name) {
      case 'sessions':
        return whole(await sweepSessions(tx, BATCH))
      case 'sign_in_failures':
      case 'sign_in_address_failures':
      case 'sign_in_addresses':
        return whole(await sweepSignIns(tx, name, BATCH))
      case 'idempotency_keys':
        return whole(await sweepKeys(tx, BATCH))
      case 'refused_attempts':
        return whole(await sweepRefusedAttempts(tx, refusalsDays, BATCH))
      case 'refused_attempt_counts':
        return whole(await sweepRefusalCounts(tx, refusalsDays, BATCH))
      case 'node_reports':
        return whole(await sweepReports(tx, BATCH))
      case 'occupancy_snapshots':
        return whole(await sweepSnapshots(tx, occupancyDays, BATCH))
      case 'place_guests':
        return whole(await sweepPlaceGuests(tx, BATCH))
      case 'simulated_webhooks':
        return whole(await sweepSimulatedWebhooks(tx, BATCH))
      case 'mails':
        return whole(await sweepMails(tx, mailsDays, BATCH))
      case 'password_resets':
        return whole(await sweepPasswordResets(tx, BATCH))
      case 'provider_sign_ins':
        return whole(await sweepProviderSignIns(tx, BATCH))
      case 'gateway_events':
        return whole(await sweepGatewayEvents(tx, BATCH))
      case 'uploads':
        return whole(await sweepUploads(tx, BATCH))
    }
  }

  /** First those who have no hold, then the history of all ended holds: who is not in it had none. */
  async #guests(): Promise<{ count: number; isLast: boolean }> {
    const from = { keepDays: this.#keep.guestsDays, limit: BATCH, cursor: this.#guestCursor }
    const { guests, cursor, isLast } = await this.#database.platform('sweep what has expired', tx =>
      idleGuests(tx, from),
    )
    for (const organizationId of new Set(guests.map(guest => guest.organization_id))) {
      const caughtUp = await this.#history.catchUp(TenantScope.of(organizationId), null)
      if (!caughtUp.ok)
        throw new Error(`the history of ended holds is not complete: ${caughtUp.problem.kind}`)
    }
    const count =
      guests.length === 0
        ? 0
        : await this.#database.platform('sweep what has expired', tx => deleteGuests(tx, guests))
    this.#guestCursor = cursor
    return { count, isLast }
  }
}
