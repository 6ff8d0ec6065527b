import { Refused } from '@voelgoed/client'
import {
  type Alternative,
  allowanceOf,
  alternativesOf,
  canAskForOthers,
  type FindWish,
  fitWish,
  wishBody,
  withAlternative,
} from './find-wish.ts'
import type { Explanation, MyHold } from './holdings.svelte.ts'
import type { Seating } from './seating.svelte.ts'

/** The search for the best seats: what the buyer asks for, and what came of it. */
export class Finding {
  readonly #seating: Seating
  #wanted: FindWish = $state.raw({
    quantity: 2,
    isTogether: false,
    wheelchair: 0,
    companions: 0,
    zoneId: null,
  })
  #isBusy = $state(false)
  #found: { readonly explanation: Explanation; readonly wish: FindWish } | null = $state.raw(null)
  #refused: Refused | null = $state.raw(null)

  constructor(seating: Seating) {
    this.#seating = seating
    this.#wanted = { ...this.#wanted, isTogether: seating.event?.seating?.group_adjacency_strict ?? false }
  }

  readonly #allowance = $derived.by(() =>
    allowanceOf(this.#seating.event?.max_seats_per_booking ?? null, this.#seating.holdings.count),
  )
  /** How many more seats the buyer may have. */
  get allowance() {
    return this.#allowance
  }
  readonly #wish = $derived.by(() => fitWish(this.#wanted, this.#allowance))
  get wish() {
    return this.#wish
  }
  get isBusy() {
    return this.#isBusy
  }
  /** Why there is nothing. */
  get refused() {
    return this.#refused
  }

  readonly #foundHolds: readonly MyHold[] = $derived.by(() => {
    const ids = new Set(this.#found?.explanation.clusters.flatMap(cluster => cluster.seat_ids))
    return this.#seating.holdings.all.filter(hold => 'seat_id' in hold && ids.has(hold.seat_id))
  })
  /** What was found, while the buyer holds all of it. */
  get found(): Explanation | null {
    const found = this.#found?.explanation ?? null
    const count = found?.clusters.reduce((sum, { seat_ids }) => sum + seat_ids.length, 0)
    return count === this.#foundHolds.length ? found : null
  }
  get alternatives(): readonly Alternative[] {
    return this.#refused?.is('no_suitable_seats') ? alternativesOf(this.#refused.problem) : []
  }
  get canAskForOthers(): boolean {
    return this.found !== null && canAskForOthers(this.#found!.wish, this.#allowance)
  }

  change(part: Partial<FindWish>): void {
    this.#wanted = { ...this.#wish, ...part }
    this.#refused = null
  }

  accept(alternative: Alternative): void {
    this.change(withAlternative(this.#wish, alternative))
  }

  async find(): Promise<void> {
    await this.#ask(this.#wish)
  }

  /** Others are held first, while these are not free; only then are these released. */
  async findOthers(): Promise<void> {
    if (!this.canAskForOthers) return
    const before = this.#foundHolds
    if (await this.#ask(this.#found!.wish)) await this.#seating.release(before)
  }

  async #ask(wish: FindWish): Promise<boolean> {
    if (this.#isBusy || !this.#seating.canAsk()) return false
    this.#isBusy = true
    this.#refused = null
    this.#seating.dismiss()
    let explanation: Explanation | null = null
    const refused = await this.#seating.asked(async () => {
      explanation = await this.#seating.holdings.takeBest(wishBody(wish))
    })
    this.#isBusy = false
    if (refused instanceof Refused) this.#refused = refused
    if (explanation) this.#found = { explanation, wish }
    return explanation !== null
  }
}
