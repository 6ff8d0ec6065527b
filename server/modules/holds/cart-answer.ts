import type { HoldAnswer, Stranding } from '@voelgoed/core/event/decision'
import { type PricedCart, priceCart } from '@voelgoed/core/prices/price-cart'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { warningAnswers } from '../live/seats-answers.ts'
import { holdsAnswer } from './hold-answers.ts'
import { itemsOfHolds, labelOfPlace } from './price-holds.ts'

/** Some of a buyer's holds are in payment with this order. */
export interface CartPayment {
  readonly checkout_id: string
  readonly hold_ids: readonly string[]
  readonly total: number | null
  readonly currency: string | null
  readonly decides: 'buyer' | 'bank'
}

/** Reads that of this buyer; null: there is none. Checkout, which is above holds, has it. */
export type ReadCartPayment = (
  scope: TenantScope,
  orderId: string,
  userId: string,
) => Promise<CartPayment | null>

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
    readonly payment: CartPayment | null
  },
  now: number,
): Record<string, unknown> {
  return {
    ...(holds.length > 0 ? holdsAnswer(eventId, hall, holds, now) : NO_HOLDS),
    warnings: warningAnswers(hall, warning),
    timestamp: new Date(now).toISOString(),
    ...pricesAnswer(hall, holds, prices),
    payment,
  }
}

/** An event that was never on sale answers with this. */
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
