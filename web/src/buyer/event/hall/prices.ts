import type { Data } from '@voelgoed/client'
import { type AllIn, allIn } from '@voelgoed/core/prices/all-in'
import { type Category, categoryOf, type PriceList } from '@voelgoed/core/prices/price-list'
import type { Words } from '../../../kit/words/en.ts'
import type { MapModel } from '../../../map/index.ts'

/** Null: the event has no prices. */
export function priceListOf({ currency, ...list }: Data<'GET /api/events/:event/prices'>): PriceList | null {
  return currency === null ? null : { ...list, currency, admission: {} }
}

/** In words: what has to be paid for places of these amounts, and what of it is no ticket; null: nothing. */
export function toPay(list: PriceList, amounts: readonly number[], words: Words): ToPay {
  const paid = allIn(list, amounts)
  const fees = amounts.length * list.fees.filter(({ per }) => per === 'ticket').length
  const total = paid.total === 0 ? words.free : words.price(paid.total, list.currency)
  return { total, incl: inclOf(list, paid, fees, words) }
}

interface ToPay {
  readonly total: string
  readonly incl: string | null
}

/** `incl. R 15 fee`. `count`: how many fees that is. */
export function inclOf(
  { currency, tax }: Pick<PriceList, 'currency' | 'tax'>,
  { fees, taxOnTop }: Pick<AllIn, 'fees' | 'taxOnTop'>,
  count: number,
  words: Words,
): string | null {
  const fee = fees > 0 ? words.price(fees, currency) : null
  const taxName = taxOnTop > 0 ? tax!.name : null
  return fee === null && taxName === null ? null : words.incl(fee, count, taxName)
}

export function categoryOfSeat(list: PriceList, model: MapModel, ordinal: number): Category | null {
  const { zoneId, pricingRuleId } = model.zones[model.zoneOf[ordinal]!]!
  const ownCategory = model.priceCategories[model.priceOf[ordinal]!]?.key ?? null
  return categoryOf(list, { ownCategory, zoneId, pricingRuleId })
}

/** True for a seat that costs at most so much, as the first type of ticket. One without a price does not. */
export function isAtMost(list: PriceList, model: MapModel, most: number): (ordinal: number) => boolean {
  return ordinal => {
    const category = model.has(ordinal) ? categoryOfSeat(list, model, ordinal) : null
    return category !== null && category.ticket_types[0]!.amount <= most
  }
}

export function categoryOfZone(list: PriceList, model: MapModel, id: string): Category | null {
  const zone = model.zones.find(({ zoneId }) => zoneId === id)
  return zone ? categoryOf(list, { ...zone, ownCategory: null }) : null
}
