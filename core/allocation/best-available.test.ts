import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestAvailable } from './best-available.ts'
import { stretchesOf } from './find-group.ts'
import { bestOfAllWays, rankOf } from './fixtures/all-ways.ts'
import { drawnHall, wishFor } from './fixtures/drawn-hall.ts'
import type { Wish } from './wish.ts'

function find(drawing: string, quantity: number, more: Partial<Wish> = {}) {
  const { seats, nameOf } = drawnHall(drawing)
  const offer = bestAvailable(seats, wishFor(quantity, more))
  if (offer === null) return null
  return {
    seats: offer.clusters.map(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => nameOf(start + index)).join(' '),
    ),
    stranded: offer.stranded.map(nameOf),
    isLastResort: offer.isLastResort,
  }
}

describe('best available', () => {
  it.each<
    [
      what: string,
      drawing: string,
      quantity: number,
      seats: string[],
      stranded: string[],
      more?: Partial<Wish>,
    ]
  >([
    ["the specification's example", 'oxooxoooxo', 2, ['A3 A4'], []],
    ['the best single seat that leaves none alone', 'oxooxoooxo', 1, ['A6'], []],
    ['the middle of the front', 'ooooooooo\nooooooooo', 3, ['A4 A5 A6'], []],
    ['not the middle, where that would leave one alone', 'oooooo', 4, ['A1 A2 A3 A4'], []],
    ['behind, before it strands a seat', 'ooox\nxoox', 2, ['B2 B3'], []],
    ['split, before it strands a seat', 'ooxoo\nooxoo', 4, ['A1 A2', 'A4 A5'], []],
    ['an aisle parts neighbours', 'oo oo', 3, ['A1 A2', 'A4'], ['A5']],
    [
      'together and one stranded, where it must be together',
      'ooooo x',
      4,
      ['A2 A3 A4 A5'],
      ['A1'],
      { together: true },
    ],
    ['a wheelchair place is not offered', 'woo', 2, ['A2 A3'], []],
    ['a restricted view last', 'rrr\nooo', 2, ['B1 B2'], ['B3'], { together: true }],
  ])('%s', (_, drawing, quantity, expected, stranded, more) => {
    expect(find(drawing, quantity, more)).toEqual({
      seats: expected,
      stranded,
      isLastResort: stranded.length > 0,
    })
  })

  it('finds nothing where a group would sit farther apart than allowed', () => {
    expect(find('ooxxxxxxxxoo', 4)).toBeNull()
    expect(find('oo\nxx\nxx\nxx\noo', 4)).toBeNull()
    expect(find('oo\nxx\noo', 4, { together: true })).toBeNull()
  })

  const halls = fc
    .array(
      fc.string({
        unit: fc.constantFrom('o', 'o', 'o', 'x', 'x', ' ', 'w', 'r'),
        minLength: 1,
        maxLength: 6,
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map(lines => lines.join('\n'))
    .filter(drawing => /[oxwr]/.test(drawing))

  it('is the best of all ways, however the hall is filled', () => {
    fc.assert(
      fc.property(
        halls,
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 3 }),
        (drawing, quantity, together, maxSplit) => {
          const { seats } = drawnHall(drawing)
          const wish = wishFor(quantity, { together, maxSplit })
          const offer = bestAvailable(seats, wish)
          const positions = offer?.clusters
            .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index))
            .sort((a, b) => a - b)
          const rank = positions ? rankOf(seats, wish, stretchesOf(seats.hall, positions)) : null
          expect(rank).toEqual(bestOfAllWays(seats, wish))
          expect(bestAvailable(seats, wish)).toEqual(offer)
        },
      ),
      { seed: 20_260_801, numRuns: 1_500 },
    )
  })
})
