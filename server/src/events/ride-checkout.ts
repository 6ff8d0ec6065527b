import { randomUUID } from 'node:crypto'
import { missingForZone, type Person } from '@voelgoed/core/access'
import type { Command, PersonActing } from '@voelgoed/core/event/command'
import type { Decision } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import { NO_GUESTS } from '@voelgoed/core/guests/guest-rule'
import type { CheckoutId, CommandId, HoldId, PaymentId, RefundId } from '@voelgoed/core/ids'
import { applyOrder } from '@voelgoed/core/orders/apply-order'
import { whatCapturedMeans } from '@voelgoed/core/orders/decide-checkout'
import { decideOrder } from '@voelgoed/core/orders/decide-order'
import type { Order } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '../lane/hot-event.ts'
import type { Lane } from '../lane/lane.ts'
import type { OrderRider } from '../lane/rider.ts'
import { mailRow } from '../mail/outbox.ts'
import type { RidingOrder } from '../postgres/tables/riding-orders.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { holdsOfCart } from './checkout-cart.ts'
import type { FoundCheckout } from './find-checkout.ts'
import { newTicketIds } from './give-sale.ts'
import { zonesWithGuests } from './guests-of-places.ts'
import { orderOf } from './order-rows.ts'
import { actorOf, auditOf, linesOfCart, mailOfSale } from './settle-capture.ts'

/**
 * The way that almost every checkout goes: its payment begins, and its places are sold, with a batch of other
 * buyers' commands. What is unusual (late money, guests, a second card, an order that has changed since it
 * was read) does not ride: null. The caller then does the same alone under the event's lock, and decides it
 * there on exact rows, refusals as well.
 */
export async function rideBegin(
  lane: Pick<Lane, 'ride'>,
  state: EventState,
  found: FoundCheckout,
  { actor, lookInMs, now }: { readonly actor: PersonActing; readonly lookInMs: number; readonly now: number },
): Promise<Result<null, Refusal> | null> {
  const { whole, checkout } = found
  const before = orderOf(whole)
  const { total } = before
  if (checkout.gateway === 'none' || total === null || needsMore(state, found, actor.person)) return null
  const decided = decideOrder(before, { kind: 'pay', paymentId: uuidV7(now) as PaymentId })
  const [change, ...more] = decided.ok ? decided.value : []
  if (change?.kind !== 'payment_created' || more.length > 0) return null
  const orderId = whole.order.id
  const quantities = new Map(holdsOfCart(checkout.cart).map(({ holdId, quantity }) => [holdId, quantity]))
  const command: Command = {
    kind: 'start_payment',
    commandId: randomUUID() as CommandId,
    actor,
    holdIds: checkout.hold_ids as readonly HoldId[],
    guests: NO_GUESTS,
    checkoutId: orderId as CheckoutId,
  }
  const ridden = await ride(lane, command, {
    known: knownOf(found),
    rows({ holds }: Decision) {
      if (holds.some(hold => quantities.get(hold.holdId) !== hold.quantity)) return null
      return {
        kind: 'begun',
        orderId,
        paymentId: change.paymentId,
        amount: total,
        gateway: checkout.gateway,
        expiresAt: Math.min(...holds.map(hold => hold.heldUntil)),
        lookInMs,
      }
    },
  })
  return ridden && (ridden.ok ? ok(null) : ridden)
}

interface MoneyThere {
  readonly buyer: Person
  readonly intentId: string
  /** What went back of it, as the gateway says. */
  readonly refunded?: number | undefined
  readonly now: number
}

/** The places of an order whose money is there, while all of its holds live. Returns the order after it. */
export async function rideSale(
  lane: Pick<Lane, 'ride'>,
  state: EventState,
  found: FoundCheckout,
  { buyer, intentId, refunded = 0, now }: MoneyThere,
): Promise<Result<Order, Refusal> | null> {
  const { whole, checkout } = found
  const before = orderOf(whole)
  const isUsual =
    before.status === 'paying' &&
    whatCapturedMeans(before) === 'sell' &&
    whole.gatewayRefunds.length === 0 &&
    refunded === 0
  if (!isUsual || !isStorable(intentId) || needsMore(state, found, buyer)) return null
  const orderId = whole.order.id
  const holds = holdsOfCart(checkout.cart)
  const places = holds.reduce((sum, { quantity }) => sum + quantity, 0)
  const mail = mailOfSale(found)
  const mailToQueue = mail && mailRow(mail)
  const refundId = uuidV7(now) as RefundId
  let after = null as Order | null
  const command: Command = {
    kind: 'sell',
    commandId: randomUUID() as CommandId,
    actor: actorOf(buyer),
    buyer,
    guests: NO_GUESTS,
    // What has ended, or was tidied up, is for the ladder.
    holds: holds.map(({ holdId }) => {
      return { holdId: holdId as HoldId, cartToken: null, ended: null, againAs: uuidV7(now) as HoldId }
    }),
    checkoutId: orderId as CheckoutId,
    ticketIds: newTicketIds(places, now),
    allowStranding: true,
  }
  const ridden = await ride(lane, command, {
    known: knownOf(found),
    rows(decision: Decision, hall: EventHall) {
      if (decision.holds.some(hold => hold.isNew)) return null
      const lines = linesOfCart(hall, decision, checkout)
      const sold = lines.map(({ ticket_id, amount }) => ({ ticketId: ticket_id, amount }))
      const decided = decideOrder(before, { kind: 'captured', sold, refundId })
      if (!decided.ok) return null
      after = decided.value.reduce<Order>(applyOrder, before)
      if (after.status !== 'paid') return null
      const audit = auditOf(found, lines, null)
      return { kind: 'sold', orderId, intentId, lines, audit, mail: mailToQueue }
    },
  })
  return ridden && (ridden.ok ? ok(after!) : ridden)
}

/** Null: it stood aside, or the lane refused it, which is decided again with all that is known. */
async function ride(
  lane: Pick<Lane, 'ride'>,
  command: Command,
  rider: OrderRider,
): Promise<Result<null, Refusal> | null> {
  const answer = await lane.ride(command, rider)
  switch (answer.kind) {
    case 'decided':
      return answer.outcome.ok ? ok(null) : null
    case 'refused':
      return refuse(answer.refusal)
    default:
      return null
  }
}

function knownOf({ whole: { order, payments } }: FoundCheckout): RidingOrder {
  const [payment] = payments
  return {
    orderId: order.id,
    status: order.status,
    contactEmail: order.contact_email,
    payment: payment ? { id: payment.id, status: payment.status } : null,
  }
}

/** Guests and the whitelist are read under the lock. */
function needsMore(state: EventState, { checkout }: FoundCheckout, person: Person): boolean {
  const withGuests = new Set(zonesWithGuests(state))
  return checkout.cart.lines.some(({ zone_index: zoneIndex }) => {
    const access = state.zones[zoneIndex]?.settings.access
    return !access || withGuests.has(zoneIndex) || missingForZone(access, person) !== null
  })
}

/** A row that breaks a rule of its table would cost the batch its commit. */
function isStorable(intentId: string): boolean {
  return intentId.length > 0 && intentId.length <= 255
}
