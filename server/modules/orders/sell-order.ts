import type { Person } from '@voelgoed/core/access'
import type { Command, PersonActing } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import type { EventId, PaymentId } from '@voelgoed/core/ids'
import { applyOrder } from '@voelgoed/core/orders/apply-order'
import { decideOrder } from '@voelgoed/core/orders/decide-order'
import type { Order, SalesChannel, StaffMethod } from '@voelgoed/core/orders/order'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { knowForCheckout } from '../guests/guests-of-places.ts'
import { moveGuests } from '../guests/tables/place-guests.ts'
import { categoryKeyOf, counterPrice } from '../holds/price-holds.ts'
import { eventsBehindOf } from '../holds/tables/hold-history.ts'
import { queueMail } from '../mail/outbox.ts'
import { readPerson } from '../people/tables/users.ts'
import { newOrderNumber, newOrderSecret } from './order-rows.ts'
import { linesOfSale, type PlaceTerms, sellCommand, takenAgain } from './sale.ts'
import { writeOrderWords } from './tables/order-words.ts'
import {
  findReference,
  hasSecret,
  insertLines,
  insertOrder,
  insertPayment,
  type LineRow,
  orderOfHolds,
  readOrder,
  type WholeOrder,
} from './tables/orders.ts'
import { cartToSell, type HoldToSell, holdsToSell } from './tables/orders-holds.ts'

/** Staff, or a platform with a checkout of its own, want to sell this. */
export interface OrderToSell {
  readonly event: { readonly id: EventId; readonly name: string; readonly state: EventState }
  readonly holds: { readonly holdIds: readonly string[] } | { readonly cartToken: string }
  readonly method: StaffMethod
  readonly reference: string | null
  readonly contact: {
    readonly name: string | null
    readonly email: string | null
    readonly emailKey: string | null
    readonly phone: string | null
  }
  readonly currency: string | null
  /** The price list of the event; null: it has none. */
  readonly priceList: PriceList | null
  /** By hold: what each of its places cost. Null: the seller does not say. */
  readonly prices: ReadonlyMap<string, { readonly amount: number; readonly ticketType: string | null }> | null
  /** By hold: whose tickets its places are, from the first on. */
  readonly attendees: ReadonlyMap<string, readonly string[]>
  readonly allowStranding: boolean
  /** An order of more holds is refused. */
  readonly maxHolds: number
  readonly seller: { readonly actor: PersonActing; readonly by: AuditActor }
  /** An order with a reference has the same each time. */
  readonly secretOf: (orderId: string) => string
  /** Milliseconds, for ids. */
  readonly now: number
}

export interface SoldOrder {
  readonly order: WholeOrder
  /** Opens the order to its buyer. Null: it was made before, and only its hash is known. */
  readonly secret: string | null
  /** The order was there already. */
  readonly isRepeated: boolean
  /** Some of its holds had run out. */
  readonly wasLate: boolean
}

/**
 * Sells holds for which the money is there. To be called under the event's lock, and to be undone when it
 * refuses: holds become tickets, and the order, its lines and its payment are written with them. Refuses
 * with `busy` when the history of ended holds must catch up first.
 */
