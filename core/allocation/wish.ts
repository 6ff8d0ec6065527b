/** What a buyer asks best available for. */
export interface Wish {
  readonly quantity: number
  /** By zone: whether the zone is open to this buyer and wanted. */
  readonly zones: readonly boolean[]
  /** By price category: whether it is wanted; null: any, and seats without one. */
  readonly prices: readonly boolean[] | null
  /** All in one run, or nothing. */
  readonly together: boolean
  /** Rows of a group that is split are at most so far apart; null: as far as the zone has rows. */
  readonly maxSplit: number | null
  /** Bits of OFFER: which seats may be offered. */
  readonly offer: number
}

export function isWanted({ prices }: Wish, price: number): boolean {
  return prices === null || prices[price] === true
}

/** Whether seats may be stranded: none, or as few as possible after it was tried with none. */
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
