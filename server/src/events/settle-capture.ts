import { randomUUID } from 'node:crypto'
import type { Command, PersonActing } from '@voelgoed/core/event/command'
import type { Decision, Outcome } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import type { CheckoutId, CommandId, HoldId, RefundId } from '@voelgoed/core/ids'
import { whatCapturedMeans } from '@voelgoed/core/orders/decide-checkout'
import type { Order } from '@voelgoed/core/orders/order'
import type { Refusal } from '@voelgoed/core/refusal'
import { assert, ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '../lane/hot-event.ts'
import { type MailToQueue, queueMail } from '../mail/outbox.ts'
import type { TenantTx } from '../postgres/database.ts'
import { type AuditEntry, appendAudit, SYSTEM_ACTOR } from '../postgres/tables/audit-log.ts'
import { type CheckoutRow, type LateStep, noteCheckout, notePayment } from '../postgres/tables/checkouts.ts'
import type { LineRow, WholeOrder } from '../postgres/tables/orders.ts'
import { readPerson } from '../postgres/tables/users.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { holdsOfCart, lineOfPlace } from './checkout-cart.ts'
import { type FoundCheckout, findCheckout } from './find-checkout.ts'
import { giveSale, type HoldForSale, linesOfSale, type Sold } from './give-sale.ts'
import { knowForCheckout } from './guests-of-places.ts'
import { changeOrder, orderOf } from './order-rows.ts'
import { priceKeyOf } from './price-holds.ts'

export type Give = (command: Command) => Outcome

export interface Capture {
  readonly orderId: string
  readonly state: EventState
  /** Null: nothing was to be taken. */
  readonly intentId: string | null
  /** What went back of the money on the gateway's own pages, as the gateway says; undefined: not known. */
  readonly refunded?: number | undefined
  /** Milliseconds, for ids. */
  readonly now: number
}

/** What money that was captured became. `known`: it was settled before. */
export interface SettledCapture {
  readonly kind: 'sold' | 'given_back' | 'known'
  readonly lateStep: LateStep | null
  readonly eventId: string
  /** As it is after it. */
  readonly order: Order
}

/**
 * The money for an order is there: tickets for it, or all of it back. To be called under the event's lock, in
 * whose transaction all of it is written: holds converted, tickets, order, payment. However often it is
 * called, it takes effect once.
 */
export async function settleCapture(
  tx: TenantTx,
  give: Give,
  hall: EventHall,
  { orderId, state, intentId, refunded = 0, now }: Capture,
): Promise<Result<SettledCapture, Refusal>> {
  const found = await findCheckout(tx, orderId, { lock: true })
  if (!found) return refuse({ kind: 'order_not_found' })
  const { whole, checkout } = found
  const before = orderOf(whole)
  const means = whatCapturedMeans(before)
  const eventId = whole.order.event_id
  if (means === 'known') return ok({ kind: 'known', lateStep: checkout.late_step, eventId, order: before })

  const isBack = isGivenBack(whole, refunded)
  const isForSale = means === 'sell' && !isBack
  const sale = isForSale ? await climb(tx, give, hall, { ...found, state, now }) : null
  if (!sale) releaseHolds(give, orderId, checkout)
  const lines = sale && linesOfCart(hall, sale.decision, checkout)
  const lateStep = sale ? sale.step : 'refund'
  const changed = await changeOrder(
    tx,
    orderId,
    before,
    {
      kind: 'captured',
      sold: lines?.map(({ ticket_id, amount }) => ({ ticketId: ticket_id, amount })) ?? null,
      refundId: uuidV7(now) as RefundId,
    },
    {
      ...(lines && { lines }),
      refund: {
        cause: 'late_money',
        reason: REASONS[isBack ? 'back' : isForSale ? 'late' : 'cancelled'],
        key: orderId,
      },
    },
  )
  if (!changed.ok) return changed
  // In one round trip: other buyers of the event wait for its lock.
  await Promise.all([
    noteCheckout(tx, orderId, { dueAt: null, ...(lateStep && { lateStep }) }),
    notePayment(tx, orderId, {
      ...(intentId !== null && { intentId }),
      declineCode: null,
      lookInMs: null,
    }),
    appendAudit(tx, SYSTEM_ACTOR, auditOf(found, lines, lateStep)),
    tellBuyer(tx, found, sale ? 'sold' : isBack ? 'staff' : 'late_money'),
  ])
  return ok({ kind: sale ? 'sold' : 'given_back', lateStep, eventId, order: changed.value.order })
}

/** What was sold, in the order of the cart's holds, each place as it was priced. */
export function linesOfCart(hall: EventHall, decision: Decision, { cart }: CheckoutRow): LineRow[] {
  const ofHolds = holdsOfCart(cart)
  return linesOfSale(hall, decision, (hold, place) => {
    const { unit_amount, ticket_type, category, attendee } = lineOfPlace(ofHolds[hold]!.lines, place)
    return { amount: unit_amount, ticket_type, category, attendee }
  })
}

/** `lines` null: the money goes back. */
export function auditOf(
  { whole: { order }, checkout }: FoundCheckout,
  lines: readonly LineRow[] | null,
  lateStep: LateStep | null,
): AuditEntry {
  return {
    action: lines ? 'order_sold' : 'order_not_sold',
    entity: { type: 'order', id: order.id },
    eventId: order.event_id,
    changes: {
      order_number: order.number,
      method: 'gateway',
      gateway: checkout.gateway,
      user_id: order.user_id,
      hold_ids: checkout.hold_ids,
      seat_ids: lines?.flatMap(line => line.seat_id ?? []) ?? [],
      tickets: lines?.length ?? 0,
      currency: order.currency,
      total: order.total,
      late: lateStep,
    },
  }
}

async function tellBuyer(
  tx: TenantTx,
  found: FoundCheckout,
  what: 'sold' | 'staff' | 'late_money',
): Promise<void> {
  if (what === 'sold') {
    const mail = mailOfSale(found)
    if (mail) await queueMail(tx, mail)
    return
  }
  const { id: orderId, total: amount, contact_email: to } = found.whole.order
  if (to === null) return
  const { locale } = found.checkout
  const data = { orderId, cause: what, amount }
  await queueMail(tx, { kind: 'order_refunded', to, locale, key: `order_refunded:${orderId}`, data })
}

/** Null: the buyer gave no address. */
export function mailOfSale({ whole: { order }, checkout: { locale } }: FoundCheckout): MailToQueue | null {
  const { id: orderId, contact_email: to } = order
  if (to === null) return null
  return { kind: 'order_paid', to, locale, key: `order_paid:${orderId}`, data: { orderId } }
}

/** Staff gave all of it back on the gateway's own pages before the tickets were made. */
function isGivenBack({ order: { total }, gatewayRefunds }: WholeOrder, refunded: number): boolean {
  const told = gatewayRefunds.reduce((sum, { status, amount }) => sum + (status === 'failed' ? 0 : amount), 0)
  return total !== null && total > 0 && Math.max(told, refunded) >= total
}

const REASONS = {
  late: 'The payment came when the places were gone',
  cancelled: 'The payment came after the checkout was cancelled',
  back: 'The payment was given back at the gateway before the tickets were made',
} as const

interface Ladder extends FoundCheckout {
  readonly state: EventState
  readonly now: number
}

/** Null: there is nothing to sell for the money. */
type Climbed = (Sold & { readonly step: LateStep | null }) | null

/**
 * The ladder: the places of the order, while they are the buyer's or free; else, if the buyer agreed to it,
 * as many others at the same price.
 */
async function climb(
  tx: TenantTx,
  give: Give,
  hall: EventHall,
  { whole, checkout, state, now }: Ladder,
): Promise<Climbed> {
  const { id: orderId, event_id: eventId, user_id } = whole.order
  const person = await readPerson(tx, user_id)
  if (!person) return null
  const ids = checkout.hold_ids as HoldId[]
  const { buyer, guests } = await knowForCheckout(tx, { eventId, state }, person, ids)
  const holds = holdsOfCart(checkout.cart).map(({ holdId, quantity, lines }): HoldForSale => {
    const { ordinal, zone_index: zoneIndex } = lines[0]!
    return { holdId: holdId as HoldId, quantity, cartToken: null, ended: { ordinal, zoneIndex, quantity } }
  })
  // It was judged when the payment began, and the buyer has paid.
  const common = { orderId, actor: actorOf(buyer), buyer, allowStranding: true, now }
  const sold = await giveSale(tx, give, { ...common, guests, holds })
  if (sold.ok) return { ...sold.value, step: sold.value.wasLate ? 'same_places' : null }
  if (sold.problem.kind !== 'hold_expired' || !checkout.accept_alternatives) return null
  const others = otherSeats(hall, holds, sold.problem, now)
  if (!others) return null
  const byHold = { ...guests.byHold }
  for (const { holdId, guestsOf } of others) if (guestsOf) byHold[holdId] = byHold[guestsOf] ?? []
  const moved = await giveSale(tx, give, { ...common, guests: { ...guests, byHold }, holds: others })
  return moved.ok ? { ...moved.value, step: 'other_places' } : null
}

/** The same holds, with other seats of the same price for those that are gone. Null: there are none. */
function otherSeats(
  hall: EventHall,
  holds: readonly HoldForSale[],
  { holdIds = [], alternatives = [] }: Extract<Refusal, { kind: 'hold_expired' }>,
  now: number,
): HoldForSale[] | null {
  const found = alternatives.find(alternative => alternative.kind === 'seats')
  const free = (found?.seatIds ?? []).map(seatId => hall.seats.map.seatIds.ordinalOf(seatId)!)
  const gone = new Set<HoldId>(holdIds)
  const others: HoldForSale[] = []
  for (const hold of holds) {
    const ordinal = hold.ended?.ordinal ?? null
    if (!gone.has(hold.holdId) || ordinal === null) {
      others.push(hold)
      continue
    }
    const at = free.findIndex(other => priceKeyOf(hall, other) === priceKeyOf(hall, ordinal))
    if (at < 0) return null
    const [seat] = free.splice(at, 1)
    const ended = { ordinal: seat!, zoneIndex: hall.seats.map.zoneOf[seat!]!, quantity: 1 }
    // Another hold: the one that ran out has its own seat.
    others.push({ ...hold, holdId: uuidV7(now) as HoldId, guestsOf: hold.holdId, ended })
  }
  return others
}

/** Those that have ended are passed over. */
export function releaseHolds(give: Give, orderId: string, { hold_ids }: CheckoutRow): void {
  const released = give({
    kind: 'release',
    reason: 'payment_failed',
    commandId: randomUUID() as CommandId,
    actor: { person: null, ip: null, source: 'system' },
    holdIds: hold_ids as HoldId[],
    checkoutId: orderId as CheckoutId,
  })
  assert(released.ok, 'a release passes over what it can not release')
}

export function actorOf(buyer: PersonActing['person']): PersonActing {
  return { person: buyer, ip: null, source: 'system' }
}
