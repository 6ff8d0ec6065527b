import { Refused } from '@voelgoed/client'
import type { Explanation as Choice } from '@voelgoed/core/allocation/explain'
import { AVAILABLE } from '../../../map/index.ts'
import type { Explanation, MyHold } from '../cart/holdings.svelte.ts'
import { isAtMost } from '../hall/prices.ts'
import type { Seating } from '../seating.svelte.ts'
import {
  type Alternative,
  allowanceOf,
  alternativesOf,
  type FindWish,
  fitWish,
  wishBody,
  withAlternative,
} from './find-wish.ts'
import type { Reason } from './offer-reason.ts'
import { openZones } from './open-zones.ts'

/** Seats that are proposed. Nothing of it is held. */
export interface Offered {
  readonly choice: Choice
  readonly seats: readonly number[]
  readonly reason: Reason
}

/**
 * The search for the best seats: what the buyer asks for, and what came of it. The page chooses by itself
 * and shows its choice; seats are held, and the clock starts, when the buyer takes them. Where the page finds
 * nothing, the server says why.
 */
export class Finding {
  readonly #seating: Seating
  #wanted: Partial<FindWish> = $state.raw({})
  #isBusy = $state(false)
  #offered: Offered | null = $state.raw(null)
  /** Seats that were offered, and that the buyer did not want. */
  #passed: ReadonlySet<number> = new Set()
  #found: Explanation | null = $state.raw(null)
  #refused: Refused | null = $state.raw(null)

  constructor(seating: Seating) {
    this.#seating = seating
  }

  readonly #allowance = $derived.by(() =>
    allowanceOf(this.#seating.event?.max_seats_per_booking ?? null, this.#seating.holdings.count),
  )
  /** The buyer may have this many seats more. */
  get allowance() {
    return this.#allowance
  }
  readonly #wish = $derived.by(() => {
    const isTogether = this.#seating.event?.seating?.group_adjacency_strict ?? false
    const usual = { quantity: 2, isTogether, wheelchair: 0, companions: 0, zoneId: null, mostAmount: null }
    return fitWish({ ...usual, ...this.#wanted }, this.#allowance)
  })
  get wish() {
    return this.#wish
  }
  get isBusy() {
    return this.#isBusy
  }
  /** The reason why there is nothing. */
  get refused() {
    return this.#refused
  }

  /** Null as soon as one of its seats is not free any more. */
  readonly #offer: Offered | null = $derived.by(() => {
    void this.#seating.changes
    const offered = this.#offered
    return offered?.seats.every(ordinal => this.#seating.statusOf(ordinal) === AVAILABLE) ? offered : null
  })
  get offer() {
    return this.#offer
  }

  readonly #foundHolds: readonly MyHold[] = $derived.by(() => {
    const ids = new Set(this.#found?.clusters.flatMap(cluster => cluster.seat_ids))
    return this.#seating.holdings.all.filter(hold => 'seat_id' in hold && ids.has(hold.seat_id))
  })
  /** The server has found and held these, and the buyer still holds all of them. */
  get found(): Explanation | null {
    const count = this.#found?.clusters.reduce((sum, { seat_ids }) => sum + seat_ids.length, 0)
    return count === this.#foundHolds.length ? this.#found : null
  }
  /** The buyer has asked, and there is something to say. */
  get hasNews(): boolean {
    return this.#isBusy || this.#offer !== null || this.#refused !== null
  }
  get alternatives(): readonly Alternative[] {
    return this.#refused?.is('no_suitable_seats') ? alternativesOf(this.#refused.problem) : []
  }

  change(part: Partial<FindWish>): void {
    this.#wanted = { ...this.#wish, ...part }
    this.#refused = null
    this.#offered = null
  }

  accept(alternative: Alternative): void {
    this.change(withAlternative(this.#wish, alternative))
  }

  async find(): Promise<void> {
    if (this.#isBusy || !this.#seating.canAsk()) return
    this.#isBusy = true
    this.#passed = new Set()
    this.#refused = null
    this.#seating.notices.dismiss()
    try {
      this.#offered = await this.#choose()
      if (!this.#offered) await this.#ask()
    } finally {
      this.#isBusy = false
    }
  }

  /** The next best; after the last one the first again. */
  async findOthers(): Promise<void> {
    if (!this.#offered || !this.#seating.canAsk()) return
    this.#passed = new Set([...this.#passed, ...this.#offered.seats])
    const others = await this.#choose()
    if (!others) this.#passed = new Set()
    this.#offered = others ?? (await this.#choose())
  }

  /** The seats that cost less, in place of those that are offered. */
  async offerCheaper(): Promise<void> {
    const choice = this.#offered?.reason.cheaper?.choice
    const search = choice && (await this.#search())
    if (search) this.#offered = search.explained(choice)
  }

  async take(): Promise<void> {
    const offer = this.#offer
    this.#offered = null
    if (offer) await this.#seating.take(offer.seats)
  }

  decline(): void {
    this.#offered = null
  }

  /** Null: the page finds nothing, or can't load what it searches with; the server is asked then. */
  async #choose(): Promise<Offered | null> {
    const search = await this.#search()
    const choice = search?.find()
    return search && choice ? search.explained(choice) : null
  }

  async #search(): Promise<{
    find(): Choice | null
    explained(choice: Choice): Offered
  } | null> {
    const { model, session, prices } = this.#seating
    const wish = this.#wish
    const [search, reason] = await Promise.all([
      import('./offer-seats.ts'),
      import('./offer-reason.ts'),
    ]).catch(() => [])
    if (!model || !search || !reason) return null
    const zones = openZones(model.zones, session.visitor?.user)
    const isFree = (ordinal: number) =>
      !this.#passed.has(ordinal) && this.#seating.statusOf(ordinal) === AVAILABLE
    const isAffordable = wish.mostAmount === null || !prices ? null : isAtMost(prices, model, wish.mostAmount)
    return {
      find: () => search.offerSeats(model, isFree, wish, { zones, isAffordable }),
      explained: choice => ({
        choice,
        seats: choice.clusters.flatMap(cluster => cluster.seats),
        reason: reason.reasonOf(choice, model, prices, { isFree, wish, zones }),
      }),
    }
  }

  async #ask(): Promise<void> {
    const refused = await this.#seating.asked(async () => {
      this.#found = await this.#seating.holdings.takeBest(wishBody(this.#wish))
    })
    if (refused instanceof Refused) this.#refused = refused
  }
}
