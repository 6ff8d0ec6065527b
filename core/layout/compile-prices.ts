import { checkText } from './check-text.ts'
import type { LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS, type LayoutConfig, type PriceCategory, type Seat } from './model.ts'

type PriceCategoryConfig = NonNullable<LayoutConfig['price_categories']>[number]

export function compilePriceCategories(
  faults: LayoutFaults,
  given: readonly PriceCategoryConfig[],
): PriceCategory[] {
  const firstIndex = new Map<string, number>()
  return given.map(({ key, label, color }, index) => {
    const path = `/price_categories/${index}`
    checkText(faults, `${path}/key`, key, LAYOUT_LIMITS.labelLength)
    if (label !== undefined) checkText(faults, `${path}/label`, label, LAYOUT_LIMITS.nameLength)
    if (color != null) checkText(faults, `${path}/color`, color, LAYOUT_LIMITS.labelLength)

    const earlier = firstIndex.get(key)
    if (earlier === undefined) firstIndex.set(key, index)
    else {
      const message = `Give this a key of its own: /price_categories/${earlier} has the same.`
      faults.add(`${path}/key`, 'duplicate_price_category', message)
    }
    return { key, label: label ?? key, color: color ?? null }
  })
}

/** When none are listed: the keys that the seats use, in order of first appearance. */
export function derivePriceCategories(faults: LayoutFaults, seats: readonly Seat[]): PriceCategory[] {
  const keys = new Set<string>()
  for (const { priceCategory } of seats) if (priceCategory !== null) keys.add(priceCategory)
  if (keys.size > LAYOUT_LIMITS.priceCategories) {
    const message = `Use at most ${LAYOUT_LIMITS.priceCategories} price categories; the seats name ${keys.size}.`
    faults.add('/price_categories', 'too_many_price_categories', message)
  }
  return Array.from(keys, key => ({ key, label: key, color: null }))
}
