import type { PricedCart } from '@voelgoed/core/prices/price-cart'
import type { Category } from '@voelgoed/core/prices/price-list'
import type { Words } from '../../../kit/words/en.ts'
import { groupHolds, seatRanges } from '../hall/seat-ranges.ts'
import type { Seating } from '../seating.svelte.ts'
import { type Choice, changeCount, choicesOf } from './choices.ts'
import { holdNotes, ordinalOf } from './hold-words.ts'
import type { MyHold } from './holdings.svelte.ts'
import { categoryOfHold, priceChoices } from './price-holds.ts'

/** Seats of one row and one price, or places without numbers. */
export interface CartGroup {
  readonly key: string
  readonly title: string
  readonly zone: string
  readonly notes: readonly string[]
  /** Null: something in the cart has no price. */
  readonly amount: number | null
  readonly category: Category | null
  /** The map goes to this seat, the first. */
  readonly ordinal: number | undefined
  readonly holds: readonly MyHold[]
  readonly choices: readonly Choice[]
}

/** Joins the buyer's holds with the ticket types that they chose, and prices all of it. */
export class Cart {
  readonly #seating: Seating

  constructor(seating: Seating) {
    this.#seating = seating
  }

  readonly #choices: readonly Choice[] = $derived.by(() => {
    const { holdings, tickets } = this.#seating
    return choicesOf(holdings.all, hold => this.#categoryOf(hold), tickets.typeOf)
  })

  /** Null: the event has no prices, or something here has none. */
  readonly #priced: PricedCart | null = $derived.by(() =>
    this.#choices.length === 0 ? null : priceChoices(this.#seating.prices, this.#choices),
  )
  get priced() {
    return this.#priced
  }

  groups(words: Words): CartGroup[] {
    const { holdings, model } = this.#seating
    return groupHolds(holdings.all, hold => this.#categoryOf(hold)?.key ?? '').map(group => {
      const holds: readonly MyHold[] = 'hold_id' in group ? [group] : group
      const first = holds[0]!
      const ids = new Set(holds.map(hold => hold.hold_id))
      const lines = this.#priced?.lines.filter(({ holdId }) => ids.has(holdId))
      return {
        key: first.hold_id,
        title:
          'seat_id' in first
            ? words.panel.rowSeats(
                first.row,
                seatRanges(holds.map(hold => ('seat_id' in hold ? hold.seat_number : ''))),
              )
            : words.places(first.quantity),
        zone: first.zone_name,
        notes: [...new Set(holds.flatMap(hold => holdNotes(model, hold, words)))],
        amount: lines ? lines.reduce((sum, { amount }) => sum + amount, 0) : null,
        category: this.#categoryOf(first),
        ordinal: model ? ordinalOf(model, first) : undefined,
        holds,
        choices: this.#choices.filter(({ hold }) => ids.has(hold.hold_id)),
      }
    })
  }

  /** One ticket more or fewer of a type. */
  async change({ choices }: CartGroup, type: string, step: 1 | -1): Promise<void> {
    if (await this.#seating.leavePayment()) this.#seating.tickets.choose(changeCount(choices, type, step))
  }

  #categoryOf(hold: MyHold): Category | null {
    const { prices, model } = this.#seating
    return prices && model ? categoryOfHold(prices, model, hold) : null
  }
}
