import { expect, it } from 'vitest'
import type { PriceList } from './price-list.ts'
import { wantedPrices } from './wanted-prices.ts'

const category = (key: string, amount: number) => ({
  key,
  name: key,
  colour: null,
  ticket_types: [
    { key: 'normal', name: 'Normal', amount },
    { key: 'child', name: 'Child', amount: 0 },
  ],
})
const list = {
  currency: 'ZAR',
  categories: [category('gold', 300), category('silver', 200)],
  zones: { circle: 'silver' },
} as unknown as PriceList
const hall = {
  zones: [
    { zoneId: 'stalls', pricingRuleId: null },
    { zoneId: 'circle', pricingRuleId: null },
    { zoneId: 'box', pricingRuleId: 'gold' },
  ],
  categories: ['silver', 'forgotten'],
}

it('is every seat without a wish', () => {
  expect(wantedPrices(list, hall, {})).toBeNull()
})

it('goes by the first type of ticket, of the seat’s own category, else of its zone', () => {
  expect(wantedPrices(list, hall, { mostAmount: 200 })).toEqual([
    [false, true, false],
    [true, true, false],
    [false, true, false],
  ])
  expect(wantedPrices(list, hall, { mostAmount: 299 })![2]![0]).toBe(false)
  expect(wantedPrices(list, hall, { mostAmount: 300 })![2]![0]).toBe(true)
})

it('of a category, goes by its key, also where the list has no such category, or there is no list', () => {
  expect(wantedPrices(list, hall, { category: 'silver' })!.map(ofZone => ofZone[0])).toEqual([
    false,
    true,
    false,
  ])
  expect(wantedPrices(list, hall, { category: 'forgotten' })![0]).toEqual([false, false, true])
  expect(wantedPrices(null, hall, { category: 'silver' })![1]).toEqual([false, true, false])
  expect(wantedPrices(list, hall, { category: 'silver', mostAmount: 199 })!.flat()).not.toContain(true)
})
