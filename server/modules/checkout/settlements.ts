import type { EventId } from '@voelgoed/core/ids'
import { whatCapturedMeans } from '@voelgoed/core/orders/decide-checkout'
import type { Order } from '@voelgoed/core/orders/order'
import { effectivePolicy } from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { findEvent } from '../events/tables/events.ts'
import { readPolicy } from '../events/tables/policies.ts'
import { orderOf } from '../orders/order-rows.ts'
import { readOrder } from '../orders/tables/orders.ts'
import { declined } from '../payments/declines.ts'
import type { Gateway, NotFound, Payee, PaymentOutcome } from '../payments/gateway.ts'
import { readPerson } from '../people/tables/users.ts'
import { type FoundCheckout, findCheckout } from './find-checkout.ts'
import { payeeOf } from './payee.ts'
import { type LookUp, settleOutcome, timeSent, waitsForBuyer } from './settle-outcome.ts'
import { type SettledCapture, settle } from './steps/settle.ts'
import type { DuePayment } from './tables/payment-work.ts'

interface SettlementsDeps {
  readonly database: Pick<Database, 'tenant'>
  readonly lanes: Pick<Lanes, 'lane'>
  readonly gateway: Gateway
  readonly clock: Pick<Clock, 'now'>
  readonly log: FastifyBaseLogger
  readonly watch: CheckoutWatch
  /** Money waits to go back through the gateway. */
  onRefund(): void
}

/** The watch counts these. */
export interface CheckoutWatch {
  settled(capture: SettledCapture): void
  ended(how: 'cancelled' | 'replaced' | 'expired' | 'declined'): void
  /** A payment began, or its money was settled: with a batch of commands, or alone under the event's lock. */
  stepped(step: 'payment' | 'sale', how: 'in_batch' | 'alone'): void
}

/** Applies what the gateway says of payments: its answers, look-ups and webhooks alike. */
export class Settlements {
  readonly #deps: SettlementsDeps

  constructor(deps: SettlementsDeps) {
    this.#deps = deps
  }

  /** Applies what the gateway says of a payment, once. Returns the order after it. */
  async settle(
    scope: TenantScope,
    orderId: string,
    outcome: PaymentOutcome | NotFound,
    lookUp: LookUp | null = null,
  ): Promise<Result<Order, Refusal>> {
    if (outcome.kind === 'captured') return this.#settleCaptured(scope, orderId, outcome)
    const { database, lanes, watch } = this.#deps
    const eventId = isDeclinedByBank(outcome) ? await this.#eventThatReleases(scope, orderId) : null
    const told = { orderId, outcome, lookUp }
    // To release holds takes the event's lock.
    const settled =
      eventId === null
        ? await database.tenant(scope, tx => settleOutcome(tx, null, told))
        : await lanes.lane(scope, eventId).exclusive((tx, give) => settleOutcome(tx, give, told))
    if (!settled.ok) return settled
    const { order, changes } = settled.value
    const hasExpired = changes.some(change => change.kind === 'expired')
    // A decline ends nothing of an order that was over before.
    const wasOver = AFTER_END.includes(order.status) && !hasExpired
    if (changes.some(change => change.kind === 'payment_declined') && !wasOver) watch.ended('declined')
    if (hasExpired) watch.ended('expired')
    return ok(order)
  }