export async function sellOrder(
  tx: TenantTx,
  give: (command: Command) => Outcome,
  hall: EventHall,
  wanted: OrderToSell,
): Promise<Result<SoldOrder, Refusal>> {
  const known = await repeated(tx, wanted)
  if (known) return known
  const found = await findHolds(tx, wanted)
  if (!found.ok) return found
  const { buyer, holds } = found.value
  const prices = pricesOf(wanted, holds, hall)
  if (!prices.ok) return prices
  const { attendees } = wanted
  const named = attendeesFault(attendees, holds)
  if (named) return refuse(named)

  const orderId = uuidV7(wanted.now)
  const ids = holds.map(hold => hold.id)
  const event = { eventId: wanted.event.id, state: wanted.event.state }
  const people = await knowForCheckout(tx, event, buyer, ids)
  const { allowStranding, now } = wanted
  const command = sellCommand({
    orderId,
    actor: wanted.seller.actor,
    ...people,
    holds: holds.map(hold => ({
      holdId: hold.id,
      cartToken: hold.cart_token,
      ended: hold.status === 'expired' ? placeOf(hold) : null,
      quantity: hold.quantity,
    })),
    allowStranding,
    now,
  })
  const sold = give(command)
  if (!sold.ok) return sold
  const decision = sold.value
  const taken = takenAgain(command.holds, decision)
  await moveGuests(tx, taken)
  const order = await writeOrder(tx, wanted, {
    orderId,
    buyer,
    lines: linesOfSale(hall, decision, (index, place) => {
      const hold = holds[index]!
      return {
        ...prices.value.of(hold),
        category: categoryKeyOf(wanted.priceList, hall, whereIs(hold, hall)),
        attendee: attendees.get(hold.id)?.[place] ?? null,
      }
    }),
    prices: prices.value,
    channel: channelOf(wanted.method, holds),
    holdIds: 'holdIds' in wanted.holds ? wanted.holds.holdIds : ids,
  })
  return ok({ ...order, isRepeated: false, wasLate: taken.length > 0 })
}

/** The order of a reference that is known: the same request again, or another that took its name. */
async function repeated(tx: TenantTx, wanted: OrderToSell): Promise<Result<SoldOrder, Refusal> | null> {
  if (wanted.reference === null) return null
  const known = await findReference(tx, wanted.reference)
  return known && sameOrder(tx, wanted, known)
}

/** A reference names one order of one event, and the same holds if the seller names them. */
export async function sameOrder(
  tx: TenantTx,
  { event, holds, secretOf }: Pick<OrderToSell, 'event' | 'holds' | 'secretOf'>,
  known: { readonly id: string; readonly eventId: EventId; readonly holdIds: readonly string[] },
): Promise<Result<SoldOrder, Refusal>> {
  const asked = 'holdIds' in holds ? new Set(holds.holdIds) : null
  const isSame =
    known.eventId === event.id &&
    (asked === null || (asked.size === known.holdIds.length && known.holdIds.every(id => asked.has(id))))
  if (!isSame) return refuse({ kind: 'already_exists', field: 'reference' })
  const secret = secretOf(known.id)
  const opens = await hasSecret(tx, known.id, hashSecret(secret))
  const order = (await readOrder(tx, known.id))!
  return ok({ order, secret: opens ? secret : null, isRepeated: true, wasLate: false })
}

/**
 * Finds the holds of one buyer. Platforms have the money already and may sell any buyer's holds; the box
 * office sells those that the seller holds, or that a colleague holds for it.
 */
async function findHolds(
  tx: TenantTx,
  { event, holds, method, seller, maxHolds }: OrderToSell,
): Promise<Result<{ buyer: Person; holds: readonly HoldToSell[] }, Refusal>> {
  const read = () =>
    'holdIds' in holds
      ? holdsToSell(tx, event.id, holds.holdIds)
      : cartToSell(tx, event.id, holds.cartToken, maxHolds + 1)
  let found = await read()
  const isMissing = () => found.length === 0 || ('holdIds' in holds && found.length < holds.holdIds.length)
  // The history may not have what ended a moment ago: a hold, or a part of a cart that has run out.
  if (isMissing() || ('cartToken' in holds && found.some(hold => hold.is_late))) {
    if ((await eventsBehindOf(tx, event.id)).length > 0) return refuse({ kind: 'busy', retryAfterSeconds: 1 })
    // It may have got there after the first look: now it has all that ended before this one had the lock.
    found = await read()
  }
  if (found.length > maxHolds) return refuse(fault('/cart_token', `has more than ${maxHolds} holds`))
  if (isMissing() || found.some(hold => hold.status === 'cancelled'))
    return refuse({ kind: 'hold_not_found' })
  const buyers = new Set(found.map(hold => hold.user_id))
  const [userId] = buyers
  const isOffice = (hold: HoldToSell) =>
    hold.user_id === seller.actor.person.userId || hold.source === 'admin' || hold.source === 'api'
  if (method !== 'external' && !found.every(isOffice)) return refuse({ kind: 'hold_not_found' })
  if (buyers.size > 1) return refuse(fault('/hold_ids', 'must be holds of one buyer'))
  const sold = found.filter(hold => hold.status === 'sold' || hold.status === 'converted')
  if (sold.length > 0) {
    const ids = sold.map(hold => hold.id)
    const orderId = await orderOfHolds(tx, event.id, ids)
    return refuse({ kind: 'hold_sold', holdIds: ids, ...(orderId !== null && { orderId }) })
  }
  const buyer = await readPerson(tx, userId!)
  return buyer ? ok({ buyer, holds: found }) : refuse({ kind: 'hold_not_found' })
}

