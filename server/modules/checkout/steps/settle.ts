import { randomUUID } from 'node:crypto'
import type { Person } from '@voelgoed/core/access'
import type { Command, PersonActing, Release, Sell } from '@voelgoed/core/event/command'
import type { Decision } from '@voelgoed/core/event/decision'
import { type NamedGuests, NO_GUESTS } from '@voelgoed/core/guests/guest-rule'
import type { CheckoutId, CommandId, HoldId, RefundId } from '@voelgoed/core/ids'
import { whatCapturedMeans } from '@voelgoed/core/orders/decide-checkout'
import type { Order } from '@voelgoed/core/orders/order'
import type { HoldRefusal } from '@voelgoed/core/refusal'
import { assert, ok, refuse } from '@voelgoed/core/result'
import type { Step } from '@voelgoed/engine/round/step'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { type AuditEntry, appendAudit, SYSTEM_ACTOR } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { knowForCheckout } from '../../guests/guests-of-places.ts'
import { moveGuests } from '../../guests/tables/place-guests.ts'
import { priceKeyOf } from '../../holds/price-holds.ts'
import { mailRow, queueMail } from '../../mail/outbox.ts'
import type { NewMail } from '../../mail/tables/mails.ts'
import { type ChangedOrder, decideChange, orderOf } from '../../orders/order-rows.ts'
import { type HoldForSale, linesOfSale, sellCommand, takenAgain } from '../../orders/sale.ts'
import { writeOrderChanges } from '../../orders/tables/order-changes.ts'
import { writeOrderWords } from '../../orders/tables/order-words.ts'
import type { LineRow } from '../../orders/tables/orders.ts'
import { readPerson } from '../../people/tables/users.ts'
import { holdsOfCart, lineOfPlace } from '../checkout-cart.ts'
import { type FoundCheckout, findCheckout } from '../find-checkout.ts'
import { type CheckoutRow, type LateStep, noteCheckout, notePayment } from '../tables/checkouts.ts'
import { type OrderRow, RIDING_ORDERS } from '../tables/riding-orders.ts'
import { rowToRide } from './row-to-ride.ts'

export interface Capture {
  readonly orderId: string
  /** Null: nothing was to be taken. */
  readonly intentId: string | null
  /** The gateway gave so much back on its own pages; undefined: it did not say. */
  readonly refunded?: number | undefined
  /** Milliseconds, for ids. */
  readonly now: number
}

/**
 * Captured money became a sale, or it goes back. `known`: an earlier call has settled it, and this one
 * changes nothing.
 */
export interface SettledCapture {
  readonly kind: 'sold' | 'given_back' | 'known'
  readonly lateStep: LateStep | null
  readonly eventId: string
  /** As it is after it. */
  readonly order: Order
}

interface Known extends FoundCheckout {
  /** Null: there is no such person any more. */
  readonly buyer: Person | null
  readonly guests: NamedGuests
}

/**
 * The money for an order is there: tickets for it, or all of it back. All of it is written in one
 * transaction: holds converted, tickets, order, payment. However often it is carried, it takes effect once.
 *
 * The ladder: the places of the order, while they are the buyer's or free; else, if the buyer agreed to it,
 * as many others at the same price; else the money goes back.
 *
 * `found`: as it was read before the lock, with its buyer. Null: it is read under the lock.
 */
