import { generateVenue } from '@voelgoed/core/layout/generate'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../test/encode-layout.ts'
import { findSeats } from './find-seats.ts'

const theatre = modelOf(generateVenue({ kind: 'theatre', seats: 1_200 }))
const arena = modelOf(generateVenue({ kind: 'arena', seats: 2_000 }))

/** Each seat that was found, as one would say it; `*` for a whole row or a whole section. */
function said(model: typeof theatre, query: string): string[] {
  return (findSeats(model, query, ['row', 'seat']) ?? []).flatMap(({ zoneIndex, rows }) => {
    const zone = model.zones[zoneIndex]!
    if (!rows) return [`${zone.name} *`]
    return [...rows].flatMap(([index, seats]) => {
      const name = `${zone.name} ${zone.rows[index]!.label}`
      return seats ? seats.map(seat => `${name} ${model.numberOf(seat)}`) : [`${name} *`]
    })
  })
}

describe('a search', () => {
  it.each(['C 12', 'c12', 'C-12', 'row C seat 12', '12 c', 'C, 12'])(
    'for %s finds that seat in every section',
    query => {
      expect(said(theatre, query)).toEqual(['Stalls C 12', 'Circle C 12', 'Balcony C 12'])
    },
  )

  it('narrows down by the section', () => {
    expect(said(theatre, 'stalls C 12')).toEqual(['Stalls C 12'])
    expect(said(theatre, 'balc c')).toEqual(['Balcony C *'])
    expect(said(theatre, 'circle')).toEqual(['Circle *'])
  })

  it('finds a section by its number, with a row in it', () => {
    const { name, rows } = arena.zones[1]!
    const number = name.split(' ')[1]!
    expect(said(arena, number)).toContain(`${name} *`)
    expect(said(arena, `${number} ${rows[0]!.label}`)).toContain(`${name} ${rows[0]!.label} *`)
  })

  it('finds nothing for what is not there, and asks nothing without words', () => {
    expect(said(theatre, 'stalls C 999')).toEqual([])
    expect(said(theatre, 'gallery')).toEqual([])
    expect(findSeats(theatre, '  row ', ['row', 'seat'])).toBe(null)
  })

  it('for a number alone finds a bounded number of seats', () => {
    expect(said(arena, '7').length).toBeLessThanOrEqual(200)
  })
})
