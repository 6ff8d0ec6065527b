import { describe, expect, it } from 'vitest'
import { changedAmounts } from './changed-amounts.ts'
import { checkPrices } from './check-prices.ts'
import { HALL, PIT, PRICES, STALLS } from './fixtures/prices.ts'
import type { PriceList } from './price-list.ts'
import { pricesWarnings, type ZoneToPrice } from './unpriced.ts'

const checked = checkPrices(PRICES, HALL)
if (!checked.ok) throw new Error(JSON.stringify(checked.problem))
const list: PriceList = checked.value

const stalls: ZoneToPrice = {
  zoneId: STALLS as ZoneToPrice['zoneId'],
  name: 'Stalls',
  zoneType: 'reserved_seating',
  pricingRuleId: null,
  disabled: false,
  seatCategories: ['gold'],
}
const pit: ZoneToPrice = {
  ...stalls,
  zoneId: PIT as ZoneToPrice['zoneId'],
  name: 'Pit',
  zoneType: 'ga_standing',
  seatCategories: [],
}

const warnings = (zones: readonly ZoneToPrice[], prices: PriceList | null = list, event = HALL) =>
  pricesWarnings(prices, zones, event).map(({ path, code }) => `${path} ${code}`)

describe('what has no price', () => {
  it('is told: zones, and categories of the layout that the list has not', () => {
    expect(warnings([stalls, pit])).toEqual([])
    expect(warnings([{ ...stalls, seatCategories: ['gold', 'silver', null] }, pit])).toEqual([
      `/zones/${STALLS} zone_not_priced`,
      '/categories category_not_priced',
    ])
    expect(warnings([stalls, { ...pit, zoneId: STALLS as ZoneToPrice['zoneId'] }])).toEqual([
      `/zones/${STALLS} zone_not_priced`,
    ])
  })

  it('does not matter in a zone that is not sold', () => {
    expect(warnings([{ ...stalls, seatCategories: [null], disabled: true }])).toEqual([])
  })

  it('is everything while there is no list, or an empty one', () => {
    expect(warnings([stalls], null)).toEqual([' not_priced'])
    expect(warnings([stalls], { ...list, categories: [] })).toEqual([' not_priced'])
  })

  it('comes with what the list names and the event no longer has', () => {
    expect(warnings([stalls], list, { ...HALL, zones: [], layoutCategories: ['gold'] })).toEqual([
      `/zones/${PIT} unknown_zone`,
    ])
  })
})

describe('what a gateway does not take', () => {
  const withTax = (included: boolean): PriceList => ({
    ...list,
    currency: 'KWD',
    categories: [{ ...list.categories[0]!, ticket_types: [{ key: 'a', name: 'A', amount: 5_124 }] }],
    fees: [
      { name: 'Booking', amount: 250, per: 'ticket' },
      { name: 'Postage', amount: 255, per: 'order' },
    ],
    tax: { name: 'VAT', percent: 5, included },
    zones: {},
  })
  const told = (prices: PriceList, step: number) =>
    pricesWarnings(prices, [stalls], HALL, step)
      .filter(({ code }) => code === 'amount_not_payable')
      .map(({ path }) => path)

  it('is told: amounts between its steps, and a tax that makes totals between them', () => {
    expect(told(withTax(false), 10)).toEqual([
      '/categories/0/ticket_types/0/amount',
      '/fees/1/amount',
      '/tax/included',
    ])
    expect(told(withTax(true), 10)).toEqual(['/categories/0/ticket_types/0/amount', '/fees/1/amount'])
    expect(told(withTax(false), 1)).toEqual([])
  })
})

describe('for the audit', () => {
  it('amounts that changed stand with what they were, at most fifty of them', () => {
    const dearer = { ...list, fees: [{ name: 'Booking fee', amount: 2_000, per: 'ticket' as const }] }
    expect(changedAmounts(list, list)).toEqual({})
    expect(changedAmounts(list, dearer)).toEqual({
      amounts: [
        { what: 'Booking fee, per ticket', before: 1_500, after: 2_000 },
        { what: 'Postage, per order', before: 5_000, after: null },
      ],
    })
    const ticket_types = Array.from({ length: 60 }, (_, key) => ({ key: `${key}`, name: 'A', amount: 1 }))
    const long = { ...list, fees: [], categories: [{ ...list.categories[0]!, ticket_types }] }
    expect(changedAmounts(null, long)).toMatchObject({ more_amounts: 10, amounts: { length: 50 } })
  })
})
