import type { Category } from '@voelgoed/core/prices/price-list'
import { describe, expect, it } from 'vitest'
import { changeCount, choicesOf } from './choices.ts'
import type { MyHold } from './holdings.svelte.ts'

const gold: Category = {
  key: 'gold',
  name: 'Gold',
  colour: null,
  ticket_types: [
    { key: 'adult', name: 'Adult', amount: 800 },
    { key: 'child', name: 'Child', amount: 400 },
    { key: 'senior', name: 'Senior', amount: 600 },
  ],
}
const seat = (number: number) =>
  ({ hold_id: `h${number}`, seat_id: `s${number}`, seat_number: number }) as unknown as MyHold
const places = (quantity: number) => ({ hold_id: 'pit', quantity }) as unknown as MyHold
const types = (holds: MyHold[], chosen: Record<string, string>) =>
  choicesOf(
    holds,
    () => gold,
    key => chosen[key],
  )

describe('ticket types', () => {
  it('are the first of the category until another is chosen, and unknown ones count as none', () => {
    const chosen = types([seat(1), seat(2), seat(3)], { s2: 'child', s3: 'gone' })
    expect(chosen.map(({ ticketType }) => ticketType)).toEqual(['adult', 'child', 'adult'])
  })

  it('of places without numbers are one each, up to ten; of more one for all', () => {
    const three = types([places(3)], { 'pit 2': 'senior' })
    expect(three.map(({ key, place, quantity, ticketType }) => [key, place, quantity, ticketType])).toEqual([
      ['pit 1', 1, 1, 'adult'],
      ['pit 2', 2, 1, 'senior'],
      ['pit 3', 3, 1, 'adult'],
    ])
    expect(types([places(11)], {}).map(({ key, quantity }) => [key, quantity])).toEqual([['pit all', 11]])
  })

  it('are one more and one fewer: a ticket comes from the first type and goes back to it', () => {
    const chosen: Record<string, string> = {}
    const count = (step: 1 | -1, type: string) => {
      const changed = changeCount(types([seat(1), seat(2)], chosen), type, step)
      Object.assign(chosen, changed)
      return changed
    }
    expect(count(1, 'child')).toEqual({ s2: 'child' })
    expect(count(1, 'senior')).toEqual({ s1: 'senior' })
    // None is left to change.
    expect(count(1, 'child')).toEqual({})
    expect(count(-1, 'child')).toEqual({ s2: 'adult' })
    expect(count(-1, 'child')).toEqual({})
    expect(count(1, 'adult')).toEqual({})
  })
})
