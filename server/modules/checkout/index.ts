import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { postgresWork } from '@voelgoed/engine/reaper/work'
import type { Cancelling } from '../events/cancelling.ts'
import type { PriceLists } from '../events/price-lists.ts'
import type { ReadCartPayment } from '../holds/cart-answer.ts'
import type { MakeWay } from '../holds/routes/holds.ts'
import type { Kit, Module } from '../module.ts'
import type { Gateway, GatewayName } from '../payments/gateway.ts'
import { createCancelledEventMetrics, showCancelledEvents } from './cancelled-event-metrics.ts'
import { CancelledEvents } from './cancelled-events.ts'
import { cartPayment } from './checkout-answers.ts'
import { createCheckoutMetrics, showWaitingPayments } from './checkout-metrics.ts'
import { Checkouts } from './checkouts.ts'
import { GatewayRefunds } from './gateway-refunds.ts'
import { RefundRuns } from './jobs/refund-runs.ts'
import { makeWay } from './make-way.ts'
import { createOrderChangeMetrics } from './order-change-metrics.ts'
import { PaymentWork } from './payment-work.ts'
import { refundEvent, refundsLeft } from './refund-event.ts'
import { serveOrderChanges } from './routes/change-order.ts'
import { serveCheckouts } from './routes/checkouts.ts'
import { serveOrderMail } from './routes/order-mail.ts'
import { serveRefunds } from './routes/refunds.ts'
import { Settlements } from './settlements.ts'

interface Needs {
  readonly lanes: Lanes
  readonly priceLists: PriceLists
  readonly gateway: Gateway
  /** This gateway takes new payments; null: none does, and what costs something can't be paid for here. */
  readonly takesMoney: GatewayName | null
  readonly mails: { readonly canSend: boolean }
  /** Counts a ticket whose code was replaced. */
  readonly onReissued: () => void
  /** False: other nodes end the holds of cancelled events, and refund their orders. */
  readonly endsEvents: boolean
  /** Orders of cancelled events that are refunded in a second, by all nodes together. */
  readonly refundsPerSecond: number
}

interface Checkout extends Module {
  readonly readCartPayment: ReadCartPayment
  readonly makeWay: MakeWay
  readonly paymentWork: PaymentWork
  readonly cancelling: Cancelling
  readonly refundRuns: RefundRuns
}

/**
 * Buyers pay for what they hold, and the money takes effect once, whatever calls and messages say it. Staff
 * take tickets back and move them, buyers have them sent again. Jobs look payments up whose outcome is not
 * known, give money back through the gateway, and end cancelled events: their holds, then their orders.
 */
export function openCheckout(kit: Kit, needs: Needs): Checkout {
  const { database, clock, time, log } = kit
  const { lanes, gateway, takesMoney } = needs
  const watch = createCheckoutMetrics(kit.metrics)
  const settling = { database, lanes, gateway, clock, log, watch }
  const settlements = new Settlements({ ...settling, onRefund: () => paymentWork.wake() })
  const checkouts = new Checkouts({ ...settling, settlements, takesMoney: takesMoney !== null })
  const refunds = new GatewayRefunds(settling)
  const paymentWork = new PaymentWork({ ...settling, time, checkouts, settlements, refunds })
  showWaitingPayments(kit.metrics, paymentWork)
  const refundRuns = new RefundRuns({
    ...settling,
    perSecond: needs.refundsPerSecond,
    onOrder: createCancelledEventMetrics(kit.metrics).order,
    onRefund: () => paymentWork.wake(),
  })
  const cancelledEvents = new CancelledEvents({ work: postgresWork(database), lanes, log })
  showCancelledEvents(kit.metrics, cancelledEvents, refundRuns)
  const changes = createOrderChangeMetrics(kit.metrics)
  return {
    name: 'checkout',
    async readCartPayment(scope, orderId, userId) {
      const found = await checkouts.read(scope, orderId, userId)
      return found && cartPayment(found)
    },
    async makeWay(scope, eventId, actor) {
      const read = await lanes.read(scope, eventId)
      return read && makeWay(checkouts, scope, read.view, actor, null)
    },
    paymentWork,
    cancelling: {
      begin: refundEvent,
      wake: () => refundRuns.wake(),
      endHolds: event => cancelledEvents.end(event),
      refundsLeft,
    },
    refundRuns,
    routes(router) {
      serveCheckouts(router, kit, { ...needs, checkouts })
      serveOrderMail(router, kit, needs)
      serveOrderChanges(router, kit, { ...needs, changes, paymentWork })
      serveRefunds(router, kit, { refundRuns, paymentWork })
    },
    jobs: [paymentWork, ...(needs.endsEvents ? [cancelledEvents, refundRuns] : [])],
  }
}
