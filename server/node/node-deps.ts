import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import type { AddressLimits } from '@voelgoed/kit/http/address-limits'
import type { RequestLogin } from '@voelgoed/kit/postgres/request-login'
import type { FastifyBaseLogger } from 'fastify'
import type { StripeServer } from '../modules/payments/stripe/api.ts'

export interface NodeDeps {
  readonly log: FastifyBaseLogger
  readonly clock: Clock
  /** Another time than the process's, for tests. */
  readonly time?: Time
  readonly pageFolder?: string
  /** A page waits so long for what Postgres says of it; tests have more patience. */
  readonly pagePatienceMs?: number
  /** For the connections of requests; without it they are the owner's, in a role that owns nothing. */
  readonly requestLogin?: RequestLogin | null
  /** Called with the platform's key as soon as one was made and stored: the one chance to show it. */
  readonly tellRootKey?: (key: string) => void
  /** This process is one of several behind a port, and its keeper has prepared the database: see workers/. */
  readonly worker?: WorkerPart
  /** Another server than Stripe's that speaks its language, for tests. */
  readonly stripeServer?: StripeServer
}

interface WorkerPart {
  readonly number: number
  /** There are so many: together they use what one process would have. */
  readonly count: number
  readonly addressLimits: AddressLimits
  /** Reads those of all workers; null when the keeper does not answer in time. */
  readonly readMetrics: () => Promise<string | null>
}

/**
 * `replaced`: another process behind the same port goes on, so what is connected here gets time to ask once
 * more.
 */
export type DrainReason = 'stopping' | 'replaced'
