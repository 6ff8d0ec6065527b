import { LiveTokens } from '@voelgoed/kit/http/live-tokens'
import type { Config } from './config.ts'
import { openCheckout } from './modules/checkout/index.ts'
import { openCopies } from './modules/copies/index.ts'
import { openEntry } from './modules/entry/index.ts'
import { eventSource, openEventOnLayout, openEvents, refusalOfPicture } from './modules/events/index.ts'
import { copyWhitelist, openGuests } from './modules/guests/index.ts'
import { openHistory, openRefusedAttempts } from './modules/history/index.ts'
import { openHolds } from './modules/holds/index.ts'
import { openImages } from './modules/images/index.ts'
import { openLive } from './modules/live/index.ts'
import { openMail } from './modules/mail/index.ts'
import type { Module } from './modules/module.ts'
import { openOperations } from './modules/operations/index.ts'
import { hasOrders, joinOrders, openOrders, orderLetters } from './modules/orders/index.ts'
import { openPages } from './modules/pages/index.ts'
import { openPayments } from './modules/payments/index.ts'
import { openPeople } from './modules/people/index.ts'
import { readOrganization } from './modules/people/tables/organizations.ts'
import { openPersonalData } from './modules/personal-data/index.ts'
import { openReports } from './modules/reports/index.ts'
import { openSignIn } from './modules/sign-in/index.ts'
import { openTickets } from './modules/tickets/index.ts'
import { openVenues } from './modules/venues/index.ts'
import type { NodeDeps } from './node/node-deps.ts'
import { openEngine } from './node/open-engine.ts'
import type { OpenedKit } from './node/open-kit.ts'

/**
 * Opens the modules of a node. What a module needs of one above it is a function, which it calls when all are
 * open.
 */
export async function openModules(opened: OpenedKit, config: Config, databaseUrl: string, deps: NodeDeps) {
  const { pageFolder, pagePatienceMs, tellRootKey = () => {}, worker, stripeServer } = deps
  const { kit, workers, tracing, databaseClock, announcements, redisBus } = opened
  const { bus } = kit
  const engine = openEngine(kit, {
    source: eventSource,
    tracer: tracing?.laneTracer ?? null,
    reaps: config.reaper,
  })
  const { lanes, store, seatMaps } = engine
  const images = openImages(kit, {
    lockOrganization: tx => readOrganization(tx, { forUpdate: true }),
    refusalOfEvent: refusalOfPicture,
  })
  const signIn = await openSignIn(kit, {
    databaseClock,
    rootKey: config.rootKey,
    tellRootKey,
    workers,
    arePrivateProvidersAllowed: config.privateProviders,
    releaseHolds: (scope, wanted) => holds.takeBack(scope, wanted),
    sendsMails: () => mails.canSend,
  })
  const { principals, signingKey } = signIn
  announcements.onListeningChange(yes => principals.listening(yes))
  const tickets = openTickets(kit, { signingKey })
  const { ticketKeys } = tickets
  const mail = openMail(kit, {
    server: config.mail,
    letters: { ...signIn.letters, ...orderLetters },
    attach: tickets.attach,
    keepDays: config.keep.mailsDays,
  })
  const mails = mail.mailSender
  const people = openPeople(kit, {
    principals,
    askToConfirmMembership: signIn.askToConfirmMembership,
    mails,
  })
  const venues = openVenues(kit, { eventOnLayout: openEventOnLayout })
  const payments = await openPayments(kit, {
    config,
    signingKey,
    address: () => opened.state.address,
    keepNews: event => checkout.paymentWork.store(event),
    ...(stripeServer && { stripeServer }),
  })
  const { gateway, takesMoney } = payments
  const events = openEvents(kit, {
    lanes,
    seatMaps,
    documents: venues.documents,
    gateway,
    takesMoney,
    cancelling: () => checkout.cancelling,
    hasOrders,
    mails,
    copyWhitelist,
  })
  const { priceLists } = events
  const guests = openGuests(kit, {
    lanes,
    catchUp: (scope, eventId) => holds.history.catchUp(scope, eventId),
    keepDays: config.keep.guestsDays,
  })
  const copies = openCopies(kit, { lanes, store, seatMaps })
  const liveTokens = new LiveTokens(signingKey, databaseClock)
  const live = openLive(kit, {
    principals,
    lanes,
    copies,
    seatMaps,
    liveTokens,
    // Connections are dealt out in turn, so each worker gets about its share of those of one address.
    streamsPerAddress: config.rateLimits ? Math.ceil(config.streamsPerAddress / workers) : null,
  })
  const refusals = openRefusedAttempts(kit, config.keep.refusalsDays)
  const holds = openHolds(kit, {
    lanes,
    principals,
    refusedAttempts: refusals.refusedAttempts,
    whitelistMembers: guests.whitelistMembers,
    priceLists,
    readCartPayment: (scope, orderId, userId) => checkout.readCartPayment(scope, orderId, userId),
    joinOrders,
    makeWay: (scope, eventId, actor) => checkout.makeWay(scope, eventId, actor),
  })
  const orders = openOrders(kit, {
    signingKey,
    lanes,
    history: holds.history,
    priceLists,
    mails,
    ticketKeys,
  })
  const checkout = openCheckout(kit, {
    lanes,
    priceLists,
    gateway,
    takesMoney,
    mails,
    onReissued: tickets.onReissued,
    endsEvents: config.reaper,
    refundsPerSecond: config.refundsPerSecond,
  })
  const { paymentWork, refundRuns } = checkout
  const entry = openEntry(kit, { lanes, priceLists, ticketKeys })
  const reports = openReports(kit, { lanes, seatMaps, keepDays: config.keep.occupancyDays })
  const history = openHistory(kit, { holds: holds.history })
  const personalData = openPersonalData(kit, {
    principals,
    verifyOwner: signIn.verifyOwner,
    releaseHolds: holds.takeBack,
  })
  const pages = openPages(kit, {
    folder: pageFolder,
    patienceMs: pagePatienceMs,
    gateway: gateway.name,
    imageMaker: images.imageMaker,
    imageFiles: images.imageFiles,
  })
  // Each imports only those before it: scripts/rooms.test.ts reads this list.
  const below: readonly Module[] = [
    engine,
    images,
    people,
    mail,
    signIn,
    venues,
    payments,
    events,
    guests,
    copies,
    live,
    holds,
    orders,
    tickets,
    checkout,
    entry,
    reports,
    refusals,
    history,
    personalData,
    pages,
  ]
  const sweeps = below.flatMap(module => module.sweeps ?? [])
  const operations = openOperations(kit, {
    lanes,
    sweeps,
    busBy: () => (bus.isListening ? (redisBus?.isByRedis ? 'redis' : 'postgres') : 'none'),
    verify: { databaseUrl, everyHours: config.verifyHours },
    running: {
      metricsPort: config.metricsPort,
      readMetrics: worker?.readMetrics ?? (() => kit.metrics.registry.metrics()),
      draining: () => opened.state.leaving === 'stopping',
      sinceReaperRunMs: engine.sinceReaperRunMs,
    },
    system: { mails, takesMoney, paymentWork },
  })
  return {
    modules: [...below, operations],
    /** All requests are judged by these. */
    judging: { principals, liveTokens, lanes },
    /** Tests and commands take these from a node. */
    exposed: {
      lanes,
      registry: copies.registry,
      payments,
      paymentWork,
      refundRuns,
      ticketKeys,
      mailSender: mails,
      lastUses: signIn.lastUses,
      sweeps,
    },
  }
}
