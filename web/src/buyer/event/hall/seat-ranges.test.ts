import { describe, expect, it } from 'vitest'
import type { MyHold } from '../cart/holdings.svelte.ts'
import { groupHolds, seatRanges } from './seat-ranges.ts'

describe('seats of a row in brief', () => {
  it('are ranges where numbers follow each other', () => {
    expect(seatRanges([24, 21, 22, 23])).toBe('21–24')
    expect(seatRanges([3, 5, 6, 7])).toBe('3, 5–7')
    expect(seatRanges([1, 2])).toBe('1, 2')
    expect(seatRanges([8])).toBe('8')
    expect(seatRanges(['4', '5', '6'])).toBe('4–6')
  })

  it('are listed where a seat has no number', () => {
    expect(seatRanges(['A', 'B', 7])).toBe('A, B, 7')
  })
})

describe('holds', () => {
  it('of one row are together, places are by themselves', () => {
    const seat = (hold_id: string, zone_id: string, row: string) => ({
      hold_id,
      zone_id,
      row,
      seat_id: hold_id,
    })
    const pit = { hold_id: 'p', zone_id: 'z', quantity: 2 }
    const holds = [seat('1', 'a', 'C'), pit, seat('2', 'b', 'C'), seat('3', 'a', 'C')] as unknown as MyHold[]
    const ids = groupHolds(holds).map(group =>
      Array.isArray(group) ? group.map(one => one.hold_id) : 'places',
    )
    expect(ids).toEqual([['1', '3'], 'places', ['2']])
  })

  it('of one row are in the order of the seats, however they were taken', () => {
    const seat = (seat_number: number | string) => ({ zone_id: 'a', row: 'C', seat_id: 's', seat_number })
    const order = (...taken: (number | string)[]) =>
      (groupHolds(taken.map(seat) as unknown as MyHold[]) as { seat_number: unknown }[][])[0]!.map(
        hold => hold.seat_number,
      )
    expect(order(12, 9, 11, 10)).toEqual([9, 10, 11, 12])
    expect(order('B', 'A')).toEqual(['A', 'B'])
  })
})
