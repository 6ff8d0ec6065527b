import type { PriceList } from '@voelgoed/core/prices/price-list'
import { describe, expect, it } from 'vitest'
import type { MapModel } from '../../map/index.ts'
import { categoryAt, counterAmount } from './counter-places.ts'

const zone = (zoneId: string, pricingRuleId: string | null = null) => ({
  zoneId,
  pricingRuleId,
  name: zoneId,
})
const model = {
  zones: [zone('stalls'), zone('pit'), zone('lawn', 'gold')],
  priceOf: Int32Array.from([0, -1]),
  priceCategories: [{ key: 'gold', label: 'Gold', color: null }],
} as unknown as MapModel
const types = (amount: number) => [
  { key: 'adult', name: 'Adult', amount },
  { key: 'child', name: 'Child', amount: amount / 2 },
]
const list: PriceList = {
  currency: 'ZAR',
  categories: [
    { key: 'gold', name: 'Gold', colour: null, ticket_types: types(20_000) },
    { key: 'plain', name: 'Plain', colour: null, ticket_types: types(10_000) },
  ],
  zones: { stalls: 'plain', pit: 'plain' },
  fees: [{ name: 'Online', amount: 500, per: 'ticket' }],
  tax: { name: 'VAT', percent: 15, included: false },
  admission: {},
}

describe('at the counter', () => {
  it('a place has the category that it is sold in online', () => {
    const key = (ordinal: number | null, zoneIndex: number) =>
      categoryAt(list, model, { ordinal, zoneIndex })?.key
    expect([key(0, 0), key(1, 0), key(null, 1), key(null, 2)]).toEqual(['gold', 'plain', 'plain', 'gold'])
    expect(categoryAt(null, model, { ordinal: 0, zoneIndex: 0 })).toBe(null)
  })

  it('it costs its ticket type and the tax on top, without fees', () => {
    const [gold] = list.categories
    expect(counterAmount(list, gold!, 'adult')).toBe(23_000)
    expect(counterAmount(list, gold!, 'child')).toBe(11_500)
    expect(counterAmount(list, gold!, 'unknown')).toBe(null)
    expect(counterAmount(list, null, 'adult')).toBe(null)
  })
})