function attendeesFault(attendees: OrderToSell['attendees'], holds: readonly HoldToSell[]): Refusal | null {
  const places = new Map<string, number>(holds.map(({ id, quantity }) => [id, quantity]))
  for (const [holdId, names] of attendees) {
    const quantity = places.get(holdId)
    if (quantity === undefined) return fault('/attendees', 'must name holds of this order')
    if (names.length > quantity)
      return fault('/attendees', 'must not name a hold more often than it has places')
  }
  return null
}

/** Staff sell at a counter. A platform's buyers may have chosen their seats in our component. */
function channelOf(method: StaffMethod, holds: readonly HoldToSell[]): SalesChannel {
  if (method !== 'external') return 'box_office'
  return holds.every(hold => hold.source === 'embed') ? 'embed' : 'api'
}

interface Prices {
  readonly currency: string | null
  /** The fees and the tax of all places together; null: the seller does not say. */
  readonly fees: number | null
  readonly tax: number | null
  readonly of: (hold: HoldToSell) => Pick<PlaceTerms, 'amount' | 'ticket_type'>
}

/** Each hold has a price, or none has. */
function pricesOf(
  { prices, currency, method, priceList }: OrderToSell,
  holds: readonly HoldToSell[],
  hall: EventHall,
): Result<Prices, Refusal> {
  const isCounted = method === 'cash' || method === 'card_terminal'
  if (!prices) {
    // A platform counts its money elsewhere; what is sold at the counter costs what the list says.
    return ok((isCounted && priceList && listed(priceList, holds, hall)) || NOT_KNOWN)
  }
  const isWhole = holds.every(hold => prices.has(hold.id)) && prices.size === holds.length
  if (!isWhole) return refuse(fault('/lines', 'must name each of the holds once, and no other'))
  const of = (hold: HoldToSell) => {
    const { amount, ticketType } = prices.get(hold.id)!
    return { amount, ticket_type: ticketType }
  }
  // There is no tax in what costs nothing. At the counter the tax is known while its list is kept to.
  const isListed = isCounted && priceList !== null && priceList.currency === currency
  const tax = method === 'complimentary' ? 0 : isListed ? listedTax(priceList, holds, hall, of) : null
  return ok({ currency, fees: tax === null ? null : 0, tax, of })
}

/** Null: one of the places was not sold at its price in the list, so what is tax in it was not said. */
function listedTax(
  list: PriceList,
  holds: readonly HoldToSell[],
  hall: EventHall,
  of: Prices['of'],
): number | null {
  let tax = 0
  for (const hold of holds) {
    const { amount, ticket_type } = of(hold)
    const price = counterPrice(list, hall, whereIs(hold, hall), ticket_type)
    if (price?.amount !== amount) return null
    tax += price.tax * hold.quantity
  }
  return tax
}

const NOT_KNOWN: Prices = {
  currency: null,
  fees: null,
  tax: null,
  of: () => ({ amount: null, ticket_type: null }),
}

/** Null: one of the places has no price, so of none of them it is known. */
function listed(list: PriceList, holds: readonly HoldToSell[], hall: EventHall): Prices | null {
  const byHold = new Map<string, Pick<PlaceTerms, 'amount' | 'ticket_type'>>()
  let tax = 0
  for (const hold of holds) {
    const price = counterPrice(list, hall, whereIs(hold, hall))
    if (!price) return null
    byHold.set(hold.id, { amount: price.amount, ticket_type: price.ticketType })
    tax += price.tax * hold.quantity
  }
  return { currency: list.currency, fees: 0, tax, of: hold => byHold.get(hold.id)! }
}

