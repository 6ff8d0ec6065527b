import type { ProblemMembers } from '@voelgoed/client'
import type { FoundPart } from '../../../kit/words/en.ts'
import type { BestAvailable, Explanation } from '../cart/holdings.svelte.ts'

/** A buyer asks the search for this. `quantity` counts all tickets. */
export interface FindWish {
  readonly quantity: number
  readonly isTogether: boolean
  readonly wheelchair: number
  readonly companions: number
  /** Null: anywhere. */
  readonly zoneId: string | null
  /** A seat may cost at most this, as the first type of ticket; null: anything. */
  readonly mostAmount: number | null
}

/** The server takes no larger wish. */
const MOST_SEATS = 100

/** Returns how many more seats a buyer may ask for. */
export function allowanceOf(limit: number | null, held: number): number {
  return Math.min(MOST_SEATS, limit === null ? MOST_SEATS : Math.max(0, limit - held))
}

/** The same wish within what is possible: first the seats, then the wheelchair places among them. */
export function fitWish(wish: FindWish, allowance: number): FindWish {
  const quantity = Math.max(1, Math.min(wish.quantity, allowance))
  const wheelchair = Math.max(0, Math.min(wish.wheelchair, quantity))
  const room = wheelchair === 0 ? 0 : quantity - wheelchair
  return { ...wish, quantity, wheelchair, companions: Math.max(0, Math.min(wish.companions, room)) }
}

export function wishBody(wish: FindWish): BestAvailable {
  const { quantity, isTogether, wheelchair, companions, zoneId, mostAmount } = wish
  return {
    quantity,
    together: isTogether ? 'required' : 'preferred',
    ...(zoneId !== null && { zone_id: zoneId }),
    ...(mostAmount !== null && { max_amount: mostAmount }),
    ...(wheelchair > 0 && { accessible: { wheelchair, companions } }),
  }
}

export type Alternative =
  | { readonly kind: 'fewer'; readonly quantity: number }
  | { readonly kind: 'apart' }
  | { readonly kind: 'any_price' }
  | { readonly kind: 'zone'; readonly zoneId: string }

/** Returns what the server offers instead, as far as the page knows it. */
export function alternativesOf({ alternatives }: ProblemMembers<'no_suitable_seats'>): Alternative[] {
  return alternatives.flatMap((one): Alternative[] => {
    if (one.kind === 'fewer' || one.kind === 'apart' || one.kind === 'any_price') return [one]
    if (one.kind === 'zone') return [{ kind: 'zone', zoneId: one.zone_id }]
    return []
  })
}

export function withAlternative(wish: FindWish, alternative: Alternative): FindWish {
  if (alternative.kind === 'fewer') return fitWish({ ...wish, quantity: alternative.quantity }, MOST_SEATS)
  if (alternative.kind === 'apart') return { ...wish, isTogether: false }
  if (alternative.kind === 'any_price') return { ...wish, mostAmount: null }
  return { ...wish, zoneId: alternative.zoneId }
}

/** Where the seats are, row by row. A label is `row-number`. */
export function partsOf({ clusters }: Explanation): FoundPart[] {
  return clusters.map(({ zone_name: zone, row, labels }) => ({
    zone,
    row,
    numbers: labels.map(label => label.slice(row.length + 1)),
  }))
}
