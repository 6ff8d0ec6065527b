import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type AddressLimits, OwnAddressLimits } from './accounts/address-limits.ts'
import { AddressLimitsOfAll } from './accounts/address-limits-of-all.ts'
import { LastUses } from './accounts/last-uses.ts'
import { LiveTokens } from './accounts/live-tokens.ts'
import { openIdentityProviders } from './accounts/oidc/identity-providers.ts'
import { OpenStreams } from './accounts/open-streams.ts'
import { Passwords } from './accounts/passwords.ts'
import { Principals } from './accounts/principals.ts'
import { settleRootKey } from './accounts/root-key.ts'
import { SecondFactors } from './accounts/second-factor.ts'
import { OwnSessionLimits, SessionLimitsOfAll } from './accounts/session-limits.ts'
import { RefusedAttempts } from './audit/refused-attempts.ts'
import { Snapshots } from './availability/snapshots.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import { Checkouts } from './events/checkouts.ts'
import { GatewayRefunds } from './events/gateway-refunds.ts'
import { HoldHistory } from './events/hold-history.ts'
import { OrderSecrets } from './events/order-secrets.ts'
import { OwnHolds } from './events/own-holds.ts'
import { PriceLists } from './events/price-lists.ts'
import { WhitelistMembers } from './events/whitelist-members.ts'
import { type App, buildApp } from './http/app.ts'
import { endRequests, takeLastRequests } from './http/end-requests.ts'
import { startLargeBodies } from './http/large-bodies.ts'
import { PAGE_FOLDER } from './http/page.ts'
import { stepPath } from './http/simulator-step.ts'
import { Uploads } from './http/uploads.ts'
import { ImageMaker } from './images/image-maker.ts'
import { CancelledEvents } from './jobs/cancelled-events.ts'
import { followFunnels } from './jobs/count-funnel.ts'
import { Heartbeat } from './jobs/heartbeat.ts'
import { followHoldHistory } from './jobs/hold-history.ts'
import { MendCopies } from './jobs/mend-copies.ts'
import { PaymentWork } from './jobs/payment-work.ts'
import { Reaper } from './jobs/reaper.ts'
import { RefundRuns } from './jobs/refund-runs.ts'
import { Sweeper } from './jobs/sweep.ts'
import { TakeSnapshots } from './jobs/take-snapshots.ts'
import { DailyVerify } from './jobs/verify-daily.ts'
import { postgresWork } from './jobs/work.ts'
import { Lanes } from './lane/lanes.ts'
import { postgresStore } from './lane/postgres-store.ts'
import { RedisBus } from './lane/redis-bus.ts'
import { SeatMaps } from './lane/seat-maps.ts'
import { startLayoutCompiler } from './layouts/compiler.ts'
import { LayoutDocuments } from './layouts/layout-documents.ts'
import { SharedDocuments } from './layouts/shared-documents.ts'
import { LiveFeed } from './live/feed.ts'
import { lostLogLines } from './log.ts'
import { MailSender } from './mail/mail-sender.ts'
import { attachTickets } from './mail/ticket-attachments.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { openPayments, type Payments, type PaymentsDeps } from './payments/open-payments.ts'
import { postToServer } from './payments/simulator/post-webhook.ts'
import { Announcements } from './postgres/announcements.ts'
import type { Database } from './postgres/database.ts'
import { DatabaseClock } from './postgres/database-clock.ts'
import { openDatabase, prepareDatabase } from './postgres/open.ts'
import type { RequestLogin } from './postgres/request-login.ts'
import { readSigningKey } from './postgres/tables/installation.ts'
import { RedisConnection } from './redis/connection.ts'
import { LimitCounts } from './redis/limit-counts.ts'
import { PubSub } from './redis/pub-sub.ts'
import { Registry } from './registry/registry.ts'
import { StartupError } from './startup-error.ts'
import { TicketKeys } from './tickets/ticket-keys.ts'
import { TicketPdfs } from './tickets/ticket-pdfs.ts'
import { processTime } from './time.ts'
import { VERSION } from './version.ts'
import { ColdReads } from './warm/cold-reads.ts'
import { RedisGate } from './warm/gate.ts'
import { WarmReads } from './warm/warm-reads.ts'
import { WarmTier } from './warm/warm-tier.ts'

