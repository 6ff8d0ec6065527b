import { quoted } from '../layout/check-text.ts'
import { FaultList } from '../layout/faults.ts'
import { hasSeats, type LayoutFault } from '../layout/model.ts'
import type { EventZone } from '../layout/overlay.ts'
import { checkPrices, type EventToPrice } from './check-prices.ts'
import { categoryOf, type PriceList } from './price-list.ts'

type Code = 'not_priced' | 'category_not_priced' | 'zone_not_priced' | 'amount_not_payable'

/** A zone of an event, and which price categories its seats have in the layout; null: some have none. */
export interface ZoneToPrice extends Pick<EventZone, 'zoneId' | 'name' | 'zoneType' | 'pricingRuleId'> {
  readonly disabled: boolean
  readonly seatCategories: readonly (string | null)[]
}

/**
 * Returns what an organizer should know of a list that is in force: places that the event sells and that have
 * no price, amounts that the gateway does not take (`amountStep`: it takes multiples of this), and what the
 * list names that the event no longer has, since its layout or overlay changed.
 */
export function pricesWarnings(
  list: PriceList | null,
  zones: readonly ZoneToPrice[],
  event: EventToPrice,
  amountStep = 1,
): LayoutFault[] {
  const faults = new FaultList<Code>()
  if (!list || list.categories.length === 0) {
    faults.add('', 'not_priced', 'The event has no prices: its places can be held, but not paid for here.')
    return faults.list()
  }
  const missing = new Set<string>()
  for (const zone of zones) {
    if (zone.disabled) continue
    const own = hasSeats(zone.zoneType) ? zone.seatCategories : [null]
    for (const ownCategory of own) {
      if (categoryOf(list, { ...zone, ownCategory })) continue
      if (ownCategory !== null) missing.add(ownCategory)
      else faults.add(`/zones/${zone.zoneId}`, 'zone_not_priced', `${zone.name} has places without a price.`)
    }
  }
  for (const key of missing) {
    const message = `The layout has seats of the price category ${quoted(key)}, which the list has not.`
    faults.add('/categories', 'category_not_priced', message)
  }
  warnOfAmounts(faults, list, amountStep)
  const checked = checkPrices(list, event)
  return checked.ok ? faults.list() : [...faults.list(), ...checked.problem]
}

/** Counts the places that the event sells and that have no price, with the names of their zones. */
export function unpricedPlaces(
  list: PriceList | null,
  zones: readonly (ZoneToPrice & {
    readonly capacity: number
    /** So many seats of each of `seatCategories`, in that order. */
    readonly seatCounts: readonly number[]
  })[],
): { readonly places: number; readonly zones: readonly string[] } {
  const found = zones
    .filter(({ disabled }) => !disabled)
    .map(zone => {
      const isPriced = (ownCategory: string | null) => list && categoryOf(list, { ...zone, ownCategory })
      if (!hasSeats(zone.zoneType)) return { name: zone.name, places: isPriced(null) ? 0 : zone.capacity }
      const counts = zone.seatCategories.map((own, at) => (isPriced(own) ? 0 : (zone.seatCounts[at] ?? 0)))
      return { name: zone.name, places: counts.reduce((sum, count) => sum + count, 0) }
    })
    .filter(({ places }) => places > 0)
  return { places: found.reduce((sum, { places }) => sum + places, 0), zones: found.map(({ name }) => name) }
}

function warnOfAmounts(faults: FaultList<Code>, list: PriceList, step: number): void {
  if (step === 1) return
  const only = `multiples of ${step} minor units of ${list.currency} only`
  const warn = (path: string, amount: number) => {
    if (amount % step === 0) return
    faults.add(path, 'amount_not_payable', `${amount} can't be paid by card: the gateway takes ${only}.`)
  }
  for (const [category, { ticket_types }] of list.categories.entries()) {
    for (const [type, { amount }] of ticket_types.entries()) {
      warn(`/categories/${category}/ticket_types/${type}/amount`, amount)
    }
  }
  for (const [fee, { amount }] of list.fees.entries()) warn(`/fees/${fee}/amount`, amount)
  if (list.tax && !list.tax.included && list.tax.percent > 0) {
    const message = `A tax on top makes totals that can't be paid by card: the gateway takes ${only}.`
    faults.add('/tax/included', 'amount_not_payable', message)
  }
}
