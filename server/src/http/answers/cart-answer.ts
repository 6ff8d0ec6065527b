import type { HoldAnswer, Stranding } from '@voelgoed/core/event/decision'
import { whoDecides } from '@voelgoed/core/orders/decide-checkout'
import { type PricedCart, priceCart } from '@voelgoed/core/prices/price-cart'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Checkout } from '../../events/checkouts.ts'
import { orderOf } from '../../events/order-rows.ts'
import { itemsOfHolds, labelOfPlace } from '../../events/price-holds.ts'
import type { EventHall } from '../../lane/hot-event.ts'
import { holdsAnswer } from './hold-answers.ts'
import { warningAnswers } from './seats-answers.ts'

/** Everything a buyer has in an event, and what it costs. */
export function cartAnswer(
  eventId: string,
  hall: EventHall,
  {
    holds,
    warning,
    prices,
    payment,
  }: {
    readonly holds: readonly HoldAnswer[]
    readonly warning: Stranding | null
    readonly prices: PriceList | null
    /** The order that some of the holds are in payment with. */
    readonly payment: Checkout | null
  },
  now: number,
): Record<string, unknown> {
  return {
    ...(holds.length > 0 ? holdsAnswer(eventId, hall, holds, now) : NO_HOLDS),
    warnings: warningAnswers(hall, warning),
    timestamp: new Date(now).toISOString(),
    ...pricesAnswer(hall, holds, prices),
    payment: payment && paymentAnswer(payment),
  }
}

/** Of an event that was never on sale. */
export function emptyCartAnswer(currency: string | null, now: number): Record<string, unknown> {
  const total = currency === null ? null : 0
  const timestamp = new Date(now).toISOString()
  return {
    ...NO_HOLDS,
    warnings: [],
    timestamp,
    ...NOTHING_PRICED,
    total,
    currency,
    not_priced: [],
    payment: null,
  }
}

const NO_HOLDS = { holds: [], held_until: null, expires_in_seconds: null }
const NOTHING_PRICED = { lines: [], fees: [], tax: null, total: null }

function paymentAnswer({ whole, checkout }: Checkout): object {
  const { order } = whole
  return {
    checkout_id: order.id,
    hold_ids: checkout.hold_ids,
    total: order.total,
    currency: order.currency,
    // The buyer may have the holds of an order that is over back as well.
    decides: whoDecides(orderOf(whole)) ?? 'buyer',
  }
}

function pricesAnswer(
  hall: EventHall,
  holds: readonly HoldAnswer[],
  list: PriceList | null,
): Record<string, unknown> {
  // A list without categories gives nothing a price.
  const prices = list && list.categories.length > 0 ? list : null
  const currency = prices?.currency ?? null
  const priced = priceCart(prices, prices ? itemsOfHolds(prices, hall, holds) : [])
  if (!priced.ok) {
    const { problem } = priced
    const without = prices && problem.kind === 'not_priced' ? problem.holdIds : holds.map(hold => hold.holdId)
    return { ...NOTHING_PRICED, currency, not_priced: without }
  }
  const { lines, fees, tax, total } = priced.value
  return {
    lines: lines.map((line, index) => lineAnswer(hall, holds[index]!, line)),
    fees,
    tax,
    total,
    currency,
    not_priced: [],
  }
}

function lineAnswer(hall: EventHall, hold: HoldAnswer, line: PricedCart['lines'][number]): object {
  const zone = hall.zones[hold.zoneIndex]!
  const { ordinal } = hold
  const { map } = hall.seats
  return {
    hold_id: hold.holdId,
    ...(ordinal !== null && { seat_id: map.seatIds.at(ordinal) }),
    zone_id: zone.zoneId,
    label: labelOfPlace(hall, ordinal, hold.zoneIndex),
    category: line.category.key,
    ticket_type: line.ticketType.key,
    quantity: line.quantity,
    unit_amount: line.ticketType.amount,
    amount: line.amount,
  }
}