export interface Node {
  readonly app: App
  readonly lanes: Lanes
  readonly database: Database
  readonly metrics: Metrics
  readonly registry: Registry
  readonly payments: Payments
  readonly paymentWork: PaymentWork
  readonly refundRuns: RefundRuns
  readonly ticketKeys: TicketKeys
  readonly mailSender: MailSender
  readonly lastUses: LastUses
  /** Starts to accept requests; returns the address. */
  listen(): Promise<string>
  /**
   * Starts the jobs that one process of a machine does for all: a node without a keeper does them from the
   * start.
   */
  takeJobs(): void
  /**
   * Says that it is leaving, and goes on for so many seconds, so that balancers send nothing more; then stops
   * accepting, finishes what is in flight within a bound, lets go of everything.
   */
  drain(why?: DrainReason, seconds?: number): Promise<void>
  /** Ends the waiting of a drain that is under way; requests in flight are cut off. */
  hurry(): void
}

/**
 * `replaced`: another process behind the same port goes on, so what is connected here gets time to ask once
 * more.
 */
export type DrainReason = 'stopping' | 'replaced'

/** What else is committed until then is written into the history with it. */
const HISTORY_AFTER_COMMIT_MS = 250
/** After the settings of an event have changed: its status may be another. */
const SNAPSHOT_AFTER_MS = 500
const MIB = 1024 * 1024
/** A worker must have room for the largest body, however many workers there are. */
const LARGEST_BODY = 96 * MIB

export interface NodeDeps {
  readonly log: FastifyBaseLogger
  readonly clock: Clock
  readonly pageFolder?: string
  /** For the connections of requests; without it they are the owner's, in a role that owns nothing. */
  readonly requestLogin?: RequestLogin | null
  /** Called with the platform's key as soon as one was made and stored: the one chance to show it. */
  readonly tellRootKey?: (key: string) => void
  /** This process is one of several behind a port, and its keeper has prepared the database: see workers/. */
  readonly worker?: WorkerPart
  /** Another server than Stripe's that speaks its language, for tests. */
  readonly stripeServer?: PaymentsDeps['stripeServer']
}

export interface WorkerPart {
  readonly number: number
  /** How many there are: together they use what one process would have. */
  readonly count: number
  readonly addressLimits: AddressLimits
  /** Of all workers; null when the keeper does not answer in time. */
  readonly readMetrics: () => Promise<string | null>
}

