import { describe, expect, it } from 'vitest'
import { bestAvailable } from './best-available.ts'
import { judgeCart } from './cart-rule.ts'
import { explain } from './explain.ts'
import { drawnHall, wishFor } from './fixtures/drawn-hall.ts'

/** The cart as capital letters in the drawing. */
function judge(drawing: string, maxSeats = 10) {
  const { hall, seats, nameOf } = drawnHall(drawing.replaceAll('O', 'o'))
  const characters = [...drawing].filter(character => /[oxwcrO]/.test(character))
  const cart = characters.flatMap((character, ordinal) => (character === 'O' ? [ordinal] : []))
  const judged = judgeCart(seats, cart, { wish: wishFor(cart.length), accessible: null, maxSeats })
  const names = (ordinals: readonly number[]) =>
    ordinals.map(ordinal => nameOf(hall.rows.positions[ordinal]!)).join(' ')
  return {
    stranded: names(judged.stranded),
    excuse: judged.excuse,
    alternatives: judged.alternatives.map(({ change, seats: chosen }) => `${change} ${names(chosen)}`),
  }
}

describe('a cart', () => {
  it('strands no seat that has a free neighbour, or has none of the cart beside it', () => {
    expect(judge('OOoox').stranded).toBe('')
    expect(judge('OOxox').stranded).toBe('')
    expect(judge('OO o').stranded).toBe('')
  })

  it('strands the seat between two parts of it once', () => {
    expect(judge('OoOxx').stranded).toBe('A2')
  })

  it('strands no wheelchair place', () => {
    expect(judge('OOwx').stranded).toBe('')
  })

  it('says what could be taken instead: one more, along the row, another row', () => {
    expect(judge('oOOoo\nooooo')).toEqual({
      stranded: 'A1',
      excuse: null,
      alternatives: ['add A1 A2 A3', 'shift A1 A2', 'move B1 B2'],
    })
  })

  it('does not add seats beyond the limit of a booking', () => {
    expect(judge('oOOoo\nooooo', 2).alternatives).toEqual(['shift A1 A2', 'move B1 B2'])
  })

  it('is excused where a tenth of the row, or less, was free', () => {
    expect(judge(`${'x'.repeat(9)}OO${'x'.repeat(8)}o`).excuse).toBeNull()
    expect(judge(`${'x'.repeat(27)}OOo\noooo`)).toMatchObject({ stranded: 'A30', excuse: 'row_nearly_full' })
    expect(judge(`${'x'.repeat(26)}OOo\noooo`)).toMatchObject({ stranded: 'A29', excuse: null })
  })

  it('is excused where nothing else would be better', () => {
    expect(judge('xoOOxxxx')).toMatchObject({
      stranded: 'A2',
      excuse: 'last_resort',
      alternatives: ['add A2 A3 A4'],
    })
  })
})

describe('the explanation', () => {
  it.each([
    ['oooo', 4, '4 seats together in row A'],
    ['ox', 1, '1 seat in row A'],
    ['oooo\nxoxx', 5, '4 seats together in row A, 1 in row B, directly behind'],
    ['ooxx\nxxxx\noooo', 6, '4 seats together in row C, 2 in row A, 2 rows in front'],
    ['ooxoo', 4, '2 seats together in row A, 2 in row A, a few seats along'],
  ])('%s', (drawing, quantity, sentence) => {
    const { hall, seats } = drawnHall(drawing)
    expect(explain(hall, bestAvailable(seats, wishFor(quantity))!).sentence).toBe(sentence)
  })
})
