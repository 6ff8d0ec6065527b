import { priceCart } from '@voelgoed/core/prices/price-cart'
import { type Category, categoryOf, type PriceList } from '@voelgoed/core/prices/price-list'
import type { MapModel } from '../../map/index.ts'
import type { LiveHold } from '../holds/live-holds.svelte.ts'

/** The counter sells one of these: a seat, or places of a zone without seats. */
export interface CounterPlace {
  readonly key: string
  readonly label: string
  /** Null: places without seats. */
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  /** Null: it is free. */
  readonly holdId: string | null
}

export function seatPlace(model: MapModel, ordinal: number, holdId: string | null = null): CounterPlace {
  const zoneIndex = model.zoneOf[ordinal]!
  const label = `${model.zones[zoneIndex]!.name} ${model.labelOf(ordinal)}`
  return { key: `seat ${ordinal}`, label, ordinal, zoneIndex, quantity: 1, holdId }
}

export function zonePlaces(
  model: MapModel,
  zoneIndex: number,
  quantity: number,
  holdId: string | null = null,
): CounterPlace {
  const { name: label } = model.zones[zoneIndex]!
  return { key: holdId ?? `zone ${zoneIndex}`, label, ordinal: null, zoneIndex, quantity, holdId }
}

/** A hold as a place; null: this event has no such place. */
export function heldPlace(model: MapModel, hold: LiveHold): CounterPlace | null {
  const zoneIndex = model.zones.findIndex(({ zoneId }) => zoneId === hold.zone_id)
  if (zoneIndex < 0) return null
  if (hold.seat_id === null) return zonePlaces(model, zoneIndex, hold.quantity, hold.hold_id)
  const ordinal = model.ordinalOf(hold.seat_id, { zoneId: hold.zone_id })
  return ordinal === undefined ? null : seatPlace(model, ordinal, hold.hold_id)
}

/** As the server finds it: the seat's own category, else that of its zone. */
export function categoryAt(
  list: PriceList | null,
  model: MapModel,
  { ordinal, zoneIndex }: Pick<CounterPlace, 'ordinal' | 'zoneIndex'>,
): Category | null {
  if (!list) return null
  const { zoneId, pricingRuleId } = model.zones[zoneIndex]!
  const own = ordinal === null ? null : (model.priceCategories[model.priceOf[ordinal]!]?.key ?? null)
  const category = categoryOf(list, { ownCategory: own, zoneId, pricingRuleId })
  return category && category.ticket_types.length > 0 ? category : null
}

/**
 * Returns what one place costs at the counter: with a tax that comes on top, without the fees of buying
 * online. Null: it has no price.
 */
export function counterAmount(
  list: PriceList | null,
  category: Category | null,
  ticketType: string,
): number | null {
  if (!list || !category) return null
  const item = { holdId: '', quantity: 1, category, ticketType }
  const priced = priceCart({ ...list, fees: [] }, [item])
  return priced.ok ? priced.value.total : null
}
