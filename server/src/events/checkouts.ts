import { randomUUID } from 'node:crypto'
import type { PersonActing } from '@voelgoed/core/event/command'
import type { CheckoutId, CommandId, EventId, HoldId, PaymentId } from '@voelgoed/core/ids'
import { whatCapturedMeans, whoDecides } from '@voelgoed/core/orders/decide-checkout'
import type { OrderCommand } from '@voelgoed/core/orders/decide-order'
import type { Order } from '@voelgoed/core/orders/order'
import { effectivePolicy } from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Lanes } from '../lane/lanes.ts'
import type { Card } from '../payments/card.ts'
import { declined } from '../payments/declines.ts'
import type {
  Gateway,
  GatewayRefusal,
  NextStep,
  NotFound,
  Payee,
  PaymentOutcome,
} from '../payments/gateway.ts'
import type { Database, TenantTx } from '../postgres/database.ts'
import { livingHoldsOf, lookSoon, noteCheckout, notePayment } from '../postgres/tables/checkouts.ts'
import { findEvent } from '../postgres/tables/events.ts'
import { readOrder } from '../postgres/tables/orders.ts'
import type { DuePayment } from '../postgres/tables/payment-work.ts'
import { readPolicy } from '../postgres/tables/policies.ts'
import { readPerson } from '../postgres/tables/users.ts'
import type { TenantScope } from '../tenant.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { holdsOfCart } from './checkout-cart.ts'
import { type FoundCheckout, findCheckout } from './find-checkout.ts'
import { knowForCheckout } from './guests-of-places.ts'
import { changeOrder, orderOf } from './order-rows.ts'
import { payeeOf } from './payee.ts'
import { rideBegin, rideSale } from './ride-checkout.ts'
import { type SettledCapture, settleCapture } from './settle-capture.ts'
import { FIRST_LOOK_MS, type LookUp, settleOutcome, timeSent, waitsForBuyer } from './settle-outcome.ts'

export interface CheckoutsDeps {
  readonly database: Pick<Database, 'tenant'>
  readonly lanes: Pick<Lanes, 'lane'>
  readonly gateway: Gateway
  /** False: no payment is begun, and those that were are looked up, settled and given back. */
  readonly takesMoney: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: FastifyBaseLogger
  readonly watch: CheckoutWatch
  /** Money waits to go back through the gateway. */
  onRefund(): void
}

/** What is counted. */
export interface CheckoutWatch {
  settled(capture: SettledCapture): void
  ended(how: 'cancelled' | 'replaced' | 'expired' | 'declined'): void
  /** A payment began, or its money was settled: with a batch of commands, or alone under the event's lock. */
  stepped(step: 'payment' | 'sale', how: 'in_batch' | 'alone'): void
}

export type Checkout = FoundCheckout

/** How the buyer goes on. */
export interface Paid {
  readonly status: Order['status']
  readonly next: NextStep | null
  readonly declined: { readonly code: string; readonly message: string } | null
}

export interface PaymentToMake {
  readonly actor: PersonActing
  readonly orderId: string
  readonly card: Card | null
  /** The buyer has seen that it costs this; null: the caller does not say it. */
  readonly total: number | null
  readonly returnUrl: string
}

/**
 * Checkouts with a gateway. The order is written before the gateway is asked and after it has answered, never
 * while: no lock waits for a network. What the gateway says comes here from answers, look-ups and webhooks
 * alike (`settle`).
 */
export class Checkouts {
  readonly #deps: CheckoutsDeps

  constructor(deps: CheckoutsDeps) {
    this.#deps = deps
  }

