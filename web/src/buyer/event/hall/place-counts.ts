import { MOST_CHOICES } from '../cart/choices.ts'

/** Fits what a buyer asks for of each type of ticket into what there is. */
export function fitCounts(asked: readonly number[], most: number): number[] {
  let left = most
  return asked.map(count => {
    const fits = Math.max(0, Math.min(count, left))
    left -= fits
    return fits
  })
}

/**
 * Returns how many places one type of ticket may have beside the others. Places of a hold have a type each up
 * to a number; more of them have one type together (choices.ts).
 */
export function mostOfType(counts: readonly number[], index: number, most: number): number {
  const others = counts.reduce((sum, count, at) => (at === index ? sum : sum + count), 0)
  return others === 0 ? most : Math.max(0, Math.min(most, MOST_CHOICES) - others)
}

/** The keys under which the types of these places are kept; none where all have the usual type. */
export function typesOfPlaces(
  hold: { readonly hold_id: string; readonly quantity: number },
  counts: readonly number[],
  types: readonly { readonly key: string }[],
): Record<string, string> {
  if (types.length < 2) return {}
  const wanted = counts.flatMap((count, index) => Array.from({ length: count }, () => types[index]!.key))
  if (wanted.every(key => key === types[0]?.key)) return {}
  if (hold.quantity === 1 || hold.quantity > MOST_CHOICES) return { [`${hold.hold_id} all`]: wanted[0]! }
  return Object.fromEntries(wanted.map((key, at) => [`${hold.hold_id} ${at + 1}`, key]))
}
