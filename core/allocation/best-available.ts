import type { Chains } from './chains.ts'
import { findInFamily, findWhole } from './find-group.ts'
import { SplitSearch } from './find-split.ts'
import { findTogether } from './find-together.ts'
import type { FreeSeats } from './free-seats.ts'
import { Budget, type Found, type Stranding, type Wish } from './wish.ts'

/** Seats that strand none, together or split; null: there are none. */
export function findUnstranding(seats: FreeSeats, wish: Wish): Found | null {
  return new Search(seats, wish).find('none')
}

/** So many steps of looking for a split: about two milliseconds. Most searches take less than a tenth. */
const SPLIT_STEPS = 400_000

export interface Offer extends Found {
  /** Nothing that strands no seat was left. */
  readonly isLastResort: boolean
}

/**
 * The seats to offer, or null. In this order: together and strands nothing; split and strands nothing;
 * together and strands as few as possible; split likewise. `seats` must be up to date.
 */
export function bestAvailable(seats: FreeSeats, wish: Wish): Offer | null {
  const search = new Search(seats, wish)
  const found = search.find('none') ?? search.find('few')
  return found && { ...found, isLastResort: found.stranded.length > 0 }
}

class Search {
  readonly #seats: FreeSeats
  readonly #wish: Wish
  readonly #chains: Chains
  #split: SplitSearch | null = null

  constructor(seats: FreeSeats, wish: Wish) {
    this.#seats = seats
    this.#wish = wish
    this.#chains = seats.chainsFor(wish)
  }

  find(stranding: Stranding): Found | null {
    const found = this.#findTogether(stranding)
    if (found || this.#wish.together || this.#wish.quantity === 1) return found
    this.#split ??= new SplitSearch(this.#seats, this.#chains, this.#wish, new Budget(SPLIT_STEPS))
    return this.#split.find(stranding)
  }

  #findTogether(stranding: Stranding): Found | null {
    const found = findTogether(this.#seats, this.#chains, this.#wish, stranding)
    if (stranding === 'few') return found
    const family = findInFamily(this.#seats, this.#wish)
    if (family) return family
    const whole = findWhole(this.#seats, this.#wish)
    return whole && (found === null || whole.cost < found.cost) ? whole : found
  }
}