function whereIs({ ordinal, zone_index }: HoldToSell, hall: EventHall) {
  return { ordinal, zoneIndex: ordinal === null ? zone_index! : hall.seats.map.zoneOf[ordinal]! }
}

function placeOf({ ordinal, zone_index, quantity }: HoldToSell) {
  return { ordinal, zoneIndex: zone_index!, quantity }
}

async function writeOrder(
  tx: TenantTx,
  wanted: OrderToSell,
  sold: {
    readonly orderId: string
    readonly buyer: Person
    readonly lines: readonly LineRow[]
    readonly prices: Pick<Prices, 'currency' | 'fees' | 'tax'>
    readonly channel: SalesChannel
    readonly holdIds: readonly string[]
  },
): Promise<{ order: WholeOrder; secret: string }> {
  const { event, method, reference, contact, seller } = wanted
  const { orderId, buyer, channel, holdIds } = sold
  const { currency, fees, tax } = sold.prices
  const by = seller.actor.person.userId
  const decided = decideOrder(null, {
    kind: 'book',
    paymentId: uuidV7(wanted.now) as PaymentId,
    method,
    currency,
    extras: 0,
    lines: sold.lines.map(({ ticket_id, amount }) => ({ ticketId: ticket_id, amount })),
    by,
  })
  if (!decided.ok) throw new Error(`an order could not be booked: ${decided.problem.kind}`)
  const booked = decided.value.reduce<Order | null>(applyOrder, null)!
  const payment = booked.payments[0]!
  const lines = sold.lines.map((line, index) => ({ ...line, amount: booked.lines[index]!.amount }))
  const secret = reference === null ? newOrderSecret() : wanted.secretOf(orderId)
  const number = newOrderNumber()
  const createdAt = await insertOrder(tx, {
    id: orderId,
    eventId: event.id,
    number,
    userId: buyer.userId,
    status: booked.status,
    currency,
    total: payment.amount,
    fees,
    tax,
    reference,
    holdIds,
    contact,
    secretHash: hashSecret(secret),
    soldBy: by,
    channel,
  })
  await insertLines(tx, orderId, lines)
  const { paymentId, amount, status } = payment
  await insertPayment(tx, orderId, { id: paymentId, method, status, amount, recordedBy: by })
  await appendAudit(tx, seller.by, {
    action: 'order_sold',
    entity: { type: 'order', id: orderId },
    eventId: event.id,
    changes: {
      order_number: number,
      method,
      channel,
      reference,
      user_id: buyer.userId,
      hold_ids: holdIds,
      seat_ids: lines.flatMap(line => line.seat_id ?? []),
      tickets: lines.length,
      currency,
      total: amount,
      allow_stranding: wanted.allowStranding,
    },
  })
  if (contact.email !== null) {
    await queueMail(tx, {
      kind: 'order_paid',
      to: contact.email,
      // The language of the seller's program says nothing of the buyer.
      locale: null,
      key: `order_paid:${orderId}`,
      data: { orderId },
    })
  }
  const order = {
    id: orderId,
    event_id: event.id,
    event_name: event.name,
    number,
    user_id: buyer.userId,
    status: booked.status,
    currency,
    total: amount,
    reference,
    contact_name: contact.name,
    contact_email: contact.email,
    contact_phone: contact.phone,
    account_id: null,
    sold_by: by,
    channel,
    created_at: createdAt,
  }
  await writeOrderWords(tx, order, lines, { isNew: true })
  const payments = [{ id: paymentId, method, status, amount, refunded_amount: 0, waits_for_buyer: false }]
  return { order: { order, lines, payments, refunds: [], disputes: [], gatewayRefunds: [] }, secret }
}

function fault(path: string, message: string): Refusal {
  return { kind: 'invalid_request', errors: [{ path, message }] }
}
