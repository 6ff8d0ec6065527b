import { generateVenue } from '@voelgoed/core/layout/generate'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { describe, expect, it } from 'vitest'
import { lowestIn, schemeOf } from '../../../map/document/price-scheme.ts'
import { modelOf } from '../../../map/test/encode-layout.ts'
import { isAtMost } from '../hall/prices.ts'
import type { FindWish } from './find-wish.ts'
import { offerSeats } from './offer-seats.ts'

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

/** A row in each section, and no seat with a price category of its own. */
function rowsOf(sections: Readonly<Record<string, number>>) {
  const zones = Object.entries(sections).map(([name, count], y) => ({
    name,
    zone_type: 'reserved_seating' as const,
    seats: Array.from({ length: count }, (_, x) => ({ row: 'A', number: x + 1, coordinates: { x, y } })),
  }))
  return modelOf({ zones })
}

const seatsOf = (offer: ReturnType<typeof offerSeats>) =>
  offer?.clusters.flatMap(cluster => cluster.seats) ?? []

describe('seats that the page offers', () => {
  it('are side by side in one row, and free', () => {
    const offer = offerSeats(model, () => true, wish, { zones, isAffordable: null })!
    expect(offer.together).toBe(true)
    const [cluster] = offer.clusters
    expect(cluster!.seats).toHaveLength(3)
    const taken = new Set(cluster!.seats)
    const next = offerSeats(model, ordinal => !taken.has(ordinal), wish, { zones, isAffordable: null })!
    expect(next.clusters[0]!.seats.some(ordinal => taken.has(ordinal))).toBe(false)
  })

  it('are in sections that are open to the buyer, and in the one that they ask for', () => {
    const shut = offerSeats(model, () => true, wish, { zones: zones.map(() => false), isAffordable: null })
    expect(shut).toBe(null)
    const last = model.zones.at(-1)!
    const there = offerSeats(
      model,
      () => true,
      { ...wish, zoneId: last.zoneId },
      { zones, isAffordable: null },
    )!
    expect(there.clusters[0]!.zoneIndex).toBe(model.zones.length - 1)
  })

  it('cost no more than the buyer wants to pay', () => {
    // Each category of the list costs less than the one before it.
    const isAffordable = isAtMost(list, model, list.categories[1]!.ticket_types[0]!.amount)
    const seats = seatsOf(offerSeats(model, () => true, wish, { zones, isAffordable }))
    expect(seats).toHaveLength(3)
    for (const ordinal of seats) expect(model.priceOf[ordinal]).toBeGreaterThanOrEqual(1)
  })

  it('cost no more where prices are those of sections', () => {
    const plain = rowsOf({ Front: 6, Back: 6 })
    const [front, back] = plain.zones
    const bySection: PriceList = {
      ...list,
      categories: [category('front', 90_00), category('back', 50_00)],
      zones: { [front!.zoneId]: 'front', [back!.zoneId]: 'back' },
    }
    const offer = (most: number) => {
      const limits = { zones: [true, true], isAffordable: isAtMost(bySection, plain, most) }
      return seatsOf(offerSeats(plain, () => true, wish, limits)).map(ordinal => plain.zoneOf[ordinal])
    }
    expect(offer(90_00)).toEqual([0, 0, 0])
    expect(offer(50_00)).toEqual([1, 1, 1])
    expect(offer(49_99)).toEqual([])
  })

  it('leave no seat alone that is too dear for the buyer', () => {
    // One row: five cheap seats, one that is dear, and the end of the row.
    const dear = 5
    const row = rowsOf({ Stalls: 6 })
    const limits = { zones: [true], isAffordable: (ordinal: number) => ordinal !== dear }
    const seats = seatsOf(offerSeats(row, () => true, { ...wish, quantity: 4 }, limits))
    expect(seats).toHaveLength(4)
    expect(seats).not.toContain(dear - 1)
  })

  it('are none where nothing is free', () => {
    expect(offerSeats(model, () => false, wish, { zones, isAffordable: null })).toBe(null)
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