  /** One of this buyer. Null: there is none. */
  async read(scope: TenantScope, orderId: string, userId: string): Promise<Checkout | null> {
    return this.#deps.database.tenant(scope, async tx => {
      const found = await findCheckout(tx, orderId)
      return found?.whole.order.user_id === userId ? found : null
    })
  }

  readIn(tx: TenantTx, orderId: string): Promise<Checkout | null> {
    return findCheckout(tx, orderId)
  }

  async pay(scope: TenantScope, payment: PaymentToMake): Promise<Result<Paid, Refusal>> {
    const { actor, orderId } = payment
    const found = await this.read(scope, orderId, actor.person.userId)
    if (!found) return refuse({ kind: 'order_not_found' })
    const { status, total } = found.whole.order
    const isToPay = status === 'open' || status === 'paying'
    if (isToPay && total !== null && payment.total !== null && payment.total !== total) {
      return refuse({ kind: 'total_changed', total })
    }
    const { gateway } = found.checkout
    const isOfAnother = gateway !== 'none' && gateway !== this.#deps.gateway.name
    switch (status) {
      case 'open': {
        // It was opened before the server got another gateway, or by a node that has another: its money would
        // be of one, and in the books of the other. The holds stay, for a new checkout.
        if (isOfAnother) return refuse({ kind: 'checkout_closed', status })
        const isCharged = gateway !== 'none'
        if (!this.#deps.takesMoney && isCharged) return refuse({ kind: 'no_gateway' })
        // A card that can't be sent does not put the holds into payment: their clock stays.
        const faults = isCharged ? this.#deps.gateway.cardFaults(payment.card) : null
        if (faults) return refuse({ kind: 'invalid_request', errors: faults })
        const begun = await this.#begin(scope, found, payment)
        if (!begun.ok) return begun
        return begun.value === 'paid' ? ok(paid('paid')) : this.#charge(scope, found, payment)
      }
      case 'paying':
        // The nodes of its gateway look it up.
        if (isOfAnother) return ok(paid('paying'))
        return this.#payAgain(scope, found, payment)
      case 'expired':
        return refuse({ kind: 'hold_expired' })
      case 'cancelled':
        return refuse({ kind: 'checkout_closed', status: 'cancelled' })
      default:
        return ok(paid(status))
    }
  }

  /** Holds go into payment, and the order with them. What costs nothing is paid at once. */
  async #begin(
    scope: TenantScope,
    found: Checkout,
    { actor, orderId }: PaymentToMake,
  ): Promise<Result<'begun' | 'paid', Refusal>> {
    const { lanes, clock, watch } = this.#deps
    const { whole, checkout } = found
    const eventId = whole.order.event_id
    const lane = lanes.lane(scope, eventId)
    const view = await lane.ready()
    if (!view) return refuse({ kind: 'event_not_available', status: 'archived' })
    const now = clock.now()
    const ridden = await rideBegin(lane, view.state, found, { actor, lookInMs: FIRST_LOOK_MS, now })
    watch.stepped('payment', ridden ? 'in_batch' : 'alone')
    if (ridden) return ridden.ok ? ok('begun') : ridden
    let settled = null as SettledCapture | null
    const result = await lane.exclusive<'begun' | 'paid'>(async (tx, give, hall) => {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (!locked) return refuse({ kind: 'order_not_found' })
      const before = orderOf(locked.whole)
      const command: OrderCommand = { kind: 'pay', paymentId: uuidV7(now) as PaymentId }
      const changed = await changeOrder(tx, orderId, before, command, { gateway: checkout.gateway })
      if (!changed.ok) return changed
      // Another request was here first: the gateway knows the payment by the order.
      // What costs nothing is paid.
      if (changed.value.changes.length === 0) {
        await notePayment(tx, orderId, { isSent: true, lookInMs: FIRST_LOOK_MS })
        return ok(checkout.gateway === 'none' ? 'paid' : 'begun')
      }
      const holdIds = checkout.hold_ids as readonly HoldId[]
      const known = await knowForCheckout(tx, { eventId, state: view.state }, actor.person, holdIds)
      const started = give({
        kind: 'start_payment',
        commandId: randomUUID() as CommandId,
        actor: { ...actor, person: known.buyer },
        holdIds,
        guests: known.guests,
        checkoutId: orderId as CheckoutId,
      })
      if (!started.ok) {
        // What ran out may have been tidied up.
        const isGone = started.problem.kind === 'hold_not_found'
        return isGone ? refuse({ kind: 'hold_expired' }) : started
      }
      const quantities = new Map(holdsOfCart(checkout.cart).map(({ holdId, quantity }) => [holdId, quantity]))
      const { holds } = started.value
      if (holds.some(hold => quantities.get(hold.holdId) !== hold.quantity)) {
        const quantity = holds.reduce((sum, hold) => sum + hold.quantity, 0)
        return refuse({ kind: 'hold_changed', quantity })
      }
      const expiresAt = new Date(Math.min(...holds.map(hold => hold.heldUntil)))
      await Promise.all([
        noteCheckout(tx, orderId, { expiresAt, dueAt: null }),
        notePayment(tx, orderId, { isSent: true, declineCode: null, lookInMs: FIRST_LOOK_MS }),
      ])
      if (checkout.gateway !== 'none') return ok('begun')
      const done = await settleCapture(tx, give, hall, { orderId, state: view.state, intentId: null, now })
      if (!done.ok) return done
      settled = done.value
      return ok('paid')
    })
    if (result.ok && settled) watch.settled(settled)
    return result
  }

  async #payAgain(
    scope: TenantScope,
    found: Checkout,
    payment: PaymentToMake,
  ): Promise<Result<Paid, Refusal>> {
    const { database, gateway, takesMoney } = this.#deps
    const { orderId } = payment
    // The simulator is shown a card with each attempt; without one the buyer asks how to go on.
    if (gateway.name === 'simulator' && (!payment.card || !takesMoney)) {
      const { intent_id: intentId } = found.checkout
      const sentAt = timeSent(found.checkout)
      const createdAt = sentAt ?? found.whole.order.created_at.getTime()
      const looked = await gateway.lookUp(await payeeOf(this.#deps, scope, orderId), {
        orderId,
        intentId,
        createdAt,
      })
      if (!looked.ok || looked.value.kind === 'not_found') return ok(paid('paying'))
      return this.#told(scope, orderId, looked.value, { isSettled: false, sentAt })
    }
    // Under the order's lock: a verdict on an older attempt either comes before this, or sees it.
    const now = await database.tenant(scope, async tx => {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (locked?.whole.order.status !== 'paying') return null
      await notePayment(tx, orderId, { isSent: true, lookInMs: FIRST_LOOK_MS })
      return locked
    })
    return now ? this.#charge(scope, now, payment) : this.pay(scope, payment)
  }

  async #charge(
    scope: TenantScope,
    { whole, checkout: { intent_id: intentId } }: Checkout,
    { orderId, card, returnUrl }: PaymentToMake,
  ): Promise<Result<Paid, Refusal>> {
    const { gateway } = this.#deps
    const { total, currency, number, event_id } = whole.order
    const asked = await gateway.createIntent(await payeeOf(this.#deps, scope, orderId), {
      orderId,
      amount: total!,
      currency: currency!,
      metadata: { order_number: number, event_id },
      intentId,
      returnUrl,
      ...(card && { card }),
    })
    // Of a payment that the gateway has, such a refusal says nothing: the buyer may be charged by it.
    const isUnseen = intentId !== null && !asked.ok && asked.problem.kind === 'misconfigured'
    if (isUnseen) return ok(paid('paying'))
    return asked.ok ? this.#told(scope, orderId, asked.value) : this.#refused(scope, orderId, asked.problem)
  }

  async #told(
    scope: TenantScope,
    orderId: string,
    outcome: PaymentOutcome,
    lookUp: LookUp | null = null,
  ): Promise<Result<Paid, Refusal>> {
    const settled = await this.settle(scope, orderId, outcome, lookUp)
    if (!settled.ok) return settled
    const { status } = settled.value
    return ok({
      status,
      next: outcome.kind === 'next_step' && status === 'paying' ? outcome.next : null,
      declined: outcome.kind === 'declined' && status !== 'paid' ? outcome : null,
    })
  }

  /** The call had no effect: no money was taken by it. */
  async #refused(
    scope: TenantScope,
    orderId: string,
    problem: GatewayRefusal,
  ): Promise<Result<Paid, Refusal>> {
    const verdict = declined('', problem.kind === 'invalid_card' ? 'incorrect_details' : 'try_again')
    const settled = await this.settle(scope, orderId, verdict)
    if (!settled.ok) return settled
    if (problem.kind === 'invalid_card') return refuse({ kind: 'invalid_request', errors: problem.errors })
    this.#deps.log.error(
      { order_id: orderId, organization_id: scope.organizationId, refusal: problem.kind },
      'the payment gateway refused an order of ours',
    )
    return ok({ status: settled.value.status, next: null, declined: verdict })
  }

  /** What the gateway says of a payment takes effect, once. Returns the order after it. */
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
    // Of an order that was over before, a decline ends nothing.
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
      return found && { found, buyer: await readPerson(tx, found.whole.order.user_id) }
    })
    if (!read) return refuse({ kind: 'order_not_found' })
    const { found, buyer } = read
    const { whole } = found
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
    const lane = lanes.lane(scope, whole.order.event_id as EventId)
    const view = await lane.ready()
    if (!view) return refuse({ kind: 'event_not_found' })
    const now = clock.now()
    const ridden = buyer && (await rideSale(lane, view.state, found, { buyer, intentId, refunded, now }))
    watch.stepped('sale', ridden ? 'in_batch' : 'alone')
    const done = ridden
      ? soldInBatch(whole.order.event_id, ridden)
      : await lane.exclusive((tx, give, hall) =>
          settleCapture(tx, give, hall, { orderId, state: view.state, intentId, refunded, now }),
        )
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
    const createdAt = sentAt ?? found.whole.order.created_at.getTime()
    const payee = await payeeOf(this.#deps, scope, orderId)
    const looked = await gateway.lookUp(payee, { orderId, intentId, createdAt })
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

  /** Its holds may have run out: then it is over, unless the gateway may have charged the buyer. */
  async expire(scope: TenantScope, orderId: string): Promise<void> {
    const { database, watch } = this.#deps
    const hasExpired = await database.tenant(scope, async tx => {
      const found = await findCheckout(tx, orderId, { lock: true })
      if (!found) return false
      const { whole, checkout } = found
      const living = await livingHoldsOf(tx, whole.order.event_id, checkout.hold_ids)
      if (living.count === checkout.hold_ids.length) {
        await noteCheckout(tx, orderId, { expiresAt: living.heldUntil!, dueAt: living.heldUntil })
        return false
      }
      const changed = await changeOrder(tx, orderId, orderOf(whole), { kind: 'expire' })
      await noteCheckout(tx, orderId, { dueAt: null })
      const isOver = changed.ok && changed.value.changes.length > 0
      if (isOver) await lookSoon(tx, orderId)
      return isOver
    })
    if (hasExpired) watch.ended('expired')
  }

  /** The buyer does not want it any more: its holds are released. */
  async cancel(scope: TenantScope, orderId: string, actor: PersonActing): Promise<Result<Checkout, Refusal>> {
    const { lanes, watch } = this.#deps
    const found = await this.read(scope, orderId, actor.person.userId)
    if (!found) return refuse({ kind: 'order_not_found' })
    let wasCancelled = false
    const result = await lanes.lane(scope, found.whole.order.event_id).exclusive(async (tx, give) => {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (!locked) return refuse({ kind: 'order_not_found' })
      const changed = await changeOrder(tx, orderId, orderOf(locked.whole), { kind: 'cancel' })
      if (!changed.ok) return changed
      wasCancelled = changed.value.changes.length > 0
      if (wasCancelled) {
        await noteCheckout(tx, orderId, { dueAt: null })
        await lookSoon(tx, orderId)
        // One by one: those that have ended are passed over.
        for (const holdId of locked.checkout.hold_ids) {
          give({
            kind: 'release',
            reason: 'user_cancelled',
            commandId: randomUUID() as CommandId,
            actor,
            holdIds: [holdId as HoldId],
            checkoutId: orderId as CheckoutId,
          })
        }
      }
      return ok((await findCheckout(tx, orderId))!)
    })
    if (result.ok && wasCancelled) watch.ended('cancelled')
    return result
  }

  /**
   * The buyer wants something else than this order, and keeps its holds, which are free to change from then
   * on. Its payment is cancelled at the gateway first. Money that was taken meanwhile wins: the order is
   * paid, and the buyer is told so (`checkout_closed`). While a bank decides, all stays as it is.
   */
  async replace(
    scope: TenantScope,
    orderId: string,
    actor: PersonActing,
  ): Promise<Result<Checkout, Refusal>> {
    const { lanes, watch } = this.#deps
    const found = await this.read(scope, orderId, actor.person.userId)
    if (!found) return refuse({ kind: 'order_not_found' })
    const ended = await this.#endPayment(scope, found)
    if (!ended.ok) return ended
    let wasReplaced = false
    const result = await lanes.lane(scope, found.whole.order.event_id).exclusive(async (tx, give) => {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (!locked) return refuse({ kind: 'order_not_found' })
      // The buyer pays after all, in another tab: what was cancelled is not what may be charged by now.
      if (timeSent(locked.checkout) !== timeSent(found.checkout)) return refuse({ kind: 'payment_undecided' })
      const changed = await changeOrder(tx, orderId, orderOf(locked.whole), { kind: 'replace' })
      if (!changed.ok) return changed
      wasReplaced = changed.value.changes.length > 0
      if (wasReplaced) {
        await noteCheckout(tx, orderId, { dueAt: null })
        await lookSoon(tx, orderId)
      }
      give({
        kind: 'end_payment',
        commandId: randomUUID() as CommandId,
        actor,
        holdIds: locked.checkout.hold_ids as readonly HoldId[],
        checkoutId: orderId as CheckoutId,
      })
      return ok((await findCheckout(tx, orderId))!)
    })
    if (result.ok && wasReplaced) watch.ended('replaced')
    return result
  }

  /** Nothing can be charged for the order any more; refused: it was, or may be. */
  async #endPayment(scope: TenantScope, found: Checkout): Promise<Result<null, Refusal>> {
    const { gateway } = this.#deps
    const { whole, checkout } = found
    const orderId = whole.order.id
    const turn = whoDecides(orderOf(whole))
    if (turn === null || whole.payments.length === 0) return ok(null)
    if (turn === 'bank' || checkout.gateway !== gateway.name) return refuse({ kind: 'payment_undecided' })
    const payee = await payeeOf(this.#deps, scope, orderId)
    const sentAt = timeSent(checkout)
    const createdAt = sentAt ?? whole.order.created_at.getTime()
    const lookUp = () => gateway.lookUp(payee, { orderId, intentId: checkout.intent_id, createdAt })
    let intentId = checkout.intent_id
    if (intentId === null) {
      const looked = await lookUp()
      if (looked.ok && looked.value.kind === 'not_found') return ok(null)
      if (looked.ok && 'intentId' in looked.value) intentId = looked.value.intentId
    }
    const ended = intentId === null ? null : await gateway.cancelIntent(payee, { orderId, intentId })
    if (ended?.ok && ended.value.kind === 'cancelled') return ok(null)
    const looked = await lookUp()
    if (!looked.ok || looked.value.kind === 'not_found' || looked.value.kind === 'unknown') {
      return refuse({ kind: 'payment_undecided' })
    }
    const settled = await this.settle(scope, orderId, looked.value, { isSettled: false, sentAt })
    if (!settled.ok) return settled
    const { status } = settled.value
    if (AFTER_MONEY.includes(status)) return refuse({ kind: 'checkout_closed', status })
    // The answer was lost, and it is cancelled all the same.
    const isOver = looked.value.kind === 'declined' && !waitsForBuyer(looked.value)
    return isOver ? ok(null) : refuse({ kind: 'payment_undecided' })
  }
}

/** Statuses of an order that ended unpaid. */
const AFTER_END: readonly Order['status'][] = ['cancelled', 'expired']

/** Statuses of an order whose money was settled. */
const AFTER_MONEY: readonly Order['status'][] = ['paid', 'partly_refunded', 'refunded']

function soldInBatch(eventId: string, ridden: Result<Order, Refusal>): Result<SettledCapture, Refusal> {
  return ridden.ok ? ok({ kind: 'sold', lateStep: null, eventId, order: ridden.value }) : ridden
}

/** By the gateway itself: a card that could not be read, or a call that never arrived, costs no seats. */
function isDeclinedByBank(outcome: PaymentOutcome | NotFound): boolean {
  return outcome.kind === 'declined' && outcome.intentId !== ''
}

function paid(status: Order['status']): Paid {
  return { status, next: null, declined: null }
}
