import type { Follower } from '@voelgoed/engine/lane/lanes'
import type { Bus } from '@voelgoed/engine/ports/bus'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import type { AddressLimits, LimitMetrics } from '@voelgoed/kit/http/address-limits'
import type { LargeBodies } from '@voelgoed/kit/http/large-bodies'
import type { OtherSites } from '@voelgoed/kit/http/other-sites'
import type { Router } from '@voelgoed/kit/http/serve'
import type { SessionLimits } from '@voelgoed/kit/http/session-limits'
import type { Uploads } from '@voelgoed/kit/http/uploads'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { SessionAnnouncement } from '@voelgoed/kit/postgres/announcement-messages'
import type { Database, PlatformTx } from '@voelgoed/kit/postgres/database'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import type { FastifyBaseLogger } from 'fastify'
import type { Histogram } from 'prom-client'

/** Each module gets this. It names whatever else it needs, its part of the configuration included. */
export interface Kit {
  /** It names this node among those of the installation, for as long as the process runs. */
  readonly nodeId: string
  readonly clock: Clock
  readonly time: Time
  readonly log: FastifyBaseLogger
  readonly database: Database
  /** A module makes its metrics with these, where it counts. */
  readonly metrics: MetricMakers
  readonly bus: Bus
  /** Null: none is configured. */
  readonly redis: RedisConnection | null
  readonly http: Http
}

/** A node has these for all requests. */
export interface Http extends LimitMetrics {
  /** False: nothing is limited. */
  readonly rateLimits: boolean
  /** Each answer is told to it. */
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>
  readonly addressLimits: AddressLimits
  readonly sessionLimits: SessionLimits
  readonly largeBodies: LargeBodies
  readonly uploads: Uploads
  /** Their pages may call the routes of buyers. */
  readonly otherSites: OtherSites
  /** Where browsers reach the pages, without a slash at the end; empty: it does not listen yet. */
  readonly pageUrl: () => string
}

/** A feature, as the node sees it (CONTRIBUTING.md, "A module"). It has what it needs of these members. */
export interface Module {
  readonly name: string
  routes?(router: Router): void
  /** `Jobs` starts and stops them. */
  readonly jobs?: readonly Job[]
  /** Hears what is committed. */
  readonly follows?: Follower
  /** Hears what any node says of sessions, users, organizations and keys. */
  hears?(announcement: SessionAnnouncement): void
  /** Its rows that expire. */
  readonly sweeps?: readonly Sweep[]
  /** Sends away who would never leave by themselves, before requests end. */
  leave?(): void
  /** Writes what memory still holds, while lanes and bus still work. */
  flush?(): Promise<void>
  /** Called when its jobs are told to stop, and Postgres is still there. */
  close?(): Promise<void>
}

/** It deletes rows of one kind that have expired. */
export interface Sweep {
  /** The kind: a label of metrics, and a word of the log. */
  readonly name: string
  /** Deletes at most `limit` rows. `isLast`: there are no more of them for now. */
  run(limit: number): Promise<{ readonly count: number; readonly isLast: boolean }>
}

/** A sweep whose batch is one statement. `rows` deletes at most `limit` rows and returns their number. */
export function sweepOf(
  database: Pick<Database, 'platform'>,
  name: string,
  rows: (tx: PlatformTx, limit: number) => Promise<number>,
): Sweep {
  return {
    name,
    async run(limit) {
      const count = await database.platform('sweep what has expired', tx => rows(tx, limit))
      return { count, isLast: count < limit }
    },
  }
}