/** One node of the system on a Postgres: everything wired, nothing listening yet. */
export async function startNode(config: Config, databaseUrl: string, deps: NodeDeps): Promise<Node> {
  const nodeId = randomUUID()
  const {
    log,
    clock,
    pageFolder = PAGE_FOLDER,
    requestLogin = null,
    tellRootKey = () => {},
    worker,
    stripeServer,
  } = deps
  if (!worker) await prepareDatabase(databaseUrl, requestLogin, log)
  const workers = worker?.count ?? 1
  const opened = await openDatabase(databaseUrl, {
    maxConnections: Math.floor(config.databaseConnections / workers),
    requestLogin,
  })
  const tracing = config.tracing && (await import('./tracing.ts')).startTracing(config.tracing, log)
  const database = tracing?.traceDatabase(opened.database) ?? opened.database
  const rootKey = await settleRootKey(database, config.rootKey, tellRootKey)
  const databaseClock = await DatabaseClock.start(database, clock)
  const lastUses = new LastUses(database, log)
  const principals = new Principals({ database, clock, databaseClock, rootKey, lastUses })
  const signingKey = await database.platform('read and write the installation', readSigningKey)
  const ticketKeys = new TicketKeys({ database, signingKey, clock })
  const ticketPdfs: TicketPdfs = new TicketPdfs({
    log,
    onMade: (outcome, ms) => metrics.tickets.pdf(outcome, ms),
    clock,
  })
  const imageMaker: ImageMaker = new ImageMaker({
    log,
    onMade: (outcome, ms) => metrics.images.made(outcome, ms),
    clock,
  })
  const announcements = new Announcements(
    opened.requestUrl,
    announcement => {
      switch (announcement.kind) {
        case 'token_revoked':
          return principals.forgetToken(Buffer.from(announcement.tokenHash, 'hex'))
        case 'user_changed':
          return principals.forgetUser(announcement.organizationId, announcement.userId)
        case 'organization_changed':
          return principals.forgetOrganization(announcement.organizationId)
        case 'ticket_keys_changed':
          return ticketKeys.forget(announcement.organizationId)
      }
    },
    log,
  )
  announcements.onListeningChange(yes => {
    principals.listening(yes)
    log.info({ listening: yes }, yes ? 'hears the other nodes' : 'can not hear the other nodes')
  })
  const redis = config.redisUrls.length > 0 ? new RedisConnection(config.redisUrls, log) : null
  const redisBus =
    redis && config.bus === 'redis'
      ? new RedisBus(new PubSub({ redis, time: processTime, log }), announcements, log)
      : null
  const bus = redisBus ?? announcements
  const gate =
    redis && config.gate
      ? new RedisGate({ redis, time: processTime, log, onLook: ms => metrics.gate?.looked(ms) })
      : null
  const limitsHere = worker?.addressLimits ?? new OwnAddressLimits(clock)
  const sessionLimitsHere = new OwnSessionLimits(clock)
  const limitCounts = redis && new LimitCounts(redis)
  const sessionLimitsOfAll =
    limitCounts && new SessionLimitsOfAll(sessionLimitsHere, limitCounts, { clock, time: processTime })
  const compiler = startLayoutCompiler(log)
  const largeBodies = startLargeBodies(log)
  const documents: LayoutDocuments = new LayoutDocuments({
    database,
    shared:
      redis &&
      new SharedDocuments({
        redis,
        onFind: outcome => metrics.sharedDocuments?.found(outcome),
        onKeep: outcome => metrics.sharedDocuments?.kept(outcome),
      }),
    onReady: (from, ms) => metrics.countDocument(from, ms),
  })
  const feed = new LiveFeed()
  const streams = new OpenStreams(principals, {
    total: 50_000,
    perUser: 10,
    // Connections are dealt out in turn, so each worker gets about its share of those of one address.
    perAddress: config.rateLimits ? Math.ceil(config.streamsPerAddress / workers) : null,
  })
  const snapshots = new Snapshots()
  const refusedAttempts = new RefusedAttempts(database, log)
  const verifying = new DailyVerify({ database, databaseUrl, log, everyHours: config.verifyHours })
  const uploads = new Uploads({
    perNodeBytes: Math.max((416 * MIB) / workers, 2 * LARGEST_BODY),
    perOrganizationBytes: Math.max((96 * MIB) / workers, LARGEST_BODY),
    clock,
  })
  const metrics = createMetrics({
    worker: worker?.number ?? null,
    gateway: config.stripe ? 'stripe' : 'simulator',
    waitingPayments: () => paymentWork.waiting,
    refundRuns: () => refundRuns.inProgress,
    uploadBytes: () => uploads.bytes,
    pendingPdfs: () => ticketPdfs.pending,
    lostLogLines,
    verify: () => verifying.state,
    pools: database.stats,
    unproven: database.unproven,
    ping: database.ping,
    bus: () => bus,
    seqInMemory: (scope, eventId) => lanes.inMemory(scope, eventId)?.seq ?? null,
    layoutCache: () => documents.counts,
    lanes: () => lanes.stats(),
    views: () => lanes.views(),
    feed: () => ({ readers: feed.readers, ...feed.counts }),
    streams: () => streams.counts,
    snapshots: () => snapshots.counts,
    refusedAttempts: () => refusedAttempts.counts,
    lastUses: () => lastUses.counts,
    reaper: () => reaper,
    cancelledEvents: () => cancelledEvents,
    redis,
    redisBus,
    limitCounts,
    gate,
    warm: () => warm,
    nodesAlive: () => heartbeat.alive,
    lagging: () => mendCopies.lagging,
    mailQueue: () => mailSender.queue,
  })
  let address: string | null = null
  const pageUrl = () => config.publicUrl ?? address ?? ''
  const mailSender: MailSender = new MailSender({
    database,
    server: config.mail,
    publicUrl: pageUrl,
    attach: attachTickets({ database, ticketKeys, ticketPdfs, pageUrl }),
    time: processTime,
    random: Math.random,
    log,
    onOutcome: metrics.mails.ended,
  })
  const payments = await openPayments({
    config,
    database,
    clock,
    time: processTime,
    random: Math.random,
    log,
    watch: metrics.payments,
    signingKey,
    stepUrl: token => `${pageUrl()}${stepPath(token)}`,
    postWebhook: postToServer(() => address),
    ...(stripeServer && { stripeServer }),
  })
  const seatMaps = new SeatMaps()
  const warm: WarmTier | null =
    redis &&
    new WarmTier({
      redis,
      time: processTime,
      log,
      doubt: ({ scope, eventId }, known) => lanes.lane(scope, eventId).doubt(known),
      onWritten: ms => metrics.warm?.written(ms),
    })
  const store = postgresStore(database, seatMaps)
  const lanes: Lanes = new Lanes({
    store,
    time: processTime,
    bus,
    log,
    followers: [feed, metrics.follower, ...(warm ? [warm] : [])],
    tracer: tracing?.laneTracer ?? null,
    gate,
    onBatch: metrics.countBatch,
    onAnswered: metrics.holds.answered,
    onDecided: metrics.seatChoice.decided,
    onRuleFailed: metrics.seatChoice.ruleFailed,
    onCommitted: changes => {
      metrics.holds.changed(changes)
      historyFollower.wakeIn(HISTORY_AFTER_COMMIT_MS)
      if (changes.some(change => change.kind === 'event_changed')) takeSnapshots.wakeIn(SNAPSHOT_AFTER_MS)
    },
    onExpiry: inMs => reaper.wakeIn(inMs + 5),
    onAsked: ask => void registry.asking.answer(ask),
  })
  const checkouts = new Checkouts({
    database,
    lanes,
    gateway: payments.gateway,
    takesMoney: payments.takesMoney !== null,
    clock,
    log,
    watch: metrics.checkouts,
    onRefund: () => paymentWork.wake(),
  })
  const paymentWork: PaymentWork = new PaymentWork({
    database,
    gateway: payments.gateway,
    checkouts,
    refunds: new GatewayRefunds({ database, gateway: payments.gateway, clock, log }),
    time: processTime,
    log,
    watch: metrics.checkouts,
  })
  const refundRuns: RefundRuns = new RefundRuns({
    database,
    lanes,
    clock,
    log,
    perSecond: config.refundsPerSecond,
    onOrder: outcome => metrics.refundRuns.order(outcome),
    onRefund: () => paymentWork.wake(),
  })
  const registry = new Registry({
    nodeId,
    database,
    seatMaps,
    lanes,
    bus,
    redis,
    warm,
    time: processTime,
    log,
  })
  const mendCopies = new MendCopies({
    lanes,
    store,
    registry,
    redis,
    log,
    onCompared: (tier, result) => metrics.copies.compared(tier, result),
    onFound: (tier, fault) => metrics.copies.found(tier, fault),
    onMended: tier => metrics.copies.mended(tier),
  })
  const takeSnapshots = new TakeSnapshots({ database, log, onRun: metrics.copies.snapshots })
  const heartbeat = new Heartbeat({
    database,
    log,
    state: () => ({
      id: nodeId,
      version: VERSION,
      eventsInMemory: lanes.stats().lanes,
      bus: bus.isListening ? (redisBus?.isByRedis ? 'redis' : 'postgres') : 'none',
      redis: redis?.breaker.state ?? 'off',
    }),
  })
  const coldReads = new ColdReads({
    database,
    lanes,
    warm:
      redis &&
      new WarmReads({
        redis,
        prove: event => store.prove(event, null),
        onRead: read => metrics.warm?.read(read),
      }),
  })
  bus.onHeard(metrics.heard)
  const work = postgresWork(database)
  const reaper = new Reaper({
    work,
    lanes,
    time: processTime,
    clock,
    log,
    onRun: metrics.countReaperRun,
    onFailedRun: metrics.countFailedReaperRun,
  })
  const history = new HoldHistory({ database, onEnded: metrics.holds.ended })
  const sweeper = new Sweeper({ database, history, log, keep: config.keep, onRun: metrics.countSweep })
  const cancelledEvents = new CancelledEvents({ work, lanes, log })
  const historyFollower = followHoldHistory(database, history, { log, onRun: metrics.countHistory })
  const funnel = followFunnels(database, { log, onRun: metrics.countFunnel })
  bus.start()
  heartbeat.start()
  mendCopies.start()
  takeSnapshots.start()
  if (config.reaper) {
    reaper.start()
    cancelledEvents.start()
  }
  historyFollower.start(0)
  verifying.start()
  const secondFactors = new SecondFactors(signingKey)
  const identityProviders = openIdentityProviders({
    database,
    clock,
    principals,
    secondFactors,
    signingKey,
    pageUrl,
    log,
    arePrivateAllowed: config.privateProviders,
    onAnswer: metrics.identityProviderAsked,
  })
  let leaving: DrainReason | null = null
  const hurrying = new AbortController()
  let hasJobs = false
  const takeJobs = () => {
    if (hasJobs || leaving !== null) return
    hasJobs = true
    sweeper.start()
    funnel.start()
    payments.simulator?.sender.start()
    mailSender.start()
    paymentWork.start()
    if (config.reaper) refundRuns.start()
  }
  if (!worker) takeJobs()
  const app = buildApp({
    config,
    log,
    clock,
    database,
    principals,
    metrics,
    readMetrics: worker?.readMetrics ?? (() => metrics.registry.metrics()),
    addressLimits: limitCounts ? new AddressLimitsOfAll(limitsHere, limitCounts) : limitsHere,
    sessionLimits: sessionLimitsOfAll ?? sessionLimitsHere,
    tracing,
    compiler,
    largeBodies,
    documents,
    lanes,
    history,
    whitelistMembers: new WhitelistMembers(database),
    priceLists: new PriceLists(database, metrics.prices.read),
    ownHolds: new OwnHolds(database, lanes, metrics.holds.ownRead),
    coldReads,
    seatMaps,
    bus,
    redis,
    registry,
    nodeId,
    feed,
    streams,
    snapshots,
    refusedAttempts,
    cancelledEvents,
    uploads,
    checkouts,
    paymentWork,
    refundRuns,
    mails: mailSender,
    gateway: payments.gateway,
    takesMoney: payments.takesMoney,
    pageUrl,
    simulator: payments.simulator?.party ?? null,
    ticketKeys,
    ticketPdfs,
    imageMaker,
    liveTokens: new LiveTokens(signingKey, databaseClock),
    orderSecrets: new OrderSecrets(signingKey),
    sinceReaperRunMs: () => (config.reaper ? reaper.sinceLastRunMs : null),
    secondFactors,
    identityProviders,
    passwords: new Passwords({ atOnce: Math.ceil(2 / workers), waiting: Math.ceil(200 / workers) }),
    pageFolder,
    draining: () => leaving === 'stopping',
    isLeaving: () => leaving !== null,
  })

  let listening: Promise<unknown> = Promise.resolve()
  return {
    app,
    lanes,
    database,
    metrics,
    registry,
    payments,
    paymentWork,
    refundRuns,
    ticketKeys,
    mailSender,
    lastUses,
    takeJobs,
    async listen() {
      try {
        // At the minute a sale opens, more than Node's 511 knock before one of them is let in.
        const began = app.fastify.listen({ host: config.host, port: config.port, backlog: 4_096 })
        listening = began.catch(() => {})
        await began
      } catch (error) {
        throw listenError(error, config)
      }
      const { port } = app.fastify.server.address() as AddressInfo
      address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
      return address
    },
    hurry: () => hurrying.abort(),
    async drain(why = 'stopping', seconds = 0) {
      leaving = why
      const isServing = address !== null
      if (isServing) await delay(seconds * 1_000, null, { signal: hurrying.signal }).catch(() => {})
      // Readers of the feed would never end by themselves; they come back to another node, which the balancer
      // has chosen for them by now.
      feed.close()
      streams.close()
      // A worker whose server is closed before the keeper has answered would end with an error of Node's.
      await listening
      if (why === 'replaced' || (isServing && seconds > 0)) {
        await takeLastRequests(app.fastify.server, hurrying.signal)
      }
      await endRequests(app.fastify, log, hurrying.signal)
      databaseClock.stop()
      await Promise.all([
        reaper.stop(),
        cancelledEvents.stop(),
        refundRuns.stop(),
        mendCopies.stop(),
        heartbeat.stop(),
      ])
      await refusedAttempts.flush()
      await lastUses.flush()
      lanes.close()
      warm?.close()
      sessionLimitsOfAll?.close()
      await bus.stop()
      redis?.close()
      await Promise.all([
        sweeper.stop(),
        snapshots.close(),
        historyFollower.stop(),
        funnel.stop(),
        payments.simulator?.sender.stop(),
        mailSender.stop(),
        paymentWork.stop(),
        takeSnapshots.stop(),
        verifying.stop(),
        compiler.close(),
        largeBodies.close(),
        ticketPdfs.close(),
        imageMaker.close(),
        documents.close(),
        tracing?.stop(),
      ])
      await lanes.quiet()
      await database.close()
    },
  }
}

function listenError(error: unknown, config: Config): unknown {
  const { code } = error as { code?: string }
  if (code === 'EADDRINUSE') {
    return new StartupError(`PORT ${config.port} on ${config.host} is taken: stop what uses it, or set PORT`)
  }
  if (code === 'EACCES') return new StartupError(`PORT ${config.port} may not be used: choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartupError(`HOST ${config.host} is no address of this machine`)
  }
  return error
}