export function settle(
  view: Pick<CommittedView, 'eventId' | 'state'>,
  found: (FoundCheckout & { readonly buyer: Person | null }) | null,
  capture: Capture,
): Step<Known, OrderRow, SettledCapture> {
  const { orderId, intentId, refunded = 0, now } = capture

  function sale(known: Known, holds: readonly HoldForSale[], guests: NamedGuests): Command {
    const { buyer, checkout } = known
    if (!buyer) return releaseCommand(orderId, checkout)
    // It was judged when the payment began, and the buyer has paid.
    const paid = { orderId, actor: actorOf(buyer), buyer, allowStranding: true, now }
    return sellCommand({ ...paid, guests, holds })
  }

  return {
    table: RIDING_ORDERS,
    rides: found && ridesWith(view, found, capture),
    async read(tx) {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (!locked) return refuse({ kind: 'order_not_found' })
      const person = await readPerson(tx, locked.whole.order.user_id)
      if (!person) return ok({ ...locked, buyer: null, guests: NO_GUESTS })
      const holdIds = locked.checkout.hold_ids as readonly HoldId[]
      return ok({ ...locked, ...(await knowForCheckout(tx, view, person, holdIds)) })
    },
    command(known) {
      const fate = fateOf(known, refunded)
      if (fate === 'known') return null
      if (fate === 'sell') return sale(known, holdsForSale(known), known.guests)
      return releaseCommand(orderId, known.checkout)
    },
    instead(known, { command, refusal }, hall) {
      if (command.kind !== 'sell') return null
      const mayTryOthers = known.checkout.accept_alternatives && rungOf(known, command) === 'same_places'
      const others = mayTryOthers ? otherSeats(hall, holdsForSale(known), refusal, now) : null
      return others ? sale(known, others, guestsOn(others, known)) : releaseCommand(orderId, known.checkout)
    },
    decide(known, given, hall) {
      const { whole, checkout } = known
      const { event_id: eventId } = whole.order
      const before = orderOf(whole)
      if (!given) {
        const done = { kind: 'known', lateStep: checkout.late_step, eventId, order: before } as const
        return ok({ done, row: null })
      }
      const { command, decision } = given
      const lines = command.kind === 'sell' ? linesOfCart(hall, decision, checkout) : null
      const changed = decideChange(before, {
        kind: 'captured',
        sold: lines?.map(({ ticket_id, amount }) => ({ ticketId: ticket_id, amount })) ?? null,
        refundId: uuidV7(now) as RefundId,
      })
      if (!changed.ok) return changed
      const { order } = changed.value
      if (command.kind !== 'sell' || !lines) {
        const done = { kind: 'given_back', lateStep: 'refund', eventId, order } as const
        return ok({ done, row: null, besides: tx => giveBack(tx, known, changed.value, capture) })
      }
      const taken = takenAgain(holdsForSale(known), decision)
      const lateStep = taken.length > 0 ? rungOf(known, command) : null
      const done = { kind: 'sold', lateStep, eventId, order } as const
      const audit = auditOf(known, lines, lateStep)
      const row = { kind: 'sold', orderId, intentId, lines, audit, mail: mailOfSale(known) } as const
      if (lateStep === null) return ok({ done, row })
      // In one round trip: other buyers of the event wait for its lock.
      const besides = (tx: TenantTx) =>
        Promise.all([
          noteCheckout(tx, orderId, { dueAt: null, lateStep }),
          moveGuests(tx, taken),
          // The words of its own places were written when it was opened.
          lateStep === 'other_places' && writeOrderWords(tx, whole.order, lines),
        ])
      return ok({ done, row, besides })
    },
  }
}

/** In a batch all is as usual: places of the buyer, for money of which nothing went back. */
function ridesWith(
  { state }: Pick<CommittedView, 'state'>,
  found: FoundCheckout & { readonly buyer: Person | null },
  { intentId, refunded = 0 }: Capture,
): Step<Known, OrderRow, SettledCapture>['rides'] {
  const { whole, buyer } = found
  const isUsual =
    whole.order.status === 'paying' &&
    fateOf(found, refunded) === 'sell' &&
    whole.gatewayRefunds.length === 0 &&
    refunded === 0 &&
    isStorable(intentId)
  const row = isUsual && buyer ? rowToRide(state, found, buyer) : null
  return row && { known: { ...found, guests: NO_GUESTS }, row }
}

/** A row that breaks a rule of its table would cost the batch its commit. */
function isStorable(intentId: string | null): boolean {
  return intentId !== null && intentId.length > 0 && intentId.length <= 255
}

/** `back`: staff gave all of it back on the gateway's own pages before the tickets were made. */
function fateOf({ whole }: FoundCheckout, refunded: number): 'known' | 'sell' | 'back' | 'cancelled' {
  const means = whatCapturedMeans(orderOf(whole))
  if (means === 'known') return 'known'
  const { order, gatewayRefunds } = whole
  const told = gatewayRefunds.reduce((sum, { status, amount }) => sum + (status === 'failed' ? 0 : amount), 0)
  if (order.total !== null && order.total > 0 && Math.max(told, refunded) >= order.total) return 'back'
  return means === 'sell' ? 'sell' : 'cancelled'
}

