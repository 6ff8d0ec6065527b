import { randomUUID } from 'node:crypto'
import type { PersonActing } from '@voelgoed/core/event/command'
import type { CheckoutId, CommandId, HoldId } from '@voelgoed/core/ids'
import { whoDecides } from '@voelgoed/core/orders/decide-checkout'
import type { Order } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { changeOrder, orderOf } from '../orders/order-rows.ts'
import type { Card } from '../payments/card.ts'
import { declined } from '../payments/declines.ts'
import type { Gateway, GatewayRefusal, NextStep, PaymentOutcome } from '../payments/gateway.ts'
import { type FoundCheckout, findCheckout } from './find-checkout.ts'
import { payeeOf } from './payee.ts'
import { FIRST_LOOK_MS, type LookUp, timeSent, waitsForBuyer } from './settle-outcome.ts'
import { AFTER_MONEY, askAbout, type CheckoutWatch, type Settlements } from './settlements.ts'
import { begin } from './steps/begin.ts'
import type { SettledCapture } from './steps/settle.ts'
import { livingHoldsOf, lookSoon, noteCheckout, notePayment } from './tables/checkouts.ts'

interface CheckoutsDeps {
  readonly database: Pick<Database, 'tenant'>
  readonly lanes: Pick<Lanes, 'lane'>
  readonly gateway: Gateway
  readonly settlements: Pick<Settlements, 'settle'>
  /** False: no payment is begun, and those that were are looked up, settled and given back. */
  readonly takesMoney: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: FastifyBaseLogger
  readonly watch: CheckoutWatch
}

/** The buyer goes on from this answer. */
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
 * Does what buyers ask of checkouts. The order is written before the gateway is asked and after it has
 * answered, never while: no lock waits for a network.
 */
export class Checkouts {
  readonly #deps: CheckoutsDeps

  constructor(deps: CheckoutsDeps) {
    this.#deps = deps
  }

