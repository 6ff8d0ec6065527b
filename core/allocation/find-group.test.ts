import { describe, expect, it } from 'vitest'
import type { GroupType } from '../layout/model.ts'
import { bestAvailable } from './best-available.ts'
import { drawnHall, wishFor } from './fixtures/drawn-hall.ts'

/** Groups by ordinal: seats are counted along the lines of the drawing. */
function find(drawing: string, quantity: number, groupType: GroupType, ordinals: number[], sell?: 'whole') {
  const groups = [{ groupType, ordinals, metadata: sell ? { sell } : {} }]
  const { seats, nameOf } = drawnHall(drawing, { groups })
  const offer = bestAvailable(seats, wishFor(quantity))
  return offer?.clusters.map(({ start, end }) =>
    Array.from({ length: end - start }, (_, index) => nameOf(start + index)).join(' '),
  )
}

describe('a group that is sold as a whole', () => {
  const box = [0, 1, 4, 5]
  it('is offered to as many people as it has seats, if it is the best', () => {
    expect(find('oooo\noooo', 4, 'vip_table', box, 'whole')).toEqual(['A1 A2', 'B1 B2'])
  })

  it('is not offered to others', () => {
    expect(find('oooo\noooo', 2, 'vip_table', box, 'whole')).toEqual(['A3 A4'])
    expect(find('oooo\noooo', 3, 'vip_table', box, 'whole')).toEqual(['A3 A4', 'B4'])
  })

  it('is not offered when a seat of it is taken', () => {
    expect(find('xooo\noooo', 4, 'vip_table', box, 'whole')).toEqual(['A3 A4', 'B3 B4'])
  })
})

describe('a group that is a preference', () => {
  const block = [4, 5, 6, 7]
  it('is looked at first by those whom it fits', () => {
    expect(find('oooo\noooo', 4, 'family_block', block)).toEqual(['B1 B2 B3 B4'])
    expect(find('oooo\noooo', 2, 'family_block', block)).toEqual(['B1 B2'])
    expect(find('oooo\noooo', 1, 'family_block', block)).toEqual(['A1'])
  })

  it('is open to everyone', () => {
    expect(find('xxxx\nxooo', 1, 'family_block', block)).toEqual(['B2'])
  })
})
