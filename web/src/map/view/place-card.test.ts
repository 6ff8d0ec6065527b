import fc from 'fast-check'
import { expect, it } from 'vitest'
import { placeCard } from './place-card.ts'

const MAP = { width: 390, height: 500 }
const CARD = { width: 200, height: 90 }

it('stands above its seat and points at it', () => {
  expect(placeCard({ x: 195, y: 300, radius: 14 }, CARD, MAP)).toEqual({
    left: 95,
    top: 186,
    side: 'above',
    pointer: 100,
  })
})

it('goes below a seat at the upper edge, and beside one that has room neither above nor below', () => {
  expect(placeCard({ x: 195, y: 40, radius: 14 }, CARD, MAP).side).toBe('below')
  const low = { width: 390, height: 150 }
  expect(placeCard({ x: 60, y: 75, radius: 14 }, CARD, low)).toMatchObject({ side: 'aside', left: 84 })
})

it('is never cut at an edge and, where the map has room, never covers the seat it is about', () => {
  fc.assert(
    fc.property(
      fc.record({
        x: fc.integer({ min: 0, max: 844 }),
        y: fc.integer({ min: 0, max: 500 }),
        radius: fc.integer({ min: 5, max: 28 }),
      }),
      fc.record({ width: fc.integer({ min: 40, max: 280 }), height: fc.integer({ min: 24, max: 120 }) }),
      fc.record({ width: fc.integer({ min: 320, max: 844 }), height: fc.integer({ min: 160, max: 600 }) }),
      (place, card, map) => {
        const seat = { ...place, x: Math.min(place.x, map.width), y: Math.min(place.y, map.height) }
        const { left, top, side, pointer } = placeCard(seat, card, map)
        expect(left).toBeGreaterThanOrEqual(0)
        expect(top).toBeGreaterThanOrEqual(0)
        expect(left + card.width).toBeLessThanOrEqual(map.width)
        expect(top + card.height).toBeLessThanOrEqual(map.height)
        if (side === 'above') expect(top + card.height).toBeLessThanOrEqual(seat.y - seat.radius)
        if (side === 'below') expect(top).toBeGreaterThanOrEqual(seat.y + seat.radius)
        expect(pointer).toBeGreaterThanOrEqual(0)
        expect(pointer).toBeLessThanOrEqual(card.width)
      },
    ),
  )
})