  /** One of this buyer. Null: there is none. */
  async read(scope: TenantScope, orderId: string, userId: string): Promise<FoundCheckout | null> {
    return this.#deps.database.tenant(scope, async tx => {
      const found = await findCheckout(tx, orderId)
      return found?.whole.order.user_id === userId ? found : null
    })
  }

  readIn(tx: TenantTx, orderId: string): Promise<FoundCheckout | null> {
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
        const begun = await this.#begin(scope, found, actor)
        if (!begun.ok) return begun
        return isCharged ? this.#charge(scope, found, payment) : ok(paid('paid'))
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

  async #begin(
    scope: TenantScope,
    found: FoundCheckout,
    actor: PersonActing,
  ): Promise<Result<SettledCapture | null, Refusal>> {
    const { lanes, clock, watch } = this.#deps
    const lane = lanes.lane(scope, found.whole.order.event_id)
    const view = await lane.ready()
    if (!view) return refuse({ kind: 'event_not_available', status: 'archived' })
    const step = begin(view, found, { actor, now: clock.now() })
    const begun = await lane.carry(step, how => watch.stepped('payment', how))
    if (begun.ok && begun.value) watch.settled(begun.value)
    // A hold that ran out may have been tidied up since.
    const isGone = !begun.ok && begun.problem.kind === 'hold_not_found'
    return isGone ? refuse({ kind: 'hold_expired' }) : begun
  }

  async #payAgain(
    scope: TenantScope,
    found: FoundCheckout,
    payment: PaymentToMake,
  ): Promise<Result<Paid, Refusal>> {
    const { database, gateway, takesMoney } = this.#deps
    const { orderId } = payment
    // The fake bank is shown a card with each attempt; without one the buyer asks how to go on.
    if (gateway.name === 'simulator' && (!payment.card || !takesMoney)) {
      const looked = await askAbout(gateway, await payeeOf(this.#deps, scope, orderId), found)
      if (!looked.ok || looked.value.kind === 'not_found') return ok(paid('paying'))
      return this.#told(scope, orderId, looked.value, { isSettled: false, sentAt: timeSent(found.checkout) })
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
    { whole, checkout: { intent_id: intentId } }: FoundCheckout,
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
    // The gateway has this payment already, so the refusal says nothing of it: the buyer may be charged.
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
    const settled = await this.#deps.settlements.settle(scope, orderId, outcome, lookUp)
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
    const settled = await this.#deps.settlements.settle(scope, orderId, verdict)
    if (!settled.ok) return settled
    if (problem.kind === 'invalid_card') return refuse({ kind: 'invalid_request', errors: problem.errors })
    this.#deps.log.error(
      { order_id: orderId, organization_id: scope.organizationId, refusal: problem.kind },
      'the payment gateway refused an order of ours',
    )
    return ok({ status: settled.value.status, next: null, declined: verdict })
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
  async cancel(
    scope: TenantScope,
    orderId: string,
    actor: PersonActing,
  ): Promise<Result<FoundCheckout, Refusal>> {
    const found = await this.read(scope, orderId, actor.person.userId)
    return found ? this.#end(scope, found, 'cancel', actor) : refuse({ kind: 'order_not_found' })
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
  ): Promise<Result<FoundCheckout, Refusal>> {
    const found = await this.read(scope, orderId, actor.person.userId)
    if (!found) return refuse({ kind: 'order_not_found' })
    const ended = await this.#endPayment(scope, found)
    return ended.ok ? this.#end(scope, found, 'replace', actor) : ended
  }

  async #end(
    scope: TenantScope,
    { whole, checkout }: FoundCheckout,
    kind: 'cancel' | 'replace',
    actor: PersonActing,
  ): Promise<Result<FoundCheckout, Refusal>> {
    const { lanes, watch } = this.#deps
    const { id: orderId, event_id: eventId } = whole.order
    const about = () => ({ commandId: randomUUID() as CommandId, actor, checkoutId: orderId as CheckoutId })
    let hasEnded = false
    const result = await lanes.lane(scope, eventId).exclusive(async (tx, give) => {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (!locked) return refuse({ kind: 'order_not_found' })
      // The buyer pays after all, in another tab: what was cancelled is not what may be charged by now.
      const isPaidElsewhere = kind === 'replace' && timeSent(locked.checkout) !== timeSent(checkout)
      if (isPaidElsewhere) return refuse({ kind: 'payment_undecided' })
      const changed = await changeOrder(tx, orderId, orderOf(locked.whole), { kind })
      if (!changed.ok) return changed
      hasEnded = changed.value.changes.length > 0
      if (hasEnded) {
        await noteCheckout(tx, orderId, { dueAt: null })
        await lookSoon(tx, orderId)
      }
      const holdIds = locked.checkout.hold_ids as readonly HoldId[]
      if (kind === 'replace') give({ ...about(), kind: 'end_payment', holdIds })
      else if (hasEnded) {
        // One by one: those that have ended are passed over.
        for (const holdId of holdIds) {
          give({ ...about(), kind: 'release', reason: 'user_cancelled', holdIds: [holdId] })
        }
      }
      return ok((await findCheckout(tx, orderId))!)
    })
    if (result.ok && hasEnded) watch.ended(kind === 'cancel' ? 'cancelled' : 'replaced')
    return result
  }

  /** Nothing can be charged for the order any more; refused: it was, or may be. */
  async #endPayment(scope: TenantScope, found: FoundCheckout): Promise<Result<null, Refusal>> {
    const { gateway } = this.#deps
    const { whole, checkout } = found
    const orderId = whole.order.id
    const turn = whoDecides(orderOf(whole))
    if (turn === null || whole.payments.length === 0) return ok(null)
    if (turn === 'bank' || checkout.gateway !== gateway.name) return refuse({ kind: 'payment_undecided' })
    const payee = await payeeOf(this.#deps, scope, orderId)
    let intentId = checkout.intent_id
    if (intentId === null) {
      const looked = await askAbout(gateway, payee, found)
      if (looked.ok && looked.value.kind === 'not_found') return ok(null)
      if (looked.ok && 'intentId' in looked.value) intentId = looked.value.intentId
    }
    const ended = intentId === null ? null : await gateway.cancelIntent(payee, { orderId, intentId })
    if (ended?.ok && ended.value.kind === 'cancelled') return ok(null)
    const looked = await askAbout(gateway, payee, found)
    if (!looked.ok || looked.value.kind === 'not_found' || looked.value.kind === 'unknown') {
      return refuse({ kind: 'payment_undecided' })
    }
    const settled = await this.#deps.settlements.settle(scope, orderId, looked.value, {
      isSettled: false,
      sentAt: timeSent(checkout),
    })
    if (!settled.ok) return settled
    const { status } = settled.value
    if (AFTER_MONEY.includes(status)) return refuse({ kind: 'checkout_closed', status })
    // The answer was lost, and it is cancelled all the same.
    const isOver = looked.value.kind === 'declined' && !waitsForBuyer(looked.value)
    return isOver ? ok(null) : refuse({ kind: 'payment_undecided' })
  }
}

function paid(status: Order['status']): Paid {
  return { status, next: null, declined: null }
}
