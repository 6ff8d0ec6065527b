import { expect, it } from 'vitest'
import { priceChanges } from './price-changes.ts'

const LIST = {
  currency: 'ZAR',
  categories: [],
  zones: {},
  fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' as const }],
  tax: { name: 'VAT', percent: 15, included: true },
}

it('the same list with its keys in another order is no change', () => {
  const other = {
    ...LIST,
    fees: [{ per: 'ticket' as const, name: 'Booking fee', amount: 1_500 }],
    tax: { percent: 15, included: true, name: 'VAT' },
  }
  expect(priceChanges(LIST, other)).toEqual([])
})

it('a fee and a tax that are others are changes', () => {
  const fees = [{ name: 'Booking fee', amount: 2_000, per: 'ticket' as const }]
  const tax = { name: 'VAT', percent: 15, included: false }
  expect(priceChanges(LIST, { ...LIST, fees, tax }).map(({ kind }) => kind)).toEqual(['fee', 'tax'])
  expect(priceChanges(LIST, { ...LIST, tax: null }).map(({ kind }) => kind)).toEqual(['tax'])
})
