import { generateVenue } from '@voelgoed/core/layout/generate'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../../map/test/encode-layout.ts'
import type { FindWish } from './find-wish.ts'
import { offerSeats } from './offer-seats.ts'
import { lowestIn, pricesOf, schemeOf } from './price-scheme.ts'

const model = modelOf(generateVenue({ kind: 'theatre', seats: 400 }))
const zones = model.zones.map(() => true)
const wish: FindWish = {
  quantity: 3,
  isTogether: true,
  wheelchair: 0,
  companions: 0,
  zoneId: null,
  mostAmount: null,
}
const category = (key: string, amount: number) => ({
  key,
  name: key,
  colour: null,
  ticket_types: [{ key: 'adult', name: 'Adult', amount }],
})
const list: PriceList = {
  currency: 'ZAR',
  categories: model.priceCategories.map(({ key }, index) => category(key, 100_00 - index * 10_00)),
  zones: {},
  fees: [],
  tax: null,
  admission: {},
}

describe('seats that the page offers', () => {
  it('are side by side in one row, and free', () => {
    const offer = offerSeats(model, () => true, wish, { zones, prices: null })!
    expect(offer.together).toBe(true)
    const [cluster] = offer.clusters
    expect(cluster!.seats).toHaveLength(3)
    const taken = new Set(cluster!.seats)
    const next = offerSeats(model, ordinal => !taken.has(ordinal), wish, { zones, prices: null })!
    expect(next.clusters[0]!.seats.some(ordinal => taken.has(ordinal))).toBe(false)
  })

  it('are in sections that are open to the buyer, and in the one that they ask for', () => {
    const shut = offerSeats(model, () => true, wish, { zones: zones.map(() => false), prices: null })
    expect(shut).toBe(null)
    const last = model.zones.at(-1)!
    const there = offerSeats(model, () => true, { ...wish, zoneId: last.zoneId }, { zones, prices: null })!
    expect(there.clusters[0]!.zoneIndex).toBe(model.zones.length - 1)
  })

  it('cost no more than the buyer wants to pay', () => {
    const scheme = schemeOf(list, model)
    const cheapest = list.categories.length - 1
    const prices = pricesOf(scheme, model, new Set([cheapest]))
    expect(prices.filter(Boolean)).toHaveLength(1)
    const offer = offerSeats(model, () => true, wish, { zones, prices })
    const seats = offer?.clusters.flatMap(cluster => cluster.seats) ?? []
    for (const ordinal of seats) expect(model.priceOf[ordinal]).toBe(cheapest)
  })

  it('are none where nothing is free', () => {
    expect(offerSeats(model, () => false, wish, { zones, prices: null })).toBe(null)
  })
})

describe('what a section costs', () => {
  it('is the least of its seats', () => {
    const scheme = schemeOf(list, model)
    for (const [zoneIndex, { firstOrdinal, seatCount }] of model.zones.entries()) {
      const indices = [...model.priceOf.subarray(firstOrdinal, firstOrdinal + seatCount)]
      const least = Math.min(...indices.map(index => list.categories[index]!.ticket_types[0]!.amount))
      expect(lowestIn(list, scheme, model, zoneIndex)).toBe(least)
    }
  })

  it('is not known where no place has a price', () => {
    const without = { ...list, categories: [] }
    expect(lowestIn(without, schemeOf(without, model), model, 0)).toBe(null)
  })
})
