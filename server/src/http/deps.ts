import type { FastifyBaseLogger } from 'fastify'
import type { AddressLimits } from '../accounts/address-limits.ts'
import type { LiveTokens } from '../accounts/live-tokens.ts'
import type { IdentityProviders } from '../accounts/oidc/identity-providers.ts'
import type { OpenStreams } from '../accounts/open-streams.ts'
import type { SessionLimits } from '../accounts/session-limits.ts'
import type { AccountDeps } from '../accounts/sign-in.ts'
import type { RefusedAttempts } from '../audit/refused-attempts.ts'
import type { Snapshots } from '../availability/snapshots.ts'
import type { Config } from '../config.ts'
import type { Checkouts } from '../events/checkouts.ts'
import type { EventsToEnd } from '../events/events-to-end.ts'
import type { HoldHistory } from '../events/hold-history.ts'
import type { OrderSecrets } from '../events/order-secrets.ts'
import type { OwnHolds } from '../events/own-holds.ts'
import type { PriceLists } from '../events/price-lists.ts'
import type { WhitelistMembers } from '../events/whitelist-members.ts'
import type { ImageMaker } from '../images/image-maker.ts'
import type { Bus } from '../lane/bus.ts'
import type { Lanes } from '../lane/lanes.ts'
import type { SeatMaps } from '../lane/seat-maps.ts'
import type { LayoutCompiler } from '../layouts/compiler.ts'
import type { LayoutDocuments } from '../layouts/layout-documents.ts'
import type { LiveReaders } from '../live/feed.ts'
import type { Metrics } from '../metrics.ts'
import type { Gateway, GatewayEvent, GatewayName } from '../payments/gateway.ts'
import type { Simulator } from '../payments/simulator/simulator.ts'
import type { RedisConnection } from '../redis/connection.ts'
import type { Registry } from '../registry/registry.ts'
import type { TicketKeys } from '../tickets/ticket-keys.ts'
import type { TicketPdfs } from '../tickets/ticket-pdfs.ts'
import type { Tracing } from '../tracing.ts'
import type { ColdReads } from '../warm/cold-reads.ts'
import type { LargeBodies } from './large-bodies.ts'
import type { Uploads } from './uploads.ts'

/** Keeps what the gateway tells, and goes on with payments. */
export interface NewsKeeper {
  store(event: GatewayEvent): Promise<void>
  wake(): void
}

/** Refunds the orders of cancelled events. */
export interface RefundsToMake {
  wake(): void
}

/** What the routes work with; node.ts puts it together. */
export interface AppDeps extends AccountDeps {
  readonly config: Pick<Config, 'rateLimits' | 'trustProxy' | 'metricsPort'>
  readonly log: FastifyBaseLogger
  readonly metrics: Metrics
  /** Of all processes behind the port, in the form of Prometheus; null when they could not be had in time. */
  readonly readMetrics: () => Promise<string | null>
  readonly addressLimits: AddressLimits
  readonly sessionLimits: SessionLimits
  /** `null`: no collector is configured. */
  readonly tracing: Tracing | null
  readonly compiler: LayoutCompiler
  readonly largeBodies: LargeBodies
  readonly documents: LayoutDocuments
  readonly imageMaker: ImageMaker
  readonly lanes: Lanes
  readonly history: HoldHistory
  readonly whitelistMembers: WhitelistMembers
  readonly priceLists: PriceLists
  readonly ownHolds: OwnHolds
  /** For events that are not in memory. */
  readonly coldReads: ColdReads
  readonly seatMaps: SeatMaps
  readonly bus: Bus
  /** Null: none is configured. */
  readonly redis: RedisConnection | null
  readonly registry: Registry
  /** Of this node, among those that registries list. */
  readonly nodeId: string
  readonly feed: LiveReaders
  readonly streams: OpenStreams
  readonly snapshots: Snapshots
  readonly liveTokens: LiveTokens
  readonly orderSecrets: OrderSecrets
  readonly identityProviders: IdentityProviders
  readonly ticketKeys: TicketKeys
  readonly ticketPdfs: TicketPdfs
  readonly uploads: Uploads
  readonly refusedAttempts: RefusedAttempts
  readonly cancelledEvents: EventsToEnd
  readonly checkouts: Checkouts
  readonly paymentWork: NewsKeeper
  readonly refundRuns: RefundsToMake
  readonly mails: { readonly canSend: boolean }
  /** The gateway of payments that were made. */
  readonly gateway: Gateway
  /** The one that takes new payments; null: none does, and what costs something can't be paid for here. */
  readonly takesMoney: GatewayName | null
  /** Where browsers reach the pages, without a slash at the end. */
  readonly pageUrl: () => string
  /** Of payments; null: a real gateway takes the money. */
  readonly simulator: Simulator | null
  /** Since the last run of the reaper; infinite before the first, null when it is off. */
  readonly sinceReaperRunMs: () => number | null
  /** The buyers' page, built. */
  readonly pageFolder: string
  /** True from the moment a shutdown was asked for. */
  readonly draining: () => boolean
  /**
   * True from the moment this process takes in no more connections: those that are open end with their next
   * answer.
   */
  readonly isLeaving: () => boolean
}