  /** The event of an order in payment, if its policy says that a decline releases the holds; else null. */
  async #eventThatReleases(scope: TenantScope, orderId: string): Promise<EventId | null> {
    return this.#deps.database.tenant(scope, async tx => {
      const whole = await readOrder(tx, orderId)
      const event = whole?.order.status === 'paying' && (await findEvent(tx, whole.order.event_id))
      if (!event) return null
      const policy = effectivePolicy(await readPolicy(tx), event.seatingOverrides)
      return policy.release_on_declined_payment ? event.id : null
    })
  }

  async #settleCaptured(
    scope: TenantScope,
    orderId: string,
    { intentId, amount, currency, refunded }: Extract<PaymentOutcome, { kind: 'captured' }>,
  ): Promise<Result<Order, Refusal>> {
    const { database, lanes, clock, log, watch } = this.#deps
    const read = await database.tenant(scope, async tx => {
      const found = await findCheckout(tx, orderId)
      return found && { ...found, buyer: await readPerson(tx, found.whole.order.user_id) }
    })
    if (!read) return refuse({ kind: 'order_not_found' })
    const { whole } = read
    if (amount !== whole.order.total || currency !== whole.order.currency) {
      log.error(
        { order_id: orderId, amount, currency },
        'the gateway captured another amount than the order has',
      )
      return refuse({ kind: 'internal_error' })
    }
    // Money that was settled stays settled. Most of it is told twice, by an answer and by a message: the
    // second takes no lock of the event, which its buyers would wait for. Status and payment are both asked,
    // because another call may settle it between the statements that have read them.
    const known = orderOf(whole)
    if (AFTER_MONEY.includes(known.status) && whatCapturedMeans(known) === 'known') return ok(known)
    const lane = lanes.lane(scope, whole.order.event_id)
    const view = await lane.ready()
    if (!view) return refuse({ kind: 'event_not_found' })
    const step = settle(view, read, { orderId, intentId, refunded, now: clock.now() })
    const done = await lane.carry(step, how => watch.stepped('sale', how))
    if (!done.ok) return done
    const { kind, lateStep, eventId, order } = done.value
    if (kind !== 'known') {
      watch.settled(done.value)
      if (kind === 'given_back') this.#deps.onRefund()
      const { lines, total } = order
      const line = { order_id: orderId, event_id: eventId, tickets: lines.length, total, late: lateStep }
      log.info(line, kind === 'sold' ? 'sold an order' : 'money without tickets goes back')
    }
    return ok(order)
  }

  /** Asks the gateway what became of a payment, and settles it. Returns what it said. */
  async lookUp(
    scope: TenantScope,
    orderId: string,
    due: Pick<DuePayment, 'sentAt' | 'isSettled'> | null = null,
  ): Promise<Result<string, Refusal>> {
    const { database, gateway } = this.#deps
    const found = await database.tenant(scope, tx => findCheckout(tx, orderId))
    if (!found) return refuse({ kind: 'order_not_found' })
    if (found.checkout.gateway !== gateway.name) return ok('other_gateway')
    const { intent_id: intentId } = found.checkout
    const sentAt = timeSent(found.checkout)
    const payee = await payeeOf(this.#deps, scope, orderId)
    const looked = await askAbout(gateway, payee, found)
    if (!looked.ok) return ok(looked.problem.kind)
    const isOver = AFTER_END.includes(found.whole.order.status)
    const outcome = isOver ? await this.#end(payee, orderId, looked.value) : looked.value
    // The buyer may have tried again since the payment was due.
    const isSameAttempt = sentAt === null || due?.sentAt.getTime() === sentAt
    const isSettled = due?.isSettled === true && isSameAttempt
    // A call that would take the money may still be on its way. What has an id was made: if it is not there,
    // we ask with the wrong key.
    if (outcome.kind === 'not_found' && (!isSettled || intentId !== null)) return ok('not_found_yet')
    const settled = await this.settle(scope, orderId, outcome, { isSettled, sentAt })
    return settled.ok ? ok(outcome.kind) : settled
  }

  /**
   * An order that is over is not paid for any more: if its payment waits for the buyer, it is ended at the
   * gateway, so that no form in an old tab takes money for nothing. Where that is too late or gets no answer,
   * it stays what it was, and the next look tries it again.
   */
  async #end(
    payee: Payee,
    orderId: string,
    outcome: PaymentOutcome | NotFound,
  ): Promise<PaymentOutcome | NotFound> {
    if (!waitsForBuyer(outcome)) return outcome
    const { intentId } = outcome
    const ended = await this.#deps.gateway.cancelIntent(payee, { orderId, intentId })
    return ended.ok && ended.value.kind === 'cancelled' ? declined(intentId, 'cancelled') : outcome
  }
}

/** Statuses of an order that ended unpaid. */
const AFTER_END: readonly Order['status'][] = ['cancelled', 'expired']

/** Statuses of an order whose money was settled. */
export const AFTER_MONEY: readonly Order['status'][] = ['paid', 'partly_refunded', 'refunded']

/** By the gateway itself: a card that could not be read, or a call that never arrived, costs no seats. */
function isDeclinedByBank(outcome: PaymentOutcome | NotFound): boolean {
  return outcome.kind === 'declined' && outcome.intentId !== ''
}

/** Asks the gateway about the payment of an order, as that was read. */
export function askAbout(gateway: Gateway, payee: Payee, { whole, checkout }: FoundCheckout) {
  const { id: orderId, created_at } = whole.order
  const createdAt = timeSent(checkout) ?? created_at.getTime()
  return gateway.lookUp(payee, { orderId, intentId: checkout.intent_id, createdAt })
}
