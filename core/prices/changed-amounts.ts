import type { PriceList } from './price-list.ts'

/** The audit shows so many of them; how many more there are is counted. */
const MOST_SHOWN = 50

/** Returns what tickets and fees cost before and after; null: there was no such ticket or fee. */
export function changedAmounts(before: PriceList | null, after: PriceList): Record<string, unknown> {
  const old = amountsOf(before)
  const next = amountsOf(after)
  const changed = [...new Set([...old.keys(), ...next.keys()])].filter(
    what => old.get(what) !== next.get(what),
  )
  const shown = changed
    .slice(0, MOST_SHOWN)
    .map(what => ({ what, before: old.get(what) ?? null, after: next.get(what) ?? null }))
  return {
    ...(shown.length > 0 && { amounts: shown }),
    ...(changed.length > MOST_SHOWN && { more_amounts: changed.length - MOST_SHOWN }),
  }
}

function amountsOf(list: PriceList | null): Map<string, number> {
  return new Map([
    ...(list?.categories ?? []).flatMap(({ key, ticket_types }) =>
      ticket_types.map(type => [`${key}, ${type.key}`, type.amount] as const),
    ),
    ...(list?.fees ?? []).map(fee => [`${fee.name}, per ${fee.per}`, fee.amount] as const),
  ])
}
