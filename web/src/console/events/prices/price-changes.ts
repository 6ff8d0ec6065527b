import type { PriceList } from '@voelgoed/core/prices/price-list'

/** Buyers notice this difference between two lists. */
export type PriceChange =
  | {
      readonly kind: 'amount'
      readonly category: string
      readonly type: string
      readonly before: number | null
      readonly after: number | null
    }
  | { readonly kind: 'fee' | 'tax' | 'currency' | 'zone' | 'category'; readonly name: string }

type Listed = Omit<PriceList, 'currency' | 'admission'> & { readonly currency: string | null }

export function priceChanges(before: Listed, after: Listed): readonly PriceChange[] {
  const changes: PriceChange[] = []
  if (before.currency !== null && before.currency !== after.currency) {
    changes.push({ kind: 'currency', name: after.currency ?? '' })
  }
  const old = amountsOf(before)
  const now = amountsOf(after)
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const was = old.get(key)
    const is = now.get(key)
    if (was?.amount === is?.amount) continue
    const { category, type } = (is ?? was)!
    changes.push({ kind: 'amount', category, type, before: was?.amount ?? null, after: is?.amount ?? null })
  }
  for (const { key, name, colour } of after.categories) {
    const was = before.categories.find(candidate => candidate.key === key)
    if (was && (was.name !== name || was.colour !== colour)) changes.push({ kind: 'category', name })
  }
  for (const [key, { name }] of namesOf(after)) {
    const was = namesOf(before).get(key)
    if (was && was.name !== name) changes.push({ kind: 'category', name })
  }
  const zones = new Set([...Object.keys(before.zones), ...Object.keys(after.zones)])
  for (const zone of zones) {
    if (before.zones[zone] !== after.zones[zone]) changes.push({ kind: 'zone', name: zone })
  }
  if (feesOf(before) !== feesOf(after)) changes.push({ kind: 'fee', name: '' })
  if (taxOf(before) !== taxOf(after)) changes.push({ kind: 'tax', name: '' })
  return changes
}

/** The server keeps no order of keys, so they are compared by their values. */
const feesOf = ({ fees }: Listed) => JSON.stringify(fees.map(({ name, amount, per }) => [name, amount, per]))
const taxOf = ({ tax }: Listed) => JSON.stringify(tax && [tax.name, tax.percent, tax.included])

function amountsOf({ categories }: Listed) {
  return new Map(
    categories.flatMap(({ key, name, ticket_types }) =>
      ticket_types.map(
        type => [`${key}\n${type.key}`, { category: name, type: type.name, amount: type.amount }] as const,
      ),
    ),
  )
}

/** Maps the key of each ticket type to its name and note. */
function namesOf({ categories }: Listed) {
  return new Map(
    categories.flatMap(({ ticket_types }) =>
      ticket_types.map(
        ({ key, name, note }) => [key, { name: note === undefined ? name : `${name}, ${note}` }] as const,
      ),
    ),
  )
}
