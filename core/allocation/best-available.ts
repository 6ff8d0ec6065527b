import type { Chains } from './chains.ts'
import { findBlock } from './find-block.ts'
import { findInFamily, findWhole } from './find-group.ts'
import { SplitSearch } from './find-split.ts'
import { findTogether } from './find-together.ts'
import type { FreeSeats } from './free-seats.ts'
import { OFFER } from './hall.ts'
import { Budget, type Found, type Stranding, type Wish } from './wish.ts'

/** Seats that strand none, together or split; null: there are none. */
export function findUnstranding(seats: FreeSeats, wish: Wish): Found | null {
  return new Search(seats, wish, searchBudgets()).find('none')
}

/**
 * A search may look for so many steps: each budget is about two milliseconds. Most take less than a tenth.
 */
export interface SearchBudgets {
  readonly split: Budget
  /** To count the free seats around a stretch, which most often is known from the search before. */
  readonly rooms: Budget
  readonly block: Budget
}

export function searchBudgets(): SearchBudgets {
  return { split: new Budget(500_000), rooms: new Budget(1_000_000), block: new Budget(300_000) }
}

export interface Offer extends Found {
  /** Nothing that strands no seat was left. */
  readonly isLastResort: boolean
}

/**
 * The seats to offer, or null. In this order: together and strands nothing; split and strands nothing;
 * together and strands as few as possible; split likewise; for a large group, a block of more clusters than
 * that. `seats` must be up to date.
 */
export function bestAvailable(
  seats: FreeSeats,
  wish: Wish,
  budgets: SearchBudgets = searchBudgets(),
): Offer | null {
  const search = new Search(seats, wish, budgets)
  const found = search.find('none') ?? search.find('few') ?? search.findBlock()
  return found && { ...found, isLastResort: found.stranded.length > 0 }
}

/** Companion seats that are kept for no place any more are offered where there are no others. */
export function bestWithCompanions(seats: FreeSeats, wish: Wish): Offer | null {
  const found = bestAvailable(seats, wish)
  if (found !== null || !hasCompanionSeats(seats)) return found
  return bestAvailable(seats, { ...wish, offer: wish.offer | OFFER.companion })
}

function hasCompanionSeats({ hall, free }: FreeSeats): boolean {
  return hall.offer.some((offer, at) => offer === OFFER.companion && free[at] === 1)
}

class Search {
  readonly #seats: FreeSeats
  readonly #wish: Wish
  readonly #budgets: SearchBudgets
  readonly #chains: Chains
  #split: SplitSearch | null = null

  constructor(seats: FreeSeats, wish: Wish, budgets: SearchBudgets) {
    this.#seats = seats
    this.#wish = wish
    this.#budgets = budgets
    this.#chains = seats.chainsFor(wish)
  }

  find(stranding: Stranding): Found | null {
    const found = this.#findTogether(stranding)
    if (found || this.#wish.together || this.#wish.quantity === 1) return found
    this.#split ??= new SplitSearch(this.#seats, this.#chains, this.#wish, this.#budgets)
    return this.#split.find(stranding)
  }

  /** For a large group that the split search has found nothing for. */
  findBlock(): Found | null {
    return this.#wish.together ? null : findBlock(this.#seats, this.#chains, this.#wish, this.#budgets.block)
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
