import { describe, expect, it } from 'vitest'
import type { Point } from '../layout/model.ts'
import { compileRows, type RowSeat } from './rows.ts'

/** The runs of the seats, as their numbers. */
function runsOf(seats: readonly (Partial<RowSeat> & Point)[], front: Point = { x: 0, y: -10 }): string[] {
  const rows = compileRows(
    seats.map((seat, index) => ({ zoneIndex: 0, row: 'A', number: index + 1, aisleAfter: null, ...seat })),
    front,
  )
  return Array.from(rows.rowOfRun, (row, run) => {
    const ordinals = rows.ordinals.subarray(rows.runStarts[run], rows.runStarts[run + 1])
    return `${rows.labels[row]}: ${Array.from(ordinals, ordinal => seats[ordinal]!.number ?? ordinal + 1).join(' ')}`
  })
}

const line = (...xs: number[]) => xs.map(x => ({ x, y: 0 }))

describe('neighbours', () => {
  it('are consecutive seats of a row', () => {
    expect(runsOf(line(0, 1, 2, 3))).toEqual(['A: 1 2 3 4'])
  })

  it('are parted where the distance is more than 1.75 times the usual one', () => {
    expect(runsOf(line(0, 1, 2, 3.74, 4.74))).toEqual(['A: 1 2 3 4 5'])
    expect(runsOf(line(0, 1, 2, 3.76, 4.76))).toEqual(['A: 1 2 3', 'A: 4 5'])
  })

  it('are parted where the layout says so, and are not where it says that', () => {
    expect(
      runsOf([
        { x: 0, y: 0 },
        { x: 1, y: 0, aisleAfter: true },
        { x: 2, y: 0 },
      ]),
    ).toEqual(['A: 1 2', 'A: 3'])
    expect(runsOf([...line(0, 1), { x: 2, y: 0, aisleAfter: false }, { x: 9, y: 0 }])).toEqual(['A: 1 2 3 4'])
  })

  it('are found by place where odd numbers are on one side and even ones on the other', () => {
    const seats = [5, 3, 1, 2, 4, 6].map((number, x) => ({ x, y: 0, number }))
    const byNumber = seats.toSorted((a, b) => a.number - b.number)
    expect(runsOf(byNumber)).toEqual(['A: 5 3 1 2 4 6'])
  })

  it('follow an arc, and a circle by its numbers', () => {
    const around = (count: number, turn: number) =>
      Array.from({ length: count }, (_, index) => ({
        x: Math.cos((index * turn) / count),
        y: Math.sin((index * turn) / count),
        number: index + 1,
      }))
    expect(runsOf(around(6, Math.PI))).toEqual(['A: 1 2 3 4 5 6'])
    const table = around(8, 2 * Math.PI)
    const shuffled = [3, 0, 6, 1, 7, 2, 5, 4].map(index => table[index]!)
    expect(runsOf(shuffled)).toEqual(['A: 1 2 3 4 5 6 7 8'])
  })

  it('are of one row of one zone; rows are counted from the front', () => {
    const seats = [
      { x: 0, y: 9, row: 'Z', number: 1 },
      { x: 0, y: 3, row: 'B', number: 2 },
      { x: 1, y: 3, row: 'B', number: 3 },
      { x: 1, y: 9, row: 'Z', number: 4 },
      { x: 2, y: 3, row: 'B', number: 5, zoneIndex: 1 },
    ]
    expect(runsOf(seats)).toEqual(['B: 2 3', 'Z: 1 4', 'B: 5'])
  })

  it('has every seat once, whatever the drawing', () => {
    const seats = Array.from({ length: 50 }, (_, index) => ({
      x: (index * 7) % 13,
      y: (index * 5) % 3,
      number: 'x',
    }))
    const rows = compileRows(
      seats.map(seat => ({ zoneIndex: 0, row: 'A', aisleAfter: null, ...seat })),
      { x: 0, y: 0 },
    )
    expect([...rows.ordinals].sort((a, b) => a - b)).toEqual(seats.map((_, index) => index))
    for (const [position, ordinal] of rows.ordinals.entries()) expect(rows.positions[ordinal]).toBe(position)
  })
})
