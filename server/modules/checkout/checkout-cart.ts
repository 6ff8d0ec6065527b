import type { HoldAnswer } from '@voelgoed/core/event/decision'
import { type CartItem, priceCart } from '@voelgoed/core/prices/price-cart'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { itemsOfHolds, labelOfPlace } from '../holds/price-holds.ts'
import type { StoredCart } from './tables/checkouts.ts'

/** A buyer wants a hold to be bought as this. */
export interface WantedItem {
  readonly holdId: string
  readonly ticketType?: string
  readonly attendee?: string
}

export interface CheckoutCart {
  readonly cart: StoredCart
  readonly currency: string
  readonly total: number
}

/** Prices the holds as of now. A hold of several places is one line, or as many as it was named. */
export function cartOfHolds(
  hall: EventHall,
  list: PriceList | null,
  holds: readonly HoldAnswer[],
  wanted: readonly WantedItem[],
): Result<CheckoutCart, Refusal> {
  // A list without categories gives nothing a price.
  const prices = list && list.categories.length > 0 ? list : null
  if (!prices) return refuse({ kind: 'not_priced', holdIds: holds.map(hold => hold.holdId) })
  const split = splitByWanted(itemsOfHolds(prices, hall, holds), wanted)
  if (!split.ok) return split
  const priced = priceCart(
    prices,
    split.value.map(({ item }) => item),
  )
  if (!priced.ok) {
    switch (priced.problem.kind) {
      case 'not_priced':
        return refuse(priced.problem)
      case 'ticket_type_unknown':
        return refuse(
          fault('/items', `a ticket type that the category of ${priced.problem.holdIds[0]} has not`),
        )
      case 'total_too_large':
        return refuse(fault('/hold_ids', 'cost more than can be paid at once'))
    }
  }
  const { lines, fees, tax, total, currency } = priced.value
  const byId = new Map(holds.map(hold => [hold.holdId as string, hold]))
  return ok({
    currency,
    total,
    cart: {
      fees,
      tax,
      lines: lines.map((line, index) => {
        const { holdId, ordinal, zoneIndex } = byId.get(line.holdId)!
        return {
          hold_id: holdId,
          seat_id: ordinal === null ? null : hall.seats.map.seatIds.at(ordinal),
          ordinal,
          zone_index: zoneIndex,
          zone_id: hall.zones[zoneIndex]!.zoneId,
          label: labelOfPlace(hall, ordinal, zoneIndex),
          category: line.category.key,
          ticket_type: line.ticketType.key,
          quantity: line.quantity,
          unit_amount: line.ticketType.amount,
          amount: line.amount,
          attendee: split.value[index]!.attendee,
        }
      }),
    },
  })
}

interface SplitItem {
  readonly item: CartItem
  readonly attendee: string | null
}

function splitByWanted(
  items: readonly CartItem[],
  wanted: readonly WantedItem[],
): Result<SplitItem[], Refusal> {
  const known = new Set(items.map(item => item.holdId))
  const stranger = wanted.findIndex(({ holdId }) => !known.has(holdId))
  if (stranger >= 0) return refuse(fault(`/items/${stranger}/hold_id`, 'is no hold of this checkout'))
  const split: SplitItem[] = []
  for (const item of items) {
    const named = wanted.filter(({ holdId }) => holdId === item.holdId)
    if (named.length > 1 && named.length !== item.quantity) {
      return refuse(fault('/items', 'must name a hold once, or once for each of its places'))
    }
    const quantity = named.length > 1 ? 1 : item.quantity
    for (const { ticketType, attendee } of named.length > 0 ? named : ([{}] as Partial<WantedItem>[])) {
      const typed = ticketType === undefined ? {} : { ticketType }
      split.push({ item: { ...item, quantity, ...typed }, attendee: attendee ?? null })
    }
  }
  return ok(split)
}

/** The holds of a cart, in its order, each with its lines. */
export function holdsOfCart({ lines }: StoredCart): {
  readonly holdId: string
  readonly quantity: number
  readonly lines: StoredCart['lines']
}[] {
  const byHold = new Map<string, StoredCart['lines'][number][]>()
  for (const line of lines) {
    const known = byHold.get(line.hold_id)
    if (known) known.push(line)
    else byHold.set(line.hold_id, [line])
  }
  return [...byHold].map(([holdId, ofHold]) => {
    return { holdId, lines: ofHold, quantity: ofHold.reduce((sum, line) => sum + line.quantity, 0) }
  })
}

/** The line that a place of a hold was bought by. */
export function lineOfPlace(lines: StoredCart['lines'], place: number): StoredCart['lines'][number] {
  let left = place
  for (const line of lines) {
    if (left < line.quantity) return line
    left -= line.quantity
  }
  throw new Error('a place that its hold has not')
}

function fault(path: string, message: string): Refusal {
  return { kind: 'invalid_request', errors: [{ path, message }] }
}
