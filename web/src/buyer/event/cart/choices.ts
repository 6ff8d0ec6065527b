import type { Category, TicketType } from '@voelgoed/core/prices/price-list'
import type { MyHold } from './holdings.svelte.ts'

/** Up to so many places of one hold have a ticket type each; more of them have one together. */
export const MOST_CHOICES = 10

/**
 * The buyer chooses a ticket type for each of these: a seat, one place of a hold, or all places of a large
 * hold.
 */
export interface Choice {
  /** Under which the chosen type is kept: a seat that is taken again has its type again. */
  readonly key: string
  readonly hold: MyHold
  readonly category: Category | null
  /** From 1; null: it is the only one of its hold. */
  readonly place: number | null
  readonly quantity: number
  readonly ticketType: string | undefined
}

/** `typeOf`: what the buyer has chosen. A type that the category does not have counts as none. */
export function choicesOf(
  holds: readonly MyHold[],
  categoryOf: (hold: MyHold) => Category | null,
  typeOf: (key: string) => string | undefined,
): Choice[] {
  return holds.flatMap(hold => {
    const quantity = 'quantity' in hold ? hold.quantity : 1
    const category = categoryOf(hold)
    const isSplit = quantity > 1 && quantity <= MOST_CHOICES && (category?.ticket_types.length ?? 0) > 1
    const count = isSplit ? quantity : 1
    return Array.from({ length: count }, (_, index) => {
      const place = isSplit ? index + 1 : null
      const key = 'seat_id' in hold ? hold.seat_id : `${hold.hold_id} ${place ?? 'all'}`
      const ticketType = typeAmong(category, typeOf(key))?.key
      return { key, hold, category, place, quantity: quantity / count, ticketType }
    })
  })
}

/** The chosen type of a category, or its first. */
export function typeAmong(category: Category | null, chosen: string | undefined): TicketType | undefined {
  return category?.ticket_types.find(({ key }) => key === chosen) ?? category?.ticket_types[0]
}

/**
 * One ticket more or fewer of a type among these places: which keys get which type. The first type of the
 * category is what the other places have, so a ticket comes from there and goes back there.
 */
export function changeCount(choices: readonly Choice[], type: string, step: 1 | -1): Record<string, string> {
  const usual = choices[0]?.category?.ticket_types[0]?.key
  if (usual === undefined || type === usual) return {}
  const isGiven = ({ ticketType }: Choice) => (step === 1 ? ticketType === usual : ticketType === type)
  const changed = choices.filter(isGiven).at(-1)
  return changed ? { [changed.key]: step === 1 ? type : usual } : {}
}
