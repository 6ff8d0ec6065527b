import { type Hall, NO_PRICE_CATEGORY, zoneOf } from './hall.ts'

/** Describes what a buyer asks best available for. */
export interface Wish {
  readonly quantity: number
  /** By zone: whether the zone is open to this buyer and wanted. */
  readonly zones: readonly boolean[]
  /** Null: any price, and seats without one. */
  readonly prices: WantedPrices | null
  /** All in one run, or nothing. */
  readonly together: boolean
  /** Rows of a group that is split are at most so far apart; null: as far as the zone has rows. */
  readonly maxSplit: number | null
  /** Bits of OFFER: which seats may be offered. */
  readonly offer: number
}

/**
 * Describes whether seats of a price are wanted: by zone, then by price category of the layout
 * (`priceIndex`). Seats without a category of their own may cost what their zone does.
 */
export type WantedPrices = readonly (readonly boolean[])[]

/** The first is for seats without a category, then come the layout's. */
export function priceIndex(category: number): number {
  return category === NO_PRICE_CATEGORY ? 0 : category + 1
}

export function isWanted({ prices }: Wish, hall: Hall, at: number): boolean {
  return prices === null || prices[zoneOf(hall, at)]![priceIndex(hall.price[at]!)] === true
}

/** Describes whether seats may be stranded: none, or as few as possible after it was tried with none. */
export type Stranding = 'none' | 'few'

/** The seats that were found, by position; the largest cluster first. */
export interface Found {
  readonly clusters: readonly { readonly start: number; readonly end: number }[]
  /** Seats that are left alone by it, by position. */
  readonly stranded: readonly number[]
  /** The sum of the seats' costs. */
  readonly cost: number
  /** In one run, or a group that is sold as a whole. */
  readonly isTogether: boolean
}

/** However large a zone is: who sits farther apart than this is not in one group. */
export const MOST_ROWS_APART = 10

/** So many steps of a search, then it ends with the best it has: a hall can be made to be slow. */
export class Budget {
  left: number

  constructor(steps: number) {
    this.left = steps
  }

  get isSpent(): boolean {
    return this.left <= 0
  }
}
