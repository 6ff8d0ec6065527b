import { splitCart } from '@voelgoed/core/prices/all-in'
import type { PricedCart } from '@voelgoed/core/prices/price-cart'
import type { Category } from '@voelgoed/core/prices/price-list'
import type { Words } from '../../../kit/words/en.ts'
import { inclOf } from '../hall/prices.ts'
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
  /** All that has to be paid for them, without fees of the order. Null: something here has no price. */
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

  readonly #grouped: readonly (readonly MyHold[])[] = $derived.by(() =>
    groupHolds(this.#seating.holdings.all, hold => this.#categoryOf(hold)?.key ?? '').map(group =>
      'hold_id' in group ? [group] : group,
    ),
  )

  readonly #split = $derived.by(() => {
    const { prices } = this.#seating
    const lines = this.#priced?.lines
    if (!prices || !lines) return null
    const amountsOf = ({ hold_id }: MyHold) =>
      lines
        .filter(({ holdId }) => holdId === hold_id)
        .flatMap(({ quantity, ticketType }) => Array.from({ length: quantity }, () => ticketType.amount))
    return splitCart(
      prices,
      this.#grouped.map(holds => holds.flatMap(amountsOf)),
    )
  })

  /** The sum of the cart as it is told where places have their fees and taxes in their prices. */
  readonly #sum = $derived.by(() => {
    const { prices } = this.#seating
    const priced = this.#priced
    if (!priced || !prices || !this.#split) return null
    const ofTickets = priced.fees.filter((_, index) => prices.fees[index]!.per === 'ticket')
    return { ...priced, fees: this.#split.orderFees, included: ofTickets.filter(({ amount }) => amount > 0) }
  })
  get sum() {
    return this.#sum
  }

  /** `incl. R 45 fees`: of tickets and of the order. Null: none. */
  incl(words: Words): string | null {
    const priced = this.#priced
    if (!priced) return null
    const fees = priced.fees.reduce((sum, { amount }) => sum + amount, 0)
    const tickets = this.#choices.reduce((sum, { quantity }) => sum + quantity, 0)
    const taxOnTop = priced.tax && !priced.tax.included ? priced.tax.amount : 0
    return inclOf(priced, { fees, taxOnTop }, tickets * priced.fees.length, words)
  }

  groups(words: Words): CartGroup[] {
    const { model } = this.#seating
    return this.#grouped.map((holds, index) => {
      const first = holds[0]!
      const ids = new Set(holds.map(hold => hold.hold_id))
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
        amount: this.#split?.groups[index] ?? null,
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