const REASONS = {
  sell: 'The payment came when the places were gone',
  cancelled: 'The payment came after the checkout was cancelled',
  back: 'The payment was given back at the gateway before the tickets were made',
} as const

function holdsForSale({ checkout }: FoundCheckout): HoldForSale[] {
  return holdsOfCart(checkout.cart).map(({ holdId, quantity, lines }) => {
    const { ordinal, zone_index: zoneIndex } = lines[0]!
    return { holdId: holdId as HoldId, quantity, cartToken: null, ended: { ordinal, zoneIndex, quantity } }
  })
}

/** It sells the holds of the cart, or others. */
function rungOf(known: FoundCheckout, { holds }: Sell): 'same_places' | 'other_places' {
  const ofCart = holdsForSale(known)
  return holds.every(({ holdId }, index) => holdId === ofCart[index]?.holdId) ? 'same_places' : 'other_places'
}

/** The same holds, with other seats of the same price for those that are gone. Null: there are none. */
function otherSeats(
  hall: EventHall,
  holds: readonly HoldForSale[],
  refusal: HoldRefusal,
  now: number,
): HoldForSale[] | null {
  if (refusal.kind !== 'hold_expired') return null
  const { holdIds = [], alternatives = [] } = refusal
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
    others.push({ ...hold, holdId: uuidV7(now) as HoldId, ended })
  }
  return others
}

/** The guests of a hold that is gone have the places of the one instead of it. */
function guestsOn(others: readonly HoldForSale[], known: Known): NamedGuests {
  const { byHold } = known.guests
  const named = holdsForSale(known).map(({ holdId }, index) => [others[index]!.holdId, byHold[holdId] ?? []])
  return { ...known.guests, byHold: { ...byHold, ...Object.fromEntries(named) } }
}

/** Lists what was sold in the order of the cart's holds, each place as it was priced. */
function linesOfCart(hall: EventHall, decision: Decision, { cart }: CheckoutRow): LineRow[] {
  const ofHolds = holdsOfCart(cart)
  return linesOfSale(hall, decision, (hold, place) => {
    const { unit_amount, ticket_type, category, attendee } = lineOfPlace(ofHolds[hold]!.lines, place)
    return { amount: unit_amount, ticket_type, category, attendee }
  })
}

async function giveBack(
  tx: TenantTx,
  known: Known,
  changed: ChangedOrder,
  { orderId, intentId, refunded = 0 }: Capture,
): Promise<void> {
  const { whole, checkout } = known
  const fate = fateOf(known, refunded)
  assert(fate !== 'known', 'money that was settled goes back')
  const refund = { cause: 'late_money', reason: REASONS[fate], key: orderId } as const
  await writeOrderChanges(tx, orderId, orderOf(whole), changed, { refund })
  const { total: amount, contact_email: to } = whole.order
  const data = { orderId, cause: fate === 'back' ? 'staff' : 'late_money', amount } as const
  const { locale } = checkout
  await Promise.all([
    noteCheckout(tx, orderId, { dueAt: null, lateStep: 'refund' }),
    notePayment(tx, orderId, { ...(intentId !== null && { intentId }), declineCode: null, lookInMs: null }),
    appendAudit(tx, SYSTEM_ACTOR, auditOf(known, null, 'refund')),
    to !== null &&
      queueMail(tx, { kind: 'order_refunded', to, locale, key: `order_refunded:${orderId}`, data }),
  ])
}

/** `lines` null: the money goes back. */
function auditOf(
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

/** Null: the buyer gave no address that can be written to. */
function mailOfSale({ whole: { order }, checkout: { locale } }: FoundCheckout): NewMail | null {
  const { id: orderId, contact_email: to } = order
  if (to === null) return null
  return mailRow({ kind: 'order_paid', to, locale, key: `order_paid:${orderId}`, data: { orderId } })
}

/** It passes over holds that have ended. */
export function releaseCommand(orderId: string, { hold_ids }: CheckoutRow): Release {
  return {
    kind: 'release',
    reason: 'payment_failed',
    commandId: randomUUID() as CommandId,
    actor: { person: null, ip: null, source: 'system' },
    holdIds: hold_ids as HoldId[],
    checkoutId: orderId as CheckoutId,
  }
}

function actorOf(buyer: Person): PersonActing {
  return { person: buyer, ip: null, source: 'system' }
}
