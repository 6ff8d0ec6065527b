import type { PriceList } from '@voelgoed/core/prices/price-list'
import { expect, it } from 'vitest'
import { modelOf } from '../../../map/test/encode-layout.ts'
import { type Reason, reasonOf } from './offer-reason.ts'
import { offerSeats } from './offer-seats.ts'

/** Rows A to E before a stage: A and B are gold, the others silver; and a balcony that is bronze. */
const seats = (rows: string, keyOf: (row: string) => string, y: number) =>
  [...rows].flatMap((row, at) =>
    Array.from({ length: 6 }, (_, x) => ({
      row,
      number: x + 1,
      coordinates: { x, y: y + at },
      price_category: keyOf(row),
    })),
  )
const model = modelOf({
  focal_point: { x: 2.5, y: -2 },
  zones: [
    {
      name: 'Stalls',
      zone_type: 'reserved_seating' as const,
      seats: seats('ABCDE', row => (row < 'C' ? 'gold' : 'silver'), 0),
    },
    { name: 'Balcony', zone_type: 'reserved_seating' as const, seats: seats('F', () => 'bronze', 12) },
  ],
})
const list: PriceList = {
  currency: 'ZAR',
  categories: [
    ['gold', 500_00],
    ['silver', 300_00],
    ['bronze', 100_00],
  ].map(([key, amount]) => ({
    key: String(key),
    name: String(key),
    colour: null,
    ticket_types: [{ key: 'adult', name: 'Adult', amount: Number(amount) }],
  })),
  zones: {},
  fees: [{ name: 'Fee', amount: 15_00, per: 'ticket' }],
  tax: null,
  admission: {},
}
const wish = { quantity: 2, isTogether: true, wheelchair: 0, companions: 0, zoneId: null, mostAmount: null }
const zones = [true, true]
const isFree = () => true

it('the reason for an offer is how one sees from there, and what costs less', () => {
  const best = offerSeats(model, isFree, wish, { zones, isAffordable: null })!
  const first = reasonOf(best, model, list, { isFree, wish, zones })
  expect(first.view?.side).toBe('middle')
  expect(first.cheaper).toMatchObject({ less: 400_00, rowsBack: 2, zone: 'Stalls' })
  const second: Reason = reasonOf(first.cheaper!.choice, model, list, { isFree, wish, zones })
  expect(second.cheaper).toMatchObject({ less: 400_00, rowsBack: null, zone: 'Balcony' })
  const third = reasonOf(second.cheaper!.choice, model, list, { isFree, wish, zones })
  expect(third.cheaper).toBe(null)
})

it('an event without prices has nothing that costs less', () => {
  const best = offerSeats(model, isFree, wish, { zones, isAffordable: null })!
  expect(reasonOf(best, model, null, { isFree, wish, zones }).cheaper).toBe(null)
})
