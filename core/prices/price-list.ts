import { LAYOUT_LIMITS } from '../layout/model.ts'

/**
 * Describes what the places of an event cost. Kept in the form in which it is sent. Amounts are whole minor
 * units of one currency (currency.ts).
 */
export interface PriceList {
  readonly currency: string
  readonly categories: readonly Category[]
  /** The category of places that have none of their own, by the id of their zone. */
  readonly zones: Readonly<Record<string, string>>
  readonly fees: readonly Fee[]
  readonly tax: Tax | null
  /** By the key of a category. Left out: all days, one entry a day, no re-entry. */
  readonly admission: Readonly<Record<string, Admission>>
}

export interface Category {
  readonly key: string
  readonly name: string
  /** `#7b3fa0`. */
  readonly colour: string | null
  /** At least one. The first is what a place costs until its buyer chooses another. */
  readonly ticket_types: readonly TicketType[]
}

export interface TicketType {
  readonly key: string
  readonly name: string
  /** 0 is a price. */
  readonly amount: number
  readonly note?: string
}

export const FEE_BASES = ['ticket', 'order'] as const

export interface Fee {
  readonly name: string
  readonly amount: number
  readonly per: (typeof FEE_BASES)[number]
}

export interface Tax {
  readonly name: string
  /** At most three decimals: 15, 8.875. */
  readonly percent: number
  /** True if the amounts of tickets and fees include it already; else it is added to their sum. */
  readonly included: boolean
}

/** Describes how often a ticket opens the gate. */
export interface Admission {
  /** Days of the event, like 2027-03-01; all of them, whatever days the event gets later. */
  readonly days: 'all' | readonly string[]
  readonly entries_per_day: number
  /** True if a person who was scanned out may come in again without using another entry. */
  readonly reentry: boolean
}

export const PRICE_LIMITS = {
  categories: LAYOUT_LIMITS.priceCategories,
  ticketTypes: 20,
  zones: LAYOUT_LIMITS.zones,
  fees: 10,
  days: 100,
  keyLength: LAYOUT_LIMITS.labelLength,
  nameLength: LAYOUT_LIMITS.nameLength,
  noteLength: 200,
  /** A ticket or a fee costs at most a hundred million of a currency with two digits. */
  amount: 10_000_000_000,
  entriesPerDay: 1_000,
} as const

/** Describes where a place is. */
export interface PlaceToPrice {
  /** The seat's price category in the layout; null for seats without one, and for zones without seats. */
  readonly ownCategory: string | null
  readonly zoneId: string
  /** This is what the event's overlay says of the zone: `pricing_zones`. */
  readonly pricingRuleId: string | null
}

/**
 * The category that a place is sold in; null: it has none, and can't be sold for money. What wins:
 *   1. the seat's own price category in the layout, even if the list has no such category: a seat that was
 *      drawn as gold is not sold at another price because gold was forgotten;
 *   2. else the list's category for its zone;
 *   3. else the overlay's pricing rule for its zone, if that is the key of a category. Other pricing rules
 *      belong to the platform that wrote them.
 */
export function categoryOf(list: PriceList, place: PlaceToPrice): Category | null {
  const key = categoryKeyOf(list, place)
  return key === null ? null : (list.categories.find(category => category.key === key) ?? null)
}

/** The key of that category, whether the list has it or not. Without a list it is the layout's, or none. */
export function categoryKeyOf(list: PriceList | null, place: PlaceToPrice): string | null {
  return place.ownCategory ?? (list && zoneCategory(list, place)) ?? place.pricingRuleId
}

function zoneCategory({ zones }: PriceList, { zoneId }: PlaceToPrice): string | null {
  return Object.hasOwn(zones, zoneId) ? zones[zoneId]! : null
}

/** The lowest amount of all ticket types; null for a list without categories, which gives nothing a price. */
export function priceFrom({ categories }: PriceList): number | null {
  const amounts = categories.flatMap(category => category.ticket_types.map(type => type.amount))
  return amounts.length === 0 ? null : amounts.reduce((least, amount) => Math.min(least, amount))
}
